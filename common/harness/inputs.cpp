#include "common/harness/inputs.h"

#include <cmath>
#include <limits>

#include "common/harness/parallel.h"
#include "common/harness/sixteen_bit.h"

namespace harness {
namespace {

// SplitMix64's output function: every bit of the result depends on every bit of x.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The natural logarithm of x in (0, 1), to 2^-50: x = m * 2^e with m near 1, and ln(m) = 2 artanh((m - 1) / (m + 1)).
double logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // in [0.5, 1)
  if (m < 0.70710678118654752) {
    m *= 2;
    exponent -= 1;
  }
  const double z = (m - 1) / (m + 1);  // |z| < 0.172
  const double square = z * z;
  double series = 0;
  for (int k = 19; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return 2 * z * series + exponent * 0.69314718055994531;
}

// A signed fraction in (-1, 1), never 0, of 32 bits.
double fraction(uint32_t bits) { return (static_cast<double>(static_cast<int32_t>(bits)) + 0.5) * 0x1p-31; }

// What an input kind does to the N(0,1) sample of one element. Column 0 steers the logits: there Q is a constant.
class Transform {
 public:
  Transform(const Problem& problem, Role role) : kind_(problem.input), role_(role), seq_kv_(problem.seq_kv) {}

  // Whose samples this row takes.
  int64_t source_row(int64_t row) const { return kind_ == InputKind::kEqualKeys && role_ == Role::kK ? 0 : row; }

  double operator()(double sample, int64_t head, int64_t row, int64_t column) const {
    if (role_ == Role::kV) return sample;
    if (kind_ == InputKind::kLargeLogits) return 16 * sample;
    if (column != 0) return sample;
    const bool is_query = role_ == Role::kQ;
    switch (kind_) {
      case InputKind::kDominantKey:
        return is_query ? 64 : row == dominant_key(head) ? 64 : 0;
      case InputKind::kLargeNegative:
        return is_query ? 64 : -128;
      case InputKind::kMaskedKeys:
        return is_query ? 1 : masked(row) ? -std::numeric_limits<double>::infinity() : 0;
      default:
        return sample;
    }
  }

 private:
  int64_t dominant_key(int64_t head) const { return head % 2 == 0 ? seq_kv_ - 1 - head % 16 : head % 16; }
  bool masked(int64_t key) const { return key != seq_kv_ - 1 && (key < seq_kv_ / 2 || key % 3 == 1); }

  InputKind kind_;
  Role role_;
  int64_t seq_kv_;
};

HostTensor make_tensor(const Problem& problem, Role role) {
  const Shape shape = problem.shape(role);
  const Transform transform(problem, role);
  HostTensor tensor(shape);
  parallel_for(shape.batch * shape.rows, [&](int64_t index) {
    const int64_t batch = index / shape.rows;
    const int64_t row = index % shape.rows;
    const int64_t first_of_row = (batch * shape.rows + transform.source_row(row)) * shape.heads * shape.head_dim;
    for (int64_t head = 0; head < shape.heads; ++head) {
      uint16_t* elements = tensor.row(batch, row, head);
      for (int64_t column = 0; column < shape.head_dim; column += 2) {
        const auto pair = static_cast<uint64_t>((first_of_row + head * shape.head_dim + column) / 2);
        const NormalPair samples = normal_pair(problem.seed, static_cast<uint64_t>(role), pair);
        elements[column] = to_bits(transform(samples.first, head, row, column), problem.element_type);
        elements[column + 1] = to_bits(transform(samples.second, head, row, column + 1), problem.element_type);
      }
    }
  });
  return tensor;
}

}  // namespace

NormalPair normal_pair(uint64_t seed, uint64_t stream, uint64_t pair) {
  const uint64_t key = mix(mix(seed) + stream);
  for (uint64_t attempt = 0;; ++attempt) {
    const uint64_t bits = mix(key + mix(pair) + attempt);
    const double u = fraction(static_cast<uint32_t>(bits));
    const double v = fraction(static_cast<uint32_t>(bits >> 32));
    const double square = u * u + v * v;
    if (square >= 1) continue;  // outside of the unit circle: one in five
    const double factor = std::sqrt(-2 * logarithm(square) / square);
    return {u * factor, v * factor};
  }
}

Inputs make_inputs(const Problem& problem) {
  return {problem, make_tensor(problem, Role::kQ), make_tensor(problem, Role::kK), make_tensor(problem, Role::kV)};
}

}  // namespace harness
