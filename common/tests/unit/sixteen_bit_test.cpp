#include "common/harness/sixteen_bit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace harness {
namespace {

class SixteenBit : public testing::TestWithParam<ElementType> {};

TEST_P(SixteenBit, EveryElementSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto element = static_cast<uint16_t>(bits);
    const float value = to_float(element, GetParam());
    if (is_nan(element, GetParam())) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(is_nan(to_bits(value, GetParam()), GetParam())) << bits;
    } else {
      EXPECT_EQ(to_bits(value, GetParam()), element) << bits;
    }
  }
}

TEST_P(SixteenBit, RoundsToNearestAndTiesToEven) {
  const uint16_t infinity = format_of(GetParam()).infinity();
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const double below = to_float(bits, GetParam());
    const double above = to_float(static_cast<uint16_t>(bits + 1), GetParam());
    const double middle = (below + above) / 2;
    const uint16_t even = bits % 2 == 0 ? bits : static_cast<uint16_t>(bits + 1);
    ASSERT_EQ(to_bits(middle, GetParam()), even) << bits;
    ASSERT_EQ(to_bits(std::nextafter(middle, below), GetParam()), bits) << bits;
    ASSERT_EQ(to_bits(std::nextafter(middle, above), GetParam()), bits + 1) << bits;
    ASSERT_EQ(to_bits(-middle, GetParam()), even | 0x8000) << bits;
  }
}

TEST_P(SixteenBit, TooLargeBecomesInfinite) {
  const uint16_t infinity = format_of(GetParam()).infinity();
  const double largest = to_float(static_cast<uint16_t>(infinity - 1), GetParam());
  const double half_unit = unit_in_last_place(largest, GetParam()) / 2;
  EXPECT_EQ(to_bits(std::nextafter(largest + half_unit, 0), GetParam()), infinity - 1);
  EXPECT_EQ(to_bits(largest + half_unit, GetParam()), infinity);
  EXPECT_EQ(to_bits(-std::numeric_limits<double>::infinity(), GetParam()), infinity | 0x8000);
  EXPECT_EQ(to_bits(std::numeric_limits<double>::quiet_NaN(), GetParam()), 0x7fff);
}

TEST_P(SixteenBit, AUnitIsTheDistanceToTheNextElement) {
  const uint16_t infinity = format_of(GetParam()).infinity();
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const double value = to_float(bits, GetParam());
    const double next = to_float(static_cast<uint16_t>(bits + 1), GetParam());
    ASSERT_EQ(unit_in_last_place(value, GetParam()), next - value) << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SixteenBit, testing::Values(ElementType::kFloat16, ElementType::kBFloat16),
                         [](const auto& instance) {
                           return instance.param == ElementType::kFloat16 ? "fp16" : "bf16";
                         });

}  // namespace
}  // namespace harness
