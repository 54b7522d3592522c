// The instructions of one warp since its lanes last met.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/banks.h"
#include "common/simulator/instruction_kind.h"
#include "common/simulator/instructions.h"
#include "common/simulator/sites.h"

namespace simulator {

// One instruction of a warp, put together from what its lanes did one after another.
struct RecordedInstruction {
  InstructionKind kind;
  uint8_t bytes;  // that each lane accesses; 0: it is no access
  SiteId site;
  uint32_t lanes = 0;  // a bit for each that executed it
  int operands = -1;   // their place in WarpRecord, for accesses
  CallSite call_site;
  // Of the lowest lane that executed it:
  int lowest_lane;
  uint32_t position;   // instructions of this lane before it
  int64_t group = -1;  // cp.async and commit: the group; wait: the newest group that it collects
};

// Where its lanes access memory. `buffer` is the number of the global buffer.
struct RecordedOperands {
  SharedAddresses shared;
  GlobalOffsets global;
  int buffer;
};

// The lanes run one after another. The n-th time that a lane executes an instruction at a line belongs to the same
// instruction of the warp as the n-th time of the other lanes, whatever else they executed. Lanes that take the same
// path find their instructions in the order in which the first of them left them.
class WarpRecord {
 public:
  explicit WarpRecord(SiteTable& sites) : sites_(sites) {}

  // The running lane executes an instruction. Returns it; valid until the next call.
  RecordedInstruction& note(int lane, InstructionKind kind, int bytes, const CallSite& site) {
    const auto cursor = static_cast<std::size_t>(cursors_[static_cast<std::size_t>(lane)]);
    if (cursor < instructions_.size()) {
      RecordedInstruction& next = instructions_[cursor];
      if (matches(next, kind, bytes, site)) {
        ++cursors_[static_cast<std::size_t>(lane)];
        next.lanes |= 1u << lane;
        if (lane < next.lowest_lane) {
          next.lowest_lane = lane;
          next.position = static_cast<uint32_t>(cursor);
        }
        return next;
      }
    }
    return note_other(lane, kind, bytes, site);
  }

  RecordedOperands& operands(const RecordedInstruction& instruction) {
    return operands_[static_cast<std::size_t>(instruction.operands)];
  }

  bool empty() const { return instructions_.empty(); }
  // In the order of the lowest lane that executed each.
  const std::vector<RecordedInstruction>& instructions();
  void clear();

 private:
  // A lane that executed anything but what the lanes before it did: its instructions are searched for.
  static constexpr uint32_t kOffTheTrack = 1u << 31;

  static bool matches(const RecordedInstruction& instruction, InstructionKind kind, int bytes, const CallSite& site) {
    return instruction.call_site.line == site.line && instruction.call_site.file == site.file &&
           instruction.kind == kind && instruction.bytes == bytes;
  }
  RecordedInstruction& note_other(int lane, InstructionKind kind, int bytes, const CallSite& site);
  RecordedInstruction& append(RecordedInstruction instruction);

  SiteTable& sites_;
  std::vector<RecordedInstruction> instructions_;
  std::vector<RecordedOperands> operands_;
  std::array<uint32_t, kWarpSize> cursors_{};  // for each lane: how many it executed, and kOffTheTrack
  bool in_order_ = true;
};

}  // namespace simulator
