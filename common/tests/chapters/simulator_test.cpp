// Every kernel of every chapter on the simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/harness/refusal.h"
#include "common/harness/simulator_run.h"
#include "common/harness/sixteen_bit.h"
#include "common/harness/validation.h"
#include "common/harness/verification.h"
#include "common/tests/chapters/chapter_case.h"

namespace harness {
namespace {

class ChapterOnSimulator : public testing::TestWithParam<ChapterCase> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }

  // Runs and expects the right output, no hazard, and nothing written outside of O.
  SimulatorRun run_and_expect_right(const Problem& problem) const {
    check_sizes(problem, kernel().tile);
    const Inputs inputs = make_inputs(problem);
    SimulatorRun run = run_on_simulator(kernel(), inputs, {});
    const Verdict verdict = Verifier(inputs, CheckMode::kFull, kernel().tile.block_q).verify(run.output);
    EXPECT_TRUE(verdict.correct) << verdict.message << " (" << describe(problem) << ")";
    EXPECT_TRUE(run.guards_intact);
    for (const simulator::Hazard& hazard : run.report.hazards) ADD_FAILURE() << hazard.message;
    return run;
  }
};

TEST_P(ChapterOnSimulator, IsRightForOneTile) { run_and_expect_right(make_problem(kernel(), 1, 1, 1, 1)); }

TEST_P(ChapterOnSimulator, IsRightForTwoKeyTiles) { run_and_expect_right(make_problem(kernel(), 1, 1, 1, 2)); }

TEST_P(ChapterOnSimulator, IsRightForSeveralTilesHeadsAndBatches) {
  run_and_expect_right(make_problem(kernel(), 2, 3, 2, 2));
}

TEST_P(ChapterOnSimulator, IsRightForStridedTensorsAndWritesNothingBetweenElements) {
  Problem problem = make_problem(kernel(), 2, 2, 1, 2);
  make_strided(problem);
  const SimulatorRun run = run_and_expect_right(problem);
  const Shape shape = run.output.shape();
  const int64_t untouched = std::count(run.output.data(), run.output.data() + shape.extent(), kPoison);
  EXPECT_EQ(untouched, shape.extent() - shape.elements());
}

TEST_P(ChapterOnSimulator, IsRightForInputsThatBreakOnlineSoftmax) {
  for (const InputKind kind : input_kinds()) {
    Problem problem = make_problem(kernel(), 1, 2, 1, 3);
    problem.input = kind;
    run_and_expect_right(problem);
  }
}

TEST_P(ChapterOnSimulator, GivesNanForARowWithoutAnyKey) {
  Inputs inputs = make_inputs(make_problem(kernel(), 1, 1, 1, 2));
  const ElementType type = kernel().element_type;
  for (int64_t row = 0; row < inputs.problem.seq_q; ++row) inputs.q.row(0, row, 0)[0] = to_bits(1, type);
  for (int64_t row = 0; row < inputs.problem.seq_kv; ++row) {
    inputs.k.row(0, row, 0)[0] = to_bits(-std::numeric_limits<double>::infinity(), type);
  }
  const SimulatorRun run = run_on_simulator(kernel(), inputs, {});
  EXPECT_TRUE(is_nan(run.output.row(0, 0, 0)[0], type));
  EXPECT_TRUE(Verifier(inputs, CheckMode::kFull, 64).verify(run.output).correct);
}

TEST_P(ChapterOnSimulator, GivesTheSameBitsWhateverTheOrderOfWarpsAndBlocks) {
  const Inputs inputs = make_inputs(make_problem(kernel(), 1, 2, 1, 2));
  const SimulatorRun once = run_on_simulator(kernel(), inputs, {});
  for (const int workers : {0, 1}) {
    for (const uint64_t seed : {1, 2}) {
      SimulatorOptions options;
      options.workers = workers;
      options.schedule_seed = seed;
      const SimulatorRun again = run_on_simulator(kernel(), inputs, options);
      EXPECT_TRUE(same_bits(once.output, again.output));
      EXPECT_EQ(again.report.hazard_count(), 0);
      EXPECT_EQ(once.report.instructions, again.report.instructions);
    }
  }
}

// The chapters do the same arithmetic in the same order; only how the operands come to the registers differs.
TEST_P(ChapterOnSimulator, GivesTheSameBitsAsTheFirstChapter) {
  const Chapter& first = chapters().front();
  const Kernel& same_kernel =
      find_kernel(first.name, first.simulator_kernels, kernel().element_type, kernel().head_dim, kernel().tile);
  const Inputs inputs = make_inputs(make_problem(kernel(), 1, 1, 1, 3));
  EXPECT_TRUE(
      same_bits(run_on_simulator(kernel(), inputs, {}).output, run_on_simulator(same_kernel, inputs, {}).output));
}

TEST_P(ChapterOnSimulator, ReachesBeyond32BitOffsets) {
  Problem problem = make_problem(kernel(), 2, 2, 1, 128 / kernel().tile.block_kv);
  make_far_apart(problem);
  run_and_expect_right(problem);
}

TEST_P(ChapterOnSimulator, RefusesLengthsOneOffTheTile) {
  for (int64_t Problem::*length : {&Problem::seq_q, &Problem::seq_kv}) {
    for (const int64_t change : {-1, 1}) {
      Problem problem = make_problem(kernel(), 1, 1, 1, 1);
      problem.*length += change;
      EXPECT_THROW(check_sizes(problem, kernel().tile), Refusal);
    }
  }
}

// Chapter 2 brings the swizzle: from then on no access to shared memory waits for a bank.
TEST_P(ChapterOnSimulator, HasBankConflictsInTheFirstChapterOnly) {
  const simulator::Report report = run_and_expect_right(make_problem(kernel(), 1, 1, 1, 2)).report;
  const bool swizzled = GetParam().chapter->number > 1;
  for (const char* const family : {"ldmatrix", "shared_store", "shared_load", "cp_async"}) {
    const simulator::SharedCounts counts = report.shared_total(family);
    EXPECT_GT(counts.requests, 0) << family;
    if (swizzled) {
      EXPECT_EQ(counts.excess(), 0) << family;
    }
  }
  if (!swizzled) {
    EXPECT_EQ(report.shared_total("ldmatrix").wavefronts, 8 * report.shared_total("ldmatrix").ideal_wavefronts);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ChapterOnSimulator, testing::ValuesIn(simulator_cases()), case_name);

TEST(Chapters, AreRegisteredWithAllTheirKernels) {
  ASSERT_FALSE(chapters().empty());
  for (const Chapter& chapter : chapters()) {
    EXPECT_EQ(chapter.simulator_kernels.size(), 36u) << chapter.name;  // 2 types, 2 head dimensions, 9 tiles
    EXPECT_EQ(chapter.simulator_kernels.front().tile, (Tile{64, 64, 4})) << chapter.name;
    EXPECT_FALSE(chapter.title.empty()) << chapter.name;
  }
}

}  // namespace
}  // namespace harness
