#include "common/simulator/hazard_log.h"

#include <algorithm>
#include <tuple>

#include "common/simulator/sites.h"

namespace simulator {

void HazardLog::begin_block(int64_t number, std::array<int, 3> index) {
  block_ = number;
  sequence_ = 0;
  index_ = index;
}

HazardLog::Entry* HazardLog::find(HazardKind kind, const CallSite& site, const std::optional<CallSite>& other_site) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const Hazard& hazard = entry.hazard;
    return hazard.kind == kind && same_site(hazard.site, site) &&
           hazard.other_site.has_value() == other_site.has_value() &&
           (!other_site || same_site(*hazard.other_site, *other_site));
  });
  return found == entries_.end() ? nullptr : &*found;
}

void HazardLog::report(const Occurrence& occurrence) {
  ++sequence_;
  if (Entry* entry = find(occurrence.kind, occurrence.site, occurrence.other_site)) {
    entry->hazard.count += occurrence.count;
    return;
  }
  Hazard hazard;
  hazard.kind = occurrence.kind;
  hazard.site = occurrence.site;
  hazard.other_site = occurrence.other_site;
  hazard.count = occurrence.count;
  hazard.tensor = occurrence.tensor;
  hazard.row = occurrence.row;
  hazard.column_bytes = occurrence.column_bytes;
  hazard.thread = occurrence.thread;
  hazard.other_thread = occurrence.other_thread;
  hazard.block = index_;
  hazard.message = message(hazard, occurrence.detail);
  entries_.push_back({hazard, block_, sequence_});
}

void HazardLog::merge(const HazardLog& other) {
  for (const Entry& theirs : other.entries_) {
    Entry* ours = find(theirs.hazard.kind, theirs.hazard.site, theirs.hazard.other_site);
    if (ours == nullptr) {
      entries_.push_back(theirs);
      continue;
    }
    const int64_t count = ours->hazard.count + theirs.hazard.count;
    if (theirs.block < ours->block) *ours = theirs;
    ours->hazard.count = count;
  }
}

std::vector<Hazard> HazardLog::hazards() const {
  std::vector<Entry> sorted = entries_;
  std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.block, a.sequence) < std::tie(b.block, b.sequence);
  });
  std::vector<Hazard> hazards;
  hazards.reserve(sorted.size());
  for (const Entry& entry : sorted) hazards.push_back(entry.hazard);
  return hazards;
}

}  // namespace simulator
