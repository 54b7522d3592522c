#include "common/simulator/instruments.h"

#include <bit>
#include <string>

namespace simulator {
namespace {

// The names of events that do not depend on a tensor, and the first words of those that do.
std::string event(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::kCpAsyncCommit:
      return "commit";
    case InstructionKind::kCpAsyncWait:
      return "wait";
    case InstructionKind::kSyncThreads:
      return "barrier";
    case InstructionKind::kCpAsync:
      return "cp.async";
    default:
      return family_name(kind);
  }
}

bool is_exchange(InstructionKind kind) {
  return kind == InstructionKind::kSharedLoad || kind == InstructionKind::kSharedStore;
}

}  // namespace

Instruments::Instruments(const LaunchConfiguration& configuration)
    : map(configuration.shared_regions),
      ledger(configuration.shared_bytes, map, sites, hazards),
      sources(configuration.global_buffers, sites, hazards),
      configuration_(configuration),
      counters_(map.count(), static_cast<int>(configuration.global_buffers.size())) {}

void Instruments::begin_block(int64_t number, std::array<int, 3> index) {
  hazards.begin_block(number, index);
  ledger.begin_block();
  sources.begin_block();
  tracing_ = number == 0 && configuration_.trace;
  keeping_ = number == 0 && configuration_.keep_accesses;
  if (tracing_) trace_.emplace(configuration_.threads / kWarpSize);
}

void Instruments::collect(int warp, WarpRecord& record) {
  if (record.empty()) return;
  for (const RecordedInstruction& instruction : record.instructions()) {
    counters_.add_instruction(instruction.kind);
    const RecordedOperands* operands = instruction.operands >= 0 ? &record.operands(instruction) : nullptr;
    if (operands != nullptr) {
      count_access(instruction, *operands);
      if (keeping_ && (instruction.kind == InstructionKind::kCpAsync || is_exchange(instruction.kind))) {
        keep(warp, instruction.kind, operands->shared, instruction.lanes, instruction.bytes, instruction.call_site);
      }
    }
    if (tracing_) {
      const bool wait = instruction.kind == InstructionKind::kCpAsyncWait;
      trace_->add(warp, event_name(instruction, operands), instruction.call_site, wait ? instruction.group : -1,
                  wait ? -1 : instruction.group);
    }
  }
  record.clear();
}

void Instruments::count_access(const RecordedInstruction& instruction, const RecordedOperands& operands) {
  const InstructionKind kind = instruction.kind;
  const bool copy = kind == InstructionKind::kCpAsync;
  if (copy || is_exchange(kind)) {
    const Direction direction = kind == InstructionKind::kSharedLoad ? Direction::kLoad : Direction::kStore;
    const uint32_t first = operands.shared[static_cast<std::size_t>(instruction.lowest_lane)];
    counters_.add_shared(kind, map.region(first),
                         shared_wavefronts(operands.shared, instruction.lanes, instruction.bytes, direction));
  }
  if (copy || !is_exchange(kind)) {
    counters_.add_global(kind, operands.buffer, global_sectors(operands.global, instruction.lanes, instruction.bytes),
                         std::popcount(instruction.lanes) * instruction.bytes);
  }
}

void Instruments::count(int warp, InstructionKind kind, const CallSite& site) {
  counters_.add_instruction(kind);
  if (tracing_) trace_->add(warp, event(kind), site, -1, -1);
}

void Instruments::count_ldmatrix(int warp, InstructionKind kind, const SharedAddresses& rows, const CallSite& site) {
  const int region = map.region(rows[0]);
  counters_.add_instruction(kind);
  counters_.add_shared(kind, region, ldmatrix_wavefronts(rows, 4));
  if (tracing_) trace_->add(warp, event(kind) + " " + map.tensor(region, false), site, -1, -1);
  if (keeping_) keep(warp, kind, rows, ~0u, 16, site);
}

void Instruments::close_epoch() {
  ledger.close_epoch();
  sources.close_epoch();
}

void Instruments::add_to(Report& report) const {
  counters_.add_to(report, map, configuration_.global_buffers);
  if (trace_) report.trace = trace_->events();
  report.accesses.insert(report.accesses.end(), accesses_.begin(), accesses_.end());
}

void Instruments::keep(int warp, InstructionKind kind, const SharedAddresses& addresses, uint32_t lanes, int bytes,
                       const CallSite& site) {
  if (warp != 0) return;
  const int region = map.region(addresses[static_cast<std::size_t>(std::countr_zero(lanes))]);
  accesses_.push_back({family_name(kind), map.tensor(region, is_exchange(kind)), site, bytes, lanes, addresses});
}

std::string Instruments::event_name(const RecordedInstruction& instruction, const RecordedOperands* operands) const {
  std::string name = event(instruction.kind);
  if (operands == nullptr) return name;
  if (instruction.kind == InstructionKind::kCpAsync || is_exchange(instruction.kind)) {
    const int region = map.region(operands->shared[static_cast<std::size_t>(instruction.lowest_lane)]);
    return name + " " + map.tensor(region, is_exchange(instruction.kind));
  }
  return name + " " + configuration_.global_buffers[static_cast<std::size_t>(operands->buffer)].name;
}

}  // namespace simulator
