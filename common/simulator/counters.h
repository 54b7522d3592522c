// What is counted, while it is counted. One for each worker; their sums are in the report.
#pragma once

#include <array>
#include <vector>

#include "common/simulator/banks.h"
#include "common/simulator/instruction_kind.h"
#include "common/simulator/launch.h"
#include "common/simulator/shared_map.h"

namespace simulator {

class Counters {
 public:
  Counters(int regions, int buffers) : shared_(place(regions)), global_(static_cast<std::size_t>(buffers)) {}

  void add_instruction(InstructionKind kind) { ++instructions_[index(kind)]; }
  // `region` is -1 outside all regions.
  void add_shared(InstructionKind kind, int region, const Passes& passes) {
    SharedCounts& counts = shared_[place(region)][index(kind)];
    ++counts.requests;
    counts.wavefronts += passes.taken;
    counts.ideal_wavefronts += passes.ideal;
  }
  void add_global(InstructionKind kind, int buffer, const Passes& passes, int bytes) {
    GlobalCounts& counts = global_[static_cast<std::size_t>(buffer)][index(kind)];
    ++counts.requests;
    counts.sectors += passes.taken;
    counts.ideal_sectors += passes.ideal;
    counts.bytes += bytes;
  }

  // Adds all counts to those of the report.
  void add_to(Report& report, const SharedMap& map, const std::vector<GlobalBuffer>& buffers) const;

 private:
  static std::size_t index(InstructionKind kind) { return static_cast<std::size_t>(kind); }
  // In shared_: the first is for accesses outside all regions.
  static std::size_t place(int region) { return static_cast<std::size_t>(region) + 1; }

  std::array<int64_t, kInstructionKinds> instructions_{};
  std::vector<std::array<SharedCounts, kInstructionKinds>> shared_;  // by place(region)
  std::vector<std::array<GlobalCounts, kInstructionKinds>> global_;  // by buffer
};

}  // namespace simulator
