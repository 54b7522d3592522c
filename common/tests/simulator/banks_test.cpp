// Wavefronts of shared memory and sectors of global memory.
#include "common/simulator/banks.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

namespace simulator_tests {
namespace {

using simulator::Direction;
using simulator::global_sectors;
using simulator::ldmatrix_wavefronts;
using simulator::Passes;
using simulator::shared_wavefronts;
using simulator::SharedAddresses;

// The expressions in the column offset_of_lane.
const std::map<std::string, std::function<int(int lane, int size)>> kPatterns = {
    {"lane*size", [](int lane, int size) { return lane * size; }},
    {"(lane%8)*128+(lane/8)*16", [](int lane, int) { return lane % 8 * 128 + lane / 8 * 16; }},
    {"(lane%8)*128+((lane/8)^(lane%8))*16", [](int lane, int) { return lane % 8 * 128 + (lane / 8 ^ lane % 8) * 16; }},
    {"0", [](int, int) { return 0; }},
    {"lane*256%32768", [](int lane, int) { return lane * 256 % 32768; }},
    {"(lane/2)*size", [](int lane, int size) { return lane / 2 * size; }},
    {"(lane%16)*size", [](int lane, int size) { return lane % 16 * size; }},
    {"(lane%16)*size+(lane/16)*2048", [](int lane, int size) { return lane % 16 * size + lane / 16 * 2048; }},
    {"lane*2*size", [](int lane, int size) { return lane * 2 * size; }},
    {"lane*144", [](int lane, int) { return lane * 144; }},
};

Passes passes_of(const std::string& instruction, const SharedAddresses& addresses, int bytes) {
  if (instruction.starts_with("ldmatrix.x")) return ldmatrix_wavefronts(addresses, instruction[10] - '0');
  const Direction direction = instruction.starts_with("ld") ? Direction::kLoad : Direction::kStore;
  return shared_wavefronts(addresses, ~0u, bytes, direction);
}

TEST(Banks, AllMeasuredWavefrontsOfAnH200ComeOut) {
  std::ifstream file(std::string(TEST_DATA_DIR) + "/h200_shared_wavefronts.csv");
  std::string line;
  std::getline(file, line);
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::istringstream fields(line);
    std::string instruction;
    std::string size;
    std::string pattern;
    std::string measured;
    std::getline(fields, instruction, ',');
    std::getline(fields, size, ',');
    std::getline(fields, pattern, ',');
    std::getline(fields, measured, ',');
    const int bytes = std::stoi(size);
    SharedAddresses addresses;
    for (int lane = 0; lane < 32; ++lane) {
      const int offset = kPatterns.at(pattern.substr(1, pattern.size() - 2))(lane, bytes);
      addresses[static_cast<std::size_t>(lane)] = static_cast<uint32_t>(offset / bytes * bytes);
    }
    EXPECT_EQ(passes_of(instruction, addresses, bytes).taken, std::stoi(measured)) << line;
  }
  EXPECT_EQ(rows, 100);
}

SharedAddresses every(uint32_t stride) {
  SharedAddresses addresses;
  for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = lane * stride;
  return addresses;
}

TEST(Banks, IdealIsOnePassForEachPhase) {
  EXPECT_EQ(shared_wavefronts(every(128), ~0u, 4, Direction::kLoad).ideal, 1);
  EXPECT_EQ(shared_wavefronts(every(128), ~0u, 8, Direction::kLoad).ideal, 2);
  EXPECT_EQ(shared_wavefronts(every(128), ~0u, 16, Direction::kStore).ideal, 4);
  EXPECT_EQ(ldmatrix_wavefronts(every(128), 4).ideal, 4);
}

TEST(Banks, EachMatrixOfAnLdmatrixIsAPhaseOfItsOwn) {
  SharedAddresses rows = every(16);
  for (uint32_t lane = 16; lane < 24; ++lane) rows[lane] = lane * 128;  // the third: all rows in the same banks
  EXPECT_EQ(ldmatrix_wavefronts(rows, 4).taken, 1 + 1 + 8 + 1);
  EXPECT_EQ(ldmatrix_wavefronts(rows, 2).taken, 1 + 1);
}

TEST(Banks, PhasesOfALoadMergeIfNeighboursShareTheirAddress) {
  // Lanes whose number differs in one bit share 16 bytes; the pairs lie side by side.
  const auto taken = [](uint32_t bit, Direction direction, uint32_t lanes, bool spoilt) {
    SharedAddresses addresses;
    for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = (lane / (2 * bit) * bit + lane % bit) * 16;
    if (spoilt) addresses[31] = 0;
    return shared_wavefronts(addresses, lanes, 16, direction).taken;
  };
  EXPECT_EQ(taken(1, Direction::kLoad, ~0u, false), 2);
  EXPECT_EQ(taken(2, Direction::kLoad, ~0u, false), 2);
  EXPECT_EQ(taken(4, Direction::kLoad, ~0u, false), 4);
  EXPECT_EQ(taken(1, Direction::kStore, ~0u, false), 4);
  EXPECT_EQ(taken(1, Direction::kLoad, ~0u, true), 4) << "one lane is enough to prevent it";
  EXPECT_EQ(taken(1, Direction::kLoad, 0x7fffffff, true), 2) << "but for a lane that takes no part";
}

TEST(Banks, LanesThatTakeNoPartCostNothing) {
  EXPECT_EQ(shared_wavefronts(every(128), 0x0000000f, 4, Direction::kLoad).taken, 4);
  const Passes quarter = shared_wavefronts(every(16), 0x000000ff, 16, Direction::kStore);
  EXPECT_EQ(quarter.taken, 1);
  EXPECT_EQ(quarter.ideal, 1);
}

simulator::GlobalOffsets every_global(uint64_t stride) {
  simulator::GlobalOffsets offsets;
  for (uint64_t lane = 0; lane < 32; ++lane) offsets[lane] = lane * stride;
  return offsets;
}

TEST(Sectors, AreCountedOnceForAWarp) {
  EXPECT_EQ(global_sectors(every_global(4), ~0u, 4).taken, 4);
  EXPECT_EQ(global_sectors(every_global(16), ~0u, 16).taken, 16);
  EXPECT_EQ(global_sectors(every_global(0), ~0u, 4).taken, 1);
  EXPECT_EQ(global_sectors(every_global(64), ~0u, 16).taken, 32);
  EXPECT_EQ(global_sectors(every_global(64), ~0u, 16).ideal, 16);
  EXPECT_EQ(global_sectors(every_global(64), 0x3, 16).taken, 2);
}

TEST(Sectors, IdealIsRoundedUpAndNeverAboveWhatIsTaken) {
  EXPECT_EQ(global_sectors(every_global(4), 0x1, 4).ideal, 1) << "4 bytes need a sector";
  EXPECT_EQ(global_sectors(every_global(4), 0x1ff, 4).ideal, 2) << "36 bytes need two";
  EXPECT_EQ(global_sectors(every_global(0), ~0u, 4).ideal, 1) << "all lanes read the same bytes";
}

TEST(Sectors, DoNotDependOnTheOrderOfLanes) {
  simulator::GlobalOffsets offsets;
  for (uint64_t lane = 0; lane < 32; ++lane) offsets[lane] = lane * 7 % 32 * 16;
  EXPECT_EQ(global_sectors(offsets, ~0u, 16).taken, 16);
}

}  // namespace
}  // namespace simulator_tests
