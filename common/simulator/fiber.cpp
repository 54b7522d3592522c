#include "common/simulator/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace simulator {
namespace {

// Sanitizers put room around every variable.
#if defined(SIMULATOR_ADDRESS_SANITIZER) || defined(SIMULATOR_THREAD_SANITIZER)
constexpr std::size_t kStackBytes = 256 * 1024;
#else
constexpr std::size_t kStackBytes = 64 * 1024;
#endif

// All stacks look alike: without this, the same variable of all threads would lie at the same offset of a page, and the
// 32 lanes of a warp would fight for the few lines of the first-level cache that serve this offset.
std::size_t staggering(int index) { return static_cast<std::size_t>(index % 32) * 320; }

}  // namespace

FiberStacks::FiberStacks(int count) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stride_ = (kStackBytes + page - 1) / page * page + page;
  mapped_bytes_ = stride_ * static_cast<std::size_t>(count);
  void* memory =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  for (int i = 0; i < count; ++i) mprotect(memory_ + stride_ * static_cast<std::size_t>(i), page, PROT_NONE);
}

FiberStacks::~FiberStacks() { munmap(memory_, mapped_bytes_); }

char* FiberStacks::bottom(int index) const {
  return memory_ + stride_ * static_cast<std::size_t>(index + 1) - kStackBytes;
}

char* FiberStacks::top(int index) const {
  return memory_ + stride_ * static_cast<std::size_t>(index + 1) - staggering(index);
}

void Fiber::prepare(const FiberStacks& stacks, int index, void (*body)()) {
  const auto bytes = static_cast<std::size_t>(stacks.top(index) - stacks.bottom(index));
  context_ = boost::context::detail::make_fcontext(stacks.top(index), bytes, &Fiber::start);
  body_ = body;
  sanitizer_.prepare(stacks.bottom(index), bytes);
}

void Fiber::start(boost::context::detail::transfer_t from) {
  remember(from);
  Fiber& before = *static_cast<Fiber*>(from.data);
  Fiber& self = *before.next_;
  self.sanitizer_.begin(before.sanitizer_);
  self.body_();
  std::abort();  // Boost.Context would end the process as if all were well
}

}  // namespace simulator
