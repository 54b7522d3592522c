// cp.async: groups, waits, and what goes wrong with them.
#include "common/device/barrier.cuh"
#include "common/device/cp_async.cuh"
#include "common/device/global_memory.cuh"
#include "common/device/indices.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::cp_async_16;
using device::cp_async_commit;
using device::cp_async_wait;
using device::load_shared_4;
using device::thread_index;

uint32_t chunk(int index) { return device::dynamic_shared_memory() + 16 * static_cast<uint32_t>(index); }

// Word i holds i.
std::vector<uint32_t> numbers(int count) {
  std::vector<uint32_t> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<uint32_t>(i);
  return values;
}

class Copy : public testing::Test {
 protected:
  Copy() { add_buffer(block, "Source", source, true); }

  const uint32_t* from(int chunk_index) const { return source.data() + 4 * chunk_index; }

  std::vector<uint32_t> source = numbers(1024);
  LaunchConfiguration block = one_block(64, 4096);
};

TEST_F(Copy, IsDoneWhenItsGroupIsWaitedFor) {
  uint32_t seen = 0;
  const auto kernel = [&] {
    if (thread_index() != 0) return;
    cp_async_16(chunk(0), from(3));
    cp_async_commit();
    cp_async_wait<0>();
    seen = load_shared_4(chunk(0));
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{});
  EXPECT_EQ(seen, 12u);
}

TEST_F(Copy, WaitLeavesTheYoungestGroupsPending) {
  // Three groups, of which wait<1> collects two. What is pending reads as poison.
  std::vector<uint32_t> seen(3);
  const auto kernel = [&] {
    if (thread_index() != 0) return;
    for (int group = 0; group < 3; ++group) {
      cp_async_16(chunk(group), from(group + 1), at(10));
      cp_async_commit();
    }
    cp_async_wait<1>();
    for (int group = 0; group < 3; ++group) {
      seen[static_cast<std::size_t>(group)] = load_shared_4(chunk(group), at(20 + group));
    }
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{"read_before_wait kernel.cuh:22 kernel.cuh:10"});
  EXPECT_EQ(seen, (std::vector<uint32_t>{4, 8, 0xffffffff}));
}

TEST_F(Copy, PoisonsItsDestinationUntilTheWait) {
  // Whoever reads too early must not find the old value, which might look right.
  uint32_t seen = 0;
  launch(block, [&] {
    if (thread_index() != 0) return;
    device::store_shared_4(chunk(0), 7);
    cp_async_16(chunk(0), from(1));
    cp_async_commit();
    seen = load_shared_4(chunk(0));
    cp_async_wait<0>();
  });
  EXPECT_EQ(seen, 0xffffffffu);
}

TEST_F(Copy, EmptyGroupsCount) {
  uint32_t seen = 0;
  const auto kernel = [&] {
    if (thread_index() != 0) return;
    cp_async_16(chunk(0), from(1));
    cp_async_commit();
    cp_async_commit();  // empty, and the youngest
    cp_async_wait<1>();
    seen = load_shared_4(chunk(0));
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{});
  EXPECT_EQ(seen, 4u);
}

TEST_F(Copy, WaitDoesNotCollectWhatWasNotCommitted) {
  const auto kernel = [&](bool commit) {
    if (thread_index() != 0) return;
    cp_async_16(chunk(0), from(1), at(10));
    if (commit) cp_async_commit();
    cp_async_wait<0>();
    load_shared_4(chunk(0), at(20));
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }),
            (Lines{"read_before_wait kernel.cuh:20 kernel.cuh:10", "uncommitted_copies kernel.cuh:10"}));
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST_F(Copy, ThatIsCommittedMustBeWaitedForBeforeTheExit) {
  const auto kernel = [&](bool wait) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"uncollected_copies kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST_F(Copy, ReadByAnotherThreadNeedsWaitAndBarrier) {
  const auto kernel = [&](bool wait, bool barrier) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
    if (barrier) device::sync_threads();
    load_shared_4(chunk((thread_index() + 32) % 64), at(20));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true, true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true, false); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false, true); }), Lines{"read_before_wait kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false, false); }), Lines{"read_before_wait kernel.cuh:20 kernel.cuh:10"});
}

TEST_F(Copy, SyncWarpIsEnoughWithinAWarp) {
  const auto kernel = [&](bool sync) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    cp_async_wait<0>();
    if (sync) device::sync_warp();
    load_shared_4(chunk(thread_index() ^ 1), at(20));
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
}

TEST_F(Copy, StaysPendingAcrossBarriers) {
  const auto kernel = [&](int barriers_before_wait) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    for (int i = 0; i < barriers_before_wait; ++i) device::sync_threads();
    if (thread_index() == 0) load_shared_4(chunk(0), at(20));
    cp_async_wait<0>();
    if (thread_index() == 0) load_shared_4(chunk(0), at(30));
    device::sync_threads();
    load_shared_4(chunk(63 - thread_index()), at(40));
  };
  for (const int barriers : {0, 1, 2}) {
    EXPECT_EQ(hazards_of(block, [&] { kernel(barriers); }), Lines{"read_before_wait kernel.cuh:20 kernel.cuh:10"});
  }
}

TEST_F(Copy, ThatBeganBeforeABarrierIsUnderWayFromTheFirstStepAfterIt) {
  const auto kernel = [&] {
    for (int i = 0; i < 5; ++i) cp_async_commit();  // the copy is later in its epoch than the read is in the next
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    device::sync_threads();
    load_shared_4(chunk(thread_index()), at(20));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{"read_before_wait kernel.cuh:20 kernel.cuh:10"});
}

TEST_F(Copy, OverWhatOthersStillReadNeedsABarrier) {
  const auto kernel = [&](bool barrier) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    cp_async_wait<0>();
    device::sync_threads();
    load_shared_4(chunk(63 - thread_index()), at(20));
    if (barrier) device::sync_threads();
    cp_async_16(chunk(thread_index()), from(thread_index() + 64), at(30));
    cp_async_commit();
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"overwrite_while_read kernel.cuh:30 kernel.cuh:20"});
}

TEST_F(Copy, MustNotBeOverwrittenWhilePending) {
  const auto kernel = [&](bool wait) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
    device::store_shared_4(chunk(thread_index()), 1, at(20));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"write_before_wait kernel.cuh:20 kernel.cuh:10"});
}

TEST_F(Copy, MustNotMeetAnotherToTheSamePlace) {
  const auto kernel = [&](bool wait) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
    cp_async_16(chunk(thread_index()), from(thread_index()), at(20));
    cp_async_commit();
    device::sync_threads();  // the pair is reported once, not in each epoch
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"write_before_wait kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(launch(block, [&] { kernel(false); }).hazard_count(), 64 * 4);
}

TEST_F(Copy, SourceMustNotChangeBeforeTheWait) {
  uint32_t* const words = source.data();
  const auto kernel = [&](bool wait, bool barrier) {
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
    if (barrier) device::sync_threads();
    device::store_global_4(words + 4 * (63 - thread_index()) + 1, 7, at(20));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true, true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true, false); }), Lines{"source_modified kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false, true); }), Lines{"source_modified kernel.cuh:20 kernel.cuh:10"});
  const Report report = launch(block, [&] { kernel(false, true); });
  EXPECT_EQ(report.hazards[0].tensor, "Source");
  EXPECT_EQ(report.hazard_count(), 64);
}

TEST_F(Copy, SourceMayBeChangedByItsThreadBeforeTheIssueAndAfterTheWait) {
  uint32_t* const words = source.data();
  const auto kernel = [&](bool wait) {
    device::store_global_4(words + 4 * thread_index(), 7, at(10));
    cp_async_16(chunk(thread_index()), from(thread_index()), at(20));
    cp_async_commit();
    if (wait) cp_async_wait<0>();
    device::store_global_4(words + 4 * thread_index(), 8, at(30));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"source_modified kernel.cuh:30 kernel.cuh:20"});
}

TEST_F(Copy, SourceIsInUseFromTheFirstStepAfterABarrier) {
  uint32_t* const words = source.data();
  const auto kernel = [&] {
    for (int i = 0; i < 5; ++i) cp_async_commit();  // the copy is later in its epoch than the store is in the next
    cp_async_16(chunk(thread_index()), from(thread_index()), at(10));
    cp_async_commit();
    device::sync_threads();
    device::store_global_4(words + 4 * thread_index(), 7, at(20));
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{"source_modified kernel.cuh:20 kernel.cuh:10"});
}

TEST_F(Copy, SourceMayChangeBesideIt) {
  uint32_t* const words = source.data();
  const auto kernel = [&] {
    cp_async_16(chunk(thread_index()), from(2 * thread_index()));
    cp_async_commit();
    device::store_global_4(words + 8 * thread_index() + 4, 7);
    cp_async_wait<0>();
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{});
}

TEST_F(Copy, ReadsTheSourceAtTheWait) {
  // Not at the issue: what it reads in between is up to the hardware, and the latest moment shows the hazard best.
  uint32_t* const words = source.data();
  uint32_t seen = 0;
  launch(block, [&] {
    if (thread_index() != 0) return;
    cp_async_16(chunk(0), words);
    cp_async_commit();
    device::store_global_4(words, 99);
    cp_async_wait<0>();
    seen = load_shared_4(chunk(0));
  });
  EXPECT_EQ(seen, 99u);
}

}  // namespace
}  // namespace simulator_tests
