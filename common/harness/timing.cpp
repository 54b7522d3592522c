#include "common/harness/timing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace harness {

Timing summarise(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back() - samples.front()};
}

int launches_in_batch(const GpuWork& work, const TimingOptions& options) {
  time_batch(work, 1, options.cold_l2);  // the first launch of a kernel also loads its code
  const double once = time_batch(work, 1, options.cold_l2);
  return static_cast<int>(std::clamp(std::ceil(options.batch_ms / std::max(once, 1e-6)), 1.0, 10000.0));
}

std::vector<size_t> order_in_round(size_t count, int round) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (round % 2 != 0) std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Timing> time_interleaved(const std::vector<GpuWork>& works, const TimingOptions& options) {
  std::vector<int> launches;
  launches.reserve(works.size());
  for (const GpuWork& work : works) launches.push_back(launches_in_batch(work, options));
  std::vector<std::vector<double>> samples(works.size());
  for (int repetition = -options.warm_ups; repetition < options.repetitions; ++repetition) {
    for (const size_t i : order_in_round(works.size(), repetition)) {
      const double milliseconds = time_batch(works[i], launches[i], options.cold_l2);
      if (repetition >= 0) samples[i].push_back(milliseconds);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(samples.size());
  for (std::vector<double>& sample : samples) timings.push_back(summarise(std::move(sample)));
  return timings;
}

double teraflops(double floating_point_operations, double milliseconds) {
  return floating_point_operations / milliseconds / 1e9;
}

double tensor_roofline(const GpuInfo& gpu) {
  static const std::map<int, double> operations_per_clock = {
      // of a multiprocessor
      {80, 2048}, {86, 1024}, {87, 1024}, {89, 1024}, {90, 4096}, {100, 8192}, {103, 8192}, {120, 1024}};
  const auto rate = operations_per_clock.find(gpu.sm);
  return rate == operations_per_clock.end() ? 0 : rate->second * gpu.multiprocessors * gpu.largest_sm_mhz * 1e-6;
}

}  // namespace harness
