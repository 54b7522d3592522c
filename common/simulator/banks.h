// How many passes an access needs: wavefronts over the 32 banks of shared memory, sectors of global memory.
#pragma once

#include <array>
#include <cstdint>

#include "common/simulator/scheduler.h"

namespace simulator {

using SharedAddresses = std::array<uint32_t, kWarpSize>;  // of one warp instruction, by lane
using GlobalOffsets = std::array<uint64_t, kWarpSize>;    // likewise, from the beginning of the buffer

enum class Direction { kLoad, kStore };

// Passes of one warp instruction.
struct Passes {
  int taken = 0;
  int ideal = 0;  // the fewest that the instruction can take, whatever the addresses
};

// Wavefronts of a load or store of 1 to 16 bytes a lane, for the lanes with a bit in `lanes`. Shared memory serves 128
// bytes at a time: the whole warp for up to 4 bytes, a half of it for 8, a quarter for 16. Each such phase takes as
// many wavefronts as the most loaded bank has different words in it.
//
// Two neighbouring phases of a load become one if every active lane has the address of lane ^ 1, or every active lane
// that of lane ^ 2; a store never does this. (NVIDIA developer forum, "Unexpected shared memory bank conflict", thread
// 77228, says so of sm_70 and sm_75; with it all that was measured on an H200 comes out, see common/tests/data.)
Passes shared_wavefronts(const SharedAddresses& addresses, uint32_t lanes, int bytes, Direction direction);

// How many lanes such a load or store serves together: 32, 16 or 8, or twice as many if phases become one.
int phase_lanes(const SharedAddresses& addresses, uint32_t lanes, int bytes, Direction direction);

// Wavefronts of an ldmatrix of 1, 2 or 4 matrices: one phase for each, over its eight rows of 16 bytes.
Passes ldmatrix_wavefronts(const SharedAddresses& rows, int matrices);

// Sectors of 32 bytes that a load, store or copy of `bytes` a lane touches.
Passes global_sectors(const GlobalOffsets& offsets, uint32_t lanes, int bytes);

}  // namespace simulator
