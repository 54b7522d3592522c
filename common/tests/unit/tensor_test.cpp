#include "common/harness/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace harness {
namespace {

TEST(GuardedBuffer, IsAlignedLikeCudaMalloc) {
  const GuardedBuffer buffer(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 256, 0u);
  EXPECT_EQ(buffer.bytes(), 1000u);
}

TEST(GuardedBuffer, NoticesAWriteOnEitherSide) {
  for (const int64_t offset : {-1, -256, 1000, 1255}) {
    const GuardedBuffer buffer(1000);
    std::memset(buffer.data(), 0x55, 1000);
    EXPECT_TRUE(buffer.guards_intact());
    static_cast<char*>(buffer.data())[offset] = 0;
    EXPECT_FALSE(buffer.guards_intact()) << offset;
  }
}

TEST(HostTensor, IsPoisonedWithItsGaps) {
  const HostTensor tensor({2, 3, 2, 64, {1000, 200, 80}});
  const int64_t elements = tensor.shape().extent();
  EXPECT_EQ(std::count(tensor.data(), tensor.data() + elements, kPoison), elements);
}

TEST(HostTensor, RowsLieWhereStridesSay) {
  HostTensor tensor({2, 3, 2, 64, {1000, 200, 80}});
  tensor.row(1, 2, 1)[5] = 42;
  EXPECT_EQ(tensor.data()[1000 + 2 * 200 + 80 + 5], 42);
}

TEST(HostTensor, HugeStridesCostOnlyWhatIsTouched) {
  const int64_t stride = int64_t{1} << 36;  // 128 GiB from batch to batch
  HostTensor tensor({2, 1, 1, 64, {stride, 64, 64}});
  EXPECT_EQ(tensor.row(1, 0, 0)[63], kPoison);
  EXPECT_EQ(tensor.row(0, 0, 0)[64], 0);
  EXPECT_TRUE(tensor.guards_intact());
  EXPECT_TRUE(tensor.is_sparse());
}

TEST(HostTensor, HasOnePartUnlessItIsSparse) {
  std::vector<std::pair<int64_t, int64_t>> parts;
  const auto visit = [&](int64_t first, int64_t count) { parts.emplace_back(first, count); };
  HostTensor({2, 3, 2, 64, {1000, 200, 80}}).for_each_part(visit);
  EXPECT_EQ(parts, (std::vector<std::pair<int64_t, int64_t>>{{0, 1000 + 2 * 200 + 80 + 64}}));
  parts.clear();
  HostTensor({2, 1, 1, 64, {100000, 64, 64}}).for_each_part(visit);
  EXPECT_EQ(parts, (std::vector<std::pair<int64_t, int64_t>>{{0, 64}, {100000, 64}}));
}

}  // namespace
}  // namespace harness
