// One thread block in execution: its threads, its shared memory, and where its threads meet.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "common/simulator/fiber.h"
#include "common/simulator/global_memory.h"
#include "common/simulator/instruments.h"
#include "common/simulator/launch.h"
#include "common/simulator/scheduler.h"
#include "common/simulator/shared_memory.h"
#include "common/simulator/thread.h"
#include "common/simulator/warp.h"

namespace simulator {

// Runs blocks of one launch, one after another, on the operating system's thread that calls it.
class Block {
 public:
  Block(const LaunchConfiguration& configuration, const std::function<void()>& thread_body, Instruments& instruments);

  // Runs all threads of one block to their end, or gives the block up. Throws what a thread's body throws.
  void run(int64_t number, std::array<int, 3> index);

  // The thread that is running, of the block that is running on this thread of the operating system.
  static Thread& current() { return *current_thread; }
  static bool is_running() { return current_thread != nullptr; }

  int index(int axis) const { return index_[static_cast<std::size_t>(axis)]; }
  SharedMemory& shared() { return shared_; }
  const GlobalMemory& global() const { return global_; }
  Instruments& instruments() { return instruments_; }

  // The running thread comes to a warp-wide instruction, or to the block's barrier. Returns when it is carried out.
  void meet_warp(Thread& thread, InstructionKind instruction, const CallSite& site);
  void meet_block(Thread& thread, const CallSite& site);

  // Ends the running thread, which did something that cannot be carried out.
  [[noreturn]] static void stop(Thread& thread, Fault fault);

 private:
  static void thread_main();
  void prepare(int64_t number, std::array<int, 3> index);
  void suspend(Thread& thread);
  [[noreturn]] static void leave();
  void finish(Thread& thread, ThreadState state);
  void carry_out(Warp& warp);
  void release_block();
  void conclude();
  void unwind();
  Thread& thread(int warp, int lane) {
    return threads_[static_cast<std::size_t>(warp) * kWarpSize + static_cast<std::size_t>(lane)];
  }

  const LaunchConfiguration& configuration_;
  const std::function<void()>& thread_body_;
  Instruments& instruments_;
  GlobalMemory global_;
  SharedMemory shared_;
  FiberStacks stacks_;
  Scheduler scheduler_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;

  // Of the block that is running:
  std::array<int, 3> index_{};
  Meeting meeting_;
  int alive_ = 0;  // threads that neither exited nor were stopped
  int stopped_ = 0;
  bool unwinding_ = false;
  std::exception_ptr exception_;
  Fiber main_;

  static constinit thread_local Thread* current_thread;
};

// The two functions below are executed by every lane at every warp-wide instruction. They are inlined because the
// returns after a switch are slow: the processor expects them to lead to where the thread before was called from. So as
// few functions as possible shall lie between the kernel and the switch.

// Lets others run until this thread is ready again.
[[gnu::always_inline]] inline void Block::suspend(Thread& thread) {
  const int next = scheduler_.take(thread.index);
  if (next == thread.index) return;
  if (next == Scheduler::kNone) {
    thread.fiber.switch_to(main_);
  } else {
    current_thread = &threads_[static_cast<std::size_t>(next)];
    thread.fiber.switch_to(current_thread->fiber);
  }
  if (unwinding_) leave();
}

[[gnu::always_inline]] inline void Block::meet_warp(Thread& thread, InstructionKind instruction, const CallSite& site) {
  Warp& warp = *thread.warp;
  Meeting& meeting = warp.meeting;
  thread.waits_at = instruction;
  thread.wait_site = site;
  ++thread.step;
  if (meeting.arrived == 0) meeting = {0, instruction, site};
  // A lane that comes to another instruction waits in vain, and so do the others.
  if (meeting.instruction == instruction && (!is_aligned(instruction) || same_site(meeting.site, site))) {
    if (++meeting.arrived == kWarpSize) {
      carry_out(warp);
      meeting.arrived = 0;
      scheduler_.make_ready(warp.index, ~(1u << thread.lane));
      return;
    }
  }
  thread.state = ThreadState::kWaiting;
  suspend(thread);
  thread.state = ThreadState::kRunning;
}

}  // namespace simulator
