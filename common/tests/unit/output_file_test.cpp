#include "common/harness/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "output_file_test_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~OutputFileTest() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  int files() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(directory_)) ++count;
    return count;
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path directory_;
};

TEST_F(OutputFileTest, AppearsWhenItIsWritten) {
  OutputFile file("--json", path("result.json"));
  EXPECT_FALSE(fs::exists(path("result.json")));
  file.write("{}\n");
  EXPECT_EQ(read(path("result.json")), "{}\n");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, LeavesNothingBehindIfItIsNotWritten) {
  { const OutputFile file("--json", path("result.json")); }
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, KeepsAnOlderFileUntilItIsWritten) {
  std::ofstream(path("result.json")) << "old";
  {
    OutputFile file("--json", path("result.json"));
    EXPECT_EQ(read(path("result.json")), "old");
  }
  EXPECT_EQ(read(path("result.json")), "old");
  OutputFile("--json", path("result.json")).write("new");
  EXPECT_EQ(read(path("result.json")), "new");
}

TEST_F(OutputFileTest, WritesThroughALink) {
  std::ofstream(path("target")) << "old";
  fs::create_symlink(path("target"), path("link"));
  OutputFile("--json", path("link")).write("new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("target")), "new");
}

// A pipe stands in for /dev/null, which a fault would replace for the whole machine if root ran this test.
TEST_F(OutputFileTest, LeavesAPipeAPipe) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile("--json", path("pipe")).write("new");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof(text)), 3);
  EXPECT_STREQ(text, "new");
  close(reader);
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_EQ(refusal_of([&] { OutputFile("--json", path("missing/result.json")); }),
            "--json " + path("missing/result.json") +
                " cannot be written (No such file or directory): give a file in a directory that exists and may be "
                "written, or - for stdout");
  EXPECT_NE(refusal_of([&] { OutputFile("--json", directory_.string()); }).find("it is a directory"),
            std::string::npos);
  EXPECT_NE(
      refusal_of([&] { OutputFile("--json", "/proc/nothing.json"); }).find("/proc/nothing.json cannot be written"),
      std::string::npos);
}

// A limit of this process stands in for the disk, and for /dev/full, which a fault might replace like /dev/null.
TEST_F(OutputFileTest, RefusesADiskThatIsFull) {
  OutputFile file("--json", path("result.json"));
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  const std::string sentence = refusal_of([&] { file.write("text"); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(sentence.find("the disk is full"), std::string::npos) << sentence;
  EXPECT_FALSE(fs::exists(path("result.json")));
}

TEST_F(OutputFileTest, WithoutAPathIsNotWanted) {
  OutputFile file("--json", "");
  EXPECT_FALSE(file.wanted());
  file.write("nothing");
  EXPECT_TRUE(OutputFile("--json", "-").is_stdout());
}

}  // namespace
}  // namespace harness
