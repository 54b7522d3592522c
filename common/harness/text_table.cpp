#include "common/harness/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace harness {

TextTable::TextTable(const std::vector<std::string>& header, size_t left) : left_(left) {
  std::vector<std::vector<std::string>> columns;  // the lines of each heading
  for (const std::string& heading : header) {
    std::istringstream lines(heading);
    columns.emplace_back();
    for (std::string line; std::getline(lines, line);) columns.back().push_back(line);
    header_rows_ = std::max(header_rows_, columns.back().size());
  }
  for (size_t row = 0; row < header_rows_; ++row) {
    rows_.emplace_back();
    for (const auto& lines : columns) {  // headings stand on the rule
      const size_t above = header_rows_ - lines.size();
      rows_.back().push_back(row < above ? "" : lines[row - above]);
    }
  }
}

std::string TextTable::text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - cells[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left_ ? cells[i] + padding : padding + cells[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    add_line(rows_[i]);
    if (i + 1 != header_rows_) continue;
    std::vector<std::string> rule;
    rule.reserve(widths.size());
    for (const size_t width : widths) rule.emplace_back(width, '-');
    add_line(rule);
  }
  return text;
}

std::string format_number(const char* format, double value) {
  if (!std::isfinite(value)) return "n/a";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace harness
