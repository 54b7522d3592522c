// What the tests of the simulator share: small launches and questions to their reports.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace simulator_tests {

using simulator::CallSite;
using simulator::Hazard;
using simulator::HazardKind;
using simulator::launch;
using simulator::LaunchConfiguration;
using simulator::Report;

// Lines of imaginary kernels. Wrappers take a line as their last argument, so that a test can say which it means.
constexpr CallSite at(int line) { return {"kernel.cuh", line}; }

// One block with one tensor "T" of 16 bytes a row in all of its shared memory.
inline LaunchConfiguration one_block(int threads, uint32_t shared_bytes) {
  LaunchConfiguration configuration;
  configuration.threads = threads;
  configuration.shared_bytes = shared_bytes;
  configuration.shared_regions = {{"T", "T", 0, static_cast<int>(shared_bytes / 16), 16}};
  configuration.workers = 1;
  return configuration;
}

// Adds a buffer that holds `values`.
template <typename T>
void add_buffer(LaunchConfiguration& configuration, const std::string& name, std::vector<T>& values, bool writable) {
  configuration.global_buffers.push_back({name, values.data(), values.size() * sizeof(T), writable});
}

// "read_before_wait kernel.cuh:10 kernel.cuh:20, ...": all hazards of a report, in the order of kind and line.
inline std::vector<std::string> summary(const Report& report) {
  std::vector<std::string> lines;
  const auto line = [](const CallSite& site) { return " " + std::string(site.file) + ":" + std::to_string(site.line); };
  for (const Hazard& hazard : report.hazards) {
    lines.push_back(to_string(hazard.kind) + line(hazard.site));
    if (hazard.other_site) lines.back() += line(*hazard.other_site);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

using Lines = std::vector<std::string>;

// What a report says of its hazards, in its order.
inline Lines messages(const Report& report) {
  Lines lines;
  for (const Hazard& hazard : report.hazards) lines.push_back(hazard.message + ", " + std::to_string(hazard.count));
  return lines;
}

// Runs the kernel with threads in their natural order and in 20 shuffled ones. All must find the same hazards, and say
// the same of them.
inline Lines hazards_of(LaunchConfiguration configuration, const std::function<void()>& kernel) {
  const Report natural = launch(configuration, kernel);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    configuration.schedule_seed = seed;
    EXPECT_EQ(messages(launch(configuration, kernel)), messages(natural))
        << "with threads in another order, seed " << seed;
  }
  return summary(natural);
}

// Counts how many of it exist: a thread owns one on its stack.
class Owned {
 public:
  explicit Owned(int& count) : count_(count) { ++count_; }
  ~Owned() { --count_; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

 private:
  int& count_;
};

}  // namespace simulator_tests
