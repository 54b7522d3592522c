// Whether an access can be carried out at all: bounds, alignment, and permission to write.
#pragma once

#include <cstdint>

#include "common/simulator/banks.h"
#include "common/simulator/block.h"
#include "common/simulator/global_memory.h"
#include "common/simulator/instructions.h"
#include "common/simulator/shared_memory.h"
#include "common/simulator/thread.h"

namespace simulator {

// Report why not, and stop the thread.
[[noreturn]] void refuse_shared(Thread& thread, uint32_t offset, int bytes, const CallSite& site, bool exchange);
[[noreturn]] void refuse_global(Thread& thread, const void* address, int bytes, Direction direction,
                                const CallSite& site);

// The offset of `bytes` at `address` from the beginning of dynamic shared memory. `exchange`: by an ordinary load or
// store.
inline uint32_t checked_shared(Thread& thread, uint32_t address, int bytes, const CallSite& site, bool exchange) {
  const uint32_t offset = address - kSharedBase;  // wraps around for addresses below, and is out of bounds
  const bool good = thread.block->shared().contains(offset, bytes) && offset % static_cast<uint32_t>(bytes) == 0;
  if (!good) refuse_shared(thread, offset, bytes, site, exchange);
  return offset;
}

// The buffer that has `bytes` at `address`, and where.
inline GlobalPlace checked_global(Thread& thread, const void* address, int bytes, Direction direction,
                                  const CallSite& site) {
  const GlobalMemory& global = thread.block->global();
  const GlobalPlace place = global.find(address, bytes);
  const bool good = place.buffer >= 0 && place.offset % static_cast<uint64_t>(bytes) == 0 &&
                    (direction == Direction::kLoad || global.buffer(place.buffer).writable);
  if (!good) refuse_global(thread, address, bytes, direction, site);
  return place;
}

}  // namespace simulator
