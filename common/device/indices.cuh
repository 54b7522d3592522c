// Who am I? (CUDA C++ Programming Guide, "Built-in Variables"; PTX ISA, "Special Registers": %tid, %ctaid)
#pragma once

#include "common/device/platform.cuh"

namespace device {

inline constexpr int kWarpSize = 32;

// The thread's index in its one-dimensional block.
__device__ __forceinline__ int thread_index() {
#ifdef __CUDACC__
  return static_cast<int>(threadIdx.x);
#else
  return simulator::thread_index();
#endif
}

// The thread's place in its warp, 0 to 31, and the warp's index in its block.
__device__ __forceinline__ int lane_index() {
#ifdef __CUDACC__
  return static_cast<int>(threadIdx.x % kWarpSize);
#else
  return simulator::thread_index() % kWarpSize;
#endif
}
__device__ __forceinline__ int warp_index() {
#ifdef __CUDACC__
  return static_cast<int>(threadIdx.x / kWarpSize);
#else
  return simulator::thread_index() / kWarpSize;
#endif
}

// The block's index in the grid, along the axis 0 (x), 1 (y) or 2 (z).
template <int kAxis>
__device__ __forceinline__ int block_index() {
  static_assert(0 <= kAxis && kAxis <= 2);
#ifdef __CUDACC__
  return static_cast<int>(kAxis == 0 ? blockIdx.x : kAxis == 1 ? blockIdx.y : blockIdx.z);
#else
  return simulator::block_index(kAxis);
#endif
}

}  // namespace device
