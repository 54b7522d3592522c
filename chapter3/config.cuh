// The sizes of one kernel, fixed when it is compiled, and what follows from them.
#pragma once

#include "common/device/indices.cuh"
#include "common/device/types.cuh"

namespace {

template <typename ElementType, int kHeadDimension, int kQueryRows, int kKeyRows, int kWarpCount>
struct Config {
  using Element = ElementType;                     // device::Half or device::BFloat16
  static constexpr int kHeadDim = kHeadDimension;  // columns of Q, K, V and O
  static constexpr int kBlockQ = kQueryRows;       // rows of Q and O that one block owns
  static constexpr int kBlockKv = kKeyRows;        // rows of K and V that it works on at a time
  static constexpr int kWarps = kWarpCount;
  static constexpr int kThreads = kWarps * device::kWarpSize;
  static constexpr int kWarpRows = kBlockQ / kWarps;  // rows of Q and O that one warp owns

  // A row of a tile in shared memory: kHeadDim elements, nothing between the rows.
  static constexpr int kRowBytes = kHeadDim * static_cast<int>(sizeof(Element));

  // Shared memory holds a tile each of Q, K and V. O leaves through Q's place.
  static constexpr int kSharedQ = 0;
  static constexpr int kSharedK = kSharedQ + kBlockQ * kRowBytes;
  static constexpr int kSharedV = kSharedK + kBlockKv * kRowBytes;
  static constexpr int kSharedBytes = kSharedV + kBlockKv * kRowBytes;

  // How many blocks a multiprocessor can hold at a time, going by its 65,536 registers. An estimate for a thread: the
  // accumulators of O and S and a whole Q live through a tile; fragments, addresses and the softmax take about 40 more.
  // The compiler is told the number, and makes the kernel fit.
  static constexpr int kLiveRegisters = kWarpRows * (kHeadDim + kBlockKv + kHeadDim / 2) / device::kWarpSize;
  static constexpr int kRegisters = kLiveRegisters + 40 < 255 ? kLiveRegisters + 40 : 255;
  static constexpr int kMinBlocksPerSm = 65536 / (kRegisters * kThreads);

  static_assert(sizeof(Element) == 2, "ldmatrix and mma.m16n8k16 take 16-bit elements");
  static_assert(kHeadDim == 64 || kHeadDim == 128);
  static_assert(kWarpRows % 16 == 0, "a warp's rows come in mma tiles of 16");
  static_assert(kBlockKv % 16 == 0, "keys are the k of P * V, 16 at a time");
};

}  // namespace
