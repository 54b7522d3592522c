// From a command line to results: everything is checked first, then everything is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/gpu.h"
#include "common/harness/options.h"
#include "common/harness/simulator_run.h"
#include "common/harness/timing.h"

namespace harness {

// A request that can be met.
struct Plan {
  Options options;
  DeviceChoice device;
  std::optional<GpuInfo> gpu;  // if that is the device
  Problem problem;
  std::vector<const Chapter*> chapters;
  std::vector<const Kernel*> kernels;  // one of each chapter
};

// The chapters with these numbers, all if there are none. Refuses numbers that this program lacks.
std::vector<const Chapter*> choose_chapters(const std::vector<int>& numbers);

// Chooses device, sizes and kernels. Throws Refusal if anything stands against the request; nothing is run.
Plan make_plan(const Options& options);

struct ReferenceResult {
  std::string name;
  std::optional<Timing> timing;  // none: this build, or this problem, has no such reference
  std::string message;           // why it has none, or what is wrong with its result; usually empty
};

struct Result {
  const Chapter* chapter = nullptr;
  const Kernel* kernel = nullptr;
  Verdict verdict;
  bool guards_intact = true;  // nothing was written outside of O
  std::string failure;        // what the GPU reported; empty if it ran

  // On the simulator:
  simulator::Report report;
  simulator::Report key_tile;  // what one key tile costs one block

  // On a GPU:
  KernelResources resources;
  std::optional<Timing> timing;
  std::vector<ReferenceResult> references;  // timed in turn with this chapter; by reference_names()
  std::optional<double> speed_up;           // over the chapter before it in the plan, each beside its references

  bool correct() const { return verdict.correct && guards_intact && failure.empty(); }
  bool ok() const { return correct() && report.hazard_count() == 0; }
  std::string complaint() const;  // one sentence on what is wrong; empty if ok
};

struct Results {
  Plan plan;
  std::vector<Result> chapters;
  std::optional<GpuState> before;  // clocks and temperature around the timing
  std::optional<GpuState> after;
};

// `trace`: keep the events of the simulator's first block. `with_references`: time those as well, on a GPU.
Results execute(const Plan& plan, bool with_references);

}  // namespace harness
