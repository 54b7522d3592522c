// Which thread of the block runs next.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace simulator {

inline constexpr int kWarpSize = 32;

// The threads that could go on. A right kernel gives the same results whatever the order; a seed shuffles it, so that
// tests can show this.
class Scheduler {
 public:
  static constexpr int kNone = -1;

  Scheduler(int threads, std::optional<uint64_t> seed);

  // Before each block: all threads are ready. The order depends on the seed and the block's number alone.
  void begin_block(int64_t block);

  void make_ready(int warp, uint32_t lanes) { ready_[static_cast<std::size_t>(warp)] |= lanes; }
  // Takes a ready thread out and returns it; kNone if nobody can go on. Without a seed it is the next lane of the same
  // warp, if there is one: a warp runs on until all its lanes wait.
  int take(int after_thread) {
    const auto warp = static_cast<unsigned>(after_thread) / kWarpSize;
    if (!seed_ && ready_[warp] != 0) [[likely]]
      return take_from(static_cast<int>(warp), after_thread % kWarpSize);
    return seed_ ? take_shuffled() : take_from_other_warp(static_cast<int>(warp));
  }

 private:
  int take_shuffled();
  int take_from_other_warp(int warp);
  // The first ready lane of the warp from `first_lane` on, around the warp.
  int take_from(int warp, int first_lane) {
    uint32_t& lanes = ready_[static_cast<std::size_t>(warp)];
    const int lane = (first_lane + std::countr_zero(std::rotr(lanes, first_lane))) % kWarpSize;
    lanes &= ~(1u << lane);
    return warp * kWarpSize + lane;
  }

  std::vector<uint32_t> ready_;  // a bit for each lane of each warp
  std::optional<uint64_t> seed_;
  std::mt19937_64 random_;
};

}  // namespace simulator
