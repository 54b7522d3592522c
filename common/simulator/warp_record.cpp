#include "common/simulator/warp_record.h"

#include <algorithm>
#include <tuple>

namespace simulator {

RecordedInstruction& WarpRecord::note_other(int lane, InstructionKind kind, int bytes, const CallSite& site) {
  uint32_t& cursor = cursors_[static_cast<std::size_t>(lane)];
  const uint32_t position = cursor & ~kOffTheTrack;
  if (cursor == instructions_.size()) {
    ++cursor;  // the lane executed all that is here, and runs ahead of the others
  } else {
    in_order_ = false;
    cursor = (position + 1) | kOffTheTrack;
    for (RecordedInstruction& instruction : instructions_) {
      if (!matches(instruction, kind, bytes, site) || (instruction.lanes >> lane & 1) != 0) continue;
      instruction.lanes |= 1u << lane;
      if (lane < instruction.lowest_lane) {
        instruction.lowest_lane = lane;
        instruction.position = position;
      }
      return instruction;
    }
  }
  return append({.kind = kind,
                 .bytes = static_cast<uint8_t>(bytes),
                 .site = sites_.id(site),
                 .lanes = 1u << lane,
                 .call_site = site,
                 .lowest_lane = lane,
                 .position = position});
}

RecordedInstruction& WarpRecord::append(RecordedInstruction instruction) {
  if (instruction.bytes > 0) {
    instruction.operands = static_cast<int>(operands_.size());
    operands_.emplace_back();
  }
  instructions_.push_back(instruction);
  return instructions_.back();
}

const std::vector<RecordedInstruction>& WarpRecord::instructions() {
  if (!in_order_) {
    std::stable_sort(instructions_.begin(), instructions_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.position, a.lowest_lane) < std::tie(b.position, b.lowest_lane);
    });
  }
  return instructions_;
}

void WarpRecord::clear() {
  instructions_.clear();
  operands_.clear();
  cursors_.fill(0);
  in_order_ = true;
}

}  // namespace simulator
