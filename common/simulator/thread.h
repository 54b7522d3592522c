// The state of one simulated thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/simulator/access.h"
#include "common/simulator/async_copies.h"
#include "common/simulator/fiber.h"
#include "common/simulator/instruction_kind.h"
#include "common/simulator/instructions.h"
#include "common/simulator/launch.h"
#include "common/simulator/shared_map.h"

namespace simulator {

class Block;
struct Warp;

enum class ThreadState : uint8_t {
  kRunning,  // or ready to
  kWaiting,  // at a warp-wide instruction or a barrier
  kExited,
  kStopped,  // by an access that cannot be carried out, or an exception
};

// Why a thread was stopped.
struct Fault {
  HazardKind kind;
  CallSite site;
  std::string detail;  // goes on from "thread 3 at kernel.cuh:12 "
  std::string tensor;
  Place place;
};

// What a switch to another thread needs comes first, and shares as few lines of the cache as can be.
struct alignas(64) Thread {
  Fiber fiber;
  Block* block = nullptr;
  Warp* warp = nullptr;
  int index = 0;      // in the block
  int lane = 0;       // in the warp
  uint32_t step = 0;  // memory and synchronisation instructions since the block's last barrier
  ThreadState state = ThreadState::kRunning;
  InstructionKind waits_at{};  // while it waits, and at which line
  CallSite wait_site{};
  AsyncCopies copies;
  std::unique_ptr<Fault> fault;
};

}  // namespace simulator
