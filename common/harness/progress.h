// A line that says how far a long run is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace harness {

// Prints "LABEL: 12 of 64 blocks" to stderr, over and over in one line, once two seconds have passed and if stderr is a
// terminal. The line is wiped when the object goes.
class Progress {
 public:
  explicit Progress(std::string label);
  Progress(std::string label, bool is_terminal, double quiet_seconds);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(int64_t done, int64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool is_terminal_;
  Clock::time_point next_;  // when to print again
  bool printed_ = false;
};

}  // namespace harness
