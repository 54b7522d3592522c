// The arithmetic that is more than an operator in C++.
// (PTX ISA, "Floating-Point Instructions": ex2, fma; "cvt")
#pragma once

#include "common/device/types.cuh"

namespace device {

// ex2.approx.ftz.f32: 2 to the power x, to 2 ulp; 2^-inf = 0. One instruction of the special-function unit, which
// takes a warp eight cycles where an FFMA takes one or two. Natural exponentials are had by scaling x by log2(e).
__device__ __forceinline__ float exp2_approx(float x, [[maybe_unused]] CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return simulator::exp2_approx(x, site);
#endif
}

// fma.rn.f32: a * b + c, rounded once.
__device__ __forceinline__ float fused_multiply_add(float a, float b, float c) {
#ifdef __CUDACC__
  return __fmaf_rn(a, b, c);
#else
  return simulator::fused_multiply_add(a, b, c);
#endif
}

// max.f32: the larger of the two; of a NaN and a number, the number.
__device__ __forceinline__ float maximum(float a, float b) {
#ifdef __CUDACC__
  return fmaxf(a, b);
#else
  return simulator::maximum(a, b);
#endif
}

// cvt.rn.{f16x2,bf16x2}.f32: two fp32 values rounded to nearest even and packed, `low` in bits 0 to 15.
template <typename Element>
__device__ __forceinline__ uint32_t pack(float low, float high);

template <>
__device__ __forceinline__ uint32_t pack<Half>(float low, float high) {
#ifdef __CUDACC__
  uint32_t result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
#else
  return simulator::pack_float16(low, high);
#endif
}

template <>
__device__ __forceinline__ uint32_t pack<BFloat16>(float low, float high) {
#ifdef __CUDACC__
  uint32_t result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
#else
  return simulator::pack_bfloat16(low, high);
#endif
}

}  // namespace device
