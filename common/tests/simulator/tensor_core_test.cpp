// mma.m16n8k16, bit for bit.
#include "common/simulator/tensor_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "common/device/indices.cuh"
#include "common/device/mma.cuh"
#include "common/tests/simulator/kernels.h"

namespace simulator_tests {
namespace {

using simulator::Architecture;
using simulator::MatrixOperands;
using simulator::MatrixType;

struct Matrices {
  uint16_t a[16][16];
  uint16_t b[16][8];
  float c[16][8];
};

MatrixOperands operands_of(const Matrices& matrices) {
  MatrixOperands operands;
  for (int k = 0; k < 16; k += 2) {
    for (int m = 0; m < 16; ++m) {
      operands.a[m / 8 + k / 8 * 2][m % 8 * 4 + k % 8 / 2] =
          matrices.a[m][k] | static_cast<uint32_t>(matrices.a[m][k + 1]) << 16;
    }
    for (int n = 0; n < 8; ++n) {
      operands.b[k / 8][k % 8 / 2][n] = matrices.b[k][n] | static_cast<uint32_t>(matrices.b[k + 1][n]) << 16;
    }
  }
  std::memcpy(operands.c, matrices.c, sizeof(operands.c));
  return operands;
}

std::vector<uint32_t> bits_of(const float (&matrix)[16][8]) {
  std::vector<uint32_t> bits;
  for (const auto& row : matrix) {
    for (const float x : row) bits.push_back(std::bit_cast<uint32_t>(x));
  }
  return bits;
}

// One element of D: the rest of the matrices is zero.
uint32_t element(MatrixType type, Architecture architecture, const uint16_t (&a)[16], const uint16_t (&b)[16],
                 uint32_t c) {
  Matrices matrices{};
  for (int k = 0; k < 16; ++k) {
    matrices.a[11][k] = a[k];
    matrices.b[k][5] = b[k];
  }
  matrices.c[11][5] = std::bit_cast<float>(c);
  MatrixOperands operands = operands_of(matrices);
  multiply_accumulate(operands, type, architecture);
  return std::bit_cast<uint32_t>(operands.c[11][5]);
}

template <typename Record>
std::vector<Record> read_records(const std::string& name) {
  std::ifstream file(std::string(TEST_DATA_DIR) + "/" + name, std::ios::binary);
  std::vector<Record> records;
  Record record;
  while (file.read(reinterpret_cast<char*>(&record), sizeof(record))) records.push_back(record);
  return records;
}

TEST(TensorCore, EqualsAnH200AndTheAmpereModelOnAllRecords) {
  struct Record {
    Matrices in;
    float sm90[16][8];
    float sm80[16][8];
  };
  const auto records = read_records<Record>("mma_m16n8k16_f16.bin");
  ASSERT_EQ(records.size(), 200u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    MatrixOperands operands = operands_of(records[i].in);
    multiply_accumulate(operands, MatrixType::kFloat16, Architecture::kSm90);
    EXPECT_EQ(bits_of(operands.c), bits_of(records[i].sm90)) << "sm_90, record " << i;
    operands = operands_of(records[i].in);
    multiply_accumulate(operands, MatrixType::kFloat16, Architecture::kSm80);
    EXPECT_EQ(bits_of(operands.c), bits_of(records[i].sm80)) << "sm_80, record " << i;
  }
}

TEST(TensorCore, EqualsAnH200OnEdgeCases) {
  struct Record {
    uint32_t bf16;
    uint16_t a[16];
    uint16_t b[16];
    uint32_t c;
    uint32_t d;
  };
  const auto records = read_records<Record>("mma_m16n8k16_edge_cases.bin");
  ASSERT_EQ(records.size(), 2048u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const MatrixType type = record.bf16 != 0 ? MatrixType::kBFloat16 : MatrixType::kFloat16;
    EXPECT_EQ(element(type, Architecture::kSm90, record.a, record.b, record.c), record.d) << "record " << i;
  }
}

// The published model again, for finite numbers: in integers, one term after the other, without a thought of speed.
class SlowSum {
 public:
  // Adds significand * 2^exponent, cut off at `unit` (an exponent).
  void add(bool negative, uint64_t significand, int exponent, int unit) {
    if (significand == 0) return;
    const int shift = exponent - unit;
    const uint64_t kept = shift >= 0 ? significand << shift : shift > -64 ? significand >> -shift : 0;
    sum_ += negative ? -static_cast<int64_t>(kept) : static_cast<int64_t>(kept);
  }

  // The sum in units of 2^unit, cut off to a float.
  uint32_t round(int unit) const {
    auto magnitude = static_cast<uint64_t>(sum_ < 0 ? -sum_ : sum_);
    const uint32_t sign = sum_ < 0 ? 0x80000000 : 0;
    int exponent = unit + 23;  // of a significand with 24 bits
    while (magnitude >= 1 << 24 || exponent < -126) {
      magnitude >>= 1;
      ++exponent;
    }
    while (magnitude != 0 && magnitude < 1 << 23 && exponent > -126) {
      magnitude <<= 1;
      --exponent;
    }
    if (magnitude == 0) return sum_ < 0 ? sign : 0;
    if (exponent > 127) return sign | 0x7f800000;
    if (magnitude < 1 << 23) return sign | static_cast<uint32_t>(magnitude);  // subnormal
    return sign | static_cast<uint32_t>(exponent + 127) << 23 | (static_cast<uint32_t>(magnitude) & 0x7fffff);
  }

 private:
  int64_t sum_ = 0;
};

uint32_t slow_step(const uint16_t* a, const uint16_t* b, int count, uint32_t c, int kept_bits) {
  const auto exponent_of = [](uint32_t field) { return field == 0 ? -126 : static_cast<int>(field) - 127; };
  const auto significand_of = [](uint16_t x) -> uint64_t { return (x & 0x7f) | ((x & 0x7f80) != 0 ? 0x80 : 0); };
  const int c_exponent = exponent_of(c >> 23 & 0xff);
  int largest = c_exponent;
  for (int k = 0; k < count; ++k) {
    if ((a[k] & 0x7fff) == 0 || (b[k] & 0x7fff) == 0) continue;
    largest = std::max(largest, exponent_of(a[k] >> 7 & 0xff) + exponent_of(b[k] >> 7 & 0xff));
  }
  const int unit = largest - kept_bits;
  SlowSum sum;
  sum.add(c >> 31 != 0, (c & 0x7fffff) | ((c & 0x7f800000) != 0 ? 0x800000 : 0), c_exponent - 23, unit);
  for (int k = 0; k < count; ++k) {
    const int exponent = exponent_of(a[k] >> 7 & 0xff) + exponent_of(b[k] >> 7 & 0xff);
    sum.add(((a[k] ^ b[k]) & 0x8000) != 0, significand_of(a[k]) * significand_of(b[k]), exponent - 14, unit);
  }
  return sum.round(unit);
}

TEST(TensorCore, BFloat16EqualsASlowImplementation) {
  std::mt19937 generator(1);
  const auto random = [&] { return static_cast<uint32_t>(generator()); };
  for (int i = 0; i < 20000; ++i) {
    // Exponents from a range that is narrow in some trials and wide in others, anywhere.
    const uint32_t spread = 1 + random() % (i % 2 == 0 ? 12 : 254);
    const uint32_t lowest = random() % (255 - spread);
    const auto draw = [&] {
      const uint32_t zero = random() % 8 == 0 ? 0 : 0x7fff;
      return static_cast<uint16_t>((random() & 0x8000) | (((lowest + random() % spread) << 7 | random() % 128) & zero));
    };
    uint16_t a[16];
    uint16_t b[16];
    for (int k = 0; k < 16; ++k) {
      a[k] = draw();
      b[k] = draw();
    }
    const uint32_t c = (static_cast<uint32_t>(draw()) << 16) | random() % 65536;
    const uint32_t sm90 = slow_step(a, b, 16, c, 25);
    ASSERT_EQ(element(MatrixType::kBFloat16, Architecture::kSm90, a, b, c), sm90) << "sm_90, trial " << i;
    const uint32_t half = slow_step(a, b, 8, c, 24);
    if ((half & 0x7f800000) == 0x7f800000) continue;
    const uint32_t sm80 = slow_step(a + 8, b + 8, 8, half, 24);
    ASSERT_EQ(element(MatrixType::kBFloat16, Architecture::kSm80, a, b, c), sm80) << "sm_80, trial " << i;
  }
}

struct SpecialCase {
  const char* name;
  uint16_t a[2];
  uint16_t b[2];
  uint32_t c;
  uint32_t d;
};

// fp16: 0x3c00 is 1, 0x7c00 infinity, 0x7e00 a NaN, 0x7bff the largest number.
constexpr SpecialCase kSpecialCases[] = {
    {"infinity", {0x7c00}, {0x3c00}, 0, 0x7f800000},
    {"negative infinity", {0xfc00}, {0x3c00}, 0x3f800000, 0xff800000},
    {"infinity times zero", {0x7c00}, {0}, 0, 0x7fffffff},
    {"infinity minus infinity", {0x7c00, 0xfc00}, {0x3c00, 0x3c00}, 0, 0x7fffffff},
    {"product minus infinity", {0x7c00}, {0x3c00}, 0xff800000, 0x7fffffff},
    {"NaN", {0x7e00}, {0x3c00}, 0, 0x7fffffff},
    {"negative NaN with a payload in C", {}, {}, 0xffc12345, 0x7fffffff},
    {"infinity in C", {0x3c00}, {0x3c00}, 0x7f800000, 0x7f800000},
    {"largest products beside the largest C", {0x7bff}, {0x7bff}, 0x7f7fffff, 0x7f7fffff},
    {"zeros of either sign", {0x8000}, {0x3c00}, 0x80000000, 0},
};

std::ostream& operator<<(std::ostream& out, const SpecialCase& special) { return out << special.name; }

class TensorCoreSpecial : public testing::TestWithParam<SpecialCase> {};

TEST_P(TensorCoreSpecial, Element) {
  const SpecialCase& special = GetParam();
  for (const int place : {0, 3, 8, 14}) {
    uint16_t a[16] = {};
    uint16_t b[16] = {};
    for (int i = 0; i < 2; ++i) {
      a[place + i] = special.a[i];
      b[place + i] = special.b[i];
    }
    for (const Architecture architecture : {Architecture::kSm80, Architecture::kSm90}) {
      EXPECT_EQ(element(MatrixType::kFloat16, architecture, a, b, special.c), special.d) << "at k = " << place;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TensorCoreSpecial, testing::ValuesIn(kSpecialCases));

TEST(TensorCore, OverflowGivesInfinity) {
  // bf16: 0x7f00 is 2^127, 0x3f80 is 1, 0x3fff is 255/128, 0x4000 is 2.
  const uint16_t large[16] = {0x7f00};
  for (const Architecture architecture : {Architecture::kSm80, Architecture::kSm90}) {
    EXPECT_EQ(element(MatrixType::kBFloat16, architecture, large, {0x3fff}, 0), 0x7f7f0000u);
    EXPECT_EQ(element(MatrixType::kBFloat16, architecture, large, {0x4000}, 0), 0x7f800000u);
    EXPECT_EQ(element(MatrixType::kBFloat16, architecture, large, {0xc000}, 0), 0xff800000u);
    EXPECT_EQ(element(MatrixType::kBFloat16, architecture, large, {0x4000}, 0xff000000), 0x7f000000u)
        << "2^128 - 2^127: only the sum must fit";
  }
}

TEST(TensorCore, ASpecialElementSpoilsItsRowOrColumnAlone) {
  Matrices matrices{};
  for (auto& row : matrices.a) std::fill(std::begin(row), std::end(row), 0x3c00);
  for (auto& row : matrices.b) std::fill(std::begin(row), std::end(row), 0x3c00);
  matrices.a[3][9] = 0x7e00;   // a NaN in row 3
  matrices.b[12][6] = 0x7c00;  // an infinity in column 6
  MatrixOperands operands = operands_of(matrices);
  multiply_accumulate(operands, MatrixType::kFloat16, Architecture::kSm80);
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      const uint32_t expected = m == 3 ? 0x7fffffff : n == 6 ? 0x7f800000 : std::bit_cast<uint32_t>(16.0f);
      EXPECT_EQ(std::bit_cast<uint32_t>(operands.c[m][n]), expected) << m << " " << n;
    }
  }
}

// The lanes' registers are the matrices that PTX says they are: a product of small integers comes out exactly.
TEST(TensorCore, FragmentsLieAsPtxSays) {
  const auto a = [](int m, int k) { return (m * 7 + k * 3) % 11 - 5; };
  const auto b = [](int k, int n) { return (k * 5 + n * 2) % 7 - 3; };
  float d[16][8];
  launch(one_block(32, 128), [&] {
    const int lane = device::thread_index();
    const int g = lane / 4;
    const int t = lane % 4;
    const auto pair = [](int low, int high) {
      return simulator::pack_bfloat16(static_cast<float>(low), static_cast<float>(high));
    };
    float upper[2] = {100, 200};
    float lower[2] = {300, 400};
    device::mma_m16n8k16<device::BFloat16>(
        upper, lower, pair(a(g, 2 * t), a(g, 2 * t + 1)), pair(a(g + 8, 2 * t), a(g + 8, 2 * t + 1)),
        pair(a(g, 2 * t + 8), a(g, 2 * t + 9)), pair(a(g + 8, 2 * t + 8), a(g + 8, 2 * t + 9)),
        pair(b(2 * t, g), b(2 * t + 1, g)), pair(b(2 * t + 8, g), b(2 * t + 9, g)));
    for (int i = 0; i < 2; ++i) {
      d[g][2 * t + i] = upper[i];
      d[g + 8][2 * t + i] = lower[i];
    }
  });
  for (int m = 0; m < 16; ++m) {
    for (int n = 0; n < 8; ++n) {
      int expected = (m < 8 ? 100 : 300) + n % 2 * 100;
      for (int k = 0; k < 16; ++k) expected += a(m, k) * b(k, n);
      EXPECT_EQ(d[m][n], static_cast<float>(expected)) << m << " " << n;
    }
  }
}

}  // namespace
}  // namespace simulator_tests
