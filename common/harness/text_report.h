// Results as text for people.
#pragma once

#include <string>

#include "common/harness/execution.h"

namespace harness {

// One chapter at length: problem, kernel, device, result, then times and resources, or counts and hazards.
std::string chapter_report(const Results& results);

// One line a chapter, and below the table what its columns mean.
std::string comparison_report(const Results& results);

// The hazards of a run, one sentence each. Empty if there are none.
std::string hazard_list(const simulator::Report& report);

}  // namespace harness
