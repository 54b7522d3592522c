// Between the lanes of one warp: shuffles, votes and the warp barrier. All 32 lanes must take part.
// (PTX ISA, "shfl.sync", "vote.sync", "bar.warp.sync")
#pragma once

#include "common/device/platform.cuh"

namespace device {

// shfl.sync.bfly.b32: the value that lane `own lane ^ kLaneMask` passed. Moves registers, orders no memory.
template <int kLaneMask>
__device__ __forceinline__ float shuffle_xor(float value, [[maybe_unused]] CallSite site = CallSite::here()) {
  static_assert(0 < kLaneMask && kLaneMask < 32);
#ifdef __CUDACC__
  return __shfl_xor_sync(0xffffffffu, value, kLaneMask);
#else
  return simulator::shuffle_xor(value, kLaneMask, site);
#endif
}

// vote.sync.any.pred: whether any lane of the warp passed true, the same answer in all of them.
__device__ __forceinline__ bool any(bool predicate, [[maybe_unused]] CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  return __any_sync(0xffffffffu, predicate) != 0;
#else
  return simulator::any(predicate, site);
#endif
}

// bar.warp.sync: waits for all lanes of the warp, and makes what each wrote to memory before it visible to the others.
__device__ __forceinline__ void sync_warp([[maybe_unused]] CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  __syncwarp();
#else
  simulator::sync_warp(site);
#endif
}

}  // namespace device
