// The global memory that pending cp.async copies read: it must not change before they are done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/access.h"
#include "common/simulator/hazard_log.h"
#include "common/simulator/sites.h"

namespace simulator {

// Copies from buffers that the kernel may write, and its writes. Those of one block: what other blocks write at the
// same time is not watched. Written down and judged like the accesses to shared memory, see access.h.
class SourceWatch {
 public:
  using Id = uint32_t;
  static constexpr Id kNotWatched = ~0u;

  SourceWatch(const std::vector<GlobalBuffer>& buffers, const SiteTable& sites, HazardLog& hazards)
      : buffers_(buffers), sites_(sites), hazards_(hazards) {}

  void begin_block();
  // Returns kNotWatched for a copy from a buffer that cannot be written.
  Id issue_copy(int buffer, uint64_t offset, int bytes, const Moment& moment, SiteId site);
  void complete_copy(Id copy, const Moment& moment);
  void write(int buffer, uint64_t offset, int bytes, const Moment& moment, SiteId site);
  void close_epoch();

 private:
  struct GlobalAccess {
    int buffer;
    uint64_t offset;
    int bytes;
    Access access;
  };
  void judge_copy(const GlobalAccess& copy);

  const std::vector<GlobalBuffer>& buffers_;
  const SiteTable& sites_;
  HazardLog& hazards_;
  std::vector<GlobalAccess> copies_;  // of the whole block, so that an Id stays what it is
  std::vector<Id> unsettled_;         // issued or completed in this epoch, or still pending
  std::vector<GlobalAccess> writes_;  // of this epoch, by buffer and offset once it is judged
};

}  // namespace simulator
