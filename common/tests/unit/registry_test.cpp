#include "common/harness/registry.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace harness {
namespace {

Kernel gpu_kernel() {
  static const int function = 0;
  Kernel kernel;
  kernel.gpu_function = &function;
  return kernel;
}

const Chapter* find_chapter(int number) {
  for (const Chapter& chapter : chapters()) {
    if (chapter.number == number) return &chapter;
  }
  return nullptr;
}

TEST(Registry, JoinsTheTwoCompilationsOfAChapterAndSortsByNumber) {
  register_kernels(902, "Second", {gpu_kernel()});
  register_kernels(901, "First", {Kernel{}});
  register_kernels(902, "Second", {Kernel{}, Kernel{}});
  const Chapter* const first = find_chapter(901);
  const Chapter* const second = find_chapter(902);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_LT(first, second);
  EXPECT_EQ(second->name, "chapter902");
  EXPECT_EQ(second->title, "Second");
  EXPECT_EQ(second->gpu_kernels.size(), 1u);
  EXPECT_EQ(second->simulator_kernels.size(), 2u);
}

TEST(Registry, RefusesTwoTitlesForOneNumber) {
  register_kernels(903, "One", {});
  EXPECT_THROW(register_kernels(903, "Other", {}), std::logic_error);
}

}  // namespace
}  // namespace harness
