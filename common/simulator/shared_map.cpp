#include "common/simulator/shared_map.h"

namespace simulator {

Place SharedMap::locate(uint32_t offset) const {
  const int index = region(offset);
  if (index < 0) return {};
  const SharedRegion& found = regions_[static_cast<std::size_t>(index)];
  const int within = static_cast<int>(offset - found.offset);
  return {index, within / found.row_bytes, within % found.row_bytes};
}

const std::string& SharedMap::tensor(int region, bool exchange) const {
  static const std::string none;
  if (region < 0) return none;
  const SharedRegion& found = regions_[static_cast<std::size_t>(region)];
  return exchange && !found.exchange_name.empty() ? found.exchange_name : found.name;
}

}  // namespace simulator
