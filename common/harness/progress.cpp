#include "common/harness/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace harness {
namespace {

constexpr std::chrono::milliseconds kInterval(200);

}  // namespace

Progress::Progress(std::string label) : Progress(std::move(label), isatty(STDERR_FILENO) == 1, 2.0) {}

Progress::Progress(std::string label, bool is_terminal, double quiet_seconds)
    : label_(std::move(label)),
      is_terminal_(is_terminal),
      next_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(quiet_seconds))) {}

Progress::~Progress() {
  if (printed_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::update(int64_t done, int64_t total) {
  if (!is_terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + kInterval;
  printed_ = true;
  std::cerr << "\r\033[K" << label_ << ": " << done << " of " << total << " blocks" << std::flush;
}

}  // namespace harness
