// Source lines as small numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/instructions.h"

namespace simulator {

using SiteId = uint16_t;

// Gives every line a number, so that the record of an access needs two bytes for it.
class SiteTable {
 public:
  SiteId id(const CallSite& site) {
    Slot& slot = slots_[hash(site) % kSlots];
    if (slot.line == site.line && slot.file == site.file) return slot.id;
    return slot.id = look_up(site, slot);
  }
  CallSite site(SiteId id) const { return sites_[id]; }

 private:
  // The last line asked for, of those with one hash.
  struct Slot {
    const char* file = nullptr;
    int line = -1;
    SiteId id = 0;
  };
  static constexpr std::size_t kSlots = 256;

  static std::size_t hash(const CallSite& site) {
    return reinterpret_cast<std::uintptr_t>(site.file) / 16 + static_cast<std::size_t>(site.line);
  }
  SiteId look_up(const CallSite& site, Slot& slot);

  std::vector<CallSite> sites_;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

bool same_text(const char* a, const char* b);  // either may be null

// Whether both are the same line, also if their file names are different copies of the same text.
inline bool same_site(const CallSite& a, const CallSite& b) {
  return a.line == b.line && (a.file == b.file || same_text(a.file, b.file));
}

}  // namespace simulator
