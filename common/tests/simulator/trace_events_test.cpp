// The trace of one block.
#include <atomic>
#include <thread>

#include "common/device/barrier.cuh"
#include "common/device/cp_async.cuh"
#include "common/device/indices.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/math.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::thread_index;

// "0-2 cp.async K group 0": the events of one warp.
Lines events_of(const Report& report, int warp) {
  Lines lines;
  for (const simulator::TraceEvent& event : report.trace) {
    if (event.warp != warp) continue;
    lines.push_back(std::to_string(event.begin) + "-" + std::to_string(event.end) + " " + event.name);
    if (event.group >= 0) lines.back() += " group " + std::to_string(event.group);
    if (event.collects >= 0) lines.back() += " collects " + std::to_string(event.collects);
  }
  return lines;
}

class Trace : public testing::Test {
 protected:
  Trace() {
    block.shared_regions = {{"K", "K", 0, 64, 16}, {"V", "V", 1024, 64, 16}};
    block.trace = true;
    add_buffer(block, "Values", values, false);
  }

  void copy(uint32_t offset) {
    const auto thread = static_cast<uint32_t>(thread_index());
    device::cp_async_16(device::dynamic_shared_memory() + offset + 16 * thread, values.data() + 4 * thread);
  }

  std::vector<uint32_t> values = std::vector<uint32_t>(1024);
  LaunchConfiguration block = one_block(64, 2048);
};

TEST_F(Trace, TellsTheStoryOfEachWarp) {
  const auto kernel = [&] {
    copy(0);
    copy(0 + 0);
    device::cp_async_commit();
    copy(1024);
    device::cp_async_commit();
    device::cp_async_wait<1>();
    device::sync_threads();
    uint32_t m[4];
    const uint32_t row = device::dynamic_shared_memory() + 16 * static_cast<uint32_t>(thread_index() % 32);
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], row);
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], row + 512);
    device::exp2_approx(1.0f);
    device::shuffle_xor<1>(1.0f);
    device::cp_async_wait<0>();
    device::cp_async_wait<0>();
    device::cp_async_commit();
    device::cp_async_commit();
    device::cp_async_wait<0>();
  };
  const Lines expected = {
      "0-2 cp.async K group 0", "2-3 commit group 0",    "3-4 cp.async V group 1", "4-5 commit group 1",
      "5-6 wait collects 0",    "6-7 barrier",           "7-9 ldmatrix K",         "9-10 exp2",
      "10-11 shuffle",          "11-13 wait collects 1", "13-14 commit group 2",   "14-15 commit group 3",
      "15-16 wait collects 3"};
  block.grid = {3, 1, 1};
  Report report = launch(block, kernel);
  EXPECT_EQ(events_of(report, 0), expected);
  EXPECT_EQ(events_of(report, 1), expected);
  block.schedule_seed = 5;
  report = launch(block, kernel);
  EXPECT_EQ(events_of(report, 0), expected);
}

TEST_F(Trace, WaitThatCollectsNothingSaysSo) {
  const Report report = launch(block, [&] {
    copy(0);
    device::cp_async_commit();
    device::cp_async_wait<1>();
    device::cp_async_wait<0>();
  });
  EXPECT_EQ(events_of(report, 0),
            (Lines{"0-1 cp.async K group 0", "1-2 commit group 0", "2-3 wait", "3-4 wait collects 0"}));
}

TEST_F(Trace, OfLanesInDifferentBranchesIsInTheOrderOfTheLowest) {
  const auto kernel = [&] {
    if (thread_index() % 2 == 0) device::exp2_approx(1.0f, at(10));
    device::store_shared_4(device::dynamic_shared_memory() + 4 * static_cast<uint32_t>(thread_index()), 1, at(20));
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    block.schedule_seed = seed;
    EXPECT_EQ(events_of(launch(block, kernel), 0), (Lines{"0-1 exp2", "1-2 shared_store K"}));
  }
}

TEST_F(Trace, OfACollectiveAtTwoLinesNamesThatOfTheLowestLane) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    block.schedule_seed = seed;
    const Report report = launch(block, [] { device::sync_warp(thread_index() % 2 == 0 ? at(10) : at(20)); });
    ASSERT_EQ(report.trace.size(), 2u);
    EXPECT_EQ(report.trace[0].site.line, 10);
    EXPECT_EQ(report.trace[1].site.line, 10);
  }
}

TEST_F(Trace, IsOfTheFirstBlockAlone) {
  block.grid = {4, 1, 1};
  block.workers = 2;
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> others_began = false;
    std::atomic<bool> first_ended = false;
    const Report report = launch(block, [&] {
      if (device::block_index<0>() == 0) {
        while (!others_began) std::this_thread::yield();  // so that both workers have blocks
        device::exp2_approx(1.0f);
        if (thread_index() == 63) first_ended = true;
      } else {
        others_began = true;
        while (!first_ended) std::this_thread::yield();  // so that what others do is later
        device::sync_threads();
      }
    });
    EXPECT_EQ(events_of(report, 0), Lines{"0-1 exp2"});
  }
}

TEST_F(Trace, IsMadeOnRequestOnly) {
  block.trace = false;
  EXPECT_TRUE(launch(block, [] { device::sync_threads(); }).trace.empty());
}

}  // namespace
}  // namespace simulator_tests
