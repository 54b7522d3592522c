#include "common/harness/attention_float64.h"

#include <algorithm>
#include <cmath>

#include "common/harness/parallel.h"
#include "common/harness/sixteen_bit.h"

namespace harness {
namespace {

constexpr int kLanes = 8;  // independent partial sums of a dot product, in a fixed order, for the compiler to vectorise

// K or V of one head, exactly: [seq_kv][head_dim].
std::vector<float> widen_head(const HostTensor& tensor, ElementType type, int64_t batch, int64_t head) {
  const Shape& shape = tensor.shape();
  std::vector<float> values(static_cast<size_t>(shape.rows * shape.head_dim));
  parallel_for(shape.rows, [&](int64_t row) {
    const uint16_t* elements = tensor.row(batch, row, head);
    for (int64_t column = 0; column < shape.head_dim; ++column) {
      values[static_cast<size_t>(row * shape.head_dim + column)] = to_float(elements[column], type);
    }
  });
  return values;
}

// The sum of a[i] * b[i] in the arithmetic of Sum. A product of two 16-bit elements is exact in both float and double.
// `size` is a multiple of kLanes: check_sizes asks for head dimensions that are built.
template <typename Sum>
Sum dot(const float* a, const float* b, int64_t size) {
  Sum sums[kLanes] = {};
  for (int64_t i = 0; i < size; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<Sum>(a[i + lane]) * b[i + lane];
  }
  Sum sum = 0;
  for (const Sum lane : sums) sum += lane;
  return sum;
}

struct Head {
  std::vector<float> k;
  std::vector<float> v;
};

// Softmax of one row of logits, without the division, times V.
class WeightedSum {
 public:
  explicit WeightedSum(int64_t head_dim) : values_(static_cast<size_t>(head_dim)) {}

  // `weight` goes into the denominator, `rounded` meets the values.
  void add(double weight, double rounded, const float* v) {
    sum_ += weight;
    for (size_t column = 0; column < values_.size(); ++column) values_[column] += rounded * v[column];
  }
  double operator[](size_t column) const { return values_[column] / sum_; }

 private:
  std::vector<double> values_;
  double sum_ = 0;
};

// One row of O into exact and plain, both [head_dim].
void attend(const Inputs& inputs, const Head& head, const RowIndex& index, double* exact, uint16_t* plain) {
  const ElementType type = inputs.problem.element_type;
  const auto head_dim = static_cast<size_t>(inputs.problem.head_dim);
  const auto keys = static_cast<size_t>(inputs.problem.seq_kv);
  const double scale = 1 / std::sqrt(static_cast<double>(head_dim));

  std::vector<float> query(head_dim);
  const uint16_t* elements = inputs.q.row(index.batch, index.row, index.head);
  std::transform(elements, elements + head_dim, query.begin(), [&](uint16_t bits) { return to_float(bits, type); });

  std::vector<double> logits(keys);
  std::vector<float> plain_logits(keys);  // not scaled: that is the exponential's business
  for (size_t key = 0; key < keys; ++key) {
    const float* k = head.k.data() + key * head_dim;
    logits[key] = scale * dot<double>(query.data(), k, inputs.problem.head_dim);
    plain_logits[key] = dot<float>(query.data(), k, inputs.problem.head_dim);
  }
  // If all logits are -inf, so is the maximum, and -inf less -inf makes the row NaN, as it should be.
  const double maximum = *std::max_element(logits.begin(), logits.end());
  const double plain_maximum = *std::max_element(plain_logits.begin(), plain_logits.end());
  WeightedSum exact_sum(inputs.problem.head_dim);
  WeightedSum plain_sum(inputs.problem.head_dim);
  for (size_t key = 0; key < keys; ++key) {
    const float* v = head.v.data() + key * head_dim;
    const double p = std::exp(logits[key] - maximum);
    exact_sum.add(p, p, v);
    const double plain_p = std::exp(scale * (plain_logits[key] - plain_maximum));
    plain_sum.add(plain_p, to_float(to_bits(plain_p, type), type), v);
  }
  for (size_t column = 0; column < head_dim; ++column) {
    exact[column] = exact_sum[column];
    plain[column] = to_bits(plain_sum[column], type);
  }
}

bool same_head(const RowIndex& a, const RowIndex& b) { return a.batch == b.batch && a.head == b.head; }

// `count` random numbers below `limit`, the same for the same arguments.
std::vector<int64_t> random_indices(uint64_t seed, uint64_t stream, int64_t count, int64_t limit) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    // A normal sample scaled up and wrapped around is as good as uniform, and needs no second generator.
    const double sample = normal_pair(seed, stream, static_cast<uint64_t>(i)).first;
    indices.push_back(static_cast<int64_t>(std::fabs(sample) * 0x1p40) % limit);
  }
  return indices;
}

}  // namespace

std::vector<RowIndex> all_rows(const Problem& problem) {
  std::vector<RowIndex> rows;
  rows.reserve(static_cast<size_t>(problem.batch * problem.heads * problem.seq_q));
  for (int64_t batch = 0; batch < problem.batch; ++batch) {
    for (int64_t head = 0; head < problem.heads; ++head) {
      for (int64_t row = 0; row < problem.seq_q; ++row) rows.push_back({batch, head, row});
    }
  }
  return rows;
}

std::vector<RowIndex> sampled_rows(const Problem& problem, int64_t block_q) {
  constexpr int64_t kHeads = 32;
  constexpr int64_t kRandomRows = 10;
  constexpr uint64_t kStream = 100;  // far from those of Q, K and V
  const int64_t all_heads = problem.batch * problem.heads;
  std::vector<int64_t> heads = random_indices(problem.seed, kStream, std::min(all_heads, kHeads) - 1, all_heads);
  heads.insert(heads.end(), {0, all_heads - 1});

  std::vector<RowIndex> rows;
  for (const int64_t head : heads) {
    std::vector<int64_t> picked =
        random_indices(problem.seed, kStream + 1 + static_cast<uint64_t>(head), kRandomRows, problem.seq_q);
    const int64_t last_tile = problem.seq_q - block_q;
    picked.insert(picked.end(), {0, block_q - 1, block_q, last_tile - 1, last_tile, problem.seq_q - 1});
    for (const int64_t row : picked) {
      if (row >= 0 && row < problem.seq_q) rows.push_back({head / problem.heads, head % problem.heads, row});
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

ExpectedRows attention_float64(const Inputs& inputs, std::vector<RowIndex> rows) {
  std::sort(rows.begin(), rows.end());
  const int64_t head_dim = inputs.problem.head_dim;
  const ElementType type = inputs.problem.element_type;
  ExpectedRows expected{std::move(rows), head_dim, {}, {}};
  const std::vector<RowIndex>& list = expected.rows;
  expected.exact.resize(list.size() * static_cast<size_t>(head_dim));
  expected.plain.resize(expected.exact.size());

  for (size_t first = 0; first < list.size();) {
    const RowIndex& index = list[first];
    const auto last = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(),
                                   [&](const RowIndex& other) { return !same_head(index, other); });
    const auto count = last - (list.begin() + static_cast<std::ptrdiff_t>(first));
    const Head head{widen_head(inputs.k, type, index.batch, index.head),
                    widen_head(inputs.v, type, index.batch, index.head)};
    parallel_for(count, [&](int64_t i) {
      const size_t row = first + static_cast<size_t>(i);
      const size_t offset = row * static_cast<size_t>(head_dim);
      attend(inputs, head, list[row], expected.exact.data() + offset, expected.plain.data() + offset);
    });
    first += static_cast<size_t>(count);
  }
  return expected;
}

}  // namespace harness
