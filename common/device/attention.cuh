// What a kernel is asked to compute: O = softmax(scale * Q * K^T) * V, for each batch and head.
#pragma once

#include "common/device/types.cuh"

namespace device {

// A tensor of shape (batch, sequence, heads, head dimension) of 16-bit elements in global memory. Strides are in
// elements, 64 bits wide because batch * sequence * heads * head dimension passes 2^31; the head dimension is
// contiguous. `data` is 16-byte aligned and the strides are multiples of 8, so that every row is too.
struct Tensor {
  void* data;
  int64_t batch_stride;
  int64_t row_stride;
  int64_t head_stride;

  // Where the rows of one head of one batch begin.
  template <typename Element>
  __device__ __forceinline__ Element* head(int batch_index, int head_index) const {
    return static_cast<Element*>(data) + batch_index * batch_stride + head_index * head_stride;
  }
};

// The argument of every kernel. The grid has one block for each (query tile, head, batch).
struct AttentionArguments {
  Tensor q;          // (batch, seq_q, heads, head_dim)
  Tensor k;          // (batch, seq_kv, heads, head_dim)
  Tensor v;          // (batch, seq_kv, heads, head_dim)
  Tensor o;          // (batch, seq_q, heads, head_dim)
  int seq_kv;        // a multiple of the key tile, at least one tile
  float scale_log2;  // scale * log2(e): softmax is computed with powers of two
};

}  // namespace device
