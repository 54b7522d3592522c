// The programs as a user starts them: exit status, what goes to stdout and stderr, and which files are there
// afterwards. They lie beside this test.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class Programs : public testing::Test {
 protected:
  Programs() {
    std::string pattern = (fs::temp_directory_path() / "program_test_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~Programs() override { fs::remove_all(directory_); }

  struct Outcome {
    int status;
    std::string out;
    std::string err;
  };

  // Runs a program of this build in an empty directory.
  Outcome run(const std::string& command) const {
    const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
    const std::string line = "cd " + directory_.string() + " && " + (programs / command).string() + " >../" +
                             directory_.filename().string() + ".out 2>../" + directory_.filename().string() + ".err";
    const int status = std::system(line.c_str());
    const fs::path out = directory_.string() + ".out";
    const fs::path err = directory_.string() + ".err";
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
    fs::remove(out);
    fs::remove(err);
    return outcome;
  }

  // One sentence on stderr that has all these parts, status 2, nothing on stdout, no file.
  void expect_refused(const std::string& command, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(command);
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_TRUE(fs::is_empty(directory_));
  }

  // Not by what --device gpu does: that is tested.
  bool has_gpu() const { return run("doctor").out.find("GPU: none") == std::string::npos; }

  fs::path directory_;
};

TEST_F(Programs, RefuseBadArguments) {
  for (const std::string program : {"chapter1", "compare"}) {
    const std::string call = program + " --device sim --json result.json ";
    expect_refused(call + "--head-dim 96", {program, "96", "64 and 128"});
    expect_refused(call + "--dtype fp32", {"fp32", "fp16 and bf16"});
    expect_refused(call + "--seq-len 100", {"100", "64 rows", "64 and 128"});
    expect_refused(call + "--seq-len 63", {"63", "the nearest that works is 64"});
    expect_refused(call + "--seq-len 65", {"65", "64 and 128"});
    expect_refused(call + "--seq-kv 0", {"--seq-kv", "is 0"});
    expect_refused(call + "--batch -1", {"--batch", "-1", "nearest that works is 1"});
    expect_refused(call + "--heads 65536", {"65536", "65535"});
    expect_refused(call + "--seq-len 64 --batch 123456789012345678901234567890", {"65535"});
    expect_refused(call + "--batch 4000 --heads 4000 --seq-len 1048576",
                   {"17179870257741824 bytes", "bytes are free", "--batch 1 --heads"});
    expect_refused(call + "--block-q 96", {"96x64", "not built", "64x64 with 4 warps", "128x128 with 8 warps"});
    expect_refused(call + "--bogus", {"--bogus", "--help"});
    expect_refused(call + "--check none", {"none", "sampled"});
    expect_refused(call + "--input zeros", {"zeros", "masked-keys"});
    expect_refused(call + "--seed x", {"--seed"});
    expect_refused(program + " --device tpu", {"tpu", "auto, gpu and sim"});
    expect_refused(program + " --device sim --json missing/result.json", {"missing/result.json", "No such file"});
    expect_refused(program + " --device sim --json .", {"directory"});
  }
  expect_refused("compare --device sim --chapters 1,77", {"77", "this program has 1"});
  expect_refused("chapter1 --device sim --trace missing/trace.json --json result.json", {"missing/trace.json"});
}

TEST_F(Programs, RefuseAGpuThatIsNotThere) {
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("chapter1 --device gpu --json result.json", {"--device gpu", "no GPU", "--device sim"});
  const Outcome outcome = run("chapter1 --seq-len 64");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("running on the simulator"), std::string::npos) << outcome.err;
}

TEST_F(Programs, AChapterRunsAndReportsAsText) {
  const Outcome outcome = run("chapter1 --device sim --seq-len 128");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* const part : {"chapter1", "right", "hazards  0", "ldmatrix", "a key tile"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(Programs, AChapterReportsAsJson) {
  const Outcome outcome =
      run("chapter1 --device sim --seq-q 64 --seq-kv 192 --heads 2 --dtype bf16 --sm 80 --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(read(directory_ / "r.json"));
  for (const char* const key : {"chapter", "title", "device", "problem", "config", "correct", "max_abs_error",
                                "tolerance", "hazards", "counters", "instructions", "per_key_tile", "environment"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["chapter"], 1);
  EXPECT_EQ(json["device"], "sim");
  EXPECT_EQ(json["problem"]["seq_kv"], 192);
  EXPECT_EQ(json["problem"]["dtype"], "bf16");
  EXPECT_EQ(json["config"]["block_q"], 64);
  EXPECT_EQ(json["correct"], true);
  EXPECT_LE(json["max_abs_error"], json["tolerance"]);
  EXPECT_EQ(json["hazards"]["count"], 0);
  EXPECT_TRUE(json["hazards"]["list"].is_array());
  for (const char* const family : {"ldmatrix", "cp_async", "shared_load", "shared_store"}) {
    for (const char* const key : {"requests", "wavefronts", "ideal_wavefronts"}) {
      EXPECT_GT(json["counters"][family][key], 0) << family << " " << key;
    }
  }
  EXPECT_GT(json["counters"]["global"]["cp_async"]["sectors"], 0);
  EXPECT_EQ(json["per_key_tile"]["instructions"]["mma"], 512);
  EXPECT_EQ(json["environment"]["simulated_sm"], 80);
}

TEST_F(Programs, JsonOnStdoutIsAllThatIsThere) {
  const Outcome outcome = run("compare --device sim --seq-len 64 --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0]["chapter"], 1);
  EXPECT_NE(outcome.err.find("Base kernel"), std::string::npos);
}

TEST_F(Programs, CompareShowsTheChosenChapters) {
  const Outcome all = run("compare --device sim --seq-len 64 --json all.json");
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.out.find("1  Base kernel"), std::string::npos) << all.out;
  const Outcome first = run("compare --device sim --seq-len 64 --chapters 1 --json first.json");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(nlohmann::json::parse(read(directory_ / "first.json")).size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(read(directory_ / "all.json"))[0],
            nlohmann::json::parse(read(directory_ / "first.json"))[0]);
}

TEST_F(Programs, AChapterShowsTheBanksOfAnInstruction) {
  const Outcome outcome = run("chapter1 --device sim --banks ldmatrix-k --banks-svg banks.svg");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Base kernel"), std::string::npos) << outcome.out;
  EXPECT_NE(read(directory_ / "banks.svg").find("</svg>"), std::string::npos);
}

TEST_F(Programs, BanksRefusesWhatItCannotShow) {
  const std::string banks = "chapter1 --device sim --banks";
  expect_refused(banks + " ldmatrix-o --banks-svg banks.svg", {"ldmatrix-o is not an instruction", "ldmatrix-k"});
  expect_refused(banks + " \"\"", {"--banks"});
  expect_refused(banks + " ldmatrix-k --trace trace.json", {"nothing for --trace to write"});
  expect_refused(banks + " ldmatrix-k --json -", {"nothing for --json to write"});
  expect_refused(banks + " ldmatrix-k --banks-svg nowhere/banks.svg", {"nowhere/banks.svg", "cannot be written"});
  expect_refused("chapter1 --device sim --banks-svg banks.svg", {"name it with --banks", "ldmatrix-k"});
  expect_refused(banks + " ldmatrix-k --seq-len 100", {"--seq-len", "64 and 128"});
}

TEST_F(Programs, AChapterWritesATrace) {
  const Outcome outcome = run("chapter1 --device sim --seq-q 64 --seq-kv 128 --trace trace.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json trace = nlohmann::json::parse(read(directory_ / "trace.json"));
  int slices = 0;
  int arrows = 0;
  for (const auto& event : trace["traceEvents"]) {
    slices += event["ph"] == "X" ? 1 : 0;
    arrows += event["ph"] == "f" ? 1 : 0;
  }
  EXPECT_GT(slices, 100);
  EXPECT_EQ(arrows, 4 * (1 + 2 * 2));  // four warps: Q, and K and V of two tiles
}

TEST_F(Programs, HelpGoesToStdout) {
  for (const std::string program : {"chapter1", "compare"}) {
    const Outcome outcome = run(program + " --help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(Programs, DoctorHasALineForEachSubject) {
  const Outcome outcome = run("doctor");
  EXPECT_EQ(outcome.status, 0);
  for (const char* const subject : {"GPU:", "driver:", "CUDA Toolkit:", "GPU code:", "shared memory:", "counters:",
                                    "Nsight Compute:", "references:", "host compiler:", "simulator:"}) {
    EXPECT_NE(outcome.out.find(subject), std::string::npos) << subject;
  }
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 10);
  EXPECT_EQ(run("doctor --fix").status, 2);
}

TEST_F(Programs, BenchmarkSaysWhatToDoWithoutAGpu) {
  if (!HAS_BENCHMARK) GTEST_SKIP() << "this build has no benchmark (FLASH_BENCHMARKS)";
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("benchmark", {"no GPU", "compare"});
}

}  // namespace
