#include "common/harness/attention_float64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/harness/sixteen_bit.h"

namespace harness {
namespace {

constexpr ElementType kType = ElementType::kFloat16;

Problem tiny_problem() {
  Problem problem;
  problem.seq_q = 64;
  problem.seq_kv = 64;
  problem.head_dim = 64;
  return problem;
}

void fill_row(uint16_t* row, double first, double others) {
  std::fill_n(row, 64, to_bits(others, kType));
  row[0] = to_bits(first, kType);
}

// Two keys with logits that differ by ln 3, the others masked: weights 1/4 and 3/4.
TEST(AttentionFloat64, WeightsValuesBySoftmax) {
  Inputs inputs = make_inputs(tiny_problem());
  fill_row(inputs.q.row(0, 7, 0), 8, 0);
  for (int64_t key = 0; key < 64; ++key) fill_row(inputs.k.row(0, key, 0), -60000, 0);
  const double log3 = to_float(to_bits(std::log(3.0), kType), kType);
  fill_row(inputs.k.row(0, 10, 0), 0, 0);
  fill_row(inputs.k.row(0, 40, 0), log3, 0);  // times 8 / sqrt(64)
  fill_row(inputs.v.row(0, 10, 0), 4, 1);
  fill_row(inputs.v.row(0, 40, 0), 8, 2);

  const ExpectedRows expected = attention_float64(inputs, {{0, 0, 7}});
  ASSERT_EQ(expected.exact.size(), 64u);
  const double weight = std::exp(log3) / (1 + std::exp(log3));
  EXPECT_NEAR(expected.exact[0], 4 * (1 - weight) + 8 * weight, 1e-12);
  EXPECT_NEAR(expected.exact[63], (1 - weight) + 2 * weight, 1e-12);
}

// 2^28 + 8 - 2^28: in fp32 the 8 would be lost.
TEST(AttentionFloat64, ComputesLogitsInDoublePrecision) {
  Inputs inputs = make_inputs(tiny_problem());
  fill_row(inputs.q.row(0, 0, 0), 16384, 0);
  inputs.q.row(0, 0, 0)[8] = to_bits(8, kType);
  inputs.q.row(0, 0, 0)[16] = to_bits(16384, kType);
  for (int64_t key = 0; key < 64; ++key) fill_row(inputs.k.row(0, key, 0), -60000, 0);
  fill_row(inputs.k.row(0, 10, 0), 16384, 0);
  inputs.k.row(0, 10, 0)[8] = to_bits(1, kType);
  inputs.k.row(0, 10, 0)[16] = to_bits(-16384, kType);
  fill_row(inputs.k.row(0, 40, 0), 0, 0);
  fill_row(inputs.v.row(0, 10, 0), 1, 1);
  fill_row(inputs.v.row(0, 40, 0), 0, 0);
  EXPECT_NEAR(attention_float64(inputs, {{0, 0, 0}}).exact[0], std::exp(1) / (1 + std::exp(1)), 1e-12);
}

TEST(AttentionFloat64, EqualKeysGiveTheMeanOfTheValues) {
  Problem problem = tiny_problem();
  problem.input = InputKind::kEqualKeys;
  const Inputs inputs = make_inputs(problem);
  double mean = 0;
  for (int64_t key = 0; key < 64; ++key) mean += to_float(inputs.v.row(0, key, 0)[5], kType) / 64;
  EXPECT_NEAR(attention_float64(inputs, {{0, 0, 3}}).exact[5], mean, 1e-14);
}

TEST(AttentionFloat64, KeysAtMinusInfinityDoNotCount) {
  Problem problem = tiny_problem();
  problem.input = InputKind::kMaskedKeys;
  const Inputs inputs = make_inputs(problem);
  Inputs changed = make_inputs(problem);
  fill_row(changed.v.row(0, 0, 0), 1000, 1000);  // of a masked key
  EXPECT_EQ(attention_float64(inputs, {{0, 0, 0}}).exact, attention_float64(changed, {{0, 0, 0}}).exact);
}

TEST(AttentionFloat64, ARowWithoutAnyKeyIsNan) {
  Inputs inputs = make_inputs(tiny_problem());
  for (int64_t row = 0; row < 64; ++row) {
    fill_row(inputs.q.row(0, row, 0), 1, 0);
    fill_row(inputs.k.row(0, row, 0), -std::numeric_limits<double>::infinity(), 0);
  }
  const ExpectedRows expected = attention_float64(inputs, {{0, 0, 0}});
  EXPECT_TRUE(std::isnan(expected.exact[0]));
  EXPECT_TRUE(is_nan(expected.plain[0], kType));
}

TEST(AttentionFloat64, LogitsBeyondTheExponentialDoNotOverflow) {
  for (const InputKind kind : {InputKind::kLargeLogits, InputKind::kLargeNegative, InputKind::kDominantKey}) {
    Problem problem = tiny_problem();
    problem.input = kind;
    const ExpectedRows expected = attention_float64(make_inputs(problem), all_rows(problem));
    for (const double value : expected.exact) ASSERT_TRUE(std::abs(value) < 10) << to_string(kind);
  }
}

TEST(AttentionFloat64, UsesEachBatchAndHeadsOwnTensors) {
  Problem problem = tiny_problem();
  problem.batch = 2;
  problem.heads = 2;
  Inputs inputs = make_inputs(problem);
  const ExpectedRows before = attention_float64(inputs, all_rows(problem));
  for (int64_t key = 0; key < 64; ++key) fill_row(inputs.v.row(1, key, 0), 3, 3);
  const ExpectedRows after = attention_float64(inputs, all_rows(problem));
  for (size_t i = 0; i < after.rows.size(); ++i) {
    const bool changed = after.rows[i].batch == 1 && after.rows[i].head == 0;
    ASSERT_EQ(before.exact[i * 64] != after.exact[i * 64], changed);
    if (changed) {
      ASSERT_NEAR(after.exact[i * 64 + 9], 3, 1e-12);
    }
  }
}

// P near 1 and O near 1 are rounded to 2^-11 (fp16) and 2^-8 (bf16) of themselves.
TEST(AttentionFloat64, ThePlainImplementationRoundsToTheElementType) {
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
    Problem problem = tiny_problem();
    problem.element_type = type;
    const ExpectedRows expected = attention_float64(make_inputs(problem), all_rows(problem));
    double largest = 0;
    for (size_t i = 0; i < expected.exact.size(); ++i) {
      largest = std::max(largest, std::abs(to_float(expected.plain[i], type) - expected.exact[i]));
    }
    const double half_unit = unit_in_last_place(1.0, type) / 2;
    EXPECT_GT(largest, half_unit / 8);
    EXPECT_LT(largest, half_unit * 4);
  }
}

// P is rounded as well as O: with values of 1 and -1 that cancel, O is small and its own rounding does not show.
TEST(AttentionFloat64, ThePlainImplementationRoundsP) {
  Inputs inputs = make_inputs(tiny_problem());
  for (int64_t key = 0; key < 64; ++key) fill_row(inputs.v.row(0, key, 0), key % 2 == 0 ? 1 : -1, 0);
  const ExpectedRows expected = attention_float64(inputs, all_rows(tiny_problem()));
  double largest = 0;
  for (size_t i = 0; i < expected.rows.size(); ++i) {
    const double exact = expected.exact[i * 64];
    const double correctly_rounded = to_float(to_bits(exact, kType), kType);
    largest = std::max(largest, std::abs(to_float(expected.plain[i * 64], kType) - correctly_rounded));
  }
  EXPECT_GT(largest, 1e-5);
}

// One key has the weight 1. That of the 63 others is just below the middle of 0.5 and the next number, so that it is
// rounded to 0.5: the weighted sum of ones is 32.5, but the denominator is larger.
TEST(AttentionFloat64, ThePlainImplementationSumsWeightsBeforeTheyAreRounded) {
  Inputs inputs = make_inputs(tiny_problem());
  const double logit = std::log(0.5 + 0.9 * 0x1p-12);
  const uint16_t coarse = to_bits(logit, kType);
  const uint16_t fine = to_bits(logit - to_float(coarse, kType), kType);
  fill_row(inputs.q.row(0, 0, 0), 8, 0);
  inputs.q.row(0, 0, 0)[1] = to_bits(8, kType);
  for (int64_t key = 0; key < 64; ++key) {
    fill_row(inputs.k.row(0, key, 0), 0, 0);
    fill_row(inputs.v.row(0, key, 0), 1, 1);
    if (key == 0) continue;
    inputs.k.row(0, key, 0)[0] = coarse;
    inputs.k.row(0, key, 0)[1] = fine;
  }
  const ExpectedRows expected = attention_float64(inputs, {{0, 0, 0}});
  EXPECT_NEAR(expected.exact[0], 1, 1e-12);
  EXPECT_EQ(to_float(expected.plain[0], kType), 1 - 0x1p-11);
}

TEST(SampledRows, HaveTheEdgesOfTheFirstAndLastTile) {
  Problem problem;
  problem.batch = 4;
  problem.heads = 32;
  problem.seq_q = 640;
  const std::vector<RowIndex> rows = sampled_rows(problem, 64);
  for (const int64_t row : {0, 63, 64, 575, 576, 639}) {
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), RowIndex{0, 0, row})) << row;
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), RowIndex{3, 31, row})) << row;
  }
  EXPECT_GT(rows.size(), 200u);
  EXPECT_LE(rows.size(), 34u * 16u);
  EXPECT_EQ(rows, sampled_rows(problem, 64));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
}

TEST(SampledRows, OfASmallProblemLieInsideIt) {
  Problem problem = tiny_problem();
  for (const RowIndex& index : sampled_rows(problem, 64)) {
    EXPECT_TRUE(index.batch == 0 && index.head == 0 && index.row >= 0 && index.row < 64);
  }
}

TEST(AllRows, AreAllRows) {
  Problem problem = tiny_problem();
  problem.batch = 2;
  problem.heads = 3;
  const std::vector<RowIndex> rows = all_rows(problem);
  EXPECT_EQ(rows.size(), 2u * 3u * 64u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
}

}  // namespace
}  // namespace harness
