// The comparator's own test: it must pass what is right and fail everything that users of other projects saw passed.
#include "common/harness/verification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "common/harness/sixteen_bit.h"
#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

class Comparator : public testing::TestWithParam<ElementType> {
 protected:
  Comparator()
      : inputs_(make_inputs(problem(0))),
        verifier_(inputs_, CheckMode::kFull, 64),
        output_(make_output(verifier_.expected())) {}

  static Problem problem(uint64_t seed) {
    Problem problem;
    problem.batch = 2;
    problem.heads = 2;
    problem.seq_q = 128;
    problem.seq_kv = 128;
    problem.head_dim = 64;
    problem.element_type = GetParam();
    problem.seed = seed;
    return problem;
  }

  // What the plain implementation gives: right, with errors of the size that is expected.
  static HostTensor make_output(const ExpectedRows& expected) {
    HostTensor output(problem(0).shape(Role::kO));
    for (size_t i = 0; i < expected.rows.size(); ++i) {
      const RowIndex& index = expected.rows[i];
      const auto row = expected.plain.begin() + static_cast<std::ptrdiff_t>(i * 64);
      std::copy(row, row + 64, output.row(index.batch, index.row, index.head));
    }
    return output;
  }

  void change_all(const std::function<double(double)>& change) {
    for (int64_t i = 0; i < output_.shape().elements(); ++i) {
      output_.data()[i] = to_bits(change(to_float(output_.data()[i], GetParam())), GetParam());
    }
  }

  // Replaces the output by the exact result, changed and rounded.
  void write_exact(const std::function<double(double)>& change) {
    const ExpectedRows& expected = verifier_.expected();
    for (size_t i = 0; i < expected.rows.size(); ++i) {
      const RowIndex& index = expected.rows[i];
      for (size_t column = 0; column < 64; ++column) {
        output_.row(index.batch, index.row, index.head)[column] =
            to_bits(change(expected.exact[i * 64 + column]), GetParam());
      }
    }
  }

  uint16_t& element() { return output_.row(1, 77, 0)[13]; }

  void expect_wrong(const std::string& part_of_message) {
    const Verdict verdict = verifier_.verify(output_);
    EXPECT_FALSE(verdict.correct);
    EXPECT_NE(verdict.message.find(part_of_message), std::string::npos) << verdict.message;
  }

  Inputs inputs_;
  Verifier verifier_;
  HostTensor output_;
};

TEST_P(Comparator, PassesThePlainImplementation) {
  const Verdict verdict = verifier_.verify(output_);
  EXPECT_TRUE(verdict.correct) << verdict.message;
  EXPECT_DOUBLE_EQ(verdict.tolerance, 2 * verdict.max_abs_error);
  EXPECT_DOUBLE_EQ(verdict.relative_tolerance, 2 * verdict.relative_error);
  EXPECT_EQ(verdict.checked_rows, 2 * 2 * 128);
}

TEST_P(Comparator, PassesTheExactResultRounded) {
  write_exact([](double value) { return value; });
  EXPECT_TRUE(verifier_.verify(output_).correct);
}

TEST_P(Comparator, FailsOneNan) {
  element() = 0x7fff;
  expect_wrong("NaN or infinite");
  EXPECT_EQ(verifier_.verify(output_).class_mismatches, 1);
  EXPECT_TRUE(std::isinf(verifier_.verify(output_).max_abs_error));
}

TEST_P(Comparator, FailsOneInfinity) {
  element() = format_of(GetParam()).infinity();
  expect_wrong("batch 1, head 0, row 77, column 13 is inf");
}

TEST_P(Comparator, FailsAllNan) {
  change_all([](double) { return std::numeric_limits<double>::quiet_NaN(); });
  expect_wrong("NaN or infinite");
}

TEST_P(Comparator, FailsAllZeros) {
  change_all([](double) { return 0.0; });
  expect_wrong("error");
}

TEST_P(Comparator, FailsAnOutputThatWasNeverWritten) {
  output_.poison();
  expect_wrong("never written");
  EXPECT_EQ(verifier_.verify(output_).unwritten, output_.shape().elements());
}

TEST_P(Comparator, FailsOneElementThatWasNeverWritten) {
  element() = kPoison;
  expect_wrong("1 elements of O were never written");
}

TEST_P(Comparator, FailsTheStaleOutputOfAnotherInput) {
  const Inputs others = make_inputs(problem(1));
  output_ = make_output(attention_float64(others, all_rows(others.problem)));
  expect_wrong("error");
}

TEST_P(Comparator, FailsSwappedHeads) {
  for (int64_t row = 0; row < 128; ++row) {
    std::swap_ranges(output_.row(0, row, 0), output_.row(0, row, 0) + 64, output_.row(0, row, 1));
  }
  expect_wrong("error");
}

TEST_P(Comparator, FailsATransposedTile) {
  for (int64_t row = 0; row < 64; ++row) {
    for (int64_t column = 0; column < row; ++column) {
      std::swap(output_.row(0, row, 0)[column], output_.row(0, column, 0)[row]);
    }
  }
  expect_wrong("error");
}

TEST_P(Comparator, FailsAScaledOutput) {
  change_all([](double value) { return 1.01 * value; });
  expect_wrong("error");
}

TEST_P(Comparator, FailsOneWrongElement) {
  const Verdict right = verifier_.verify(output_);
  element() = to_bits(to_float(element(), GetParam()) + 2 * right.tolerance, GetParam());
  expect_wrong("batch 1, head 0, row 77, column 13");
}

// Each element is off by no more than the largest error allowed, but all of them are.
TEST_P(Comparator, FailsManySmallErrors) {
  const double step = 0.45 * verifier_.verify(output_).tolerance;
  write_exact([&](double value) { return value + step; });
  const Verdict verdict = verifier_.verify(output_);
  EXPECT_LE(verdict.max_abs_error, verdict.tolerance);
  expect_wrong("relative error");
}

TEST_P(Comparator, SampledRowsStillFindWhatWasNeverWritten) {
  const Verifier sampled(inputs_, CheckMode::kSampled, 64);
  EXPECT_LT(sampled.verify(output_).checked_rows, 2 * 2 * 128);
  EXPECT_TRUE(sampled.verify(output_).correct);
  for (const RowIndex& index : all_rows(inputs_.problem)) {  // of a row that is not sampled
    const auto& rows = sampled.expected().rows;
    if (std::binary_search(rows.begin(), rows.end(), index)) continue;
    output_.row(index.batch, index.row, index.head)[0] = kPoison;
    break;
  }
  EXPECT_EQ(sampled.verify(output_).unwritten, 1);
  EXPECT_FALSE(sampled.verify(output_).correct);
}

INSTANTIATE_TEST_SUITE_P(Types, Comparator, testing::Values(ElementType::kFloat16, ElementType::kBFloat16),
                         [](const auto& instance) { return to_string(instance.param); });

// An exact value of NaN or infinity asks for just that.
TEST(ComparatorOfOddValues, AsksForNanAndInfinityWhereTheyBelong) {
  constexpr ElementType kType = ElementType::kFloat16;
  const std::vector<double> exact = {std::numeric_limits<double>::quiet_NaN(), 70000, -70000, 0, 1, 2, 3, 4};
  ExpectedRows expected{{{0, 0, 0}}, 8, exact, {}};
  HostTensor output({1, 1, 1, 8, {8, 8, 8}});
  for (size_t i = 0; i < 8; ++i) output.data()[i] = to_bits(exact[i], kType);
  expected.plain.assign(output.data(), output.data() + 8);
  const Verifier verifier(kType, expected);
  EXPECT_TRUE(verifier.verify(output).correct);
  for (size_t i = 0; i < 4; ++i) {
    for (const uint16_t wrong : {0x7e01, 0x7c00, 0xfc00, 0x3c00}) {
      HostTensor changed({1, 1, 1, 8, {8, 8, 8}});
      std::copy_n(output.data(), 8, changed.data());
      changed.data()[i] = wrong;
      const bool same_class = (i == 0 && wrong == 0x7e01) || output.data()[i] == wrong;
      EXPECT_EQ(verifier.verify(changed).correct, same_class) << i << " " << wrong;
    }
  }
}

TEST(DistanceInUlps, MeasuresAgainstTheElementOrAQuarterOfTheMean) {
  constexpr ElementType kType = ElementType::kFloat16;
  HostTensor a({1, 1, 1, 8, {8, 8, 8}});
  HostTensor b({1, 1, 1, 8, {8, 8, 8}});
  for (int i = 0; i < 8; ++i) a.data()[i] = b.data()[i] = to_bits(4, kType);
  EXPECT_EQ(distance_in_ulps(a, b, kType), 0);
  a.data()[3] += 3;
  EXPECT_EQ(distance_in_ulps(a, b, kType), 3);
  // The root of the mean square is about 3.74, a quarter of it lies below 1: units of 2^-11.
  a.data()[3] = to_bits(0x1p-12, kType);
  b.data()[3] = to_bits(0, kType);
  EXPECT_EQ(distance_in_ulps(a, b, kType), 0.5);
  a.data()[5] = 0x7e00;
  EXPECT_TRUE(std::isinf(distance_in_ulps(a, b, kType)));
}

TEST(SameBits, TellsPlusAndMinusZeroApart) {
  HostTensor a({1, 1, 1, 8, {8, 8, 8}});
  HostTensor b({1, 1, 1, 8, {8, 8, 8}});
  EXPECT_TRUE(same_bits(a, b));
  a.data()[7] = 0;
  b.data()[7] = 0x8000;
  EXPECT_FALSE(same_bits(a, b));
}

TEST(CheckMode, AutomaticIsFullForSmallProblemsAndSampledForLargeOnes) {
  Problem problem;
  problem.seq_q = problem.seq_kv = 64;
  EXPECT_EQ(Verifier(make_inputs(problem), CheckMode::kAuto, 64).expected().rows.size(), 64u);
  problem.seq_q = 1 << 17;
  problem.seq_kv = 1 << 10;
  EXPECT_LT(Verifier(make_inputs(problem), CheckMode::kAuto, 64).expected().rows.size(), 64u);
}

TEST(CheckMode, RefusesUnknownNames) {
  EXPECT_EQ(parse_check_mode("sampled"), CheckMode::kSampled);
  EXPECT_EQ(refusal_of([] { parse_check_mode("none"); }),
            "--check none is not a way to check: there are auto, full and sampled");
}

}  // namespace
}  // namespace harness
