// The way from a kernel to a verdict, with kernels that are wrong in known ways.
#include "common/harness/simulator_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/harness/programs.h"
#include "common/harness/sixteen_bit.h"
#include "common/harness/verification.h"
#include "common/simulator/instructions.h"

namespace harness {
namespace {

constexpr ElementType kType = ElementType::kFloat16;
constexpr int kHeadDim = 64;
constexpr int kBlockQ = 64;

// Attention as it is written in a book: one thread a row, straight from global memory.
struct PlainKernel {
  double scale = 1.0;  // of the result: 1 is right
  int row_offset = 0;  // of the row that is written: 0 is right
  int rows = kBlockQ;  // that are written: all are right
  bool skip_last_key = false;
  bool read_behind_k = false;  // when all is written

  static std::vector<float> load(const device::Tensor& tensor, int batch, int head, int64_t row) {
    const auto* source = tensor.head<device::Half>(batch, head) + row * tensor.row_stride;
    std::vector<float> values;
    for (int column = 0; column < kHeadDim; column += 8) {
      uint16_t chunk[8];
      simulator::load_global(source + column, chunk, 16, simulator::CallSite::here());
      for (const uint16_t bits : chunk) values.push_back(to_float(bits, kType));
    }
    return values;
  }

  void operator()(const device::AttentionArguments& arguments) const {
    const int batch = simulator::block_index(2);
    const int head = simulator::block_index(1);
    for (int i = simulator::thread_index(); i < rows; i += 32) {
      const int64_t row = simulator::block_index(0) * kBlockQ + i;
      const std::vector<float> q = load(arguments.q, batch, head, row);
      std::vector<double> o(kHeadDim);
      double sum = 0;
      for (int key = 0; key < arguments.seq_kv - (skip_last_key ? 1 : 0); ++key) {
        const std::vector<float> k = load(arguments.k, batch, head, key);
        const std::vector<float> v = load(arguments.v, batch, head, key);
        double s = 0;
        for (size_t column = 0; column < kHeadDim; ++column) s += static_cast<double>(q[column]) * k[column];
        const double p = std::exp2(s * arguments.scale_log2);
        sum += p;
        for (size_t column = 0; column < kHeadDim; ++column) o[column] += p * v[column];
      }
      auto* destination = arguments.o.head<device::Half>(batch, head) + (row + row_offset) * arguments.o.row_stride;
      for (size_t column = 0; column < kHeadDim; column += 8) {
        uint16_t chunk[8];
        for (size_t j = 0; j < 8; ++j) chunk[j] = to_bits(scale * o[column + j] / sum, kType);
        simulator::store_global(destination + column, chunk, 16, simulator::CallSite::here());
      }
    }
    if (read_behind_k) load(arguments.k, batch, head, arguments.seq_kv);
  }
};

Kernel make_kernel(const PlainKernel& body) {
  Kernel kernel;
  kernel.head_dim = kHeadDim;
  kernel.tile = {kBlockQ, 32, 1};
  kernel.simulator_thread = body;
  return kernel;
}

struct Outcome {
  SimulatorRun run;
  Verdict verdict;
};

Outcome run(const PlainKernel& body) {
  Problem problem;  // as many batches as heads or tiles would hide that a grid has them in the wrong order
  problem.batch = 3;
  problem.heads = 2;
  problem.seq_q = 4 * kBlockQ;
  problem.seq_kv = 32;
  problem.head_dim = kHeadDim;
  const Inputs inputs = make_inputs(problem);
  SimulatorRun result = run_on_simulator(make_kernel(body), inputs, {});
  const Verdict verdict = Verifier(inputs, CheckMode::kFull, kBlockQ).verify(result.output);
  return {std::move(result), verdict};
}

TEST(RunOnSimulator, PassesArgumentsGridAndScaleAsTheKernelsExpectThem) {
  const Outcome outcome = run({});
  EXPECT_TRUE(outcome.verdict.correct) << outcome.verdict.message;
  EXPECT_TRUE(outcome.run.guards_intact);
  EXPECT_EQ(outcome.run.report.hazard_count(), 0);
}

TEST(RunOnSimulator, AKernelThatDoesNothingIsWrong) {
  PlainKernel body;
  body.rows = 0;
  EXPECT_EQ(run(body).verdict.unwritten, 3 * 2 * 4 * kBlockQ * kHeadDim);
}

TEST(RunOnSimulator, AKernelThatForgetsARowIsWrong) {
  PlainKernel body;
  body.rows = kBlockQ - 1;
  EXPECT_EQ(run(body).verdict.unwritten, 3 * 2 * 4 * kHeadDim);
}

TEST(RunOnSimulator, AKernelThatSkipsAKeyIsWrong) {
  PlainKernel body;
  body.skip_last_key = true;
  EXPECT_FALSE(run(body).verdict.correct);
}

TEST(RunOnSimulator, AKernelThatIsOnePerCentOffIsWrong) {
  PlainKernel body;
  body.scale = 1.01;
  EXPECT_FALSE(run(body).verdict.correct);
}

TEST(RunOnSimulator, AKernelThatWritesBehindItsTensorHasHazards) {
  PlainKernel body;
  body.row_offset = 2;  // rows are 256 bytes apart, with two heads
  EXPECT_GT(run(body).run.report.hazard_count(), 0);
}

// The exit status of compare with one chapter, and what it prints.
std::pair<int, std::string> compare(const std::string& chapter) {
  const std::vector<const char*> arguments = {"compare",    "--device", "sim",       "--chapters", chapter.c_str(),
                                              "--head-dim", "64",       "--block-q", "64",         "--block-kv",
                                              "32",         "--warps",  "1",         "--seq-len",  "64"};
  testing::internal::CaptureStdout();
  const int status = compare_program(static_cast<int>(arguments.size()), arguments.data());
  return {status, testing::internal::GetCapturedStdout()};
}

TEST(RunOnSimulator, AProgramSaysWhatIsWrongAndExitsWithOne) {
  PlainKernel skips_a_key;
  skips_a_key.skip_last_key = true;
  PlainKernel reads_behind;
  reads_behind.read_behind_k = true;
  register_kernels(931, "Right", {make_kernel({})});
  register_kernels(932, "Skips a key", {make_kernel(skips_a_key)});
  register_kernels(933, "Reads behind K", {make_kernel(reads_behind)});
  EXPECT_EQ(compare("931").first, 0);
  const auto [wrong_status, wrong_text] = compare("932");
  EXPECT_EQ(wrong_status, 1);
  EXPECT_NE(wrong_text.find("chapter932: the largest error is"), std::string::npos) << wrong_text;
  const auto [hazard_status, hazard_text] = compare("933");
  EXPECT_EQ(hazard_status, 1);
  EXPECT_NE(hazard_text.find("chapter933: 32 hazards"), std::string::npos) << hazard_text;
  EXPECT_NE(hazard_text.find("0 bytes past the end of K"), std::string::npos) << hazard_text;
}

TEST(RunOnSimulator, CountsWhatOneKeyTileCosts) {
  const simulator::Report report = count_key_tile(make_kernel({}), {});
  // 2 rows a thread, 32 keys, K and V, 8 chunks of 16 bytes a row
  EXPECT_EQ(report.instructions.at("global_load"), 2 * 32 * 2 * 8);
  EXPECT_EQ(report.instructions.at("global_store"), 0);
  EXPECT_EQ(report.global.at("global_load").at("K").requests, 2 * 32 * 8);
}

}  // namespace
}  // namespace harness
