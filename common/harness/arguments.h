// From a problem to what a kernel is passed, on the GPU and on the simulator alike.
#pragma once

#include <cmath>
#include <numbers>

#include "common/device/attention.cuh"
#include "common/harness/problem.h"

namespace harness {

inline device::Tensor make_tensor_argument(const Shape& shape, const void* data) {
  return {const_cast<void*>(data), shape.strides.batch, shape.strides.row, shape.strides.head};
}

// The tensors lie at the given addresses, on the machine that runs the kernel.
inline device::AttentionArguments make_arguments(const Problem& problem, const void* q, const void* k, const void* v,
                                                 void* o) {
  const double scale = 1 / std::sqrt(static_cast<double>(problem.head_dim));
  return {make_tensor_argument(problem.shape(Role::kQ), q),
          make_tensor_argument(problem.shape(Role::kK), k),
          make_tensor_argument(problem.shape(Role::kV), v),
          make_tensor_argument(problem.shape(Role::kO), o),
          static_cast<int>(problem.seq_kv),
          static_cast<float>(scale * std::numbers::log2e)};
}

// One block for each (query tile, head, batch).
inline simulator::Grid make_grid(const Problem& problem, const Tile& tile) {
  return {static_cast<int>(problem.seq_q / tile.block_q), static_cast<int>(problem.heads),
          static_cast<int>(problem.batch)};
}

inline int threads_of(const Kernel& kernel) { return kernel.tile.warps * 32; }

}  // namespace harness
