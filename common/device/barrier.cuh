// The block's barrier. (PTX ISA, "bar.sync"; CUDA C++ Programming Guide, "Synchronization Functions")
#pragma once

#include "common/device/platform.cuh"

namespace device {

// bar.sync 0: waits for all threads of the block, and makes what each wrote to memory before it visible to the others.
// It does not wait for copies under way: a thread makes its cp.async groups its own with cp_async_wait first.
__device__ __forceinline__ void sync_threads([[maybe_unused]] CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  __syncthreads();
#else
  simulator::sync_threads(site);
#endif
}

}  // namespace device
