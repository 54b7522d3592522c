// Fibers: every simulated thread has its own stack, and the processor jumps from one to the next without the operating
// system. Boost.Context does the jump; this adds the stacks and remembers where each fiber left off.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "common/simulator/fiber_sanitizer.h"

namespace simulator {

// The stacks of all threads of one block, allocated together and used again for the next block. Below each lies a page
// that may not be touched: a kernel that needs more stack stops there instead of writing into its neighbour.
class FiberStacks {
 public:
  explicit FiberStacks(int count);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  // The lowest usable address of a stack, and where it begins: stacks grow downwards.
  char* bottom(int index) const;
  char* top(int index) const;

 private:
  std::size_t stride_;  // from one stack to the next, with the guard page
  std::size_t mapped_bytes_;
  char* memory_;
};

// Where a fiber goes on, while another one runs.
class Fiber {
 public:
  // Makes `body` run on stack `index` at the first switch to this fiber. `body` must never return: it ends by a switch
  // to a fiber that does not switch back.
  void prepare(const FiberStacks& stacks, int index, void (*body)());

  // Leaves this fiber, the one that is running, and goes on in `next`. Returns when some fiber switches back to this.
  void switch_to(Fiber& next) {
    next_ = &next;
    sanitizer_.leave(next.sanitizer_);
    remember(boost::context::detail::jump_fcontext(next.context_, this));
    sanitizer_.come_back();
  }

 private:
  // `from` tells a fiber that begins to run which one ran before, and where that one stopped.
  static void remember(boost::context::detail::transfer_t from) {
    static_cast<Fiber*>(from.data)->context_ = from.fctx;
  }
  static void start(boost::context::detail::transfer_t from);

  boost::context::detail::fcontext_t context_ = nullptr;
  Fiber* next_ = nullptr;
  void (*body_)() = nullptr;
  [[no_unique_address]] FiberSanitizer sanitizer_;
};

}  // namespace simulator
