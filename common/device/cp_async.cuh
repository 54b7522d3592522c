// cp.async: copies from global to shared memory that run while the thread goes on. sm_80 and later.
// (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy": cp.async, cp.async.commit_group,
// cp.async.wait_group)
//
// A copy belongs to the thread that issued it. The thread gathers its copies into groups (commit) and waits until at
// most N of its youngest groups are still under way (wait). After the wait the bytes are visible to that thread alone:
// others may read them only after a barrier that the copying thread reached after its wait.
#pragma once

#include "common/device/types.cuh"

namespace device {

// cp.async.cg.shared.global, 16 bytes: `destination` and `source` are multiples of 16. The .cg form goes past the L1
// cache: a tile is read once, so keeping it there would help nobody.
__device__ __forceinline__ void cp_async_16(SharedAddress destination, const void* source,
                                            CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(source) : "memory");
#else
  simulator::cp_async(destination, source, 16, site);
#endif
}

// cp.async.commit_group: closes the group of this thread's copies since its last commit.
__device__ __forceinline__ void cp_async_commit(CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  simulator::cp_async_commit(site);
#endif
}

// cp.async.wait_group N: returns when at most kPendingGroups of this thread's youngest groups are incomplete.
template <int kPendingGroups>
__device__ __forceinline__ void cp_async_wait(CallSite site = CallSite::here()) {
  static_assert(kPendingGroups >= 0);
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(kPendingGroups) : "memory");
#else
  simulator::cp_async_wait(kPendingGroups, site);
#endif
}

}  // namespace device
