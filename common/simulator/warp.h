// The 32 lanes that execute warp-wide instructions together.
#pragma once

#include <cstdint>

#include "common/simulator/banks.h"
#include "common/simulator/instruction_kind.h"
#include "common/simulator/instructions.h"
#include "common/simulator/scheduler.h"
#include "common/simulator/shared_memory.h"
#include "common/simulator/tensor_core.h"
#include "common/simulator/warp_record.h"

namespace simulator {

// Threads that meet: the first to arrive says where, and all must come there. A warp and a block are such groups.
struct Meeting {
  int arrived = 0;
  InstructionKind instruction{};
  CallSite site{};
};

// What the lanes bring to a warp-wide instruction, and take from it. A lane writes and reads its own place alone.
struct WarpRegisters {
  SharedAddresses rows;             // ldmatrix
  uint32_t matrices[4][kWarpSize];  // its result
  MatrixOperands operands;          // mma
  float values[kWarpSize];          // shuffle
  int lane_masks[kWarpSize];
  float shuffled[kWarpSize];   // its result
  bool predicates[kWarpSize];  // vote
  bool any_predicate;          // its result
};

struct Warp {
  explicit Warp(SiteTable& sites) : record(sites) {}

  int index = 0;
  uint32_t epoch = 0;  // raised by each __syncwarp
  Meeting meeting;
  WarpRegisters registers;
  WarpRecord record;
};

// Carries out a warp-wide instruction for all lanes.
void execute(InstructionKind instruction, WarpRegisters& registers, SharedMemory& shared, Architecture architecture);

}  // namespace simulator
