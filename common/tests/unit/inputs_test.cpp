#include "common/harness/inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/harness/attention_float64.h"
#include "common/harness/sixteen_bit.h"
#include "common/harness/verification.h"

namespace harness {
namespace {

Problem small_problem(InputKind kind) {
  Problem problem;
  problem.batch = 2;
  problem.heads = 2;
  problem.seq_q = 64;
  problem.seq_kv = 128;
  problem.head_dim = 64;
  problem.input = kind;
  return problem;
}

// Query times key, scaled, of the first batch.
double logit(const Inputs& inputs, int64_t head, int64_t query, int64_t key) {
  double sum = 0;
  for (int64_t column = 0; column < inputs.problem.head_dim; ++column) {
    sum += static_cast<double>(to_float(inputs.q.row(0, query, head)[column], inputs.problem.element_type)) *
           to_float(inputs.k.row(0, key, head)[column], inputs.problem.element_type);
  }
  return sum / std::sqrt(static_cast<double>(inputs.problem.head_dim));
}

TEST(NormalPair, IsTheSameOnEveryMachine) {
  const NormalPair first = normal_pair(0, 0, 0);
  EXPECT_EQ(first.first, 0x1.99b307929eb4p-1);
  EXPECT_EQ(first.second, 0x1.3d03effa5691bp-1);
  uint64_t hash = 0;
  for (uint64_t pair = 0; pair < 100000; ++pair) {
    const NormalPair samples = normal_pair(1, 2, pair);
    for (const double sample : {samples.first, samples.second}) {
      hash = hash * 0x100000001b3u + to_bits(sample, ElementType::kFloat16);
    }
  }
  EXPECT_EQ(hash, 0x6864938d008e6013u);
}

TEST(NormalPair, HasTheMomentsOfTheNormalDistribution) {
  constexpr int kPairs = 200000;
  double moments[5] = {};
  double product = 0;
  for (uint64_t pair = 0; pair < kPairs; ++pair) {
    const NormalPair samples = normal_pair(3, 0, pair);
    for (const double sample : {samples.first, samples.second}) {
      for (int power = 1; power <= 4; ++power) moments[power] += std::pow(sample, power) / (2 * kPairs);
    }
    product += samples.first * samples.second / kPairs;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.01);
  EXPECT_NEAR(moments[3], 0, 0.03);
  EXPECT_NEAR(moments[4], 3, 0.05);
  EXPECT_NEAR(product, 0, 0.01);
}

TEST(Inputs, DependOnTheSeedAndDifferBetweenTensors) {
  Problem problem = small_problem(InputKind::kNormal);
  problem.seq_kv = problem.seq_q;
  const Inputs inputs = make_inputs(problem);
  EXPECT_TRUE(same_bits(inputs.q, make_inputs(problem).q));
  EXPECT_FALSE(same_bits(inputs.q, inputs.k));
  EXPECT_FALSE(same_bits(inputs.k, inputs.v));
  problem.seed = 1;
  EXPECT_FALSE(same_bits(inputs.q, make_inputs(problem).q));
}

TEST(Inputs, DoNotDependOnStrides) {
  Problem problem = small_problem(InputKind::kMaskedKeys);
  const Inputs contiguous = make_inputs(problem);
  problem.strides = {{{100000, 200, 80}, {100000, 72, 20000}, {100000, 128, 64}, {100000, 128, 64}}};
  const Inputs strided = make_inputs(problem);
  EXPECT_TRUE(same_bits(contiguous.q, strided.q));
  EXPECT_TRUE(same_bits(contiguous.k, strided.k));
  EXPECT_EQ(strided.q.row(0, 0, 0)[64], kPoison);  // between two heads
}

TEST(Inputs, NeighbouringRowsHeadsAndBatchesDiffer) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kNormal));
  const auto differ = [](const uint16_t* a, const uint16_t* b) { return !std::equal(a, a + 64, b); };
  EXPECT_TRUE(differ(inputs.k.row(0, 0, 0), inputs.k.row(0, 1, 0)));
  EXPECT_TRUE(differ(inputs.k.row(0, 0, 0), inputs.k.row(0, 0, 1)));
  EXPECT_TRUE(differ(inputs.k.row(0, 0, 0), inputs.k.row(1, 0, 0)));
}

TEST(Inputs, LargeLogitsOverflowAnExponentialWithoutAMaximum) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kLargeLogits));
  double largest = 0;
  for (int64_t key = 0; key < 128; ++key) largest = std::max(largest, logit(inputs, 0, 0, key));
  EXPECT_GT(largest, 300);
}

TEST(Inputs, EqualKeysHaveEqualLogits) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kEqualKeys));
  EXPECT_EQ(logit(inputs, 1, 5, 0), logit(inputs, 1, 5, 127));
  EXPECT_NE(logit(inputs, 1, 5, 0), logit(inputs, 1, 6, 0));
}

TEST(Inputs, ADominantKeyOutweighsTheRest) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kDominantKey));
  for (int64_t key = 0; key < 128; ++key) {
    EXPECT_EQ(logit(inputs, 0, 3, key) > 400, key == 127) << key;  // an even head: in the last tile
    EXPECT_EQ(logit(inputs, 1, 3, key) > 400, key == 1) << key;    // an odd head: in the first tile
  }
}

TEST(Inputs, LargeNegativeLogitsStayFarBelowZero) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kLargeNegative));
  for (int64_t key = 0; key < 128; ++key) EXPECT_LT(logit(inputs, 0, 0, key), -700);
}

TEST(Inputs, MaskedKeysHaveTheLogitMinusInfinity) {
  const Inputs inputs = make_inputs(small_problem(InputKind::kMaskedKeys));
  int masked = 0;
  for (int64_t key = 0; key < 128; ++key) {
    const bool infinite = std::isinf(logit(inputs, 0, 0, key));
    masked += infinite ? 1 : 0;
    if (key < 64) {
      EXPECT_TRUE(infinite) << key;
    }
  }
  EXPECT_EQ(masked, 64 + 21);
  EXPECT_FALSE(std::isinf(logit(inputs, 0, 0, 127)));
}

}  // namespace
}  // namespace harness
