// How occurrences become a list of hazards.
#include "common/simulator/hazard_log.h"

#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using simulator::HazardLog;
using simulator::Occurrence;

Occurrence read_at(int line, int thread) {
  return {.kind = HazardKind::kReadBeforeWait,
          .site = at(line),
          .other_site = at(10),
          .count = 4,
          .thread = thread,
          .other_thread = 0,
          .tensor = "K",
          .row = 1,
          .column_bytes = 16};
}

TEST(HazardLog, OneHazardForEachKindAndPairOfLines) {
  HazardLog log;
  log.begin_block(0, {0, 0, 0});
  log.report(read_at(20, 1));
  log.report(read_at(30, 2));
  log.report(read_at(20, 3));
  const std::vector<Hazard> hazards = log.hazards();
  ASSERT_EQ(hazards.size(), 2u);
  EXPECT_EQ(hazards[0].site.line, 20);
  EXPECT_EQ(hazards[0].count, 8);
  EXPECT_EQ(hazards[0].thread, 1) << "the first occurrence";
  EXPECT_EQ(hazards[1].site.line, 30);
}

TEST(HazardLog, CopiesOfAFileNameAreTheSameFile) {
  const std::string copy = "kernel.cuh";
  Occurrence elsewhere = read_at(20, 1);
  elsewhere.site.file = copy.c_str();
  HazardLog log;
  log.begin_block(0, {0, 0, 0});
  log.report(read_at(20, 1));
  log.report(elsewhere);
  EXPECT_EQ(log.hazards().size(), 1u);
}

TEST(HazardLog, MergedItKeepsTheFirstOccurrenceByBlock) {
  HazardLog late;
  late.begin_block(5, {5, 0, 0});
  late.report(read_at(20, 1));
  late.report(read_at(30, 2));
  HazardLog early;
  early.begin_block(2, {2, 0, 0});
  early.report(read_at(30, 3));
  for (const bool late_first : {true, false}) {
    HazardLog all;
    all.merge(late_first ? late : early);
    all.merge(late_first ? early : late);
    const std::vector<Hazard> hazards = all.hazards();
    ASSERT_EQ(hazards.size(), 2u);
    EXPECT_EQ(hazards[0].site.line, 30) << "block 2 comes before block 5";
    EXPECT_EQ(hazards[0].count, 8);
    EXPECT_EQ(hazards[0].thread, 3);
    EXPECT_EQ(hazards[0].block, (std::array{2, 0, 0}));
    EXPECT_EQ(hazards[1].site.line, 20);
  }
}

TEST(HazardLog, MessageSaysWhoWhereAndWhat) {
  HazardLog log;
  log.begin_block(7, {1, 2, 3});
  log.report(read_at(20, 5));
  EXPECT_EQ(log.hazards()[0].message,
            "thread 5 at kernel.cuh:20 reads row 1, byte 16 of K before the cp.async of thread 0 at kernel.cuh:10 was "
            "waited for (block 1 2 3)");
}

}  // namespace
}  // namespace simulator_tests
