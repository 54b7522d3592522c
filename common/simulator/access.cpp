#include "common/simulator/access.h"

#include <tuple>

#include "common/simulator/scheduler.h"

namespace simulator {
namespace {

bool is_ordered(const Moment& first, const Moment& second) {
  if (first.thread == second.thread) return first.step < second.step;
  return first.thread / kWarpSize == second.thread / kWarpSize && first.warp_epoch < second.warp_epoch;
}

// Whether `first` is earlier in lock-step.
bool is_earlier(const Moment& first, const Moment& second) {
  if (is_ordered(first, second)) return true;
  if (is_ordered(second, first)) return false;
  return first.step < second.step;
}

// In lock-step; of two in the same step a write comes before a read.
bool begins_earlier(const Access& a, const Access& b) {
  if (a.carried != b.carried) return a.carried;
  if (is_earlier(a.begin, b.begin)) return true;
  if (is_earlier(b.begin, a.begin)) return false;
  const bool a_reads = a.kind == AccessKind::kRead;
  const bool b_reads = b.kind == AccessKind::kRead;
  return std::tie(a_reads, a.begin.thread) < std::tie(b_reads, b.begin.thread);
}

// `second` begins after `copy` in lock-step.
Collision collide_with_copy(const Access& copy, const Access& second) {
  const bool under_way = copy.pending || is_earlier(second.begin, copy.end);
  if (second.kind == AccessKind::kRead) {
    return {under_way ? HazardKind::kReadBeforeWait : HazardKind::kReadBeforeBarrier, &second, &copy};
  }
  return {under_way ? HazardKind::kWriteBeforeWait : HazardKind::kWriteWriteRace, &second, &copy};
}

}  // namespace

bool is_before(const Access& a, const Access& b) {
  if (b.carried) return false;
  if (a.kind == AccessKind::kCopy) return !a.pending && is_ordered(a.end, b.begin);
  return is_ordered(a.begin, b.begin);
}

std::optional<Collision> judge(const Access& a, const Access& b) {
  if (a.kind == AccessKind::kRead && b.kind == AccessKind::kRead) return std::nullopt;
  if (is_before(a, b) || is_before(b, a)) return std::nullopt;
  if (a.carried && b.carried) return std::nullopt;  // found when the second was issued
  const bool a_first = begins_earlier(a, b);
  const Access& first = a_first ? a : b;
  const Access& second = a_first ? b : a;
  if (first.kind == AccessKind::kCopy) return collide_with_copy(first, second);
  if (first.kind == AccessKind::kRead) return Collision{HazardKind::kOverwriteWhileRead, &second, &first};
  if (second.kind == AccessKind::kRead) return Collision{HazardKind::kReadBeforeBarrier, &second, &first};
  return Collision{HazardKind::kWriteWriteRace, &second, &first};
}

}  // namespace simulator
