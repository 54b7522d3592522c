#include "common/harness/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace harness {
namespace {

TEST(ParallelFor, CallsTheBodyOnceForEachIndex) {
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(1000, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  parallel_for(0, [](int64_t) { FAIL(); });
}

TEST(ParallelFor, RethrowsWhatABodyThrows) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(parallel_for(100000,
                            [&](int64_t i) {
                              ++calls;
                              if (i == 10) throw std::runtime_error("ten");
                            }),
               std::runtime_error);
  EXPECT_LT(calls, 100000);
}

}  // namespace
}  // namespace harness
