#include "common/harness/timing.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Timing, IsMedianMinimumAndSpread) {
  const Timing odd = summarise({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.minimum, 1);
  EXPECT_EQ(odd.spread, 4);
  EXPECT_EQ(summarise({4, 1, 2, 10}).median, 3);
  EXPECT_EQ(summarise({}).median, 0);
}

TEST(Timing, AlternatesTheDirectionFromOneRoundToTheNext) {
  using Order = std::vector<size_t>;
  EXPECT_EQ(order_in_round(3, 0), (Order{0, 1, 2}));
  EXPECT_EQ(order_in_round(3, 1), (Order{2, 1, 0}));
  EXPECT_EQ(order_in_round(3, 2), (Order{0, 1, 2}));
  EXPECT_EQ(order_in_round(3, -1), (Order{2, 1, 0}));  // warm-ups count up to 0
  EXPECT_EQ(order_in_round(0, 1), Order{});
}

TEST(Timing, CountsTeraflops) { EXPECT_DOUBLE_EQ(teraflops(2e12, 4), 500); }

TEST(Timing, KnowsTheRooflineOfSomeGpus) {
  GpuInfo gpu;
  gpu.sm = 90;
  gpu.multiprocessors = 132;
  gpu.largest_sm_mhz = 1830;  // the H100's boost clock: 989 TFLOP/s in its data sheet
  EXPECT_NEAR(tensor_roofline(gpu), 989.4, 0.5);
  gpu.sm = 80;
  gpu.multiprocessors = 108;
  gpu.largest_sm_mhz = 1410;  // the A100: 312
  EXPECT_NEAR(tensor_roofline(gpu), 311.9, 0.5);
  gpu.sm = 250;
  EXPECT_EQ(tensor_roofline(gpu), 0);
}

}  // namespace
}  // namespace harness
