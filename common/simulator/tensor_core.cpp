#include "common/simulator/tensor_core.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>

// A row of D, eight outputs, is computed at once with the vector types of GCC and Clang, which compile for any
// processor. All is inlined into two copies of multiply_accumulate: one for AVX2, which most x86-64 processors have,
// and one for whatever the build is for.
#define ALWAYS_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define HAS_AVX2_COPY 1
#else
#define HAS_AVX2_COPY 0
#endif

namespace simulator {
namespace {

template <typename T, int kCount>
using VectorOf [[gnu::vector_size(kCount * sizeof(T))]] = T;
template <typename T>
using Vector = VectorOf<T, 8>;
using Int = Vector<int32_t>;
using Float = Vector<float>;
using Double = Vector<double>;

// Half a row, for what GCC does lane by lane if eight 64-bit numbers are more than a register holds.
using HalfInt = VectorOf<int32_t, 4>;
using HalfLong = VectorOf<int64_t, 4>;
using HalfFloat = VectorOf<float, 4>;
using HalfDouble = VectorOf<double, 4>;

template <typename Half, typename Whole>
ALWAYS_INLINE void take_half(const Whole& whole, int half, Half& part) {
  std::memcpy(&part, reinterpret_cast<const char*>(&whole) + half * static_cast<int>(sizeof(part)), sizeof(part));
}
template <typename Half, typename Whole>
ALWAYS_INLINE void put_half(const Half& part, int half, Whole& whole) {
  std::memcpy(reinterpret_cast<char*>(&whole) + half * static_cast<int>(sizeof(part)), &part, sizeof(part));
}

// So low that no sum with another exponent counts.
constexpr int32_t kNoExponent = -1000;

// 2^exponent, for exponents that a normal float or double has.
ALWAYS_INLINE void power_of_two(const Int& exponent, Float& power) {
  power = __builtin_bit_cast(Float, (exponent + 127) << 23);
}
ALWAYS_INLINE void power_of_two(const HalfInt& exponent, HalfDouble& power) {
  power = __builtin_bit_cast(HalfDouble, __builtin_convertvector(exponent + 1023, HalfLong) << 52);
}
ALWAYS_INLINE void power_of_two(const Int& exponent, Double& power) {
  for (int half = 0; half < 2; ++half) {
    HalfInt half_exponent;
    HalfDouble half_power;
    take_half(exponent, half, half_exponent);
    power_of_two(half_exponent, half_power);
    put_half(half_power, half, power);
  }
}

// The two element types. A Value holds the product of two elements exactly, and what is kept of it too: multiplied by
// 2^(kSumBits - largest), where `largest` is at least kLeastExponent unless all products are zero.
struct Float16 {
  using Value = float;
  static constexpr int kFractionBits = 10;
  static constexpr int kBias = 15;
  static constexpr int kLeastExponent = -28;
};

struct BFloat16 {
  using Value = double;
  static constexpr int kFractionBits = 7;
  static constexpr int kBias = 127;
  static constexpr int kLeastExponent = -126;  // that of any C
};

// Eight elements and their exponents.
template <typename Type>
struct Elements {
  Vector<typename Type::Value> value;
  Int exponent;

  // Never touches a subnormal float: that would be right, and a hundred times slower.
  ALWAYS_INLINE void decode(const Int& bits) {
    const Int magnitude = bits & 0x7fff;
    const Int field = magnitude >> Type::kFractionBits;
    const Int normal = (field == 0 ? Int{} + 1 : field) - Type::kBias;
    const Int significand = field == 0 ? magnitude : magnitude - ((field - 1) << Type::kFractionBits);
    Vector<typename Type::Value> unit;
    power_of_two(normal - Type::kFractionBits, unit);
    const Int signed_significand = (bits & 0x8000) == 0 ? significand : -significand;
    value = __builtin_convertvector(signed_significand, Vector<typename Type::Value>) * unit;
    exponent = magnitude == 0 ? Int{} + kNoExponent : normal;
  }
};

template <typename Type>
struct Decoded {
  Elements<Type> a[4][2][4];  // [register][low or high half][lane / 8]
  Elements<Type> b[16];       // [row]
  bool special;               // some element is an infinity or a NaN

  ALWAYS_INLINE void decode(const MatrixOperands& operands) {
    Int largest{};
    const auto decode_both = [&](const uint32_t* words, Elements<Type>& low, Elements<Type>& high) {
      Int bits;
      std::memcpy(&bits, words, sizeof(bits));
      low.decode(bits & 0xffff);
      high.decode(bits >> 16 & 0xffff);
      largest = low.exponent > largest ? low.exponent : largest;
      largest = high.exponent > largest ? high.exponent : largest;
    };
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) decode_both(&operands.a[i][8 * j], a[i][0][j], a[i][1][j]);
    }
    for (int i = 0; i < 8; ++i) decode_both(operands.b[i / 4][i % 4], b[2 * i], b[2 * i + 1]);
    special = false;
    for (int i = 0; i < 8; ++i) special |= largest[i] > Type::kBias;
  }
};

// Cuts doubles off to the precision of a float, also where the float is subnormal; from 2^128 on they are infinite.
ALWAYS_INLINE void round_toward_zero(const HalfDouble& exact, HalfFloat& rounded) {
  const HalfFloat nearest = __builtin_convertvector(exact, HalfFloat);
  const HalfDouble back = __builtin_convertvector(nearest, HalfDouble);
  // Without their signs, doubles are ordered like their bits, and one bit less is the next float toward zero.
  const HalfLong limit = __builtin_bit_cast(HalfLong, exact) & 0x7fffffffffffffff;
  const HalfLong magnitude = __builtin_bit_cast(HalfLong, back) & 0x7fffffffffffffff;
  const HalfLong away = (magnitude > limit) & (limit < 0x47f0000000000000);
  rounded =
      __builtin_bit_cast(HalfFloat, __builtin_bit_cast(HalfInt, nearest) + __builtin_convertvector(away, HalfInt));
}

// (a + b) * 2^exponent as a float, cut off.
ALWAYS_INLINE void scaled_sum(const Int& a, const Int& b, const Int& exponent, Float& sum) {
  for (int half = 0; half < 2; ++half) {
    HalfInt half_a;
    HalfInt half_b;
    HalfInt half_exponent;
    take_half(a, half, half_a);
    take_half(b, half, half_b);
    take_half(exponent, half, half_exponent);
    HalfDouble power;
    power_of_two(half_exponent, power);
    HalfFloat half_sum;
    round_toward_zero(
        (__builtin_convertvector(half_a, HalfDouble) + __builtin_convertvector(half_b, HalfDouble)) * power, half_sum);
    put_half(half_sum, half, sum);
  }
}

// One step of the sum for one row of D: adds the products with k = kFirst, ..., kFirst + kCount - 1 to C.
template <typename Type, int kSumBits, int kFirst, int kCount>
ALWAYS_INLINE void add_products(const Decoded<Type>& decoded, int row, float (&c)[8]) {
  Int bits;
  std::memcpy(&bits, c, sizeof(bits));
  const Int field = bits >> 23 & 0xff;
  const Int c_exponent = (field == 0 ? Int{} + 1 : field) - 127;
  const Int c_significand = (bits & 0x7fffff) | (field == 0 ? Int{} : Int{} + 0x800000);

  // Of A, (row, k) is element i % 8 of Elements i / 8, where i is the lane that holds it.
  const int lane = row % 8 * 4;
  const auto a = [&](int k) -> const Elements<Type>& { return decoded.a[row / 8 + k / 8 * 2][k % 2][lane / 8]; };
  const auto place = [&](int k) { return lane % 8 + k % 8 / 2; };

  Int largest = c_exponent;
#pragma GCC unroll 16
  for (int k = kFirst; k < kFirst + kCount; ++k) {
    const Int exponent = decoded.b[k].exponent + a(k).exponent[place(k)];
    largest = exponent > largest ? exponent : largest;
  }

  // Multiplied by this power of two, which is exact, the bits of a product that are kept become an integer, below 2^27;
  // 16 of them stay below 2^31.
  Vector<typename Type::Value> scale;
  power_of_two(kSumBits - (largest < Type::kLeastExponent ? Int{} + Type::kLeastExponent : largest), scale);
  Int sum{};
#pragma GCC unroll 16
  for (int k = kFirst; k < kFirst + kCount; ++k) {
    sum += __builtin_convertvector(decoded.b[k].value * a(k).value[place(k)] * scale, Int);
  }

  const Int distance = largest - c_exponent;
  const Int c_kept = c_significand << (kSumBits - 23) >> (distance > 31 ? Int{} + 31 : distance);
  Float d;
  scaled_sum(sum, bits < 0 ? -c_kept : c_kept, largest - kSumBits, d);
  std::memcpy(c, &d, sizeof(d));
}

// An infinity or a NaN in one row of A, one column of B or one element of C decides what comes out, whatever the rest.
class SpecialSum {
 public:
  void add(double value) {
    positive_ |= value == std::numeric_limits<double>::infinity();
    negative_ |= value == -std::numeric_limits<double>::infinity();
    nan_ |= value != value;
  }

  std::optional<float> result() const {
    if (nan_ || (positive_ && negative_)) return std::bit_cast<float>(0x7fffffff);
    if (positive_) return std::numeric_limits<float>::infinity();
    if (negative_) return -std::numeric_limits<float>::infinity();
    return std::nullopt;
  }

 private:
  bool positive_ = false;
  bool negative_ = false;
  bool nan_ = false;
};

// A double with the sign of the element that is zero, infinite, NaN or anything else like the element.
template <typename Type>
double kind_of(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fff;
  const uint32_t infinity = 0x7fffu >> Type::kFractionBits << Type::kFractionBits;
  const double kind = magnitude > infinity    ? std::numeric_limits<double>::quiet_NaN()
                      : magnitude == infinity ? std::numeric_limits<double>::infinity()
                                              : static_cast<double>(magnitude != 0);
  return bits & 0x8000 ? -kind : kind;
}

// Puts right what add_products made of infinities and NaNs.
template <typename Type>
void add_special_products(const MatrixOperands& operands, const float (&c)[16][8], int first, int count,
                          float (&d)[16][8]) {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      SpecialSum sum;
      sum.add(c[row][column]);
      for (int k = first; k < first + count; ++k) {
        const uint32_t a = operands.a[row / 8 + k / 8 * 2][row % 8 * 4 + k % 8 / 2];
        const uint32_t b = operands.b[k / 8][k % 8 / 2][column];
        const int half = k % 2 * 16;
        sum.add(kind_of<Type>(a >> half & 0xffff) * kind_of<Type>(b >> half & 0xffff));
      }
      d[row][column] = sum.result().value_or(d[row][column]);
    }
  }
}

ALWAYS_INLINE bool has_special(const float (&c)[16][8]) {
  Int special{};
  for (const float(&row)[8] : c) {
    Int bits;
    std::memcpy(&bits, row, sizeof(bits));
    special |= (bits & 0x7f800000) == 0x7f800000;
  }
  bool any = false;
  for (int i = 0; i < 8; ++i) any |= special[i] != 0;
  return any;
}

template <typename Type, int kSumBits, int kFirst, int kCount>
ALWAYS_INLINE void step(const Decoded<Type>& decoded, MatrixOperands& operands) {
  const bool special = decoded.special || has_special(operands.c);
  float c[16][8];
  if (special) std::memcpy(c, operands.c, sizeof(c));
#pragma GCC unroll 2
  for (int row = 0; row < 16; ++row) add_products<Type, kSumBits, kFirst, kCount>(decoded, row, operands.c[row]);
  if (special) add_special_products<Type>(operands, c, kFirst, kCount, operands.c);
}

// Not on the stack: that is the stack of one lane, each time of another one, and this would fill the cache with them.
template <typename Type>
thread_local Decoded<Type> decoded_operands;

template <typename Type>
ALWAYS_INLINE void multiply(MatrixOperands& operands, Architecture architecture) {
  Decoded<Type>& decoded = decoded_operands<Type>;
  decoded.decode(operands);
  if (architecture == Architecture::kSm80) {
    step<Type, 24, 0, 8>(decoded, operands);
    step<Type, 24, 8, 8>(decoded, operands);
  } else {
    step<Type, 25, 0, 16>(decoded, operands);
  }
}

ALWAYS_INLINE void multiply(MatrixOperands& operands, MatrixType type, Architecture architecture) {
  if (type == MatrixType::kFloat16) {
    multiply<Float16>(operands, architecture);
  } else {
    multiply<BFloat16>(operands, architecture);
  }
}

#if HAS_AVX2_COPY
[[gnu::target("avx2")]] void multiply_with_avx2(MatrixOperands& operands, MatrixType type, Architecture architecture) {
  multiply(operands, type, architecture);
}

const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

}  // namespace

void multiply_accumulate(MatrixOperands& operands, MatrixType type, Architecture architecture) {
#if HAS_AVX2_COPY
  if (kHasAvx2) return multiply_with_avx2(operands, type, architecture);
#endif
  multiply(operands, type, architecture);
}

}  // namespace simulator
