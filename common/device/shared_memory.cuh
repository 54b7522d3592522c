// Shared memory: where the block's dynamic allocation begins, and ordinary loads and stores.
// (PTX ISA, "Data Movement and Conversion Instructions": ld, st, cvta)
//
// Banks: 32 banks of 4 bytes. A 4-byte access is served for the whole warp at once, a 16-byte access for a quarter of
// the warp (8 lanes, 128 bytes) at a time. Lanes that hit different words of one bank wait for each other.
#pragma once

#include "common/device/types.cuh"

namespace device {

// The first byte of the block's dynamic shared memory, a multiple of 128.
__device__ __forceinline__ SharedAddress dynamic_shared_memory() {
#ifdef __CUDACC__
  extern __shared__ __align__(128) unsigned char dynamic_shared_memory_bytes[];
  return static_cast<SharedAddress>(__cvta_generic_to_shared(dynamic_shared_memory_bytes));
#else
  return simulator::dynamic_shared_memory();
#endif
}

// ld.shared.v4.b32: 16 bytes from `address`, a multiple of 16.
__device__ __forceinline__ Vector16 load_shared_16(SharedAddress address, CallSite site = CallSite::here()) {
  Vector16 value;
#ifdef __CUDACC__
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
               : "r"(address)
               : "memory");
#else
  simulator::load_shared(address, &value, 16, site);
#endif
  return value;
}

// st.shared.v4.b32: 16 bytes to `address`, a multiple of 16.
__device__ __forceinline__ void store_shared_16(SharedAddress address, Vector16 value,
                                                CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.words[0]), "r"(value.words[1]),
               "r"(value.words[2]), "r"(value.words[3])
               : "memory");
#else
  simulator::store_shared(address, &value, 16, site);
#endif
}

// ld.shared.b32: 4 bytes from `address`, a multiple of 4.
__device__ __forceinline__ uint32_t load_shared_4(SharedAddress address, CallSite site = CallSite::here()) {
  uint32_t value;
#ifdef __CUDACC__
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
#else
  simulator::load_shared(address, &value, 4, site);
#endif
  return value;
}

// st.shared.b32: 4 bytes to `address`, a multiple of 4.
__device__ __forceinline__ void store_shared_4(SharedAddress address, uint32_t value,
                                               CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
#else
  simulator::store_shared(address, &value, 4, site);
#endif
}

}  // namespace device
