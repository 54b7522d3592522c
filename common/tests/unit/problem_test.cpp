#include "common/harness/problem.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/harness/refusal.h"

namespace harness {
namespace {

TEST(Problem, IsContiguousUnlessToldOtherwise) {
  Problem problem;
  problem.batch = 2;
  problem.heads = 3;
  problem.seq_q = 64;
  problem.seq_kv = 128;
  problem.head_dim = 64;
  const Shape q = problem.shape(Role::kQ);
  EXPECT_EQ(q.strides.head, 64);
  EXPECT_EQ(q.strides.row, 3 * 64);
  EXPECT_EQ(q.strides.batch, 64 * 3 * 64);
  EXPECT_EQ(q.extent(), q.elements());
  EXPECT_EQ(q.offset(1, 2, 1), 64 * 3 * 64 + 2 * 3 * 64 + 64);
  EXPECT_EQ(problem.shape(Role::kV).rows, 128);
  EXPECT_EQ(problem.shape(Role::kO).rows, 64);
  EXPECT_EQ(problem.bytes(), 2 * (2 * q.elements() + 2 * 2 * 128 * 3 * 64));
}

TEST(Problem, ExtentIncludesGaps) {
  const Shape shape{2, 4, 1, 64, {1000, 80, 64}};
  EXPECT_EQ(shape.extent(), 1000 + 3 * 80 + 64);
  EXPECT_EQ(shape.elements(), 2 * 4 * 64);
}

TEST(Problem, CountsTheOperationsOfTwoMatrixProducts) {
  Problem problem;
  problem.batch = 16;
  problem.heads = 16;
  problem.seq_q = 4096;
  problem.seq_kv = 2048;
  EXPECT_DOUBLE_EQ(problem.floating_point_operations(), 4.0 * 16 * 16 * 4096 * 2048 * 128);
}

TEST(Problem, SizesThatOverflowStickAtTheLargest) {
  Problem problem;
  problem.batch = 65535;
  problem.heads = 65535;
  problem.seq_q = problem.seq_kv = std::numeric_limits<int>::max();
  EXPECT_EQ(problem.bytes(), std::numeric_limits<int64_t>::max());
}

TEST(Problem, NamesAndTypesCorrespond) {
  for (const InputKind kind : input_kinds()) EXPECT_EQ(parse_input_kind(to_string(kind)), kind);
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
    EXPECT_EQ(parse_element_type(to_string(type)), type);
  }
  EXPECT_EQ(to_string(Tile{128, 64, 8}), "128x64 with 8 warps");
}

}  // namespace
}  // namespace harness
