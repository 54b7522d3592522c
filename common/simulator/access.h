// Two accesses to the same bytes, and whether anything orders them.
//
// The order in which the simulator happens to run the threads must not decide whether a race is found. So accesses are
// only written down while the block runs, and judged when it passes a barrier (ledger.h): all accesses of one epoch,
// that is between two barriers of the block, are then known. Within an epoch two accesses are ordered if
//   - the same thread made them, or
//   - they come from one warp, and a __syncwarp lies between them: then they are in different warp epochs.
// A cp.async is pending from its issue to the wait of its thread that collects it, perhaps epochs later. In between it
// may write at any time; the wait makes it a write of that thread, at the time of the wait.
//
// Accesses that collide without order are described in the order that their threads would have had in lock-step: by the
// number of memory and synchronisation instructions since the barrier. So what is said about a race does not depend on
// the order of execution either.
#pragma once

#include <cstdint>
#include <optional>

#include "common/simulator/launch.h"
#include "common/simulator/sites.h"

namespace simulator {

// Who did something, and when within the epoch.
struct Moment {
  uint16_t thread;
  uint32_t warp_epoch;
  uint32_t step;  // memory and synchronisation instructions of the thread since the barrier
};

enum class AccessKind : uint8_t { kRead, kWrite, kCopy };

struct Access {
  AccessKind kind;
  SiteId site;
  uint8_t words;  // of the 16 bytes that it lies in: a bit for each word of 4
  bool exchange;  // by an ordinary load or store: see SharedRegion::exchange_name
  Moment begin;   // of a copy: its issue
  // Of copies alone:
  bool carried = false;  // issued in an earlier epoch: before everything in this one
  bool pending = false;  // not yet waited for: after everything in this epoch
  Moment end{};          // the wait, if it is not pending
};

// A hazard between two accesses: `access` completed it, `other` was there before in lock-step.
struct Collision {
  HazardKind kind;
  const Access* access;
  const Access* other;
};

// Judges two accesses of one epoch that have bytes in common. Empty if nothing is wrong with them.
std::optional<Collision> judge(const Access& a, const Access& b);

// Whether all of `a` is ordered before the beginning of `b`, in one epoch.
bool is_before(const Access& a, const Access& b);

}  // namespace simulator
