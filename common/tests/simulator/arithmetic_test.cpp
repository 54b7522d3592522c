// The arithmetic of common/device/math.cuh on the simulator.
#include "common/simulator/arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "common/device/math.cuh"

namespace simulator_tests {
namespace {

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float number(uint32_t x) { return std::bit_cast<float>(x); }

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Exp2, IsCorrectToTheLastBitOrItsNeighbour) {
  for (uint32_t i = bits(0x1p-40f); i < bits(128.0f); i += 9973) {
    for (const float x : {number(i), -number(i)}) {
      if (x < -126.0f) continue;
      const double exact = std::exp2(static_cast<double>(x));
      const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
      ASSERT_LE(std::fabs(simulator::exp2_ftz(x) - exact), 0.51 * unit) << x;
    }
  }
}

TEST(Exp2, OfTheEndsOfTheRange) {
  EXPECT_EQ(simulator::exp2_ftz(0.0f), 1.0f);
  EXPECT_EQ(simulator::exp2_ftz(-126.0f), 0x1p-126f);
  EXPECT_EQ(bits(simulator::exp2_ftz(-126.5f)), 0u) << "subnormal results are flushed to zero";
  EXPECT_EQ(bits(simulator::exp2_ftz(-kInfinity)), 0u);
  EXPECT_EQ(simulator::exp2_ftz(127.0f), 0x1p127f);
  EXPECT_EQ(simulator::exp2_ftz(128.0f), kInfinity);
  EXPECT_EQ(simulator::exp2_ftz(kInfinity), kInfinity);
  EXPECT_EQ(bits(simulator::exp2_ftz(kNan)), 0x7fffffffu);
  EXPECT_EQ(simulator::exp2_ftz(0x1p-140f), 1.0f);
}

TEST(FusedMultiplyAdd, RoundsOnce) {
  const float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(device::fused_multiply_add(a, a, -1.0f - 0x1p-11f), 0x1p-24f) << "a product rounded first gives 0";
  // Below the middle of two floats by less than a double can tell: rounded to a double first, it goes up to even.
  EXPECT_EQ(device::fused_multiply_add(0x1p-12f * (1 + 0x1p-15f), 0x1p-12f * (1 - 0x1p-15f), 1 + 0x1p-23f),
            1 + 0x1p-23f);
}

TEST(Maximum, PrefersNumbersToNans) {
  EXPECT_EQ(device::maximum(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(device::maximum(-kInfinity, -1.0f), -1.0f);
  EXPECT_EQ(device::maximum(kNan, 3.0f), 3.0f);
  EXPECT_EQ(device::maximum(3.0f, kNan), 3.0f);
  EXPECT_EQ(bits(device::maximum(kNan, -kNan)), 0x7fffffffu);
  EXPECT_EQ(bits(device::maximum(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(bits(device::maximum(0.0f, -0.0f)), 0u);
}

TEST(Pack, PutsTheFirstValueIntoTheLowHalf) {
  EXPECT_EQ(device::pack<device::Half>(1.0f, -2.0f), 0xc0003c00u);
  EXPECT_EQ(device::pack<device::BFloat16>(1.0f, -2.0f), 0xc0003f80u);
}

TEST(Pack, RoundsFloat16ToNearestEven) {
  EXPECT_EQ(simulator::to_float16(1.0f + 0x1p-11f), 0x3c00u) << "a tie, down to even";
  EXPECT_EQ(simulator::to_float16(1.0f + 3 * 0x1p-11f), 0x3c02u) << "a tie, up to even";
  EXPECT_EQ(simulator::to_float16(1.0f + 0x1p-11f + 0x1p-23f), 0x3c01u);
  EXPECT_EQ(simulator::to_float16(65504.0f), 0x7bffu);
  EXPECT_EQ(simulator::to_float16(65519.996f), 0x7bffu);
  EXPECT_EQ(simulator::to_float16(65520.0f), 0x7c00u);
  EXPECT_EQ(simulator::to_float16(-kInfinity), 0xfc00u);
  EXPECT_EQ(simulator::to_float16(-kNan), 0x7fffu);
  EXPECT_EQ(simulator::to_float16(0x1p-24f), 0x0001u);
  EXPECT_EQ(simulator::to_float16(-0x1p-25f), 0x8000u) << "a tie, down to zero";
  EXPECT_EQ(simulator::to_float16(0x1.8p-24f), 0x0002u);
  EXPECT_EQ(simulator::to_float16(0x1.ffcp-15f), 0x0400u) << "the largest subnormal tie goes to the smallest normal";
}

TEST(Pack, RoundsBFloat16ToNearestEven) {
  EXPECT_EQ(simulator::to_bfloat16(1.0f + 0x1p-8f), 0x3f80u);
  EXPECT_EQ(simulator::to_bfloat16(1.0f + 3 * 0x1p-8f), 0x3f82u);
  EXPECT_EQ(simulator::to_bfloat16(number(0x7f7fffff)), 0x7f80u);
  EXPECT_EQ(simulator::to_bfloat16(-kInfinity), 0xff80u);
  EXPECT_EQ(simulator::to_bfloat16(kNan), 0x7fffu);
  EXPECT_EQ(simulator::to_bfloat16(-0.0f), 0x8000u);
}

}  // namespace
}  // namespace simulator_tests
