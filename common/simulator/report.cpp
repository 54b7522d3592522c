#include "common/simulator/launch.h"

namespace simulator {

int64_t Report::hazard_count() const {
  int64_t count = 0;
  for (const Hazard& hazard : hazards) count += hazard.count;
  return count;
}

SharedCounts Report::shared_total(const std::string& family) const {
  SharedCounts total;
  const auto tensors = shared.find(family);
  if (tensors == shared.end()) return total;
  for (const auto& [tensor, counts] : tensors->second) {
    total.requests += counts.requests;
    total.wavefronts += counts.wavefronts;
    total.ideal_wavefronts += counts.ideal_wavefronts;
  }
  return total;
}

}  // namespace simulator
