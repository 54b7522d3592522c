#include "common/simulator/warp.h"

#include <algorithm>
#include <cstring>

namespace simulator {
namespace {

// Lane l of an ldmatrix has the l-th word of a matrix: so the lanes' registers, side by side, are its rows.
void load_matrices(WarpRegisters& registers, SharedMemory& shared) {
  for (int row = 0; row < kWarpSize; ++row) {
    const uint32_t address = registers.rows[static_cast<std::size_t>(row)];
    std::memcpy(&registers.matrices[row / 8][row % 8 * 4], shared.at(address), 16);
  }
}

void transpose(uint32_t (&matrix)[kWarpSize]) {
  uint16_t rows[8][8];
  uint16_t columns[8][8];
  std::memcpy(rows, matrix, sizeof(rows));
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) columns[j][i] = rows[i][j];
  }
  std::memcpy(matrix, columns, sizeof(columns));
}

}  // namespace

void execute(InstructionKind instruction, WarpRegisters& registers, SharedMemory& shared, Architecture architecture) {
  switch (instruction) {
    case InstructionKind::kLdmatrix:
      load_matrices(registers, shared);
      break;
    case InstructionKind::kLdmatrixTransposed:
      load_matrices(registers, shared);
      for (auto& matrix : registers.matrices) transpose(matrix);
      break;
    case InstructionKind::kMmaFloat16:
      multiply_accumulate(registers.operands, MatrixType::kFloat16, architecture);
      break;
    case InstructionKind::kMmaBFloat16:
      multiply_accumulate(registers.operands, MatrixType::kBFloat16, architecture);
      break;
    case InstructionKind::kShuffle:
      for (int lane = 0; lane < kWarpSize; ++lane) {
        registers.shuffled[lane] = registers.values[lane ^ registers.lane_masks[lane]];
      }
      break;
    case InstructionKind::kVote:
      registers.any_predicate =
          std::any_of(registers.predicates, registers.predicates + kWarpSize, [](bool predicate) { return predicate; });
      break;
    default:  // __syncwarp moves nothing, and the rest is not warp-wide
      break;
  }
}

}  // namespace simulator
