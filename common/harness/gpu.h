// The GPU, as far as the harness needs it. Implemented by gpu*.cpp where the build has CUDA, by no_gpu.cpp where not;
// everything else in the harness is free of CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/inputs.h"
#include "common/harness/registry.h"

namespace harness {

// The first GPU that CUDA shows.
struct GpuInfo {
  std::string name;     // "NVIDIA H200"
  int sm = 0;           // compute capability: 90 is 9.0
  std::string driver;   // of the kernel driver, "580.159.03", or "unknown"
  std::string cuda;     // the newest CUDA that the driver supports, "13.0"
  std::string runtime;  // the CUDA runtime of this build, "13.0"
  int64_t total_bytes = 0;
  int64_t free_bytes = 0;
  int64_t shared_bytes_per_block = 0;  // the most a block can opt in to
  int multiprocessors = 0;
  int64_t l2_bytes = 0;
  double largest_sm_mhz = 0;  // the highest clock of the multiprocessors; 0: unknown
};

struct GpuQuery {
  std::optional<GpuInfo> info;
  std::string absence;  // why there is none, and what to do about it: "the driver ...". Empty if there is one.
};

// Never throws.
GpuQuery query_gpu();

// "80 90": what the kernels of this build were compiled for. Empty without CUDA.
std::string built_architectures();

// Whether the build holds code for this kernel that this GPU can run.
bool has_code(const Kernel& kernel);

// As NVML sees them now; none where its library is missing.
struct GpuState {
  int sm_mhz = 0;
  int memory_mhz = 0;
  int temperature_celsius = 0;
};
std::optional<GpuState> gpu_state();

// What the driver says of a kernel.
struct KernelResources {
  int registers = 0;      // of a thread
  int spill_bytes = 0;    // local memory of a thread: what the registers did not hold
  int shared_bytes = 0;   // of a block
  int blocks_per_sm = 0;  // that fit at the same time
};

// Throws Refusal if the GPU cannot run the kernel.
KernelResources kernel_resources(const Kernel& kernel);

// Launches something on CUDA's default stream. It may still be running when this returns.
using GpuWork = std::function<void()>;

// A problem on the GPU: Q, K, V and O, each between guards.
class GpuSession {
 public:
  virtual ~GpuSession() = default;

  struct Run {
    HostTensor output;
    bool guards_intact;
  };
  // Poisons O, does the work, waits for it and brings O back. Throws RunFailure if the GPU reports an error.
  virtual Run run(const GpuWork& work) = 0;

  // Launches the kernel. Its resources were asked for before.
  virtual GpuWork launch(const Kernel& kernel) = 0;

  // Addresses on the GPU.
  virtual device::AttentionArguments arguments() const = 0;
};

// Copies the inputs to the GPU. Throws Refusal if they do not fit. They must outlive the session.
std::unique_ptr<GpuSession> open_gpu_session(const Inputs& inputs);

// Milliseconds of one launch, by events around `launches` of them. With cold_l2 the L2 cache is overwritten before
// each, and each has events of its own. Throws RunFailure.
double time_batch(const GpuWork& work, int launches, bool cold_l2);

}  // namespace harness
