#include "common/harness/trace.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/harness/simulator_run.h"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

Json metadata(const std::string& kind, int warp, const std::string& name) {
  return {{"ph", "M"}, {"name", kind}, {"pid", 0}, {"tid", warp}, {"args", {{"name", name}}}};
}

Json slice(const simulator::TraceEvent& event) {
  Json arguments = {{"source", describe(event.site)}, {"instructions", event.end - event.begin}};
  if (event.group >= 0) arguments["group"] = event.group;
  if (event.collects >= 0) arguments["collects_up_to_group"] = event.collects;
  return {{"ph", "X"},         {"name", event.name}, {"pid", 0},
          {"tid", event.warp}, {"ts", event.begin},  {"dur", event.end - event.begin},
          {"args", arguments}};
}

// One end of an arrow: "s" where it starts, "f" where it ends. It binds to the slice around its time.
Json arrow_end(const char* phase, int64_t id, int warp, int64_t time) {
  Json end = {{"ph", phase}, {"name", "copy"}, {"cat", "copy"}, {"id", id}, {"pid", 0}, {"tid", warp}, {"ts", time}};
  if (phase[0] == 'f') end["bp"] = "e";
  return end;
}

}  // namespace

std::string chrome_trace(const std::vector<simulator::TraceEvent>& events, const std::string& title) {
  Json list = Json::array();
  list.push_back(metadata("process_name", 0, title + ", block (0, 0, 0): 1 us on the axis is 1 warp instruction"));
  std::map<int, bool> named;
  std::map<std::pair<int, int64_t>, int64_t> open;  // (warp, group) -> when its last copy or commit began
  int64_t arrows = 0;
  for (const simulator::TraceEvent& event : events) {
    if (!std::exchange(named[event.warp], true)) {
      list.push_back(metadata("thread_name", event.warp, "warp " + std::to_string(event.warp) + " (instructions)"));
    }
    list.push_back(slice(event));
    if (event.group >= 0) open[{event.warp, event.group}] = event.begin;
    if (event.collects < 0) continue;
    const auto first = open.lower_bound({event.warp, 0});
    const auto last = open.upper_bound({event.warp, event.collects});
    for (auto group = first; group != last; ++group) {
      list.push_back(arrow_end("s", arrows, event.warp, group->second));
      list.push_back(arrow_end("f", arrows, event.warp, event.begin));
      ++arrows;
    }
    open.erase(first, last);
  }
  const Json trace = {{"traceEvents", list},
                      {"displayTimeUnit", "ns"},
                      {"otherData", {{"axis", "warp instructions, not time"}, {"title", title}}}};
  return trace.dump(1) + "\n";
}

}  // namespace harness
