#include "common/harness/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace harness {
namespace {

using simulator::TraceEvent;

TraceEvent event(int warp, int64_t begin, const std::string& name, int64_t group = -1, int64_t collects = -1) {
  return {warp, begin, begin + 2, name, {"chapter1/tile.cuh", 50}, collects, group};
}

// Two groups of copies; the first wait collects the first, the second wait the second.
std::vector<TraceEvent> two_groups() {
  return {event(0, 0, "cp.async K", 0), event(0, 2, "commit", 0),   event(0, 4, "cp.async V", 1),
          event(1, 0, "cp.async K", 0), event(0, 6, "wait", -1, 0), event(0, 8, "mma"),
          event(0, 10, "wait", -1, 1)};
}

nlohmann::json of_phase(const std::vector<TraceEvent>& events, const std::string& phase) {
  nlohmann::json found = nlohmann::json::array();
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(events, "chapter1"));
  for (const auto& entry : trace["traceEvents"]) {
    if (entry["ph"] == phase) found.push_back(entry);
  }
  return found;
}

TEST(Trace, HasASliceForEachEventOnItsWarpsTrack) {
  const nlohmann::json slices = of_phase(two_groups(), "X");
  ASSERT_EQ(slices.size(), 7u);
  EXPECT_EQ(slices[3]["tid"], 1);
  EXPECT_EQ(slices[5]["name"], "mma");
  EXPECT_EQ(slices[5]["ts"], 8);
  EXPECT_EQ(slices[5]["dur"], 2);
  EXPECT_EQ(slices[5]["args"]["source"], "chapter1/tile.cuh:50");
}

TEST(Trace, AnArrowLeadsFromACopyToTheWaitThatCollectsIt) {
  const nlohmann::json starts = of_phase(two_groups(), "s");
  const nlohmann::json ends = of_phase(two_groups(), "f");
  ASSERT_EQ(starts.size(), 2u);  // warp 1 never waits
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(starts[0]["ts"], 2);
  EXPECT_EQ(ends[0]["ts"], 6);
  EXPECT_EQ(starts[1]["ts"], 4);
  EXPECT_EQ(ends[1]["ts"], 10);
  EXPECT_EQ(starts[1]["id"], ends[1]["id"]);
  EXPECT_NE(starts[0]["id"], starts[1]["id"]);
}

TEST(Trace, OneWaitCollectsAllEarlierGroups) {
  const std::vector<TraceEvent> events = {event(0, 0, "cp.async Q", 0), event(0, 2, "cp.async K", 1),
                                          event(0, 4, "cp.async V", 2), event(0, 6, "wait", -1, 1)};
  EXPECT_EQ(of_phase(events, "f").size(), 2u);
}

TEST(Trace, AWaitCollectsTheCopiesOfItsOwnWarp) {
  const std::vector<TraceEvent> events = {event(0, 0, "cp.async K", 0), event(1, 2, "cp.async K", 0),
                                          event(1, 4, "wait", -1, 0)};
  const nlohmann::json starts = of_phase(events, "s");
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0]["tid"], 1);
  EXPECT_EQ(starts[0]["ts"], 2);
}

TEST(Trace, SaysThatTheAxisCountsInstructions) {
  const std::string text = chrome_trace(two_groups(), "chapter1");
  EXPECT_NE(text.find("1 us on the axis is 1 warp instruction"), std::string::npos);
  EXPECT_EQ(of_phase(two_groups(), "M").size(), 3u);  // the process and two warps
}

}  // namespace
}  // namespace harness
