// Who touched which bytes of shared memory in the current epoch. Written while the block runs, judged at its barriers:
// see access.h for what is right and wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/access.h"
#include "common/simulator/hazard_log.h"
#include "common/simulator/shared_map.h"
#include "common/simulator/sites.h"

namespace simulator {

using CopyId = uint32_t;

// Offsets count from the beginning of dynamic shared memory. Accesses are aligned to their size of at most 16 bytes, so
// that each lies in one cell of 16 bytes.
class Ledger {
 public:
  Ledger(uint32_t shared_bytes, const SharedMap& map, const SiteTable& sites, HazardLog& hazards);

  void begin_block();

  void read(uint32_t offset, int bytes, const Moment& moment, SiteId site, bool exchange) {
    Cell& cell = cells_[offset / kCellBytes];
    const uint8_t words = word_bits(offset, bytes);
    note(cell, AccessKind::kRead, words, moment, site, exchange, 0);
    if ((words & ~cell.valid) != 0) suspect(cell);
  }
  void write(uint32_t offset, int bytes, const Moment& moment, SiteId site, bool exchange) {
    Cell& cell = cells_[offset / kCellBytes];
    note(cell, AccessKind::kWrite, word_bits(offset, bytes), moment, site, exchange, 0);
    suspect(cell);
  }
  CopyId issue_copy(uint32_t offset, int bytes, const Moment& moment, SiteId site);
  void complete_copy(CopyId copy, const Moment& moment) { copies_[copy] = {false, moment}; }

  // All threads have come to a barrier of the block, or to their end: reports what went wrong since the last one.
  void close_epoch();

 private:
  static constexpr uint32_t kCellBytes = 16;
  static constexpr uint32_t kNone = ~0u;

  struct Cell {
    uint32_t epoch = 0;   // of its latest access
    uint32_t latest = 0;  // that access
    uint8_t valid = 0;    // words that were written before this epoch
  };
  // Access in fewer bytes. Those of a cell are linked, the latest first.
  struct Entry {
    uint32_t before;
    Moment moment;
    CopyId copy;
    SiteId site;
    AccessKind kind;
    uint8_t words;
    bool exchange;
    bool carried;
  };
  struct Copy {
    bool pending;
    Moment end;
  };

  static uint8_t word_bits(uint32_t offset, int bytes) {
    const uint32_t first = offset % kCellBytes / 4;
    const uint32_t last = (offset % kCellBytes + static_cast<uint32_t>(bytes) - 1) / 4;
    return static_cast<uint8_t>((2u << last) - (1u << first));
  }
  void note(Cell& cell, AccessKind kind, uint8_t words, const Moment& moment, SiteId site, bool exchange, CopyId copy) {
    const uint32_t before = cell.epoch == epoch_ ? cell.latest : kNone;
    cell.epoch = epoch_;
    cell.latest = static_cast<uint32_t>(entries_.size());
    entries_.push_back({before, moment, copy, site, kind, words, exchange, false});
  }
  // More than reads of valid words happened to the cell in this epoch.
  void suspect(const Cell& cell) {
    const auto number = static_cast<std::size_t>(&cell - cells_.data());
    suspects_[number / 64] |= uint64_t{1} << number % 64;
  }

  void gather(const Cell& cell);
  void judge_cell(uint32_t number);
  void judge_read(uint32_t number, const Access& read);
  void settle(uint32_t number);
  void report(HazardKind kind, uint32_t number, uint8_t words, const Access& access, const Access* other);

  const SharedMap& map_;
  const SiteTable& sites_;
  HazardLog& hazards_;
  std::vector<Cell> cells_;
  std::vector<Entry> entries_;      // of this epoch
  std::vector<uint64_t> suspects_;  // a bit for each cell
  std::vector<Copy> copies_;
  std::vector<CopyId> free_copies_;
  uint32_t epoch_ = 1;

  std::vector<Access> accesses_;                     // of the cell being judged
  std::vector<std::pair<uint32_t, Entry>> carried_;  // copies that stay pending, with their cells
};

}  // namespace simulator
