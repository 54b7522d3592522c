#include "common/simulator/counters.h"

namespace simulator {

void Counters::add_to(Report& report, const SharedMap& map, const std::vector<GlobalBuffer>& buffers) const {
  for (int i = 0; i < kInstructionKinds; ++i) {
    const auto kind = static_cast<InstructionKind>(i);
    const std::string family = family_name(kind);
    if (instructions_[index(kind)] > 0) report.instructions[family] += instructions_[index(kind)];

    const bool exchange = kind == InstructionKind::kSharedLoad || kind == InstructionKind::kSharedStore;
    for (int region = -1; region < map.count(); ++region) {
      const SharedCounts& counts = shared_[place(region)][index(kind)];
      if (counts.requests == 0) continue;
      SharedCounts& total = report.shared[family][map.tensor(region, exchange)];
      total.requests += counts.requests;
      total.wavefronts += counts.wavefronts;
      total.ideal_wavefronts += counts.ideal_wavefronts;
    }
    for (std::size_t buffer = 0; buffer < buffers.size(); ++buffer) {
      const GlobalCounts& counts = global_[buffer][index(kind)];
      if (counts.requests == 0) continue;
      GlobalCounts& total = report.global[family][buffers[buffer].name];
      total.requests += counts.requests;
      total.sectors += counts.sectors;
      total.ideal_sectors += counts.ideal_sectors;
      total.bytes += counts.bytes;
    }
  }
}

}  // namespace simulator
