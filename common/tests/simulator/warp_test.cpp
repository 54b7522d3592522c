// What lanes give each other.
#include "common/device/warp.cuh"

#include "common/device/indices.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/shared_memory.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using device::thread_index;

// The element in row `row` and column `column` of matrix `matrix`, as it lies in shared memory.
uint32_t element(int matrix, int row, int column) { return static_cast<uint32_t>(matrix * 1000 + row * 10 + column); }

TEST(Ldmatrix, SpreadsFourMatricesOverTheLanesAsPtxSays) {
  uint32_t straight[32][4];
  uint32_t transposed[32][4];
  launch(one_block(32, 512), [&] {
    const int lane = thread_index();
    const uint32_t row = device::dynamic_shared_memory() + 16 * static_cast<uint32_t>(lane);
    for (int pair = 0; pair < 4; ++pair) {
      const uint32_t low = element(lane / 8, lane % 8, 2 * pair);
      const uint32_t high = element(lane / 8, lane % 8, 2 * pair + 1);
      device::store_shared_4(row + 4 * static_cast<uint32_t>(pair), low | high << 16);
    }
    device::sync_warp();
    auto& s = straight[lane];
    auto& t = transposed[lane];
    device::ldmatrix_x4(s[0], s[1], s[2], s[3], row);
    device::ldmatrix_x4_trans(t[0], t[1], t[2], t[3], row);
  });
  for (int lane = 0; lane < 32; ++lane) {
    const int line = lane / 4;
    const int pair = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(straight[lane][i], element(i, line, pair) | element(i, line, pair + 1) << 16) << lane << " " << i;
      EXPECT_EQ(transposed[lane][i], element(i, pair, line) | element(i, pair + 1, line) << 16) << lane << " " << i;
    }
  }
}

TEST(Shuffle, GivesTheValueOfTheLaneWithTheMaskedNumber) {
  std::vector<float> by_one(64);
  std::vector<float> by_16(64);
  launch(one_block(64, 128), [&] {
    const auto thread = static_cast<std::size_t>(thread_index());
    by_one[thread] = device::shuffle_xor<1>(static_cast<float>(thread));
    by_16[thread] = device::shuffle_xor<16>(static_cast<float>(thread));
  });
  for (std::size_t thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(by_one[thread], static_cast<float>(thread ^ 1));
    EXPECT_EQ(by_16[thread], static_cast<float>(thread ^ 16));
  }
}

TEST(Vote, IsTrueIfAnyLaneOfTheWarpSaysSo) {
  std::vector<int> answers(64, -1);
  launch(one_block(64, 128), [&] {
    const int thread = thread_index();
    answers[static_cast<std::size_t>(thread)] = device::any(thread == 45) ? 1 : 0;
    device::any(thread == 3);  // the next one must not reach back
  });
  for (std::size_t thread = 0; thread < 64; ++thread) EXPECT_EQ(answers[thread], thread < 32 ? 0 : 1) << thread;
}

}  // namespace
}  // namespace simulator_tests
