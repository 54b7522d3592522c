// How long kernels take.
#pragma once

#include <cstddef>
#include <vector>

#include "common/harness/gpu.h"

namespace harness {

struct TimingOptions {
  int warm_ups = 3;       // batches before the first that counts
  int repetitions = 10;   // batches that count
  double batch_ms = 1.0;  // a batch has as many launches as this takes, at least one
  bool cold_l2 = false;
};

// Milliseconds of one launch, over the repetitions.
struct Timing {
  double median = 0;
  double minimum = 0;
  double spread = 0;  // largest less smallest
};

Timing summarise(std::vector<double> samples);

// Launches of `work` in a batch of at least options.batch_ms.
int launches_in_batch(const GpuWork& work, const TimingOptions& options);

// The order of `count` works in a round: A B C in one round, C B A in the next. Changes of clock and heat hit all of
// them, and none runs always behind the same other.
std::vector<size_t> order_in_round(size_t count, int round);

// Times the works in turn, A B C C B A ...
// Throws RunFailure.
std::vector<Timing> time_interleaved(const std::vector<GpuWork>& works, const TimingOptions& options);

// Operations in units of 10^12 a second.
double teraflops(double floating_point_operations, double milliseconds);

// TFLOP/s that the tensor cores cannot exceed with 16-bit operands, dense, at the highest clock; 0 for a GPU whose rate
// is not known here. (NVIDIA's architecture white papers: A100, GA102, AD102, H100, Blackwell)
double tensor_roofline(const GpuInfo& gpu);

}  // namespace harness
