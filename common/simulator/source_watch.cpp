#include "common/simulator/source_watch.h"

#include <algorithm>
#include <tuple>

namespace simulator {

void SourceWatch::begin_block() {
  copies_.clear();
  unsettled_.clear();
  writes_.clear();
}

SourceWatch::Id SourceWatch::issue_copy(int buffer, uint64_t offset, int bytes, const Moment& moment, SiteId site) {
  if (!buffers_[static_cast<std::size_t>(buffer)].writable) return kNotWatched;
  Access access{
      .kind = AccessKind::kCopy, .site = site, .words = 0, .exchange = false, .begin = moment, .pending = true};
  copies_.push_back({buffer, offset, bytes, access});
  unsettled_.push_back(static_cast<Id>(copies_.size() - 1));
  return unsettled_.back();
}

void SourceWatch::complete_copy(Id copy, const Moment& moment) {
  if (copy == kNotWatched) return;
  copies_[copy].access.pending = false;
  copies_[copy].access.end = moment;
}

void SourceWatch::write(int buffer, uint64_t offset, int bytes, const Moment& moment, SiteId site) {
  Access access{.kind = AccessKind::kWrite, .site = site, .words = 0, .exchange = true, .begin = moment};
  writes_.push_back({buffer, offset, bytes, access});
}

void SourceWatch::close_epoch() {
  const auto key = [](const GlobalAccess& write) {
    return std::tuple(write.buffer, write.offset, write.access.begin.step, write.access.begin.thread);
  };
  if (!unsettled_.empty() && !writes_.empty()) {
    std::sort(writes_.begin(), writes_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    // By what the program says, not by the order of execution.
    std::sort(unsettled_.begin(), unsettled_.end(), [&](Id a, Id b) { return key(copies_[a]) < key(copies_[b]); });
    for (const Id copy : unsettled_) judge_copy(copies_[copy]);
  }
  std::erase_if(unsettled_, [&](Id copy) { return !copies_[copy].access.pending; });
  for (const Id copy : unsettled_) copies_[copy].access.carried = true;
  writes_.clear();
}

void SourceWatch::judge_copy(const GlobalAccess& copy) {
  constexpr uint64_t kLongestWrite = 16;
  const uint64_t from = copy.offset < kLongestWrite ? 0 : copy.offset - kLongestWrite + 1;
  const uint64_t end = copy.offset + static_cast<uint64_t>(copy.bytes);
  const auto first = std::lower_bound(
      writes_.begin(), writes_.end(), std::tuple(copy.buffer, from),
      [](const GlobalAccess& write, const auto& place) { return std::tuple(write.buffer, write.offset) < place; });
  for (auto write = first; write != writes_.end() && write->buffer == copy.buffer && write->offset < end; ++write) {
    if (write->offset + static_cast<uint64_t>(write->bytes) <= copy.offset) continue;
    if (!judge(copy.access, write->access)) continue;
    hazards_.report({.kind = HazardKind::kSourceModified,
                     .site = sites_.site(write->access.site),
                     .other_site = sites_.site(copy.access.site),
                     .count = std::max(1, std::min(copy.bytes, write->bytes) / 4),
                     .thread = write->access.begin.thread,
                     .other_thread = copy.access.begin.thread,
                     .tensor = buffers_[static_cast<std::size_t>(copy.buffer)].name});
  }
}

}  // namespace simulator
