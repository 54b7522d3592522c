#include "common/harness/verification.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <thread>

#include "common/harness/parallel.h"
#include "common/harness/refusal.h"
#include "common/harness/sixteen_bit.h"

namespace harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Class { kFinite, kPlusInfinity, kMinusInfinity, kNan };

Class class_of(uint16_t bits, ElementType type) {
  if (is_nan(bits, type)) return Class::kNan;
  if (is_finite(bits, type)) return Class::kFinite;
  return (bits & 0x8000u) != 0 ? Class::kMinusInfinity : Class::kPlusInfinity;
}

// The errors of elements that are offered one by one.
struct Errors {
  double max_abs = 0;
  double error_squares = 0;
  double exact_squares = 0;
  int64_t class_mismatches = 0;

  // Returns whether this element is the worst so far.
  bool add(uint16_t bits, double exact, ElementType type) {
    const Class expected = class_of(to_bits(exact, type), type);
    if (class_of(bits, type) != expected) {
      ++class_mismatches;
      return class_mismatches == 1;
    }
    if (expected != Class::kFinite) return false;
    const double error = std::fabs(to_float(bits, type) - exact);
    error_squares += error * error;
    exact_squares += exact * exact;
    const bool worst = class_mismatches == 0 && error > max_abs;
    max_abs = std::max(max_abs, error);
    return worst;
  }

  double relative() const {
    if (error_squares == 0) return 0;
    return exact_squares == 0 ? kInfinity : std::sqrt(error_squares / exact_squares);
  }
};

int64_t count_poison(const HostTensor& output) {
  const Shape& shape = output.shape();
  std::atomic<int64_t> total = 0;
  parallel_for(shape.batch * shape.rows, [&](int64_t index) {
    int64_t found = 0;
    for (int64_t head = 0; head < shape.heads; ++head) {
      const uint16_t* row = output.row(index / shape.rows, index % shape.rows, head);
      found += std::count(row, row + shape.head_dim, kPoison);
    }
    total += found;
  });
  return total;
}

std::string format(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Calls visit(bits of a, bits of b) for all elements.
void for_each_pair(const HostTensor& a, const HostTensor& b, const std::function<void(uint16_t, uint16_t)>& visit) {
  const Shape& shape = a.shape();
  for (int64_t batch = 0; batch < shape.batch; ++batch) {
    for (int64_t row = 0; row < shape.rows; ++row) {
      for (int64_t head = 0; head < shape.heads; ++head) {
        for (int64_t column = 0; column < shape.head_dim; ++column) {
          visit(a.row(batch, row, head)[column], b.row(batch, row, head)[column]);
        }
      }
    }
  }
}

std::vector<RowIndex> choose_rows(const Problem& problem, CheckMode mode, int64_t block_q) {
  if (mode == CheckMode::kAuto) {
    const double seconds =
        problem.floating_point_operations() / 2e9 / std::max(1u, std::thread::hardware_concurrency());
    mode = seconds < 1 ? CheckMode::kFull : CheckMode::kSampled;
  }
  return mode == CheckMode::kFull ? all_rows(problem) : sampled_rows(problem, block_q);
}

}  // namespace

CheckMode parse_check_mode(const std::string& name) {
  if (name == "auto") return CheckMode::kAuto;
  if (name == "full") return CheckMode::kFull;
  if (name == "sampled") return CheckMode::kSampled;
  throw Refusal("--check " + name + " is not a way to check: there are auto, full and sampled");
}

Verifier::Verifier(const Inputs& inputs, CheckMode mode, int64_t block_q)
    : Verifier(inputs.problem.element_type, attention_float64(inputs, choose_rows(inputs.problem, mode, block_q))) {}

Verifier::Verifier(ElementType type, ExpectedRows expected) : type_(type), expected_(std::move(expected)) {
  Errors plain;
  for (size_t i = 0; i < expected_.exact.size(); ++i) plain.add(expected_.plain[i], expected_.exact[i], type_);
  tolerance_ = 2 * plain.max_abs;
  relative_tolerance_ = 2 * plain.relative();
}

Verdict Verifier::verify(const HostTensor& output) const {
  Errors errors;
  std::string worst;
  for (size_t i = 0; i < expected_.rows.size(); ++i) {
    const RowIndex& index = expected_.rows[i];
    const uint16_t* row = output.row(index.batch, index.row, index.head);
    const double* exact = expected_.exact.data() + i * static_cast<size_t>(expected_.head_dim);
    for (int64_t column = 0; column < expected_.head_dim; ++column) {
      if (!errors.add(row[column], exact[column], type_)) continue;
      worst = "batch " + std::to_string(index.batch) + ", head " + std::to_string(index.head) + ", row " +
              std::to_string(index.row) + ", column " + std::to_string(column) + " is " +
              format(to_float(row[column], type_)) + " instead of " + format(exact[column]);
    }
  }

  Verdict verdict;
  verdict.checked_rows = static_cast<int64_t>(expected_.rows.size());
  verdict.class_mismatches = errors.class_mismatches;
  verdict.unwritten = count_poison(output);
  verdict.max_abs_error = errors.class_mismatches > 0 ? kInfinity : errors.max_abs;
  verdict.relative_error = errors.class_mismatches > 0 ? kInfinity : errors.relative();
  verdict.tolerance = tolerance_;
  verdict.relative_tolerance = relative_tolerance_;
  if (verdict.unwritten > 0) {
    verdict.message = std::to_string(verdict.unwritten) + " elements of O were never written";
  } else if (verdict.class_mismatches > 0) {
    verdict.message = std::to_string(verdict.class_mismatches) +
                      " elements of O are NaN or infinite where they should not be, or the reverse; " + worst;
  } else if (verdict.max_abs_error > verdict.tolerance) {
    verdict.message = "the largest error is " + format(verdict.max_abs_error) + ", more than the tolerance of " +
                      format(verdict.tolerance) + "; " + worst;
  } else if (verdict.relative_error > verdict.relative_tolerance) {
    verdict.message = "the relative error of O is " + format(verdict.relative_error) + ", more than the tolerance of " +
                      format(verdict.relative_tolerance) + "; " + worst;
  }
  verdict.correct = verdict.message.empty();
  return verdict;
}

double distance_in_ulps(const HostTensor& a, const HostTensor& b, ElementType type) {
  double squares = 0;
  int64_t finite = 0;
  for_each_pair(a, b, [&](uint16_t, uint16_t b_bits) {
    if (!is_finite(b_bits, type)) return;
    squares += std::pow(to_float(b_bits, type), 2.0);
    ++finite;
  });
  const double floor = std::sqrt(squares / static_cast<double>(std::max<int64_t>(finite, 1))) / 4;
  double distance = 0;
  for_each_pair(a, b, [&](uint16_t a_bits, uint16_t b_bits) {
    if (class_of(a_bits, type) != class_of(b_bits, type)) {
      distance = kInfinity;
    } else if (is_finite(b_bits, type)) {
      const double b_value = to_float(b_bits, type);
      const double unit = unit_in_last_place(std::max(std::fabs(b_value), floor), type);
      distance = std::max(distance, std::fabs(to_float(a_bits, type) - b_value) / unit);
    }
  });
  return distance;
}

bool same_bits(const HostTensor& a, const HostTensor& b) {
  bool same = true;
  for_each_pair(a, b, [&](uint16_t a_bits, uint16_t b_bits) { same = same && a_bits == b_bits; });
  return same;
}

}  // namespace harness
