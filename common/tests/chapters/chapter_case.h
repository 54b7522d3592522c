// What the suites over all chapters share: which kernels there are, and problems to run them on.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "common/harness/inputs.h"
#include "common/harness/problem.h"
#include "common/harness/registry.h"

namespace harness {

// One kernel of one chapter.
struct ChapterCase {
  const Chapter* chapter;
  const Kernel* kernel;
};

// "fp16_d128_q64_kv64_w4"
inline std::string kernel_name(const Kernel& kernel) {
  return to_string(kernel.element_type) + "_d" + std::to_string(kernel.head_dim) + "_q" +
         std::to_string(kernel.tile.block_q) + "_kv" + std::to_string(kernel.tile.block_kv) + "_w" +
         std::to_string(kernel.tile.warps);
}

// "chapter3_fp16_d128_q64_kv64_w4"
inline std::string case_name(const testing::TestParamInfo<ChapterCase>& instance) {
  return instance.param.chapter->name + "_" + kernel_name(*instance.param.kernel);
}

inline void PrintTo(const ChapterCase& test_case, std::ostream* stream) {
  *stream << test_case.chapter->name << " " << kernel_name(*test_case.kernel);
}

inline std::vector<ChapterCase> simulator_cases() {
  std::vector<ChapterCase> cases;
  for (const Chapter& chapter : chapters()) {
    for (const Kernel& kernel : chapter.simulator_kernels) cases.push_back({&chapter, &kernel});
  }
  return cases;
}

// As many tiles of queries and keys as given.
inline Problem make_problem(const Kernel& kernel, int64_t batch, int64_t heads, int64_t q_tiles, int64_t kv_tiles) {
  Problem problem;
  problem.batch = batch;
  problem.heads = heads;
  problem.seq_q = q_tiles * kernel.tile.block_q;
  problem.seq_kv = kv_tiles * kernel.tile.block_kv;
  problem.head_dim = kernel.head_dim;
  problem.element_type = kernel.element_type;
  return problem;
}

// A layout of its own for each tensor: Q with heads before rows, K with gaps between rows and heads, V with gaps
// between batches, O with heads before rows and gaps everywhere.
inline void make_strided(Problem& problem) {
  const int64_t d = problem.head_dim;
  const int64_t q_rows = problem.seq_q;
  const int64_t kv_rows = problem.seq_kv;
  const int64_t heads = problem.heads;
  problem.strides = {{{heads * q_rows * d, d, q_rows * d},
                      {kv_rows * (heads * (d + 8) + 16), heads * (d + 8) + 16, d + 8},
                      {kv_rows * heads * d + 24, heads * d, d},
                      {heads * (q_rows * (d + 8) + 32) + 40, d + 8, q_rows * (d + 8) + 32}}};
}

// Strides that take the elements of each tensor further apart than 32 bits reach, a different one in each. Needs two
// batches and two heads. Offsets of 2^32 + 8 elements: cut to 32 bits they would still be valid, but wrong.
inline void make_far_apart(Problem& problem) {
  const int64_t far = (int64_t{1} << 32) + 8;
  const int64_t d = problem.head_dim;
  const int64_t row = problem.heads * d;
  const int64_t far_row = (int64_t{1} << 26) + 8;  // reaches 2^32 at row 64
  problem.strides = {{{far, row, d}, {problem.seq_kv * row, row, far}, {d, far_row, 2 * d}, {far, 2 * d, far * 2}}};
}

}  // namespace harness
