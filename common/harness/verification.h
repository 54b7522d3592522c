// Whether an output is right.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "common/harness/attention_float64.h"
#include "common/harness/tensor.h"

namespace harness {

// What the comparison of an output with the exact one found.
//
// Elements are first classified by their bits: finite, +inf, -inf or NaN. Each must be of the class of the exact value
// rounded to the element type, so NaN where a number belongs is wrong, whatever a tolerance says, and so is the
// reverse. Of the finite ones two errors are taken over all checked rows:
//
//   max_abs_error    the largest |o - exact|
//   relative_error   sqrt(sum (o - exact)^2) / sqrt(sum exact^2), 0 if both sums are: an output that does not belong
//                    to the input has about 1.4, however small its elements are
//
// Each may be twice what a plain implementation that rounds P and O to 16 bits has on the same rows of the same input
// (ExpectedRows::plain); no tolerance is chosen by hand.
struct Verdict {
  bool correct = false;
  int64_t checked_rows = 0;
  double max_abs_error = std::numeric_limits<double>::infinity();  // infinite if classes differ
  double tolerance = 0;
  double relative_error = std::numeric_limits<double>::infinity();  // infinite if classes differ
  double relative_tolerance = 0;
  int64_t class_mismatches = 0;  // elements of the wrong class
  int64_t unwritten = 0;         // elements, in the whole output, that still hold kPoison
  std::string message;           // one sentence on what is wrong and where; empty if correct
};

enum class CheckMode {
  kAuto,     // kFull while that takes about a second, otherwise kSampled
  kFull,     // all rows
  kSampled,  // sampled_rows; the whole output is searched for elements that were never written all the same
};

CheckMode parse_check_mode(const std::string& name);  // "auto", "full", "sampled"; throws Refusal

// Knows what comes out for one input, and judges outputs.
class Verifier {
 public:
  // Computes the exact rows. `block_q`: the query rows of a tile, whose edges are sampled.
  Verifier(const Inputs& inputs, CheckMode mode, int64_t block_q);
  Verifier(ElementType type, ExpectedRows expected);

  // `output`: (batch, seq_q, heads, head_dim) of the problem.
  Verdict verify(const HostTensor& output) const;

  const ExpectedRows& expected() const { return expected_; }

 private:
  ElementType type_;
  ExpectedRows expected_;
  double tolerance_ = 0;
  double relative_tolerance_ = 0;
};

// The largest distance of two outputs of the same shape, in units of the last place of max(|b|, rms / 4), where rms is
// the root of the mean square of the finite elements of b. Infinite if two elements differ in class.
double distance_in_ulps(const HostTensor& a, const HostTensor& b, ElementType type);

// Whether all elements have the same bits.
bool same_bits(const HostTensor& a, const HostTensor& b);

}  // namespace harness
