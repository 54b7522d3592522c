// Barriers and warp-wide instructions that not all threads reach.
#include "common/device/barrier.cuh"
#include "common/device/indices.cuh"
#include "common/device/mma.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::thread_index;

TEST(Meeting, BarriersAtDifferentLinesAreTheSameBarrier) {
  const auto kernel = [] {
    device::store_shared_4(device::dynamic_shared_memory() + 4 * static_cast<uint32_t>(thread_index()), 1);
    if (thread_index() < 32) {
      device::sync_threads(at(10));
    } else {
      device::sync_threads(at(20));
    }
    device::load_shared_4(device::dynamic_shared_memory() + 4 * static_cast<uint32_t>(63 - thread_index()));
  };
  EXPECT_EQ(hazards_of(one_block(64, 256), kernel), Lines{});
}

TEST(Meeting, BarrierThatSomeThreadsExitBeforeIsReported) {
  int passed = 0;
  const auto kernel = [&](int leavers) {
    if (thread_index() < leavers) return;
    device::sync_threads(at(10));
    if (thread_index() == 63) ++passed;
  };
  const LaunchConfiguration block = one_block(64, 128);
  EXPECT_EQ(hazards_of(block, [&] { kernel(0); }), Lines{});
  passed = 0;
  const Report report = launch(block, [&] { kernel(32); });
  EXPECT_EQ(summary(report), Lines{"divergent_collective kernel.cuh:10"});
  EXPECT_EQ(report.hazards[0].count, 32);
  EXPECT_NE(report.hazards[0].message.find("threads 32-63, but threads 0-31 exited"), std::string::npos)
      << report.hazards[0].message;
  EXPECT_EQ(passed, 1) << "the GPU does not wait for threads that have exited";
  EXPECT_EQ(hazards_of(block, [&] { kernel(1); }), Lines{"divergent_collective kernel.cuh:10"});
}

TEST(Meeting, BarrierIsReleasedByTheExitOfTheThreadsThatItLacks) {
  int passed = 0;
  const Report report = launch(one_block(64, 128), [&] {
    if (thread_index() >= 32) return;  // when the others have come to the barrier
    device::sync_threads(at(10));
    ++passed;
  });
  EXPECT_EQ(summary(report), Lines{"divergent_collective kernel.cuh:10"});
  EXPECT_EQ(passed, 32);
}

TEST(Meeting, ShuffleInABranchOfSomeLanesIsReported) {
  const auto kernel = [](int lanes) {
    if (thread_index() % 32 < lanes) device::shuffle_xor<1>(1.0f, at(10));
  };
  const LaunchConfiguration block = one_block(64, 128);
  EXPECT_EQ(hazards_of(block, [&] { kernel(32); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(16); }),
            (Lines{"deadlock kernel.cuh:10", "divergent_collective kernel.cuh:10"}));
}

TEST(Meeting, LanesAtDifferentInstructionsWaitInVain) {
  const auto kernel = [](bool all) {
    if (all || thread_index() % 32 < 16) {
      device::sync_warp(at(10));
      device::shuffle_xor<1>(1.0f, at(20));
    } else {
      device::shuffle_xor<1>(1.0f, at(20));
      device::sync_warp(at(10));
    }
  };
  const LaunchConfiguration block = one_block(32, 128);
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }),
            (Lines{"deadlock kernel.cuh:10 kernel.cuh:20", "divergent_collective kernel.cuh:10 kernel.cuh:20"}));
}

TEST(Meeting, AllLanesMustBeAtTheSameMma) {
  // mma.sync.aligned: the same instruction, not merely the same kind. Shuffles and __syncwarp may differ.
  const auto mma = [](int line) {
    float upper[2] = {};
    float lower[2] = {};
    device::mma_m16n8k16<device::Half>(upper, lower, 0, 0, 0, 0, 0, 0, at(line));
  };
  const LaunchConfiguration block = one_block(32, 128);
  EXPECT_EQ(hazards_of(block, [&] { mma(10); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { mma(thread_index() < 16 ? 10 : 20); }),
            (Lines{"deadlock kernel.cuh:10 kernel.cuh:20", "divergent_collective kernel.cuh:10 kernel.cuh:20"}));
  EXPECT_EQ(hazards_of(block, [&] { device::sync_warp(thread_index() < 16 ? at(10) : at(20)); }), Lines{});
}

TEST(Meeting, DeadlockSaysWhoWaitsWhere) {
  const auto kernel = [](bool right) {
    if (right) device::sync_threads(at(10));
    if (thread_index() < 8) {
      device::sync_warp(at(20));
    } else if (!right) {
      device::sync_threads(at(10));
    } else {
      device::sync_warp(at(30));
    }
  };
  LaunchConfiguration blocks = one_block(64, 128);
  EXPECT_EQ(hazards_of(blocks, [&] { kernel(true); }), Lines{});
  blocks.grid = {2, 1, 1};
  const Report report = launch(blocks, [&] { kernel(false); });
  EXPECT_EQ(summary(report),
            (Lines{"deadlock kernel.cuh:20 kernel.cuh:10", "divergent_collective kernel.cuh:20 kernel.cuh:10"}));
  for (const Hazard& hazard : report.hazards) {
    if (hazard.kind != HazardKind::kDeadlock) continue;
    EXPECT_EQ(hazard.count, 2 * 64);
    EXPECT_NE(hazard.message.find("threads 0-7 at __syncwarp (kernel.cuh:20)"), std::string::npos) << hazard.message;
    EXPECT_NE(hazard.message.find("threads 8-63 at __syncthreads (kernel.cuh:10)"), std::string::npos);
  }
}

TEST(Meeting, ThreadsThatWaitInVainDestroyWhatTheyOwn) {
  int owned = 0;
  for (int i = 0; i < 100; ++i) {
    launch(one_block(64, 128), [&] {
      const Owned own(owned);
      if (thread_index() % 32 == 0) device::sync_warp();
      device::sync_threads();
    });
  }
  EXPECT_EQ(owned, 0);
}

}  // namespace
}  // namespace simulator_tests
