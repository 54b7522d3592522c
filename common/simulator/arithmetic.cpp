#include "common/simulator/arithmetic.h"

#include <bit>
#include <cmath>

#include "common/simulator/instructions.h"

namespace simulator {

float fused_multiply_add(float a, float b, float c) { return std::fma(a, b, c); }

float maximum(float a, float b) {
  if (a != a) return b != b ? std::bit_cast<float>(0x7fffffff) : b;
  if (a == b) return std::signbit(a) ? b : a;  // +0 is larger than -0
  return b > a ? b : a;
}

float exp2_ftz(float x) {
  if (!(x >= -126.0f)) return x != x ? std::bit_cast<float>(0x7fffffff) : 0.0f;
  if (x >= 128.0f) return INFINITY;
  // 2^x = 2^whole * e^y, |y| < 0.35. Of the series of e^y the first term left out is below 2^-32.
  constexpr double kLn2 = 0.693147180559945309;
  const double whole = std::nearbyint(static_cast<double>(x));
  const double y = (static_cast<double>(x) - whole) * kLn2;
  double power = 1.0 / 40320;
  power = power * y + 1.0 / 5040;
  power = power * y + 1.0 / 720;
  power = power * y + 1.0 / 120;
  power = power * y + 1.0 / 24;
  power = power * y + 1.0 / 6;
  power = power * y + 1.0 / 2;
  power = power * y + 1;
  power = power * y + 1;
  const double scale = std::bit_cast<double>((static_cast<int64_t>(whole) + 1023) << 52);
  return static_cast<float>(power * scale);
}

uint32_t to_float16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;          // NaN
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // from 65520 on the nearest is infinity
  if (magnitude < 0x38800000) {                       // subnormal: next to 0.5, a float ends at 2^-24 too
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | (rounded - 0x38000000) >> 13;
}

uint32_t to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

}  // namespace simulator
