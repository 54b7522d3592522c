// Runs a kernel on the simulator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/harness/inputs.h"
#include "common/harness/registry.h"
#include "common/simulator/launch.h"

namespace harness {

struct SimulatorOptions {
  simulator::Architecture architecture = simulator::Architecture::kSm90;
  int workers = 0;                        // threads of the operating system; 0: one a core
  std::optional<uint64_t> schedule_seed;  // shuffles the order of warps
  bool trace = false;                     // record the events of the first block
  bool keep_accesses = false;             // to shared memory, of the first block's first warp
  std::function<void(int64_t done, int64_t blocks)> progress;
};

struct SimulatorRun {
  HostTensor output;  // O, poisoned before the run
  simulator::Report report;
  bool guards_intact;  // of Q, K, V and O
};

// The kernel has a simulator_thread, and the problem's sizes were checked against its tile.
SimulatorRun run_on_simulator(const Kernel& kernel, const Inputs& inputs, const SimulatorOptions& options);

// The accesses to shared memory of the first warp of a block that works on one key tile. They do not depend on the
// data.
std::vector<simulator::SharedAccess> key_tile_accesses(const Kernel& kernel);

// What one key tile costs one block, in all its warps together: the instructions and shared-memory accesses of a run
// of one block over two key tiles, less those of a run over one. Counts do not depend on the data, but for what a
// kernel skips where no maximum changed.
simulator::Report count_key_tile(const Kernel& kernel, const SimulatorOptions& options);

// "chapter1/tile.cuh:50": the file with its directory, and the line. Empty if the site is unknown.
std::string describe(const simulator::CallSite& site);

}  // namespace harness
