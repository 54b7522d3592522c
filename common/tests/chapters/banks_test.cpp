// The bank pictures of the chapters, from the addresses that the simulator saw.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/harness/banks_view.h"
#include "common/harness/simulator_run.h"
#include "common/tests/chapters/chapter_case.h"

namespace harness {
namespace {

class BanksOfChapter : public testing::TestWithParam<ChapterCase> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }
  int number() const { return GetParam().chapter->number; }
};

TEST_P(BanksOfChapter, SwizzleTakesTheConflictsAway) {
  const std::vector<simulator::SharedAccess> accesses = key_tile_accesses(kernel());
  const auto worst = [&](const std::string& instruction) {
    return wavefronts(choose_access("", accesses, instruction).access).size();
  };
  // Without it, the eight rows of a matrix lie in the same four banks: rows of 128 or 256 bytes, 32 banks of 4.
  for (const std::string instruction : {"ldmatrix-q", "ldmatrix-k", "ldmatrix-v"}) {
    EXPECT_EQ(worst(instruction), number() == 1 ? 32u : 4u) << instruction;
  }
  EXPECT_EQ(worst("store-o"), number() == 1 ? 8u : 1u);
  for (const std::string instruction : {"cp-async-q", "cp-async-k", "cp-async-v", "load-o"}) {
    EXPECT_EQ(worst(instruction), 4u) << instruction;
  }
}

TEST_P(BanksOfChapter, AllAccessesOfAWarpAreThere) {
  const Inputs inputs = make_inputs(make_problem(kernel(), 1, 1, 1, 1));
  SimulatorOptions options;
  options.keep_accesses = true;
  const simulator::Report report = run_on_simulator(kernel(), inputs, options).report;
  std::map<std::string, int64_t> kept;
  for (const simulator::SharedAccess& access : report.accesses) {
    kept[access.family] += static_cast<int64_t>(wavefronts(access).size());
  }
  const int warps = kernel().tile.warps;  // all do the same
  for (const auto& [family, tensors] : report.shared) {
    EXPECT_EQ(kept[family] * warps, report.shared_total(family).wavefronts) << family;
  }
  EXPECT_EQ(kept.size(), report.shared.size());
}

TEST_P(BanksOfChapter, NothingIsKeptUnlessAskedFor) {
  const Inputs inputs = make_inputs(make_problem(kernel(), 1, 1, 1, 1));
  EXPECT_TRUE(run_on_simulator(kernel(), inputs, {}).report.accesses.empty());
}

INSTANTIATE_TEST_SUITE_P(Chapters, BanksOfChapter, testing::ValuesIn(simulator_cases()), case_name);

}  // namespace
}  // namespace harness
