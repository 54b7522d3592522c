// Ordinary accesses to shared memory that nothing orders.
#include "common/device/barrier.cuh"
#include "common/device/indices.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::dynamic_shared_memory;
using device::load_shared_4;
using device::store_shared_4;
using device::thread_index;

uint32_t word(int index) { return dynamic_shared_memory() + 4 * static_cast<uint32_t>(index); }

TEST(Race, ReadOfWhatAnotherWarpWroteNeedsABarrier) {
  const auto kernel = [](bool barrier) {
    store_shared_4(word(thread_index()), 1, at(10));
    if (barrier) device::sync_threads();
    load_shared_4(word((thread_index() + 32) % 64), at(20));
  };
  const LaunchConfiguration block = one_block(64, 256);
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST(Race, NamesTensorPlaceAndThreads) {
  LaunchConfiguration block = one_block(64, 1024);
  block.grid = {3, 2, 1};
  block.shared_regions = {{"Q", "O", 512, 8, 64}};
  const Report report = launch(block, [] {
    if (device::block_index<1>() == 0) return;
    const uint32_t address = dynamic_shared_memory() + 512 + 3 * 64 + 20;  // row 3, byte 20
    if (thread_index() == 40) store_shared_4(address, 1, at(10));
    if (thread_index() == 7) load_shared_4(address, at(20));
  });
  ASSERT_EQ(report.hazards.size(), 1u);
  const Hazard& hazard = report.hazards[0];
  EXPECT_EQ(hazard.tensor, "O");  // ordinary loads and stores pass O through the place of Q
  EXPECT_EQ(hazard.row, 3);
  EXPECT_EQ(hazard.column_bytes, 20);
  EXPECT_EQ(hazard.thread, 7);
  EXPECT_EQ(hazard.other_thread, 40);
  EXPECT_EQ(hazard.count, 3);  // one word in each of three blocks
  EXPECT_EQ(hazard.block, (std::array{0, 1, 0}));
  for (const char* part : {"row 3, byte 20 of O", "kernel.cuh:20", "kernel.cuh:10", "thread 7", "thread 40", "0 1 0"}) {
    EXPECT_NE(hazard.message.find(part), std::string::npos) << part << " in " << hazard.message;
  }
}

TEST(Race, TakesTheLineOfTheCaller) {
  int line = 0;
  const Report report = launch(one_block(32, 128), [&] {
    line = __LINE__, load_shared_4(word(thread_index()));  // on one line
  });
  ASSERT_EQ(report.hazards.size(), 1u);
  EXPECT_EQ(report.hazards[0].site.line, line);
  EXPECT_STREQ(report.hazards[0].site.file, __FILE__);
}

TEST(Race, LanesOfOneWarpNeedSyncWarp) {
  const auto kernel = [](bool sync) {
    store_shared_4(word(thread_index()), 1, at(10));
    if (sync) device::sync_warp();
    load_shared_4(word(thread_index() ^ 1), at(20));
  };
  const LaunchConfiguration block = one_block(32, 128);
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST(Race, SyncWarpDoesNotOrderWarps) {
  const auto kernel = [] {
    store_shared_4(word(thread_index()), 1, at(10));
    device::sync_warp();
    load_shared_4(word((thread_index() + 32) % 64), at(20));
  };
  EXPECT_EQ(hazards_of(one_block(64, 256), kernel), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
}

TEST(Race, CollectivesThatMoveRegistersOrderNoMemory) {
  const auto kernel = [] {
    store_shared_4(word(thread_index()), 1, at(10));
    device::shuffle_xor<1>(1.0f);
    device::any(true);
    load_shared_4(word(thread_index() ^ 1), at(20));
  };
  EXPECT_EQ(hazards_of(one_block(32, 128), kernel), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
}

TEST(Race, AThreadIsOrderedWithItself) {
  const auto kernel = [] {
    store_shared_4(word(thread_index()), 1);
    load_shared_4(word(thread_index()));
    store_shared_4(word(thread_index()), 2);
  };
  EXPECT_EQ(hazards_of(one_block(64, 256), kernel), Lines{});
}

TEST(Race, OverwritingWhatOthersReadNeedsABarrier) {
  const auto kernel = [](bool barrier) {
    store_shared_4(word(thread_index()), 1, at(10));
    device::sync_threads();
    load_shared_4(word((thread_index() + 32) % 64), at(20));
    if (barrier) device::sync_threads();
    store_shared_4(word(thread_index()), 2, at(30));
  };
  const LaunchConfiguration block = one_block(64, 256);
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"overwrite_while_read kernel.cuh:30 kernel.cuh:20"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST(Race, NoReaderIsForgotten) {
  // The writer is itself among the readers; whoever it is, in some run it is the first of them, and the last.
  for (int writer = 0; writer < 32; ++writer) {
    const auto kernel = [writer] {
      if (thread_index() == 3) store_shared_4(word(0), 1, at(10));
      device::sync_threads();
      load_shared_4(word(0), at(20));
      if (thread_index() == writer) store_shared_4(word(0), 2, at(30));
    };
    EXPECT_EQ(hazards_of(one_block(32, 128), kernel), Lines{"overwrite_while_read kernel.cuh:30 kernel.cuh:20"});
  }
}

TEST(Race, TwoWritersNeedABarrier) {
  const auto kernel = [](bool barrier) {
    if (thread_index() == 0) store_shared_4(word(0), 1, at(10));
    if (barrier) device::sync_threads();
    if (thread_index() == 63) store_shared_4(word(0), 1, at(20));
  };
  const LaunchConfiguration block = one_block(64, 256);
  const Lines found = hazards_of(block, [&] { kernel(false); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].substr(0, 16), "write_write_race");
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST(Race, NeighbouringWordsDoNotCollide) {
  const auto kernel = [] {
    store_shared_4(word(thread_index()), 1);
    load_shared_4(word(thread_index()));
  };
  EXPECT_EQ(hazards_of(one_block(128, 512), kernel), Lines{});
}

TEST(Race, WideAccessesCollideInTheWordsTheyShare) {
  const auto kernel = [] {
    if (thread_index() == 0) device::store_shared_16(word(4), {}, at(10));
    if (thread_index() == 32) load_shared_4(word(6), at(20));
    if (thread_index() == 33) load_shared_4(word(3), at(30));  // beside it, never written
  };
  EXPECT_EQ(hazards_of(one_block(64, 256), kernel),
            (Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10", "uninitialized_read kernel.cuh:30"}));
}

TEST(Race, UninitializedWordsAreReportedWhenRead) {
  const auto kernel = [](int written) {
    if (thread_index() < written) store_shared_4(word(thread_index()), 1, at(10));
    device::sync_threads();
    load_shared_4(word(thread_index()), at(20));
  };
  const LaunchConfiguration block = one_block(32, 128);
  EXPECT_EQ(hazards_of(block, [&] { kernel(31); }), Lines{"uninitialized_read kernel.cuh:20"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(32); }), Lines{});
}

TEST(Race, WordsThatAreWrittenAfterTheReadWereUninitialized) {
  const auto kernel = [] {
    load_shared_4(word(thread_index()), at(10));
    store_shared_4(word(thread_index()), 1, at(20));
    load_shared_4(word(thread_index()), at(30));
  };
  EXPECT_EQ(hazards_of(one_block(32, 128), kernel), Lines{"uninitialized_read kernel.cuh:10"});
}

TEST(Race, SharedMemoryIsUninitializedInEveryBlock) {
  LaunchConfiguration blocks = one_block(32, 128);
  blocks.grid = {2, 1, 1};
  uint32_t seen[2] = {};
  const auto kernel = [&] {
    const int block = device::block_index<0>();
    if (block == 0) store_shared_4(word(thread_index()), 1, at(10));
    seen[block] = load_shared_4(word(thread_index()), at(20));
  };
  EXPECT_EQ(hazards_of(blocks, kernel), Lines{"uninitialized_read kernel.cuh:20"});
  EXPECT_EQ(seen[0], 1u);
  EXPECT_EQ(seen[1], 0xffffffffu) << "poison, and nothing that the block before left";
}

TEST(Race, LdmatrixReadsTheRowWhoseAddressTheLanePasses) {
  const auto kernel = [](bool barrier) {
    for (int i = 0; i < 4; ++i) store_shared_4(word(4 * thread_index() + i), 1, at(10));
    if (barrier) device::sync_threads();
    uint32_t m[4];
    const int row = (thread_index() + 32) % 64;  // of the other warp
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], word(4 * row), at(20));
  };
  const LaunchConfiguration block = one_block(64, 1024);
  EXPECT_EQ(hazards_of(block, [&] { kernel(false); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(true); }), Lines{});
}

TEST(Race, LdmatrixReadsTheRowsOfAllItsLanesAndNoOthers) {
  const auto kernel = [](int written_row) {
    for (int i = 0; i < 4; ++i) store_shared_4(word(4 * thread_index() + i), 1);
    device::sync_threads();
    if (thread_index() == 40) store_shared_4(word(4 * written_row + 2), 2, at(10));
    if (thread_index() >= 32) return;
    uint32_t m[4];
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], word(4 * thread_index()), at(20));
  };
  const LaunchConfiguration block = one_block(64, 1024);
  for (const int row : {0, 5, 31}) {
    EXPECT_EQ(hazards_of(block, [&] { kernel(row); }), Lines{"read_before_barrier kernel.cuh:20 kernel.cuh:10"}) << row;
  }
  EXPECT_EQ(hazards_of(block, [&] { kernel(32); }), Lines{});
}

}  // namespace
}  // namespace simulator_tests
