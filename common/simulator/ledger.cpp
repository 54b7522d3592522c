#include "common/simulator/ledger.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace simulator {

Ledger::Ledger(uint32_t shared_bytes, const SharedMap& map, const SiteTable& sites, HazardLog& hazards)
    : map_(map),
      sites_(sites),
      hazards_(hazards),
      cells_((shared_bytes + kCellBytes - 1) / kCellBytes),
      suspects_(cells_.size() / 64 + 1) {}

void Ledger::begin_block() {
  std::fill(cells_.begin(), cells_.end(), Cell{});
  entries_.clear();
  std::fill(suspects_.begin(), suspects_.end(), 0);
  copies_.clear();
  free_copies_.clear();
  epoch_ = 1;
}

CopyId Ledger::issue_copy(uint32_t offset, int bytes, const Moment& moment, SiteId site) {
  CopyId copy = static_cast<CopyId>(copies_.size());
  if (free_copies_.empty()) {
    copies_.emplace_back();
  } else {
    copy = free_copies_.back();
    free_copies_.pop_back();
  }
  copies_[copy] = {true, {}};
  Cell& cell = cells_[offset / kCellBytes];
  note(cell, AccessKind::kCopy, word_bits(offset, bytes), moment, site, false, copy);
  suspect(cell);
  return copy;
}

void Ledger::close_epoch() {
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    for (uint64_t bits = std::exchange(suspects_[i], 0); bits != 0; bits &= bits - 1) {
      const auto number = static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(bits));
      const Entry& latest = entries_[cells_[number].latest];
      if (latest.before != kNone || latest.kind == AccessKind::kRead) judge_cell(number);
      settle(number);
    }
  }
  entries_.clear();
  ++epoch_;
  for (const auto& [number, entry] : carried_) {
    Cell& cell = cells_[number];
    note(cell, entry.kind, entry.words, entry.moment, entry.site, entry.exchange, entry.copy);
    entries_.back().carried = true;
    suspect(cell);
  }
  carried_.clear();
}

// What was written becomes valid, and what is still pending goes on into the next epoch.
void Ledger::settle(uint32_t number) {
  Cell& cell = cells_[number];
  for (uint32_t i = cell.latest; i != kNone; i = entries_[i].before) {
    const Entry& entry = entries_[i];
    if (entry.kind == AccessKind::kRead) continue;
    if (entry.kind == AccessKind::kCopy) {
      if (copies_[entry.copy].pending) {
        carried_.emplace_back(number, entry);
        continue;
      }
      free_copies_.push_back(entry.copy);
    }
    cell.valid |= entry.words;
  }
}

void Ledger::gather(const Cell& cell) {
  accesses_.clear();
  for (uint32_t i = cell.latest; i != kNone; i = entries_[i].before) {
    const Entry& entry = entries_[i];
    Access access{.kind = entry.kind,
                  .site = entry.site,
                  .words = entry.words,
                  .exchange = entry.exchange,
                  .begin = entry.moment,
                  .carried = entry.carried};
    if (entry.kind == AccessKind::kCopy) {
      access.pending = copies_[entry.copy].pending;
      access.end = copies_[entry.copy].end;
    }
    accesses_.push_back(access);
  }
  // By what the program says, not by the order of execution.
  std::stable_sort(accesses_.begin(), accesses_.end(), [](const Access& a, const Access& b) {
    return std::tuple(!a.carried, a.begin.step, a.begin.thread) < std::tuple(!b.carried, b.begin.step, b.begin.thread);
  });
}

void Ledger::judge_cell(uint32_t number) {
  gather(cells_[number]);
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (access.kind == AccessKind::kRead) {
      judge_read(number, access);
      continue;
    }
    for (std::size_t j = 0; j < accesses_.size(); ++j) {
      const Access& other = accesses_[j];
      // Each pair once: a write meets all reads, and the writes after it.
      if ((other.kind != AccessKind::kRead && j <= i) || (access.words & other.words) == 0) continue;
      const auto collision = judge(access, other);
      if (!collision) continue;
      report(collision->kind, number, access.words & other.words, *collision->access, collision->other);
    }
  }
}

// Words are uninitialised if nothing wrote them in earlier epochs, and in this one nothing but what is ordered after
// the read. A write that is not ordered at all is reported as the race it is.
void Ledger::judge_read(uint32_t number, const Access& read) {
  auto missing = static_cast<uint8_t>(read.words & ~cells_[number].valid);
  if (missing == 0) return;
  for (const Access& other : accesses_) {
    if (other.kind != AccessKind::kRead && !is_before(read, other)) missing &= static_cast<uint8_t>(~other.words);
  }
  if (missing != 0) report(HazardKind::kUninitializedRead, number, missing, read, nullptr);
}

void Ledger::report(HazardKind kind, uint32_t number, uint8_t words, const Access& access, const Access* other) {
  const Place place =
      map_.locate(number * kCellBytes + 4 * static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(words))));
  Occurrence occurrence{.kind = kind,
                        .site = sites_.site(access.site),
                        .count = std::popcount(words),
                        .thread = access.begin.thread,
                        .tensor = map_.tensor(place.region, access.exchange),
                        .row = place.row,
                        .column_bytes = place.column_bytes};
  if (other != nullptr) {
    occurrence.other_site = sites_.site(other->site);
    occurrence.other_thread = other->begin.thread;
  }
  hazards_.report(occurrence);
}

}  // namespace simulator
