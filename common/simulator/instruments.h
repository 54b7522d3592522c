// All that watches a block run: counts, hazards and the trace. Each worker has one set.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "common/simulator/counters.h"
#include "common/simulator/hazard_log.h"
#include "common/simulator/launch.h"
#include "common/simulator/ledger.h"
#include "common/simulator/shared_map.h"
#include "common/simulator/sites.h"
#include "common/simulator/source_watch.h"
#include "common/simulator/trace.h"
#include "common/simulator/warp_record.h"

namespace simulator {

class Instruments {
 public:
  explicit Instruments(const LaunchConfiguration& configuration);
  Instruments(const Instruments&) = delete;
  Instruments& operator=(const Instruments&) = delete;

  void begin_block(int64_t number, std::array<int, 3> index);

  // The lanes of a warp have met: counts what they executed since they last did, and forgets it.
  void collect(int warp, WarpRecord& record);
  // A warp executes a warp-wide instruction or a barrier of the block.
  void count(int warp, InstructionKind kind, const CallSite& site);
  // `rows`: the offsets of the 32 rows from the beginning of dynamic shared memory.
  void count_ldmatrix(int warp, InstructionKind kind, const SharedAddresses& rows, const CallSite& site);
  // All threads have come to a barrier of the block, or to their end.
  void close_epoch();

  // Adds the counts, and the trace if there is one, to those of the report. Hazards go by HazardLog::merge.
  void add_to(Report& report) const;

  const SharedMap map;
  SiteTable sites;
  HazardLog hazards;
  Ledger ledger;
  SourceWatch sources;

 private:
  void count_access(const RecordedInstruction& instruction, const RecordedOperands& operands);
  // Keeps an access of warp 0 for the report, if that is wanted.
  void keep(int warp, InstructionKind kind, const SharedAddresses& addresses, uint32_t lanes, int bytes,
            const CallSite& site);
  std::string event_name(const RecordedInstruction& instruction, const RecordedOperands* operands) const;

  const LaunchConfiguration& configuration_;
  Counters counters_;
  std::optional<Trace> trace_;  // of block (0, 0, 0), if this worker runs it and it is wanted
  bool tracing_ = false;        // this block is being run
  bool keeping_ = false;        // block (0, 0, 0) is being run, and its accesses are wanted
  std::vector<SharedAccess> accesses_;
};

}  // namespace simulator
