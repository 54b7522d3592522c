// The drawing of banks_view.h.
#include <cmath>
#include <map>

#include "common/harness/banks_view.h"

namespace harness {
namespace {

// The colours of common/tools/drawings/svg.py: middle tones where media queries are not known, then light, then dark.
constexpr const char* kStyle = R"(
:root{--ink:#7b838d;--soft:#7f8791;--line:#969da6;--q:#4d8fd8;--k:#c47f2a;--v:#2e9c82;--o:#b066b8;--x:#d5544e}
@media (prefers-color-scheme:light){:root{--ink:#1f2328;--soft:#59636e;--line:#c3cad2;--q:#1f6fc0;--k:#b05a00;--v:#0d7a61;--o:#8a3c9e;--x:#c4302b}}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--line:#454c55;--q:#6bb1ff;--k:#f0a550;--v:#4ccaa8;--o:#d797e6;--x:#ff7b72}}
svg{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif;fill:#7b838d;fill:var(--ink)}
.head{font-size:15px;font-weight:600}
.small{font-size:11.5px}
.tiny{font-size:10px}
.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.mid{text-anchor:middle}
.end{text-anchor:end}
.soft{fill:#7f8791;fill:var(--soft)}
.grid{stroke:#969da6;stroke:var(--line);stroke-width:.75}
.frame{stroke:#7f8791;stroke:var(--soft);fill:none}
.cell{fill-opacity:.5}
)";

constexpr double kWidth = 760;
constexpr double kLeft = 118;
constexpr double kBankWidth = 19;
constexpr double kRowHeight = 17;
constexpr double kTop = 96;

std::string number(double value) {
  std::string text = std::to_string(std::round(value * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    result += character == '<' ? "&lt;" : character == '&' ? "&amp;" : std::string(1, character);
  }
  return result;
}

std::string text_at(double x, double y, const std::string& text, const std::string& classes) {
  return "<text class=\"" + classes + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" + escaped(text) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2) {
  return "M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2);
}

std::string cell(double x, double y, double width, const std::string& colour) {
  return "<rect class=\"cell\" fill=\"var(--" + colour + ")\" x=\"" + number(x + 1) + "\" y=\"" + number(y + 1) +
         "\" width=\"" + number(width - 2) + "\" height=\"" + number(kRowHeight - 2) + "\" rx=\"2\"/>\n";
}

// The lanes of one wavefront, each over the banks that serve it.
std::string draw_wavefront(const Wavefront& wavefront, double y, size_t banks_a_cell, const std::string& colour) {
  std::string svg;
  for (size_t bank = 0; bank < kBanks; bank += banks_a_cell) {
    const int lane = wavefront.lane[bank];
    if (lane < 0) continue;
    const double x = kLeft + static_cast<double>(bank) * kBankWidth;
    const double width = static_cast<double>(banks_a_cell) * kBankWidth;
    svg += cell(x, y, width, colour);
    const std::string label = std::to_string(lane) + (wavefront.is_shared[bank] ? "+" : "");
    svg += text_at(x + width / 2, y + kRowHeight - 4.5, label, "small mono mid");
  }
  return svg;
}

// Vertical lines between the banks, or between those that serve one lane together; bold ones around each phase.
std::string draw_grid(const std::vector<Wavefront>& all, size_t banks_a_cell) {
  const double right = kLeft + kBanks * kBankWidth;
  const double bottom = kTop + static_cast<double>(all.size()) * kRowHeight;
  std::string thin;
  for (size_t bank = banks_a_cell; bank < kBanks; bank += banks_a_cell) {
    const double x = kLeft + static_cast<double>(bank) * kBankWidth;
    thin += line(x, kTop, x, bottom);
  }
  std::string bold = line(kLeft, kTop, right, kTop) + line(right, kTop, right, bottom) +
                     line(right, bottom, kLeft, bottom) + line(kLeft, bottom, kLeft, kTop);
  for (size_t i = 1; i < all.size(); ++i) {
    const double y = kTop + static_cast<double>(i) * kRowHeight;
    (all[i].phase == all[i - 1].phase ? thin : bold) += line(kLeft, y, right, y);
  }
  return "<path class=\"grid\" d=\"" + thin + "\"/>\n<path class=\"frame\" d=\"" + bold + "\"/>\n";
}

}  // namespace

std::string banks_svg(const BanksPicture& picture) {
  const std::vector<Wavefront> all = wavefronts(picture.access);
  const auto banks_a_cell = static_cast<size_t>(std::max(picture.access.bytes, 4)) / 4;
  const std::string tensor_colour(1, static_cast<char>(picture.access.tensor[0] - 'A' + 'a'));
  const double bottom = kTop + static_cast<double>(all.size()) * kRowHeight;
  const int lanes_together = phase_lanes(picture.access);

  std::string body = text_at(16, 24, banks_summary(picture), "head");
  body += text_at(16, 44, picture.title, "soft");
  body += text_at(kLeft + kBanks * kBankWidth / 2, kTop - 24, "bank", "small soft mid");
  for (int bank = 0; bank < kBanks; ++bank) {
    body += text_at(kLeft + (bank + 0.5) * kBankWidth, kTop - 7, std::to_string(bank), "tiny mono soft mid");
  }
  body += text_at(kLeft - 8, kTop - 7, "wavefront", "tiny soft end");
  for (size_t i = 0; i < all.size(); ++i) {
    const double y = kTop + static_cast<double>(i) * kRowHeight;
    const bool is_first = i == 0 || all[i].phase != all[i - 1].phase;
    if (is_first) {
      const int first = all[i].phase * lanes_together;
      const std::string lanes = "lanes " + std::to_string(first) + " to " + std::to_string(first + lanes_together - 1);
      body += text_at(16, y + kRowHeight - 4.5, lanes, "tiny soft");
    }
    body += text_at(kLeft - 8, y + kRowHeight - 4.5, std::to_string(i + 1), "tiny mono soft end");
    body += draw_wavefront(all[i], y, banks_a_cell, is_first ? tensor_colour : "x");
  }
  body += draw_grid(all, banks_a_cell);
  const bool has_excess = static_cast<int>(all.size()) > ideal_wavefronts(all);
  body += text_at(16, bottom + 24,
                  std::string("In the cells: the lane. A line is a wavefront, one pass over the 32 banks.") +
                      (has_excess ? " Red: what other banks would have saved." : ""),
                  "small soft");

  const std::string size = "width=\"" + number(kWidth) + "\" height=\"" + number(bottom + 38) + "\" viewBox=\"0 0 " +
                           number(kWidth) + " " + number(bottom + 38) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
         " role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">" + escaped(picture.title) +
         ": the banks of shared memory</title>\n<desc id=\"desc\">" + escaped(banks_summary(picture)) +
         ". A line for each wavefront, a column for each bank; in the cells, the lane that the bank serves.</desc>\n"
         "<style>" +
         kStyle + "</style>\n" + body + "</svg>\n";
}

}  // namespace harness
