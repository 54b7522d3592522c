// Each thing that a user can get wrong is refused with the value, the rule and the nearest value that works.
#include "common/harness/validation.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

constexpr Tile kTile{64, 128, 4};

std::string size_refusal(int64_t Problem::*size, int64_t value) {
  Problem problem;
  problem.*size = value;
  return refusal_of([&] { check_sizes(problem, kTile); });
}

TEST(CheckSizes, AcceptsMultiplesOfTheTile) {
  EXPECT_EQ(size_refusal(&Problem::seq_q, 64), "");
  EXPECT_EQ(size_refusal(&Problem::seq_q, 2147483584), "");  // the last multiple of 64 below 2^31
  EXPECT_EQ(size_refusal(&Problem::seq_kv, 128), "");
  EXPECT_EQ(size_refusal(&Problem::batch, 65535), "");
}

TEST(CheckSizes, RefusesLengthsThatAreNoMultipleOfTheTile) {
  EXPECT_EQ(size_refusal(&Problem::seq_q, 100),
            "--seq-q (or --seq-len) is 100, but the number of queries must be a multiple of the tile's 64 rows: the "
            "nearest that work are 64 and 128");
  EXPECT_EQ(size_refusal(&Problem::seq_kv, 64),
            "--seq-kv (or --seq-len) is 64, but the number of keys must be a multiple of the tile's 128 rows: the "
            "nearest that works is 128");
  EXPECT_NE(size_refusal(&Problem::seq_q, 63).find("works is 64"), std::string::npos);
  EXPECT_NE(size_refusal(&Problem::seq_q, 65).find("work are 64 and 128"), std::string::npos);
}

TEST(CheckSizes, RefusesLengthsThatAreNotPositiveOrTooLarge) {
  EXPECT_EQ(size_refusal(&Problem::seq_q, 0),
            "--seq-q (or --seq-len) is 0, but the number of queries must be a multiple of the tile's 64 rows, and at "
            "least one of them: the nearest that works is 64");
  EXPECT_EQ(size_refusal(&Problem::seq_kv, -128),
            "--seq-kv (or --seq-len) is -128, but the number of keys must be a multiple of the tile's 128 rows, and at "
            "least one of them: the nearest that works is 128");
  EXPECT_EQ(size_refusal(&Problem::seq_q, int64_t{1} << 31),
            "--seq-q (or --seq-len) is 2147483648, but the number of queries must be a multiple of the tile's 64 rows "
            "and below 2^31: the nearest that works is 2147483584");
}

TEST(CheckSizes, RefusesBatchesAndHeadsBeyondTheGrid) {
  EXPECT_EQ(size_refusal(&Problem::batch, 65536),
            "--batch is 65536, but the number of batches must be from 1 to 65535, the largest grid along its axis: the "
            "nearest that works is 65535");
  EXPECT_NE(size_refusal(&Problem::heads, 65536).find("--heads is 65536, but"), std::string::npos);
  EXPECT_NE(size_refusal(&Problem::heads, 0).find("the nearest that works is 1"), std::string::npos);
  EXPECT_NE(size_refusal(&Problem::batch, -3).find("--batch is -3"), std::string::npos);
}

TEST(CheckSizes, RefusesStridesThatBreakTheAlignmentOfRows) {
  Problem problem;
  const Strides good{512 * 128, 128, 128};
  problem.strides = {good, good, good, good};
  EXPECT_EQ(refusal_of([&] { check_sizes(problem, kTile); }), "");
  (*problem.strides)[1].row = 132;
  EXPECT_EQ(
      refusal_of([&] { check_sizes(problem, kTile); }),
      "the row stride of K is 132 elements, but it must be a multiple of 8 (rows are read 16 bytes at a time) and "
      "at least the head dimension: the nearest that works is 136");
  (*problem.strides)[1].row = 64;
  EXPECT_NE(refusal_of([&] { check_sizes(problem, kTile); }).find("the row stride of K is 64 elements"),
            std::string::npos);
}

std::string memory_refusal(Problem problem, int64_t free) {
  return refusal_of([&] {
    check_memory(
        problem, Tile{64, 64, 4}, [](const Problem& p) { return p.bytes(); }, free, "GPU memory");
  });
}

TEST(CheckMemory, NamesBytesNeededAndFreeAndWhatFits) {
  Problem problem;  // 512 queries and keys of 128 columns: 512 KiB a head of a batch
  problem.batch = 4;
  problem.heads = 2;
  EXPECT_EQ(memory_refusal(problem, 4 * 1024 * 1024), "");
  EXPECT_EQ(memory_refusal(problem, 4 * 1024 * 1024 - 1),
            "this problem needs 4194304 bytes of GPU memory, but 4194303 bytes are free: the nearest that works is "
            "--batch 3");
  EXPECT_NE(memory_refusal(problem, 512 * 1024).find("--batch 1 --heads 1"), std::string::npos);
  EXPECT_NE(memory_refusal(problem, 300 * 1024).find("works is --batch 1 --heads 1 --seq-q 64"), std::string::npos);
  EXPECT_NE(memory_refusal(problem, 100 * 1024).find("--heads 1 --seq-q 64 --seq-kv 128"), std::string::npos);
}

TEST(CheckMemory, SurvivesSizesThatOverflow) {
  Problem problem;
  problem.batch = problem.heads = 65535;
  problem.seq_q = problem.seq_kv = 2147483584;
  const std::string sentence = memory_refusal(problem, 1 << 20);
  EXPECT_NE(sentence.find("needs more than 9223372036854775807 bytes"), std::string::npos) << sentence;
}

TEST(CheckMemory, ThisMachineHasSomeFree) {
  EXPECT_GT(free_host_memory(), 1 << 20);
  EXPECT_LT(free_host_memory(), int64_t{1} << 50);
}

std::vector<Kernel> some_kernels() {
  std::vector<Kernel> kernels;
  for (const int head_dim : {64, 128}) {
    for (const Tile& tile : {Tile{64, 64, 4}, Tile{128, 64, 8}}) {
      Kernel kernel;
      kernel.head_dim = head_dim;
      kernel.tile = tile;
      kernels.push_back(kernel);
    }
  }
  return kernels;
}

std::string kernel_refusal(const std::vector<Kernel>& kernels, ElementType type, int64_t head_dim, const Tile& tile) {
  return refusal_of([&] { find_kernel("chapter7", kernels, type, head_dim, tile); });
}

TEST(FindKernel, FindsByTypeHeadDimensionAndTile) {
  const std::vector<Kernel> kernels = some_kernels();
  EXPECT_EQ(&find_kernel("chapter7", kernels, ElementType::kFloat16, 128, {128, 64, 8}), &kernels[3]);
}

TEST(FindKernel, RefusesWhatIsNotBuiltAndListsWhatIs) {
  EXPECT_EQ(kernel_refusal(some_kernels(), ElementType::kFloat16, 96, {64, 64, 4}),
            "--head-dim is 96, but chapter7 is built for 64 and 128: the nearest that works is 64");
  EXPECT_NE(kernel_refusal(some_kernels(), ElementType::kFloat16, 1000000, {64, 64, 4}).find("works is 128"),
            std::string::npos);
  EXPECT_EQ(kernel_refusal(some_kernels(), ElementType::kFloat16, 64, {96, 64, 4}),
            "the tile 96x64 with 4 warps (--block-q, --block-kv, --warps) is not built for chapter7: there are 64x64 "
            "with 4 warps, 128x64 with 8 warps");
  EXPECT_NE(kernel_refusal(some_kernels(), ElementType::kBFloat16, 64, {64, 64, 4}).find("built for fp16"),
            std::string::npos);
  EXPECT_NE(kernel_refusal({}, ElementType::kFloat16, 64, {64, 64, 4}).find("no kernel"), std::string::npos);
}

}  // namespace
}  // namespace harness
