// ldmatrix: a warp loads 8x8 matrices of 16-bit elements from shared memory, already spread over the lanes as the
// tensor cores want them. sm_75 and later. (PTX ISA, "Warp Level Matrix Load Instruction: ldmatrix")
//
// x4 loads four matrices. Lane 8*i + r passes the address of row r (16 bytes, a multiple of 16) of matrix i. Lane l
// then holds, in register i, two neighbouring elements of matrix i:
//
//   ldmatrix_x4         row l / 4, columns 2 * (l % 4) and 2 * (l % 4) + 1
//   ldmatrix_x4_trans   rows 2 * (l % 4) and 2 * (l % 4) + 1, column l / 4
//
// Each matrix takes one pass over the 32 banks (8 rows of 16 bytes) if its rows lie in different banks, and up to
// eight if they do not. All 32 lanes must take part. The .sync brings the lanes together; it does not order memory.
#pragma once

#include "common/device/types.cuh"

namespace device {

// ldmatrix.sync.aligned.m8n8.x4.shared.b16
__device__ __forceinline__ void ldmatrix_x4(uint32_t& matrix0, uint32_t& matrix1, uint32_t& matrix2, uint32_t& matrix3,
                                            SharedAddress row, CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrix0), "=r"(matrix1), "=r"(matrix2), "=r"(matrix3)
               : "r"(row)
               : "memory");
#else
  uint32_t* matrices[4] = {&matrix0, &matrix1, &matrix2, &matrix3};
  simulator::ldmatrix_x4(matrices, row, false, site);
#endif
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t& matrix0, uint32_t& matrix1, uint32_t& matrix2,
                                                  uint32_t& matrix3, SharedAddress row,
                                                  CallSite site = CallSite::here()) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrix0), "=r"(matrix1), "=r"(matrix2), "=r"(matrix3)
               : "r"(row)
               : "memory");
#else
  uint32_t* matrices[4] = {&matrix0, &matrix1, &matrix2, &matrix3};
  simulator::ldmatrix_x4(matrices, row, true, site);
#endif
}

}  // namespace device
