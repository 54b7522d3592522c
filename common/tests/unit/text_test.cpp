#include <gtest/gtest.h>

#include <limits>

#include "common/harness/progress.h"
#include "common/harness/text_table.h"

namespace harness {
namespace {

TEST(TextTable, AlignsNamesLeftAndNumbersRight) {
  TextTable table({"name", "ms", "of\nideal"}, 1);
  table.add_row({"a longer name", "1.5", "8.00x"});
  table.add_row({"b", "100", ""});
  EXPECT_EQ(table.text(),
            "                       of\n"
            "name            ms  ideal\n"
            "-------------  ---  -----\n"
            "a longer name  1.5  8.00x\n"
            "b              100\n");
}

TEST(TextTable, FormatsNumbers) {
  EXPECT_EQ(format_number("%.1f %%", 12.34), "12.3 %");
  EXPECT_EQ(format_number("%.1f", std::numeric_limits<double>::infinity()), "n/a");
  EXPECT_EQ(format_number("%.1f", std::numeric_limits<double>::quiet_NaN()), "n/a");
}

std::string progress_output(bool is_terminal, double quiet_seconds) {
  testing::internal::CaptureStderr();
  {
    Progress progress("chapter1", is_terminal, quiet_seconds);
    progress.update(3, 64);
    progress.update(4, 64);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, ShowsOneLineAndWipesIt) {
  EXPECT_EQ(progress_output(true, 0), "\r\033[Kchapter1: 3 of 64 blocks\r\033[K");
}

TEST(Progress, IsSilentAtFirstAndWithoutATerminal) {
  EXPECT_EQ(progress_output(true, 100), "");
  EXPECT_EQ(progress_output(false, 0), "");
}

}  // namespace
}  // namespace harness
