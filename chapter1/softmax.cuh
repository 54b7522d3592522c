// Online softmax: the keys come in tiles, and what was summed under a smaller maximum is scaled down when a larger one
// appears. (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao, "FlashAttention-2", 2023)
#pragma once

#include <cfloat>

#include "common/device/math.cuh"
#include "common/device/warp.cuh"

namespace {

// The state of a warp's rows. A lane sees row 8 * i + lane / 4 for each i, together with the three lanes beside it:
// four lanes share a row.
template <int kRowBlocks>
struct OnlineSoftmax {
  float maximum[kRowBlocks];       // that sum and O are relative to, the same in a row's four lanes
  float next_maximum[kRowBlocks];  // with the scores of the present tile
  float sum[kRowBlocks];           // of the exponentials that this lane has seen

  __device__ __forceinline__ OnlineSoftmax() {
#pragma unroll
    for (int row = 0; row < kRowBlocks; ++row) {
      maximum[row] = -FLT_MAX;  // finite: a score of -inf then has the exponential exp2(-inf) = 0, not exp2(inf - inf)
      sum[row] = 0.0f;
    }
  }

  // The row maxima with the scores of one tile.
  template <int kKeyBlocks>
  __device__ __forceinline__ void find_maximum(const float (&s)[kRowBlocks][kKeyBlocks][2]) {
#pragma unroll
    for (int row = 0; row < kRowBlocks; ++row) {
      float largest = maximum[row];
#pragma unroll
      for (int key = 0; key < kKeyBlocks; ++key) {
        largest = device::maximum(largest, device::maximum(s[row][key][0], s[row][key][1]));
      }
      largest = device::maximum(largest, device::shuffle_xor<1>(largest));
      next_maximum[row] = device::maximum(largest, device::shuffle_xor<2>(largest));
    }
  }

  // Moves o, the sum over earlier tiles, to the new maxima, and turns s into exp2(scale_log2 * (s - maximum)).
  template <int kKeyBlocks, int kColumnBlocks>
  __device__ __forceinline__ void update(float (&s)[kRowBlocks][kKeyBlocks][2],
                                         float (&o)[kRowBlocks][kColumnBlocks][2], float scale_log2) {
#pragma unroll
    for (int row = 0; row < kRowBlocks; ++row) {
      const float largest = next_maximum[row];
      // A maximum that stays asks for no scaling. That is exact, and the more keys have been seen, the more common.
      if (device::any(largest > maximum[row])) {
        const float rescale = device::exp2_approx((maximum[row] - largest) * scale_log2);
        maximum[row] = largest;
        sum[row] *= rescale;
#pragma unroll
        for (int column = 0; column < kColumnBlocks; ++column) {
          o[row][column][0] *= rescale;
          o[row][column][1] *= rescale;
        }
      }

      const float offset = -largest * scale_log2;
#pragma unroll
      for (int key = 0; key < kKeyBlocks; ++key) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          s[row][key][i] = device::exp2_approx(device::fused_multiply_add(s[row][key][i], scale_log2, offset));
          sum[row] += s[row][key][i];
        }
      }
    }
  }

  // After the last tile: adds up the row's four lanes and divides, once.
  template <int kColumnBlocks>
  __device__ __forceinline__ void finish(float (&o)[kRowBlocks][kColumnBlocks][2]) {
#pragma unroll
    for (int row = 0; row < kRowBlocks; ++row) {
      sum[row] += device::shuffle_xor<1>(sum[row]);
      sum[row] += device::shuffle_xor<2>(sum[row]);
      const float inverse = 1.0f / sum[row];
#pragma unroll
      for (int column = 0; column < kColumnBlocks; ++column) {
        o[row][column][0] *= inverse;
        o[row][column][1] *= inverse;
      }
    }
  }
};

}  // namespace
