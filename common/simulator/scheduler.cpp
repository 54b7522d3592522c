#include "common/simulator/scheduler.h"

namespace simulator {

Scheduler::Scheduler(int threads, std::optional<uint64_t> seed)
    : ready_(static_cast<std::size_t>(threads / kWarpSize)), seed_(seed) {}

void Scheduler::begin_block(int64_t block) {
  for (uint32_t& lanes : ready_) lanes = ~0u;
  if (seed_) random_.seed(*seed_ + 0x9e3779b97f4a7c15u * static_cast<uint64_t>(block));
}

int Scheduler::take_from_other_warp(int warp) {
  const int warps = static_cast<int>(ready_.size());
  for (int step = 1; step < warps; ++step) {
    const int other = (warp + step) % warps;
    if (ready_[static_cast<std::size_t>(other)] != 0) return take_from(other, 0);
  }
  return kNone;
}

int Scheduler::take_shuffled() {
  const auto warps = static_cast<uint64_t>(ready_.size());
  const uint64_t random = random_();
  const uint64_t first = random % warps;
  for (uint64_t step = 0; step < warps; ++step) {
    const uint64_t warp = (first + step) % warps;
    if (ready_[warp] != 0) return take_from(static_cast<int>(warp), static_cast<int>(random >> 59));
  }
  return kNone;
}

}  // namespace simulator
