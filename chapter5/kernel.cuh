// The life of one thread block: it owns kBlockQ query rows of one head of one batch, walks over all keys and values a
// tile at a time, and writes kBlockQ rows of O. Each warp owns kWarpRows of the rows and shares K and V with the
// others.
#pragma once

#include "common/device/barrier.cuh"
#include "config.cuh"
#include "matmul.cuh"
#include "softmax.cuh"
#include "tile.cuh"

namespace {

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kMinBlocksPerSm)
    attention_forward(const __grid_constant__ device::AttentionArguments arguments) {
  using Element = typename Config::Element;
  constexpr int kBlockQ = Config::kBlockQ;
  constexpr int kBlockKv = Config::kBlockKv;
  constexpr int kWarpRows = Config::kWarpRows;
  constexpr int kHeadDim = Config::kHeadDim;

  // Who am I? The grid has one block for each (query tile, head, batch).
  const int first_row = device::block_index<0>() * kBlockQ;
  const int head = device::block_index<1>();
  const int batch = device::block_index<2>();
  const int warp_row = device::warp_index() * kWarpRows;  // the warp's first row of the tile

  // Where the tiles lie in shared memory, and how they get there.
  const device::SharedAddress shared_q = device::dynamic_shared_memory() + Config::kSharedQ;  // [kBlockQ][kHeadDim]
  const device::SharedAddress shared_k = device::dynamic_shared_memory() + Config::kSharedK;  // [kBlockKv][kHeadDim]
  const device::SharedAddress shared_v = device::dynamic_shared_memory() + Config::kSharedV;  // [kBlockKv][kHeadDim]
  const device::SharedAddress warp_q = shared_q + warp_row * Config::kRowBytes;               // [kWarpRows][kHeadDim]
  TileCopy<Config, kBlockQ> q_tile(arguments.q, batch, head, first_row, shared_q);
  TileCopy<Config, kBlockKv> k_tile(arguments.k, batch, head, 0, shared_k);
  TileCopy<Config, kBlockKv> v_tile(arguments.v, batch, head, 0, shared_v);

  // The operands of the warp's products, and its accumulators, in registers.
  Operand<Config, kWarpRows, kHeadDim, kA, Config::kWholeQ, Config::kStagesQ> q(warp_q);        // [kWarpRows][kHeadDim]
  Operand<Config, kBlockKv, kHeadDim, kB, Config::kWholeK, Config::kStagesK> k(shared_k);       // [kBlockKv][kHeadDim]
  Operand<Config, kHeadDim, kBlockKv, kBTrans, Config::kWholeV, Config::kStagesV> v(shared_v);  // [kHeadDim][kBlockKv]
  float o[kWarpRows / 8][kHeadDim / 8][2] = {};                                                 // [kWarpRows][kHeadDim]
  OnlineSoftmax<kWarpRows / 8> softmax;

  q_tile.copy_global_to_shared();
  device::cp_async_commit();
  k_tile.copy_global_to_shared();
  device::cp_async_commit();
  // A Q that is not held whole is read together with K, behind K's wait and barrier.
  if constexpr (Config::kWholeQ) {
    device::cp_async_wait<1>();  // for Q; the first K may still be on its way
    // Publishes Q: each warp is about to read rows that the other warps copied.
    device::sync_threads();
    q.copy_shared_to_registers();
  }

  for (int first_key = 0; first_key < arguments.seq_kv; first_key += kBlockKv) {
    const bool more_keys = first_key + kBlockKv < arguments.seq_kv;
    device::cp_async_wait<0>();  // for this iteration's K
    // Publishes K: each warp is about to read the whole tile, and copied only a part. And frees V's place: every warp
    // that comes here has read the V of the iteration before, so that this iteration's V can be started.
    device::sync_threads();
    v_tile.copy_global_to_shared();
    device::cp_async_commit();

    float s[kWarpRows / 8][kBlockKv / 8][2] = {};  // [kWarpRows][kBlockKv]
    if constexpr (Config::kWholeK) {
      k.copy_shared_to_registers();
    }
    matmul<Element>(q, k, s);
    softmax.find_maximum(s);

    device::cp_async_wait<0>();  // for V, which came while Q * K^T ran
    // Publishes V, and frees K's place: every warp that comes here has read K, so that the next K can be started.
    device::sync_threads();
    if (more_keys) {
      k_tile.copy_global_to_shared();
      device::cp_async_commit();
    }

    softmax.update(s, o, arguments.scale_log2);
    Probabilities<Element, kWarpRows, kBlockKv> p(s);  // [kWarpRows][kBlockKv]

    if constexpr (Config::kWholeV) {
      v.copy_shared_to_registers();
    }
    matmul<Element>(p, v, o);
  }

  softmax.finish(o);
  store_output<Config>(o, warp_q, arguments.o, batch, head, first_row + warp_row);
}

}  // namespace
