// Global memory: ordinary loads and stores. (PTX ISA, "Data Movement and Conversion Instructions": ld, st)
//
// A warp's access is served in sectors of 32 bytes. Neighbouring lanes on neighbouring addresses touch the fewest.
#pragma once

#include "common/device/types.cuh"

namespace device {

// ld.global.v4.b32: 16 bytes from `source`, 16-byte aligned.
__device__ __forceinline__ Vector16 load_global_16(const void* source, CallSite site = CallSite::here()) {
  Vector16 value;
#ifdef __CUDACC__
  asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.words[0]), "=r"(value.words[1]), "=r"(value.words[2]), "=r"(value.words[3])
               : "l"(source)
               : "memory");
#else
  simulator::load_global(source, &value, 16, site);
#endif
  return value;
}

// st.global.v4.b32: 16 bytes to `destination`, 16-byte aligned.
__device__ __forceinline__ void store_global_16(void* destination, Vector16 value, CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(destination), "r"(value.words[0]), "r"(value.words[1]),
               "r"(value.words[2]), "r"(value.words[3])
               : "memory");
#else
  simulator::store_global(destination, &value, 16, site);
#endif
}

// ld.global.b32: 4 bytes from `source`, 4-byte aligned.
__device__ __forceinline__ uint32_t load_global_4(const void* source, CallSite site = CallSite::here()) {
  uint32_t value;
#ifdef __CUDACC__
  asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(source) : "memory");
#else
  simulator::load_global(source, &value, 4, site);
#endif
  return value;
}

// st.global.b32: 4 bytes to `destination`, 4-byte aligned.
__device__ __forceinline__ void store_global_4(void* destination, uint32_t value, CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("st.global.b32 [%0], %1;" ::"l"(destination), "r"(value) : "memory");
#else
  simulator::store_global(destination, &value, 4, site);
#endif
}

}  // namespace device
