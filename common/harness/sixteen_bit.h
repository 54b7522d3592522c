// fp16 and bf16 on the host, as bits. The harness has conversions of its own: what checks the kernels shares no
// arithmetic with the simulator that runs them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "common/harness/registry.h"

namespace harness {

// Where the exponent ends and the fraction begins.
struct SixteenBitFormat {
  int exponent_bits;
  int fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint16_t infinity() const { return static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits); }
};

constexpr SixteenBitFormat format_of(ElementType type) {
  return type == ElementType::kFloat16 ? SixteenBitFormat{5, 10} : SixteenBitFormat{8, 7};
}

// The exact value of the element.
inline float to_float(uint16_t bits, ElementType type) {
  if (type == ElementType::kBFloat16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  // The fraction and exponent of binary16 moved to those of binary32; the factor makes up for the exponent's bias.
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fffu) << 13;
  if ((bits & 0x7c00u) == 0x7c00u) return std::bit_cast<float>(sign | magnitude | 0x7f800000u);
  magnitude = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  return std::bit_cast<float>(sign | magnitude);
}

// The element nearest to `value`, ties to even: one rounding, from 64 bits to 16. Too large becomes infinite.
inline uint16_t to_bits(double value, ElementType type) {
  const SixteenBitFormat format = format_of(type);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 63 << 15);
  const uint64_t magnitude = bits & 0x7fffffffffffffffu;
  if (magnitude > 0x7ff0000000000000u) return 0x7fff;           // the NaN that the GPU's cvt gives
  if (std::fabs(value) < std::ldexp(1.0, 1 - format.bias())) {  // subnormal: multiples of one quantum
    const double quanta = std::nearbyint(std::ldexp(std::fabs(value), format.bias() - 1 + format.fraction_bits));
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(quanta));
  }
  const int shift = 52 - format.fraction_bits;
  const uint64_t rounded = magnitude + ((uint64_t{1} << (shift - 1)) - 1) + (magnitude >> shift & 1);
  const uint64_t rebias = static_cast<uint64_t>(1023 - format.bias()) << format.fraction_bits;
  const uint64_t element = (rounded >> shift) - rebias;
  return static_cast<uint16_t>(sign | (element < format.infinity() ? element : format.infinity()));
}

inline bool is_nan(uint16_t bits, ElementType type) { return (bits & 0x7fffu) > format_of(type).infinity(); }
inline bool is_infinite(uint16_t bits, ElementType type) { return (bits & 0x7fffu) == format_of(type).infinity(); }
inline bool is_finite(uint16_t bits, ElementType type) { return (bits & 0x7fffu) < format_of(type).infinity(); }

// The distance between neighbouring elements around `magnitude`, which is not negative: one unit in the last place.
inline double unit_in_last_place(double magnitude, ElementType type) {
  const SixteenBitFormat format = format_of(type);
  const int smallest = 1 - format.bias();
  const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), smallest) : smallest;
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

}  // namespace harness
