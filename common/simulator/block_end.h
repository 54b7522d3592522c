// What is to be said when no thread of a block can go on.
#pragma once

#include <vector>

#include "common/simulator/hazard_log.h"
#include "common/simulator/shared_map.h"
#include "common/simulator/thread.h"

namespace simulator {

// Reports what stopped threads, copies that exited threads left behind, and, if threads wait in vain, where.
void report_end(const std::vector<Thread>& threads, const SharedMap& map, HazardLog& hazards);

// Some threads have exited, and all others wait at the block's barrier.
void report_absence_at_barrier(const std::vector<Thread>& threads, HazardLog& hazards);

}  // namespace simulator
