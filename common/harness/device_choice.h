// Which machine runs the kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/gpu.h"
#include "common/harness/registry.h"

namespace harness {

enum class DeviceRequest { kAuto, kGpu, kSimulator };
enum class DeviceKind { kGpu, kSimulator };

std::string to_string(DeviceKind kind);                       // "gpu", "sim"
DeviceRequest parse_device_request(const std::string& name);  // "auto", "gpu", "sim"; throws Refusal

// Why the GPU cannot run this build, and what to do about it; none if it can. `code_found`: whether the build has code
// that this GPU can run. `architectures`: those of the build, "80 90".
std::optional<std::string> why_not_gpu(const GpuQuery& query, bool code_found, const std::string& architectures);

struct DeviceChoice {
  DeviceKind kind;
  std::string reason;  // "asked for", "NVIDIA H200 (sm_90)" or why there is no GPU to use
};

// kAuto takes the GPU if nothing speaks against it. Refuses kGpu if something does.
DeviceChoice choose_device(DeviceRequest request, const std::optional<std::string>& objection,
                           const std::string& gpu_name);

// The same of this machine and this program's kernels.
std::optional<std::string> why_not_gpu();
DeviceChoice choose_device(DeviceRequest request);

// Refuses a kernel whose block takes more shared memory than the GPU gives it, and names the tiles of `kernels` that
// fit.
void check_shared_memory(const GpuInfo& gpu, const Kernel& kernel, const std::vector<Kernel>& kernels);

}  // namespace harness
