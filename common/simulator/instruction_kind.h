// The instructions that the simulator tells apart.
#pragma once

#include <cstdint>

namespace simulator {

enum class InstructionKind : uint8_t {
  kCpAsync,
  kCpAsyncCommit,
  kCpAsyncWait,
  kSharedLoad,
  kSharedStore,
  kGlobalLoad,
  kGlobalStore,
  kExp2,
  kPack,
  kLdmatrix,
  kLdmatrixTransposed,
  kMmaFloat16,
  kMmaBFloat16,
  kShuffle,
  kVote,
  kSyncWarp,
  kSyncThreads,
};

inline constexpr int kInstructionKinds = static_cast<int>(InstructionKind::kSyncThreads) + 1;

// Instructions that PTX calls .aligned: all lanes must be at the same one. Of the others, the same kind is enough.
constexpr bool is_aligned(InstructionKind kind) {
  return kind == InstructionKind::kLdmatrix || kind == InstructionKind::kLdmatrixTransposed ||
         kind == InstructionKind::kMmaFloat16 || kind == InstructionKind::kMmaBFloat16;
}

// The name in Report::instructions and, for those that access memory, the family of the counts: "ldmatrix" of both
// kinds of it.
const char* family_name(InstructionKind kind);
// As PTX and CUDA write it, for people: "cp.async", "ldmatrix", "__syncthreads".
const char* instruction_name(InstructionKind kind);

}  // namespace simulator
