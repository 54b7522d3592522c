// mma.sync: a warp multiplies a 16x16 matrix A with a 16x8 matrix B and adds the 16x8 matrix C, on the tensor cores.
// sm_80 and later. (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", "Matrix Fragments for mma.m16n8k16
// with floating point type")
//
// A and B hold 16-bit elements, two to a register; C and D are fp32. With g = lane / 4 and t = lane % 4, lane holds
//
//   A   a0: row g,     columns 2t, 2t+1       B   b0: rows 2t, 2t+1,     column g
//       a1: row g + 8, columns 2t, 2t+1           b1: rows 2t+8, 2t+9,   column g
//       a2: row g,     columns 2t+8, 2t+9     C   upper[2]: row g,       columns 2t, 2t+1
//       a3: row g + 8, columns 2t+8, 2t+9         lower[2]: row g + 8,   columns 2t, 2t+1
//
// So A and B are made of the 8x8 matrices that ldmatrix loads, and the C of one product, rounded to 16 bits, is laid
// out like the A of the next.
#pragma once

#include "common/device/types.cuh"

namespace device {

// mma.sync.aligned.m16n8k16.row.col.f32.{f16,bf16}.{f16,bf16}.f32 with D = C: upper and lower are added to in place.
template <typename Element>
__device__ __forceinline__ void mma_m16n8k16(float (&upper)[2], float (&lower)[2], uint32_t a0, uint32_t a1,
                                             uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1,
                                             CallSite site = CallSite::here());

template <>
__device__ __forceinline__ void mma_m16n8k16<Half>(float (&upper)[2], float (&lower)[2], uint32_t a0, uint32_t a1,
                                                   uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1,
                                                   [[maybe_unused]] CallSite site) {
#ifdef __CUDACC__
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  const uint32_t a[4] = {a0, a1, a2, a3};
  const uint32_t b[2] = {b0, b1};
  simulator::mma_m16n8k16(upper, lower, a, b, simulator::MatrixType::kFloat16, site);
#endif
}

template <>
__device__ __forceinline__ void mma_m16n8k16<BFloat16>(float (&upper)[2], float (&lower)[2], uint32_t a0, uint32_t a1,
                                                       uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1,
                                                       [[maybe_unused]] CallSite site) {
#ifdef __CUDACC__
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  const uint32_t a[4] = {a0, a1, a2, a3};
  const uint32_t b[2] = {b0, b1};
  simulator::mma_m16n8k16(upper, lower, a, b, simulator::MatrixType::kBFloat16, site);
#endif
}

}  // namespace device
