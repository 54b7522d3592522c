// Aligned columns.
#pragma once

#include <string>
#include <vector>

namespace harness {

class TextTable {
 public:
  // The first `left` columns are aligned to the left, the others, with numbers, to the right. A heading may have lines.
  TextTable(const std::vector<std::string>& header, size_t left);

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Two blanks between columns, a line of dashes below the header, a line feed after each row.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  size_t header_rows_ = 0;
  size_t left_;
};

// "0.000244", "12.3 %", ...: printf's format applied to a number; "n/a" if it is not finite.
std::string format_number(const char* format, double value);

}  // namespace harness
