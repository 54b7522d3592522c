// Launching: what is refused, who runs, and that order and workers do not matter.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

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

using device::thread_index;

TEST(Launch, RunsEveryThreadOfEveryBlockOnce) {
  LaunchConfiguration blocks = one_block(96, 128);
  blocks.grid = {3, 4, 5};
  blocks.workers = 2;
  std::mutex mutex;
  std::multiset<std::array<int, 4>> ran;
  launch(blocks, [&] {
    const std::lock_guard lock(mutex);
    ran.insert({device::block_index<0>(), device::block_index<1>(), device::block_index<2>(), thread_index()});
  });
  EXPECT_EQ(ran.size(), 3u * 4 * 5 * 96);
  EXPECT_EQ(std::set(ran.begin(), ran.end()).size(), ran.size());
  EXPECT_EQ(ran.count({2, 3, 4, 95}), 1u);
}

TEST(Launch, RefusesWhatMakesNoSense) {
  const auto refuses = [](const std::string& why, const std::function<void(LaunchConfiguration&)>& spoil) {
    LaunchConfiguration configuration = one_block(32, 128);
    spoil(configuration);
    try {
      launch(configuration, [] {});
      ADD_FAILURE() << "not refused: " << why;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(why), std::string::npos) << refusal.what();
    }
  };
  refuses("the grid is 0 x 1 x 1", [](LaunchConfiguration& c) { c.grid.x = 0; });
  refuses("the grid is 1 x 0 x 1", [](LaunchConfiguration& c) { c.grid.y = 0; });
  refuses("the grid is 1 x 1 x -1", [](LaunchConfiguration& c) { c.grid.z = -1; });
  refuses(": 0 threads", [](LaunchConfiguration& c) { c.threads = 0; });
  refuses("33 threads", [](LaunchConfiguration& c) { c.threads = 33; });
  refuses("1056 threads", [](LaunchConfiguration& c) { c.threads = 1056; });
  refuses("233472 bytes of shared memory", [](LaunchConfiguration& c) { c.shared_bytes = 228 * 1024; });
  refuses("-1 workers", [](LaunchConfiguration& c) { c.workers = -1; });
  refuses("the tensor T ends at byte 144", [](LaunchConfiguration& c) { c.shared_regions[0].offset = 16; });
  refuses("the tensor T has 8 rows of 0 bytes", [](LaunchConfiguration& c) { c.shared_regions[0].row_bytes = 0; });
  refuses("the tensor T has 0 rows of 16 bytes", [](LaunchConfiguration& c) { c.shared_regions[0].rows = 0; });
  refuses("the buffer Q has no memory", [](LaunchConfiguration& c) { c.global_buffers = {{"Q", nullptr, 16, false}}; });
}

TEST(Launch, ReportsProgressFromOneThreadAtATime) {
  LaunchConfiguration blocks = one_block(32, 128);
  blocks.grid = {40, 1, 1};
  blocks.workers = 4;
  std::atomic<int> inside = 0;
  std::vector<int64_t> seen;
  blocks.progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(++inside, 1);
    EXPECT_EQ(total, 40);
    seen.push_back(done);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // time for the others to get in the way
    --inside;
  };
  launch(blocks, [] {});
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 40);
}

TEST(Launch, PassesOnWhatAThreadThrows) {
  LaunchConfiguration blocks = one_block(64, 128);
  blocks.grid = {8, 1, 1};
  blocks.workers = 2;
  const auto kernel = [](bool spoil) {
    if (spoil && device::block_index<0>() == 3 && thread_index() == 40) throw std::runtime_error("from the kernel");
    device::sync_threads();
  };
  EXPECT_THROW(launch(blocks, [&] { kernel(true); }), std::runtime_error);
  EXPECT_NO_THROW(launch(blocks, [&] { kernel(false); }));
}

// Without this, no test that tries many orders would show anything.
TEST(Launch, ASeedShufflesTheThreadsAndDecidesTheirOrder) {
  const auto order_of = [](std::optional<uint64_t> seed) {
    LaunchConfiguration block = one_block(64, 128);
    block.schedule_seed = seed;
    std::vector<int> order;
    launch(block, [&] { order.push_back(thread_index()); });
    return order;
  };
  const std::vector<int> natural = order_of(std::nullopt);
  EXPECT_TRUE(std::is_sorted(natural.begin(), natural.end()));
  EXPECT_NE(order_of(1), natural);
  EXPECT_NE(order_of(1), order_of(2));
  EXPECT_EQ(order_of(1), order_of(1));
}

TEST(Launch, ThreadsHaveRoomOnTheirStacks) {
  int sum = 0;
  launch(one_block(32, 128), [&] {
    volatile char room[48 * 1024];
    for (std::size_t i = 0; i < sizeof(room); i += 512) room[i] = 1;
    device::sync_warp();
    for (std::size_t i = 0; i < sizeof(room); i += 512) sum += room[i];
  });
  EXPECT_EQ(sum, 32 * 96);
}

// Everything that a report says, in one text.
std::string text_of(const Report& report) {
  std::string text;
  const auto add = [&](const auto&... numbers) { ((text += " " + std::to_string(numbers)), ...); };
  for (const auto& [family, tensors] : report.shared) {
    for (const auto& [tensor, counts] : tensors) {
      text.append("\n").append(family).append(" ").append(tensor);
      add(counts.requests, counts.wavefronts, counts.ideal_wavefronts);
    }
  }
  for (const auto& [family, buffers] : report.global) {
    for (const auto& [buffer, counts] : buffers) {
      text.append("\n").append(family).append(" ").append(buffer);
      add(counts.requests, counts.sectors, counts.ideal_sectors, counts.bytes);
    }
  }
  for (const auto& [name, count] : report.instructions) {
    text += "\n" + name;
    add(count);
  }
  for (const Hazard& hazard : report.hazards) {
    text += "\n" + hazard.message;
    add(hazard.count, hazard.thread, hazard.other_thread, hazard.row, hazard.column_bytes);
  }
  for (const simulator::TraceEvent& event : report.trace) {
    text += "\n" + event.name;
    add(event.warp, event.begin, event.end, event.group, event.collects, event.site.line);
  }
  return text;
}

class Independence : public testing::Test {
 protected:
  Independence() {
    blocks.grid = {6, 2, 1};
    blocks.trace = true;
    add_buffer(blocks, "In", in, false);
    add_buffer(blocks, "Out", out, true);
  }

  // Brings a tile, turns it around, and writes it. If it is spoilt, odd blocks lack the barrier, and in some blocks
  // lanes wait in vain or touch what is not theirs.
  void reverse(bool spoilt) {
    const auto thread = static_cast<uint32_t>(thread_index());
    const auto block = static_cast<uint32_t>(device::block_index<0>() + 6 * device::block_index<1>());
    const uint32_t shared = device::dynamic_shared_memory();
    device::cp_async_16(shared + 16 * thread, in.data() + 4 * (128 * block + thread), at(10));
    device::cp_async_commit(at(20));
    device::cp_async_wait<0>(at(30));
    if (!spoilt || block % 2 == 0) device::sync_threads(at(40));
    const device::Vector16 value = device::load_shared_16(shared + 16 * (127 - thread), at(50));
    if (spoilt && block == 4 && thread % 32 < 7) device::any(true, at(60));
    if (spoilt && block == 5 && thread % 9 == 0) device::load_shared_4(shared + 2048 + thread, at(70));
    device::store_global_16(out.data() + 4 * (128 * block + thread), value, at(80));
  }

  void expect_alike(bool spoilt) {
    const auto kernel = [&] { reverse(spoilt); };
    blocks.workers = 1;
    const Report report = launch(blocks, kernel);
    const std::vector<uint32_t> expected_out = out;
    EXPECT_EQ(report.hazards.empty(), !spoilt);
    for (int i = 0; i < 12; ++i) {
      std::fill(out.begin(), out.end(), 0);
      blocks.workers = 1 + i % 4;
      if (i >= 4) blocks.schedule_seed = static_cast<uint64_t>(i);
      EXPECT_EQ(text_of(launch(blocks, kernel)), text_of(report)) << blocks.workers << " workers, run " << i;
      if (!spoilt) {
        EXPECT_EQ(out, expected_out);
      }
    }
  }

  std::vector<uint32_t> in = [] {
    std::vector<uint32_t> values(4 * 128 * 12);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i * 2654435761u);
    return values;
  }();
  std::vector<uint32_t> out = std::vector<uint32_t>(4 * 128 * 12);
  LaunchConfiguration blocks = one_block(128, 2048);
};

TEST_F(Independence, OfWorkersAndOrderForARightKernel) { expect_alike(false); }

TEST_F(Independence, OfWorkersAndOrderForAKernelFullOfHazards) { expect_alike(true); }

}  // namespace
}  // namespace simulator_tests
