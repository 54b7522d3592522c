// Which tensor lies where in shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace simulator {

// A place in a tensor's tile. Negative and empty: in none.
struct Place {
  int region = -1;
  int row = -1;
  int column_bytes = -1;
};

class SharedMap {
 public:
  explicit SharedMap(const std::vector<SharedRegion>& regions) : regions_(regions) {}

  // `offset`: from the beginning of dynamic shared memory.
  int region(uint32_t offset) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (offset - regions_[i].offset < bytes(regions_[i])) return static_cast<int>(i);  // wraps around below
    }
    return -1;
  }
  Place locate(uint32_t offset) const;

  // What an access to a region means: the tensor that ordinary loads and stores exchange through it, or the operand.
  const std::string& tensor(int region, bool exchange) const;
  int count() const { return static_cast<int>(regions_.size()); }

 private:
  static uint32_t bytes(const SharedRegion& region) {
    return static_cast<uint32_t>(region.rows) * static_cast<uint32_t>(region.row_bytes);
  }

  const std::vector<SharedRegion>& regions_;
};

}  // namespace simulator
