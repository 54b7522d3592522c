// What the right answer is: attention in 64-bit arithmetic, straight from its definition.
#pragma once

#include <cstdint>
#include <vector>

#include "common/harness/inputs.h"
#include "common/harness/problem.h"

namespace harness {

// A row of O.
struct RowIndex {
  int64_t batch;
  int64_t head;
  int64_t row;

  friend auto operator<=>(const RowIndex&, const RowIndex&) = default;
};

// All rows of O, sorted.
std::vector<RowIndex> all_rows(const Problem& problem);

// Up to 32 heads (the first, the last, and random ones), 16 rows of each: first, last, on both sides of the edges of
// the first and the last tile of `block_q` rows, and random ones. Sorted, without repetitions.
std::vector<RowIndex> sampled_rows(const Problem& problem, int64_t block_q);

// Some rows of O.
struct ExpectedRows {
  std::vector<RowIndex> rows;
  int64_t head_dim = 0;
  std::vector<double> exact;  // [rows][head_dim]: softmax(Q * K^T / sqrt(head_dim)) * V, in float64 throughout
  // [rows][head_dim], bits: the same as a plain implementation for 16-bit tensors computes it. S = Q * K^T is summed in
  // fp32, the numerators P = exp(S - max) are rounded to the element type before they meet V, and O is when it is
  // stored; the rest, the sum of the numerators among it, is float64. A kernel whose S is fp32 and whose P and O are 16
  // bits cannot be expected to do better.
  std::vector<uint16_t> plain;
};

// Uses all cores. Takes 8 * seq_kv * head_dim bytes besides the result.
ExpectedRows attention_float64(const Inputs& inputs, std::vector<RowIndex> rows);

}  // namespace harness
