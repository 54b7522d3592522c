// The events of a simulated block as a file for ui.perfetto.dev or chrome://tracing.
#pragma once

#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace harness {

// JSON in the Trace Event Format: one track a warp, one slice an event, an arrow from the last copy of each group to
// the wait that collects it. The viewer calls the axis microseconds; it counts the warp's instructions, and the names
// of process and tracks say so.
std::string chrome_trace(const std::vector<simulator::TraceEvent>& events, const std::string& title);

}  // namespace harness
