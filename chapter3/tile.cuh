// How Q, K, V and O move: global memory <-> shared memory <-> registers.
#pragma once

#include "common/device/attention.cuh"
#include "common/device/cp_async.cuh"
#include "common/device/global_memory.cuh"
#include "common/device/ldmatrix.cuh"
#include "common/device/math.cuh"
#include "common/device/shared_memory.cuh"
#include "common/device/warp.cuh"
#include "config.cuh"

namespace {

inline constexpr int kChunk = 8;  // elements in 16 bytes: a row of an 8x8 matrix, and what one cp.async copies

// The swizzle: in row r of a tile, chunk c lies where chunk c ^ (r % 8) would. The same column of eight rows, which
// ldmatrix reads at once, is then spread over eight different places of 16 bytes: over all 32 banks. A tile begins at a
// multiple of 128 bytes, so bits 4 to 6 of an address are the low bits of the chunk, and the XOR changes no others.

// Where a thread begins in a tile: the address of (row, column), column a multiple of kChunk. Computed once.
template <typename Config>
__device__ __forceinline__ device::SharedAddress tile_address(device::SharedAddress tile, int row, int column) {
  return tile + (row * Config::kRowBytes + (column * 2 ^ row % 8 * 16));
}

// From there to the element `row` rows and `column` columns on, both constants after unrolling. The thread's own bits
// of row % 8 and of the chunk, and those of the step, never overlap: so a step is one XOR with a constant, and another
// constant that the instruction adds.
template <typename Config>
__device__ __forceinline__ device::SharedAddress step_address(device::SharedAddress start, int row, int column) {
  return (start ^ (column * 2 ^ row * 16) % 128) + row * Config::kRowBytes + column * 2 / 128 * 128;
}

// The road of one tensor's tiles from global to shared memory. The whole block copies a tile, 16 bytes a thread at a
// time. Eight neighbouring threads take 128 neighbouring bytes of a row: whole sectors of global memory, and all 32
// banks of shared memory. A thread's other chunks of the row lie a constant number of bytes on, which the instruction
// adds by itself, so only a new row costs address arithmetic.
template <typename Config, int kRows>
struct TileCopy {
  using Element = typename Config::Element;
  static constexpr int kThreadsPerRow = 8;
  static constexpr int kColumnsPerPass = kThreadsPerRow * kChunk;
  static constexpr int kRowsPerPass = Config::kThreads / kThreadsPerRow;
  static_assert(kRows % kRowsPerPass == 0 && kRowsPerPass % 8 == 0, "whole passes, each of whole 8x8 matrices");

  const Element* source;              // where the thread reads next
  int64_t pass_stride;                // elements from there to its row in the next pass over the tile
  device::SharedAddress destination;  // where it writes in the first pass

  // Begins at row `first_row` of one head of one batch.
  __device__ __forceinline__ TileCopy(const device::Tensor& tensor, int batch, int head, int first_row,
                                      device::SharedAddress tile) {
    const int row = device::thread_index() / kThreadsPerRow;
    const int column = device::thread_index() % kThreadsPerRow * kChunk;
    source = tensor.head<Element>(batch, head) + (first_row + row) * tensor.row_stride + column;
    pass_stride = kRowsPerPass * tensor.row_stride;
    destination = tile_address<Config>(tile, row, column);
  }

  // Starts the copy of a tile, and moves on to the next one of the sequence.
  __device__ __forceinline__ void copy_global_to_shared() {
#pragma unroll
    for (int pass = 0; pass < kRows / kRowsPerPass; ++pass) {
#pragma unroll
      for (int column = 0; column < Config::kHeadDim; column += kColumnsPerPass) {
        device::cp_async_16(step_address<Config>(destination, pass * kRowsPerPass, column), source + column);
      }
      source += pass_stride;
    }
  }
};

// What a warp's matrix product does with a tile. The tensor cores take the four 8x8 matrices of a 16x16 piece of A from
// four neighbouring registers, and the two of a 16x8 piece of B from two. ldmatrix fills neighbouring registers in the
// order in which the lanes name the matrices: named in the right order, they can stay where they arrive.
enum OperandKind {
  kA,       // Q: rows of the tile are rows of A
  kB,       // K: rows of the tile are columns of B
  kBTrans,  // V: rows of the tile are rows of B
};

// An operand of the warp's matrix product: kRows x kColumns, where the columns run along the sum. It is held as 8x8
// matrices spread over the lanes, one register each. For Q and K that is how the tile lies in shared memory; the
// operand V is the transpose of its tile, so its rows run along the head dimension.
template <typename Config, int kRowCount, int kColumnCount, OperandKind kKind>
struct Operand {
  static constexpr int kRows = kRowCount;
  static constexpr int kColumns = kColumnCount;

  device::SharedAddress lane_address;  // what this lane passes to ldmatrix for the first four matrices
  uint32_t fragments[kRows / 8][kColumns / 8];

  // One ldmatrix_x4 takes a 16 x 16 piece of the tile: lane l names row l % 8 of matrix l / 8. The matrices go down
  // first, then right; for K right first, then down.
  __device__ __forceinline__ explicit Operand(device::SharedAddress tile) {
    const int lane = device::lane_index();
    const int row = kKind == kB ? lane / 16 * 8 + lane % 8 : lane % 16;
    const int column = kKind == kB ? lane / 8 % 2 * 8 : lane / 16 * 8;
    lane_address = tile_address<Config>(tile, row, column);
  }

  // Where the 8x8 matrix at (8 * row, 8 * k) of the operand is held.
  __device__ __forceinline__ uint32_t& fragment(int row, int k) { return fragments[row][k]; }

  // Loads the matrices of columns k and k + 1, for all rows.
  __device__ __forceinline__ void copy_shared_to_registers(int k) {
#pragma unroll
    for (int row = 0; row < kRows / 8; row += 2) {
      uint32_t& f00 = fragment(row, k);
      uint32_t& f01 = fragment(row, k + 1);
      uint32_t& f10 = fragment(row + 1, k);
      uint32_t& f11 = fragment(row + 1, k + 1);
      if constexpr (kKind == kA) {
        device::ldmatrix_x4(f00, f10, f01, f11, step_address<Config>(lane_address, row * 8, k * 8));
      } else if constexpr (kKind == kB) {
        device::ldmatrix_x4(f00, f01, f10, f11, step_address<Config>(lane_address, row * 8, k * 8));
      } else {
        device::ldmatrix_x4_trans(f00, f01, f10, f11, step_address<Config>(lane_address, k * 8, row * 8));
      }
    }
  }

  // Loads the whole operand.
  __device__ __forceinline__ void copy_shared_to_registers() {
#pragma unroll
    for (int k = 0; k < kColumns / 8; k += 2) {
      copy_shared_to_registers(k);
    }
  }
};

// O: registers -> shared -> global, a warp's rows at a time. A lane holds pairs of elements, four lanes a chunk;
// through shared memory each lane gets a whole chunk, and a warp writes full rows.
template <typename Config, int kRowBlocks, int kColumnBlocks>
__device__ __forceinline__ void store_output(const float (&o)[kRowBlocks][kColumnBlocks][2],
                                             device::SharedAddress warp_tile, const device::Tensor& tensor, int batch,
                                             int head, int first_row) {
  using Element = typename Config::Element;
  const int lane = device::lane_index();

  const device::SharedAddress pair = tile_address<Config>(warp_tile, lane / 4, 0) + lane % 4 * 4;
#pragma unroll
  for (int row = 0; row < kRowBlocks; ++row) {
#pragma unroll
    for (int column = 0; column < kColumnBlocks; ++column) {
      device::store_shared_4(step_address<Config>(pair, row * 8, column * 8),
                             device::pack<Element>(o[row][column][0], o[row][column][1]));
    }
  }
  // The lanes of this warp read next what its other lanes have written. No other warp touches these rows: a barrier of
  // the whole block is not needed.
  device::sync_warp();

  constexpr int kLanesPerRow = Config::kHeadDim / kChunk;
  constexpr int kRowsPerPass = device::kWarpSize / kLanesPerRow;
  const int row = lane / kLanesPerRow;
  const int column = lane % kLanesPerRow * kChunk;
  const device::SharedAddress chunk = tile_address<Config>(warp_tile, row, column);
  Element* destination = tensor.head<Element>(batch, head) + (first_row + row) * tensor.row_stride + column;
#pragma unroll
  for (int pass = 0; pass < kRowBlocks * 8; pass += kRowsPerPass) {
    device::store_global_16(destination, device::load_shared_16(step_address<Config>(chunk, pass, 0)));
    destination += kRowsPerPass * tensor.row_stride;
  }
}

}  // namespace
