// The way from a command line to times and reports on a GPU, tried without one: this file stands in for gpu*.cpp (the
// linker takes what is here before it looks into the library). A work of this GPU says who it is and takes as long as
// the test wants.
#include <gtest/gtest.h>

#include <map>

#include "common/harness/execution.h"
#include "common/harness/gpu.h"
#include "common/harness/json_report.h"
#include "common/harness/reference.h"
#include "common/harness/refusal.h"
#include "common/harness/text_report.h"
#include "common/harness/workbench.h"
#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

// Who was launched: a kernel's gpu_function, or a reference.
using Identity = const void*;

constexpr int kTags[4] = {};
constexpr Identity kFirst = &kTags[0];
constexpr Identity kSecond = &kTags[1];
constexpr Identity kThird = &kTags[2];
constexpr Identity kFlash = &kTags[3];

struct FakeGpu {
  bool present = false;
  GpuInfo info;
  std::map<Identity, double> milliseconds;
  std::vector<Identity> timed;     // in order
  Identity faulty = nullptr;       // gives NaN
  Identity crashing = nullptr;     // reports an error
  Identity overwriting = nullptr;  // writes behind its tensor
  Identity slow_beside = nullptr;  // halves the clock while it is timed, and for what is timed in turn with it
  Identity last = nullptr;
  Identity last_kernel = nullptr;
};
FakeGpu fake;

class FakeSession : public GpuSession {
 public:
  explicit FakeSession(const Inputs& inputs) : inputs_(inputs) {}

  Run run(const GpuWork& work) override {
    work();
    if (fake.last == fake.crashing) throw RunFailure("launch: an illegal memory access was encountered");
    const ExpectedRows expected = attention_float64(inputs_, all_rows(inputs_.problem));
    HostTensor output(inputs_.problem.shape(Role::kO));
    const auto width = static_cast<size_t>(expected.head_dim);
    for (size_t i = 0; i < expected.rows.size(); ++i) {
      const RowIndex& index = expected.rows[i];
      std::copy_n(expected.plain.data() + i * width, width, output.row(index.batch, index.row, index.head));
    }
    if (fake.last == fake.faulty) output.data()[0] = 0x7fff;
    return {std::move(output), fake.last != fake.overwriting};
  }
  GpuWork launch(const Kernel& kernel) override {
    return [identity = kernel.gpu_function] { fake.last = identity; };
  }
  device::AttentionArguments arguments() const override { return {}; }

 private:
  const Inputs& inputs_;
};

}  // namespace

GpuQuery query_gpu() {
  if (!fake.present) return {std::nullopt, "the driver shows no device"};
  return {fake.info, ""};
}
std::string built_architectures() { return "80 90"; }
bool has_code(const Kernel&) { return true; }
std::optional<GpuState> gpu_state() { return GpuState{1980, 3201, 40}; }
KernelResources kernel_resources(const Kernel& kernel) { return {168, 8, kernel.shared_bytes, 3}; }
std::unique_ptr<GpuSession> open_gpu_session(const Inputs& inputs) { return std::make_unique<FakeSession>(inputs); }
double time_batch(const GpuWork& work, int, bool) {
  work();
  fake.timed.push_back(fake.last);
  if (fake.last != kFlash) fake.last_kernel = fake.last;
  return fake.milliseconds.at(fake.last) *
         (fake.slow_beside != nullptr && fake.slow_beside == fake.last_kernel ? 2 : 1);
}

namespace {

Kernel make_kernel(Identity identity, const Tile& tile, int shared_bytes) {
  Kernel kernel;
  kernel.head_dim = 64;
  kernel.tile = tile;
  kernel.shared_bytes = shared_bytes;
  kernel.gpu_function = identity;
  return kernel;
}

class OnAGpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_kernels(911, "First",
                     {make_kernel(kFirst, {64, 64, 4}, 49152), make_kernel(kFirst, {128, 64, 8}, 300000)});
    register_kernels(912, "Second", {make_kernel(kSecond, {64, 64, 4}, 49152)});
    register_kernels(913, "Third", {make_kernel(kThird, {64, 64, 4}, 49152)});
    register_reference({"FlashAttention-2", [](const Problem&, const device::AttentionArguments&, bool) {
                          return GpuWork([] { fake.last = kFlash; });
                        }});
  }

  OnAGpu() {
    fake = {};
    fake.present = true;
    fake.info.name = "NVIDIA Test";
    fake.info.sm = 90;
    fake.info.multiprocessors = 132;
    fake.info.largest_sm_mhz = 1980;
    fake.info.shared_bytes_per_block = 232448;
    fake.info.free_bytes = int64_t{1} << 37;
    fake.milliseconds = {{kFirst, 4}, {kSecond, 2}, {kThird, 0.5}, {kFlash, 1}};
    options_.chapters = {911, 912};
    options_.head_dim = 64;
    options_.batch = 2;
    options_.heads = 2;
    options_.seq_len = 128;
  }
  ~OnAGpu() override { fake = {}; }

  Results results() const { return execute(make_plan(options_), true); }

  Options options_;
};

TEST_F(OnAGpu, TheGpuIsChosenAndNamed) {
  const Plan plan = make_plan(options_);
  EXPECT_EQ(plan.device.kind, DeviceKind::kGpu);
  EXPECT_EQ(plan.device.reason, "NVIDIA Test (sm_90)");
}

TEST_F(OnAGpu, ChaptersAreVerifiedAndTimedInTurnWithTheReferences) {
  const Results all = results();
  ASSERT_EQ(all.chapters.size(), 2u);
  EXPECT_TRUE(all.chapters[0].ok());
  EXPECT_EQ(all.chapters[0].timing->median, 4);
  EXPECT_EQ(all.chapters[1].timing->median, 2);
  EXPECT_FALSE(all.chapters[0].speed_up);
  EXPECT_EQ(*all.chapters[1].speed_up, 2);
  ASSERT_EQ(all.chapters[0].references.size(), 2u);
  EXPECT_EQ(all.chapters[0].references[0].timing->median, 1);
  EXPECT_EQ(all.chapters[0].references[0].message, "");
  EXPECT_FALSE(all.chapters[0].references[1].timing);
  EXPECT_EQ(all.chapters[0].references[1].message, "this build has no cuDNN");
  // For each chapter: two launches of it and of the reference to find the size of a batch, then 3 + 10 rounds, A B and
  // B A by turns. The first that counts is the fourth.
  ASSERT_EQ(fake.timed.size(), 2u * (2u * 2u + 13u * 2u));
  for (size_t i = 4; i < 30; i += 2) {
    const size_t flash = i / 2 % 2 == 1 ? i : i + 1;
    const size_t chapter = i / 2 % 2 == 1 ? i + 1 : i;
    EXPECT_EQ(fake.timed[flash], kFlash) << i;
    EXPECT_EQ(fake.timed[chapter], kFirst) << i;
    EXPECT_EQ(fake.timed[flash + 30], kFlash) << i;
    EXPECT_EQ(fake.timed[chapter + 30], kSecond) << i;
  }
}

// Beside the second chapter everything takes twice as long: a clock that fell, which is not the chapter's fault.
TEST_F(OnAGpu, ASpeedUpIsOverTheStepBefore) {
  options_.chapters = {911, 912, 913};
  const Results all = results();
  EXPECT_EQ(*all.chapters[1].speed_up, 2);
  EXPECT_EQ(*all.chapters[2].speed_up, 4);
}

TEST_F(OnAGpu, ASpeedUpIsFreeOfClocks) {
  fake.slow_beside = kSecond;
  const Results all = results();
  EXPECT_EQ(all.chapters[1].timing->median, 4);
  EXPECT_EQ(all.chapters[1].references[0].timing->median, 2);
  EXPECT_EQ(*all.chapters[1].speed_up, 2);
}

TEST_F(OnAGpu, TheTableHasSharesOfReferencesAndResources) {
  const std::string text = comparison_report(results());
  for (const char* const part : {"911  First", "25.0", "50.0", "n/a", "2.00x", "168", "49152", "1980 MHz, 40 C",
                                 "cuDNN: n/a, this build has no cuDNN", "FlashAttention-2: 1 to 1 ms"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(OnAGpu, JsonHasTimesResourcesAndEnvironment) {
  const Json json = to_json(results())[1];
  EXPECT_EQ(json["device"], "gpu");
  EXPECT_EQ(json["correct"], true);
  EXPECT_EQ(json["time_ms"]["median"], 2.0);
  EXPECT_EQ(json["time_ms"]["minimum"], 2.0);
  EXPECT_EQ(json["time_ms"]["spread"], 0.0);
  EXPECT_DOUBLE_EQ(json["tflops"], 4.0 * 2 * 2 * 128 * 128 * 64 / 2 / 1e9);
  EXPECT_EQ(json["registers"], 168);
  EXPECT_EQ(json["spill_bytes"], 8);
  EXPECT_EQ(json["shared_bytes"], 49152);
  EXPECT_EQ(json["blocks_per_sm"], 3);
  EXPECT_EQ(json["references"]["FlashAttention-2"]["percent"], 50.0);
  EXPECT_TRUE(json["references"]["cuDNN"]["percent"].is_null());
  EXPECT_EQ(json["speed_up"], 2.0);
  EXPECT_EQ(json["environment"]["gpu"], "NVIDIA Test");
  EXPECT_EQ(json["environment"]["before"]["sm_mhz"], 1980);
  EXPECT_FALSE(json.contains("hazards"));
}

TEST_F(OnAGpu, AWrongResultIsReportedAndNotTimed) {
  fake.faulty = kFirst;
  const Results all = results();
  EXPECT_FALSE(all.chapters[0].ok());
  EXPECT_FALSE(all.chapters[0].timing);
  EXPECT_TRUE(all.chapters[1].ok());
  EXPECT_TRUE(all.chapters[1].timing);
  EXPECT_FALSE(all.chapters[1].speed_up);
  const Json json = to_json(all)[0];
  EXPECT_EQ(json["correct"], false);
  EXPECT_TRUE(json["max_abs_error"].is_null());
  EXPECT_TRUE(json["time_ms"].is_null());
  EXPECT_NE(comparison_report(all).find("chapter911: 1 elements of O are NaN"), std::string::npos);
}

TEST_F(OnAGpu, AnErrorOfTheGpuIsReportedAndNothingIsTimed) {
  fake.crashing = kSecond;
  const Results all = results();
  EXPECT_FALSE(all.chapters[1].ok());
  EXPECT_NE(all.chapters[1].complaint().find("illegal memory access"), std::string::npos);
  EXPECT_TRUE(fake.timed.empty());
}

TEST_F(OnAGpu, AnOverwrittenGuardIsWrong) {
  fake.overwriting = kSecond;
  const Results all = results();
  EXPECT_FALSE(all.chapters[1].correct());
  EXPECT_EQ(all.chapters[1].complaint(), "memory outside of the tensors was overwritten");
}

TEST_F(OnAGpu, ATimeAboveTheRooflineIsAnError) {
  fake.milliseconds[kSecond] = 1e-6;
  const Results all = results();
  EXPECT_TRUE(all.chapters[0].ok());
  EXPECT_FALSE(all.chapters[1].ok());
  EXPECT_NE(all.chapters[1].complaint().find("the time is wrong"), std::string::npos);
}

TEST_F(OnAGpu, AReferenceThatIsWrongIsSaidToBe) {
  fake.faulty = kFlash;
  EXPECT_NE(comparison_report(results()).find("its result is WRONG"), std::string::npos);
}

TEST_F(OnAGpu, AReferenceThatFailsIsNotAvailable) {
  fake.crashing = kFlash;
  const Results all = results();
  EXPECT_TRUE(all.chapters[0].ok());
  EXPECT_FALSE(all.chapters[0].references[0].timing);
}

TEST_F(OnAGpu, AWorkbenchVerifiesBeforeItTimes) {
  const Plan plan = make_plan(options_);
  fake.faulty = kSecond;
  Workbench bench(plan.problem);
  EXPECT_TRUE(bench.holds(plan.problem));
  SweepCase right{"first", plan.chapters[0], plan.kernels[0], "", plan.problem, false};
  SweepCase wrong{"second", plan.chapters[1], plan.kernels[1], "", plan.problem, false};
  EXPECT_EQ(bench.prepare(right).message, "");
  EXPECT_EQ(fake.timed.size(), 2u + 3u);  // the size of a batch, and warm-ups
  bench.prepare(right);
  EXPECT_EQ(fake.timed.size(), 2u + 3u);  // once
  EXPECT_NE(bench.prepare(wrong).message.find("NaN"), std::string::npos);
  EXPECT_EQ(fake.timed.size(), 2u + 3u);  // nothing that is wrong
  EXPECT_EQ(bench.prepare_reference("FlashAttention-2", false).message, "");
  fake.info.free_bytes = 1000;
  EXPECT_NE(refusal_of([&] { Workbench too_large(plan.problem); }).find("1000 bytes are free"), std::string::npos);
}

TEST_F(OnAGpu, AWorkbenchIsForOneProblem) {
  const Problem own = make_plan(options_).problem;
  const Workbench bench(own);
  EXPECT_TRUE(bench.holds(own));
  for (int64_t Problem::*size :
       {&Problem::batch, &Problem::heads, &Problem::seq_q, &Problem::seq_kv, &Problem::head_dim}) {
    Problem other = own;
    other.*size *= 2;
    EXPECT_FALSE(bench.holds(other)) << describe(other);
  }
  Problem other = own;
  other.element_type = ElementType::kBFloat16;
  EXPECT_FALSE(bench.holds(other));
}

TEST_F(OnAGpu, WhatDoesNotFitIsRefused) {
  options_.chapters = {911};
  options_.tile = {128, 64, 8};
  EXPECT_NE(refusal_of([&] { make_plan(options_); }).find("300000 bytes of shared memory"), std::string::npos);
  options_.tile = {64, 64, 4};
  fake.info.free_bytes = 1000;
  EXPECT_NE(refusal_of([&] { make_plan(options_); }).find("1000 bytes are free"), std::string::npos);
}

TEST_F(OnAGpu, TraceBelongsToTheSimulator) {
  options_.trace = "trace.json";
  EXPECT_NE(refusal_of([&] { make_plan(options_); }).find("--device sim"), std::string::npos);
}

TEST_F(OnAGpu, TheDefaultProblemFitsTheMemory) {
  options_.batch = options_.heads = options_.seq_len = std::nullopt;
  fake.info.free_bytes = int64_t{1} << 27;
  const Problem small = make_plan(options_).problem;
  EXPECT_EQ(small.seq_q, 4096);
  EXPECT_EQ(small.heads, 16);
  EXPECT_LE(small.bytes(), fake.info.free_bytes / 2);
  EXPECT_GT(2 * small.bytes(), fake.info.free_bytes / 2);
}

}  // namespace
}  // namespace harness
