// Accesses that cannot be carried out.
#include "common/device/barrier.cuh"
#include "common/device/cp_async.cuh"
#include "common/device/global_memory.cuh"
#include "common/device/indices.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::dynamic_shared_memory;
using device::thread_index;

// Runs `access` in one thread and returns all messages.
std::string messages_of(const LaunchConfiguration& configuration, const std::function<void()>& access) {
  std::string text;
  const Report report = launch(configuration, [&] {
    if (thread_index() == 0) access();
  });
  for (const Hazard& hazard : report.hazards) text += hazard.message + "\n";
  return text;
}

TEST(Bounds, SharedMemoryBeginsAtAnOddMultipleOf128) {
  uint32_t begin = 0;
  launch(one_block(32, 128), [&] { begin = dynamic_shared_memory(); });
  EXPECT_EQ(begin % 256, 128u);
}

TEST(Bounds, SharedAccessesMustLieInTheAllocation) {
  const LaunchConfiguration block = one_block(32, 1024);
  const auto store = [](uint32_t offset) {
    return [offset] {
      if (thread_index() == 0) device::store_shared_16(dynamic_shared_memory() + offset, {}, at(10));
    };
  };
  EXPECT_EQ(hazards_of(block, store(1024 - 16)), Lines{});
  EXPECT_EQ(hazards_of(block, store(1024)), Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, store(0u - 16)), Lines{"out_of_bounds kernel.cuh:10"});
}

TEST(Bounds, AnAddressWithoutTheBeginningIsOutOfBounds) {
  const LaunchConfiguration block = one_block(32, 227 * 1024);
  for (const uint32_t offset : {0u, 4096u, 226u * 1024}) {
    const auto kernel = [&] { device::store_shared_4(offset + 4 * static_cast<uint32_t>(thread_index()), 1, at(10)); };
    EXPECT_EQ(hazards_of(block, kernel), Lines{"out_of_bounds kernel.cuh:10"});
    EXPECT_EQ(launch(block, kernel).hazard_count(), 32);
  }
}

TEST(Bounds, AccessesMustBeAlignedToTheirSize) {
  std::vector<uint32_t> values(64);
  LaunchConfiguration block = one_block(32, 1024);
  add_buffer(block, "Values", values, true);
  const uint32_t* const words = values.data();
  const auto expect_misaligned = [&](const std::function<void()>& access) {
    EXPECT_EQ(hazards_of(block,
                         [&] {
                           if (thread_index() == 0) access();
                         }),
              Lines{"misaligned kernel.cuh:10"});
  };
  expect_misaligned([] { device::store_shared_16(dynamic_shared_memory() + 8, {}, at(10)); });
  expect_misaligned([] { device::load_shared_16(dynamic_shared_memory() + 8, at(10)); });
  expect_misaligned([] { device::store_shared_4(dynamic_shared_memory() + 2, 1, at(10)); });
  expect_misaligned([&] { device::load_global_16(words + 1, at(10)); });
  expect_misaligned([&] { device::cp_async_16(dynamic_shared_memory(), words + 2, at(10)); });
  expect_misaligned([&] { device::cp_async_16(dynamic_shared_memory() + 4, words, at(10)); });
}

TEST(Bounds, LdmatrixRowsMustBeAligned) {
  const auto kernel = [](uint32_t shift) {
    device::store_shared_16(dynamic_shared_memory() + 16 * static_cast<uint32_t>(thread_index()), {});
    device::sync_warp();
    uint32_t m[4];
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], dynamic_shared_memory() + (thread_index() == 5 ? shift : 0), at(10));
  };
  const LaunchConfiguration block = one_block(32, 512);
  EXPECT_EQ(hazards_of(block, [&] { kernel(0); }), Lines{});
  EXPECT_EQ(hazards_of(block, [&] { kernel(8); }), Lines{"misaligned kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, [&] { kernel(512); }), Lines{"out_of_bounds kernel.cuh:10"});
}

TEST(Bounds, GlobalAccessesMustLieInOneBuffer) {
  std::vector<uint32_t> values(64);
  LaunchConfiguration block = one_block(32, 128);
  // Two buffers, one right behind the other: an access must not cross from the first into the second.
  block.global_buffers = {{"First", values.data(), 24, true}, {"Second", values.data() + 6, 200, true}};
  uint32_t* const words = values.data();
  const auto store_4 = [&](int index) {
    return [=] {
      if (thread_index() == 0) device::store_global_4(words + index, 1, at(10));
    };
  };
  EXPECT_EQ(hazards_of(block, store_4(5)), Lines{});
  EXPECT_EQ(hazards_of(block, store_4(55)), Lines{});
  EXPECT_EQ(hazards_of(block, store_4(56)), Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block, store_4(-1)), Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_EQ(hazards_of(block,
                       [&] {
                         if (thread_index() == 0) device::load_global_16(words + 4, at(10));
                       }),
            Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_NE(messages_of(block, store_4(58)).find("global memory 8 bytes past the end of Second"), std::string::npos)
      << messages_of(block, store_4(58));
}

TEST(Bounds, WhatIsOutOfBoundsIsNotWritten) {
  std::vector<uint32_t> values(64, 7);
  LaunchConfiguration block = one_block(32, 128);
  block.global_buffers = {{"Middle", values.data() + 16, 128, true}};
  uint32_t* const words = values.data();
  launch(block, [&] {
    device::store_global_4(words + 16 + thread_index(), 1);
    device::store_global_4(words + 16 + (thread_index() < 16 ? -1 : 32), 2);
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(words[i], 16 <= i && i < 48 ? 1u : 7u) << i;
}

TEST(Bounds, ReadOnlyBuffersAreNotWritten) {
  std::vector<uint32_t> values(64, 7);
  LaunchConfiguration block = one_block(32, 128);
  add_buffer(block, "K", values, false);
  uint32_t* const words = values.data();
  const auto kernel = [&] {
    device::load_global_4(words);
    device::store_global_4(words, 1, at(10));
  };
  EXPECT_EQ(hazards_of(block, kernel), Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_EQ(values[0], 7u);
  EXPECT_NE(messages_of(block, kernel).find("writes to K, which is read-only"), std::string::npos);
}

TEST(Bounds, GivesUpTheBlockAndGoesOnWithTheOthers) {
  std::vector<uint32_t> done(4);
  LaunchConfiguration blocks = one_block(64, 128);
  blocks.grid = {4, 1, 1};
  add_buffer(blocks, "Done", done, true);
  uint32_t* const words = done.data();
  const auto kernel = [&] {
    const int block = device::block_index<0>();
    if (block == 2 && thread_index() == 40) device::load_shared_4(0, at(10));
    device::sync_threads(at(20));  // in vain: no hazard of its own
    if (thread_index() == 0) device::store_global_4(words + block, 1);
  };
  EXPECT_EQ(hazards_of(blocks, kernel), Lines{"out_of_bounds kernel.cuh:10"});
  EXPECT_EQ(done, (std::vector<uint32_t>{1, 1, 0, 1}));
}

TEST(Bounds, ThreadsOfABlockThatIsGivenUpDestroyWhatTheyOwn) {
  int owned = 0;
  launch(one_block(64, 128), [&] {
    const Owned own(owned);
    if (thread_index() == 40) device::load_shared_4(0);
    device::sync_threads();
  });
  EXPECT_EQ(owned, 0);
}

TEST(Bounds, HugeBuffersNeedNoMemory) {
  // Offsets beyond 32 bits: only what is touched must be there.
  std::vector<uint32_t> values(64, 7);
  LaunchConfiguration block = one_block(32, 128);
  const std::size_t before = std::size_t{5} << 32;
  auto* const begin = reinterpret_cast<char*>(values.data()) - before;
  block.global_buffers = {{"Huge", begin, before + 256, false}};
  uint32_t seen = 0;
  EXPECT_EQ(hazards_of(block, [&] { seen = device::load_global_4(begin + before); }), Lines{});
  EXPECT_EQ(seen, 7u);
  EXPECT_EQ(hazards_of(block, [&] { device::load_global_4(begin + before + 256, at(10)); }),
            Lines{"out_of_bounds kernel.cuh:10"});
  block.global_buffers = {{"Small", values.data(), 256, false}};
  EXPECT_EQ(hazards_of(block, [&] { device::load_global_4(values.data() + (std::size_t{1} << 30), at(10)); }),
            Lines{"out_of_bounds kernel.cuh:10"});
}

}  // namespace
}  // namespace simulator_tests
