#include "common/simulator/trace.h"

namespace simulator {

void Trace::add(int warp, const std::string& name, const CallSite& site, int64_t collects, int64_t group) {
  const auto index = static_cast<std::size_t>(warp);
  std::vector<TraceEvent>& events = events_[index];
  const int64_t begin = executed_[index]++;
  if (!events.empty() && events.back().name == name && events.back().collects == collects &&
      events.back().group == group) {
    events.back().end = begin + 1;
    return;
  }
  events.push_back({warp, begin, begin + 1, name, site, collects, group});
}

std::vector<TraceEvent> Trace::events() const {
  std::vector<TraceEvent> all;
  for (const auto& events : events_) all.insert(all.end(), events.begin(), events.end());
  return all;
}

}  // namespace simulator
