// How warp instructions are put together from what lanes do, and counted.
#include <map>

#include "common/device/barrier.cuh"
#include "common/device/cp_async.cuh"
#include "common/device/global_memory.cuh"
#include "common/device/indices.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/math.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::store_shared_4;
using device::thread_index;
using simulator::SharedCounts;

uint32_t word(int index) { return device::dynamic_shared_memory() + 4 * static_cast<uint32_t>(index); }

// The number of warp instructions, the same in every order of the threads.
int64_t count_of(LaunchConfiguration configuration, const std::string& name, const std::function<void()>& kernel) {
  const int64_t natural = launch(configuration, kernel).instructions[name];
  for (uint64_t seed = 0; seed < 20; ++seed) {
    configuration.schedule_seed = seed;
    EXPECT_EQ(launch(configuration, kernel).instructions[name], natural) << "seed " << seed;
  }
  return natural;
}

TEST(Counting, LanesThatTakeTheSamePathShareTheirInstructions) {
  const auto kernel = [] {
    for (int i = 0; i < 5; ++i) store_shared_4(word(thread_index() + 64 * i), 1, at(10));
  };
  EXPECT_EQ(count_of(one_block(64, 2048), "shared_store", kernel), 2 * 5);
}

TEST(Counting, BranchesOfAWarpAreInstructionsOfTheirOwn) {
  const auto kernel = [] {
    if (thread_index() < 8) {
      store_shared_4(word(thread_index()), 1, at(10));
    } else {
      store_shared_4(word(thread_index()), 1, at(20));
    }
    store_shared_4(word(thread_index()), 2, at(30));
  };
  EXPECT_EQ(count_of(one_block(32, 2048), "shared_store", kernel), 3);
}

TEST(Counting, LoopsOfDifferentLengthTakeTheLongest) {
  const auto kernel = [] {
    for (int i = 0; i <= thread_index() % 8; ++i) {
      store_shared_4(word(thread_index() + 32 * i), 1, at(10));
      store_shared_4(word(thread_index() + 32 * i), 1, at(20));
    }
    store_shared_4(word(thread_index()), 2, at(30));
  };
  EXPECT_EQ(count_of(one_block(32, 2048), "shared_store", kernel), 8 + 8 + 1);
}

TEST(Counting, InstructionsDoNotReachAcrossAMeetingOfTheLanes) {
  const auto kernel = [] {
    if (thread_index() < 16) store_shared_4(word(thread_index()), 1, at(10));
    device::sync_warp();
    if (thread_index() >= 16) store_shared_4(word(thread_index()), 1, at(10));
  };
  EXPECT_EQ(count_of(one_block(32, 2048), "shared_store", kernel), 2);
}

TEST(Counting, EveryInstructionHasItsName) {
  std::vector<uint32_t> values(1024);
  LaunchConfiguration block = one_block(64, 2048);
  add_buffer(block, "Values", values, true);
  uint32_t* const words = values.data();
  const Report report = launch(block, [&] {
    device::cp_async_16(word(4 * thread_index()), words + 4 * thread_index());
    device::cp_async_commit();
    device::cp_async_wait<0>();
    device::sync_threads();
    uint32_t m[4];
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], word(4 * (thread_index() % 32)));
    device::ldmatrix_x4_trans(m[0], m[1], m[2], m[3], word(4 * (thread_index() % 32)));
    device::shuffle_xor<4>(1.0f);
    device::any(false);
    device::exp2_approx(1.0f);
    device::pack<device::Half>(1.0f, 2.0f);
    device::sync_threads();
    store_shared_4(word(thread_index()), device::load_global_4(words + thread_index()));
    device::store_global_4(words + thread_index(), device::load_shared_4(word(thread_index())));
    device::sync_warp();
  });
  EXPECT_EQ(summary(report), Lines{});
  const std::map<std::string, int64_t> expected = {
      {"cp_async", 2},     {"cp_async_commit", 2}, {"cp_async_wait", 2}, {"exp2", 2},        {"global_load", 2},
      {"global_store", 2}, {"ldmatrix", 4},        {"pack", 2},          {"shared_load", 2}, {"shared_store", 2},
      {"shuffle", 2},      {"sync_threads", 4},    {"sync_warp", 2},     {"vote", 2}};
  EXPECT_EQ(report.instructions, expected);
}

TEST(Counting, SharedTrafficIsToldByFamilyAndTensor) {
  std::vector<uint32_t> values(2048);
  LaunchConfiguration block = one_block(32, 8192);
  add_buffer(block, "Values", values, false);
  block.shared_regions = {{"Q", "O", 0, 32, 128}, {"K", "K", 4096, 32, 128}};
  const uint32_t* const words = values.data();
  const Report report = launch(block, [&] {
    const auto row = static_cast<uint32_t>(thread_index());
    const uint32_t q = device::dynamic_shared_memory() + row * 128;
    device::cp_async_16(q, words + 32 * row);
    device::cp_async_16(q + 4096, words + 32 * row);
    device::cp_async_commit();
    device::cp_async_wait<0>();
    device::sync_warp();
    uint32_t m[4];
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], q);
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], q + 4096);
    device::sync_warp();
    store_shared_4(q, 1);
  });
  EXPECT_EQ(summary(report), Lines{});
  const auto expect = [&](const char* family, const char* tensor, int64_t requests, int64_t wavefronts, int64_t ideal) {
    const SharedCounts& counts = report.shared.at(family).at(tensor);
    EXPECT_EQ(counts.requests, requests) << family << " " << tensor;
    EXPECT_EQ(counts.wavefronts, wavefronts) << family << " " << tensor;
    EXPECT_EQ(counts.ideal_wavefronts, ideal) << family << " " << tensor;
  };
  expect("cp_async", "Q", 1, 32, 4);  // 32 rows in the same banks
  expect("cp_async", "K", 1, 32, 4);
  expect("ldmatrix", "Q", 1, 32, 4);
  expect("ldmatrix", "K", 1, 32, 4);
  expect("shared_store", "O", 1, 32, 1);  // in the place of Q
  EXPECT_EQ(report.shared_total("ldmatrix").excess(), 2 * 28);
  EXPECT_EQ(report.shared_total("shared_load").requests, 0);
}

// Neighbours share their 16 bytes: two phases of a load become one, those of a store or a copy do not.
TEST(Counting, LoadsAreToldFromStoresAndCopies) {
  std::vector<uint32_t> values(256);
  LaunchConfiguration block = one_block(32, 512);
  add_buffer(block, "Values", values, false);
  const Report report = launch(block, [&] {
    const uint32_t address = word(thread_index() / 2 * 4);
    device::store_shared_16(address, {});
    device::load_shared_16(address);
    device::cp_async_16(address, values.data());
  });
  EXPECT_EQ(report.shared_total("shared_store").wavefronts, 4);
  EXPECT_EQ(report.shared_total("shared_load").wavefronts, 2);
  EXPECT_EQ(report.shared_total("cp_async").wavefronts, 4);
}

TEST(Counting, GlobalTrafficIsToldByFamilyAndBuffer) {
  std::vector<uint32_t> values(2048);
  std::vector<uint32_t> results(2048);
  LaunchConfiguration block = one_block(32, 512);
  add_buffer(block, "In", values, false);
  add_buffer(block, "Out", results, true);
  const uint32_t* const in = values.data();
  uint32_t* const out = results.data();
  const Report report = launch(
      block, [&] { device::store_global_4(out + 16 * thread_index(), device::load_global_4(in + thread_index())); });
  const simulator::GlobalCounts& load = report.global.at("global_load").at("In");
  EXPECT_EQ(load.requests, 1);
  EXPECT_EQ(load.sectors, 4);
  EXPECT_EQ(load.ideal_sectors, 4);
  EXPECT_EQ(load.bytes, 128);
  const simulator::GlobalCounts& store = report.global.at("global_store").at("Out");
  EXPECT_EQ(store.sectors, 32);
  EXPECT_EQ(store.ideal_sectors, 4);
}

TEST(Counting, AccessesOfTheFirstWarpAreKeptOnRequest) {
  LaunchConfiguration block = one_block(64, 1024);
  block.grid = {2, 1, 1};
  const auto kernel = [] {
    if (thread_index() % 2 == 1) store_shared_4(word(thread_index()), 1, at(10));
    device::sync_warp();
    uint32_t m[4];
    device::ldmatrix_x4(m[0], m[1], m[2], m[3], word(4 * (31 - thread_index() % 32)), at(20));
  };
  EXPECT_TRUE(launch(block, kernel).accesses.empty());
  block.keep_accesses = true;
  const Report report = launch(block, kernel);
  ASSERT_EQ(report.accesses.size(), 2u);
  EXPECT_EQ(report.accesses[0].family, "shared_store");
  EXPECT_EQ(report.accesses[0].tensor, "T");
  EXPECT_EQ(report.accesses[0].lanes, 0xaaaaaaaau);
  EXPECT_EQ(report.accesses[0].addresses[31], 4u * 31);
  EXPECT_EQ(report.accesses[1].family, "ldmatrix");
  EXPECT_EQ(report.accesses[1].site.line, 20);
  EXPECT_EQ(report.accesses[1].bytes, 16);
  EXPECT_EQ(report.accesses[1].addresses[30], 16u);
}

// Where a buffer happens to lie on the CPU must not matter: cudaMalloc aligns it to 256 bytes.
TEST(Counting, SectorsCountFromTheBeginningOfTheBuffer) {
  std::vector<uint32_t> values(2048);
  for (int shift = 0; shift < 8; ++shift) {
    LaunchConfiguration block = one_block(32, 512);
    uint32_t* const words = values.data() + shift;
    block.global_buffers = {{"Values", words, 4096, true}};
    const Report report = launch(block, [&] { device::load_global_16(words + 4 * thread_index()); });
    EXPECT_EQ(report.global.at("global_load").at("Values").sectors, 16);
  }
}

}  // namespace
}  // namespace simulator_tests
