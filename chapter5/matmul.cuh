// The warp's matrix products.
#pragma once

#include "common/device/math.cuh"
#include "common/device/mma.cuh"

namespace {

// P, the exponentials of one tile of S, rounded to 16 bits. The accumulators of S = Q * K^T are laid out as the A of
// P * V wants them, so P never leaves its registers.
template <typename Element, int kRowCount, int kColumnCount>
struct Probabilities {
  static constexpr int kRows = kRowCount;
  static constexpr int kColumns = kColumnCount;
  static constexpr bool kWhole = true;
  static constexpr int kAhead = 0;

  uint32_t fragments[kRows / 8][kColumns / 8];

  __device__ __forceinline__ uint32_t& fragment(int row, int k) { return fragments[row][k]; }

  __device__ __forceinline__ explicit Probabilities(const float (&p)[kRows / 8][kColumns / 8][2]) {
#pragma unroll
    for (int row = 0; row < kRows / 8; ++row) {
#pragma unroll
      for (int column = 0; column < kColumns / 8; ++column) {
        fragments[row][column] = device::pack<Element>(p[row][column][0], p[row][column][1]);
      }
    }
  }
};

// c += a * b^T. `a` has the rows of c, `b` has its columns as rows; both have the k of the sum as columns. An operand
// that is not held whole is loaded here, two columns of its 8x8 matrices at a time: right before the mmas that use
// them, or, in two stages, one step ahead. No barrier is needed: a warp loads what it uses, and the compiler lets an
// mma wait for the loads of what it reads.
template <typename Element, typename A, typename B>
__device__ __forceinline__ void matmul(A& a, B& b, float (&c)[A::kRows / 8][B::kRows / 8][2]) {
  static_assert(A::kColumns == B::kColumns);
  if constexpr (A::kAhead > 0) {
    a.copy_shared_to_registers(0);
  }
  if constexpr (B::kAhead > 0) {
    b.copy_shared_to_registers(0);
  }
#pragma unroll
  for (int k = 0; k < A::kColumns / 8; k += 2) {
    if constexpr (!A::kWhole) {
      if (k + A::kAhead < A::kColumns / 8) {
        a.copy_shared_to_registers(k + A::kAhead);
      }
    }
    if constexpr (!B::kWhole) {
      if (k + B::kAhead < B::kColumns / 8) {
        b.copy_shared_to_registers(k + B::kAhead);
      }
    }
#pragma unroll
    for (int m = 0; m < A::kRows / 8; m += 2) {
#pragma unroll
      for (int n = 0; n < B::kRows / 8; ++n) {
        device::mma_m16n8k16<Element>(c[m][n], c[m + 1][n],                            //
                                      a.fragment(m, k), a.fragment(m + 1, k),          //
                                      a.fragment(m, k + 1), a.fragment(m + 1, k + 1),  //
                                      b.fragment(n, k), b.fragment(n, k + 1));
      }
    }
  }
}

}  // namespace
