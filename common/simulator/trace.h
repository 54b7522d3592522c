// The sequence of instructions of each warp of one block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace simulator {

class Trace {
 public:
  explicit Trace(int warps) : executed_(static_cast<std::size_t>(warps)), events_(static_cast<std::size_t>(warps)) {}

  // The warp executes one more instruction. It joins the event before it if that has the same name and groups.
  void add(int warp, const std::string& name, const CallSite& site, int64_t collects, int64_t group);
  // Warp by warp.
  std::vector<TraceEvent> events() const;

 private:
  std::vector<int64_t> executed_;
  std::vector<std::vector<TraceEvent>> events_;
};

}  // namespace simulator
