#include "common/simulator/checks.h"

#include <string>

namespace simulator {
namespace {

std::string text(int bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

void refuse_shared(Thread& thread, uint32_t offset, int bytes, const CallSite& site, bool exchange) {
  const SharedMemory& shared = thread.block->shared();
  const SharedMap& map = thread.block->instruments().map;
  Fault fault{.kind = shared.contains(offset, bytes) ? HazardKind::kMisaligned : HazardKind::kOutOfBounds,
              .site = site,
              .detail = "accesses " + text(bytes) + " at ",
              .tensor = {},
              .place = map.locate(offset)};
  fault.tensor = map.tensor(fault.place.region, exchange);
  if (offset + kSharedBase < kSharedBase) {
    fault.detail += "shared address " + std::to_string(offset + kSharedBase) + ", below the dynamic allocation";
  } else {
    fault.detail += "byte " + std::to_string(offset) + " of shared memory";
  }
  fault.detail += fault.kind == HazardKind::kMisaligned ? ", not a multiple of " + std::to_string(bytes)
                                                        : ", which has " + text(static_cast<int>(shared.bytes()));
  Block::stop(thread, fault);
}

void refuse_global(Thread& thread, const void* address, int bytes, Direction direction, const CallSite& site) {
  const GlobalMemory& global = thread.block->global();
  const GlobalPlace place = global.find(address, bytes);
  const std::string verb = direction == Direction::kStore ? "writes " : "reads ";
  Fault fault{.kind = HazardKind::kOutOfBounds, .site = site, .detail = {}, .tensor = {}, .place = {}};
  if (place.buffer < 0) {
    fault.detail = verb + text(bytes) + " of global memory " + global.describe(address);
    Block::stop(thread, fault);
  }
  fault.tensor = global.buffer(place.buffer).name;
  if (direction == Direction::kStore && !global.buffer(place.buffer).writable) {
    fault.detail = "writes to " + fault.tensor + ", which is read-only";
    Block::stop(thread, fault);
  }
  fault.kind = HazardKind::kMisaligned;
  fault.detail = verb + text(bytes) + " at byte " + std::to_string(place.offset) + " of " + fault.tensor +
                 ", not a multiple of " + std::to_string(bytes);
  Block::stop(thread, fault);
}

}  // namespace simulator
