#include "common/harness/device_choice.h"

#include "common/harness/problem.h"
#include "common/harness/refusal.h"

namespace harness {
namespace {

constexpr int kLowestSm = 80;  // cp.async, ldmatrix and mma.m16n8k16 for both types

std::string sm_list(const std::string& architectures) {
  std::string list;
  for (const char c : architectures) list += c == ' ' || c == ';' ? ", sm_" : std::string(1, c);
  return "sm_" + list;
}

}  // namespace

std::string to_string(DeviceKind kind) { return kind == DeviceKind::kGpu ? "gpu" : "sim"; }

DeviceRequest parse_device_request(const std::string& name) {
  if (name == "auto") return DeviceRequest::kAuto;
  if (name == "gpu") return DeviceRequest::kGpu;
  if (name == "sim") return DeviceRequest::kSimulator;
  throw Refusal("--device " + name + " is not a device: there are auto, gpu and sim");
}

std::optional<std::string> why_not_gpu(const GpuQuery& query, bool code_found, const std::string& architectures) {
  if (!query.info) return "no GPU: " + query.absence;
  const GpuInfo& gpu = *query.info;
  const std::string name = gpu.name + " is sm_" + std::to_string(gpu.sm);
  if (gpu.sm < kLowestSm) {
    return name + ", but the kernels need sm_" + std::to_string(kLowestSm) + " or later, for cp.async and mma.m16n8k16";
  }
  if (!code_found) {
    const std::string built = architectures.empty() ? "other GPUs" : sm_list(architectures);
    return name + ", but this build has code for " + built +
           " only: configure again with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(gpu.sm);
  }
  return std::nullopt;
}

DeviceChoice choose_device(DeviceRequest request, const std::optional<std::string>& objection,
                           const std::string& gpu_name) {
  if (request == DeviceRequest::kSimulator) return {DeviceKind::kSimulator, "asked for"};
  if (!objection) return {DeviceKind::kGpu, gpu_name};
  if (request == DeviceRequest::kGpu) throw Refusal("--device gpu: " + *objection + "; --device sim works anywhere");
  return {DeviceKind::kSimulator, *objection};
}

std::optional<std::string> why_not_gpu() {
  const GpuQuery query = query_gpu();
  bool code_found = false;
  for (const Chapter& chapter : chapters()) {
    // All kernels of a program are compiled for the same architectures: one speaks for all.
    if (query.info && !chapter.gpu_kernels.empty()) code_found = has_code(chapter.gpu_kernels.front());
  }
  return why_not_gpu(query, code_found, built_architectures());
}

DeviceChoice choose_device(DeviceRequest request) {
  if (request == DeviceRequest::kSimulator) return choose_device(request, std::nullopt, "");
  const GpuQuery query = query_gpu();
  const std::string name = query.info ? query.info->name + " (sm_" + std::to_string(query.info->sm) + ")" : "";
  return choose_device(request, why_not_gpu(), name);
}

void check_shared_memory(const GpuInfo& gpu, const Kernel& kernel, const std::vector<Kernel>& kernels) {
  if (kernel.shared_bytes <= gpu.shared_bytes_per_block) return;
  std::string fitting;
  for (const Kernel& other : kernels) {
    const bool fits = other.element_type == kernel.element_type && other.head_dim == kernel.head_dim &&
                      other.shared_bytes <= gpu.shared_bytes_per_block;
    if (fits) fitting += (fitting.empty() ? "" : ", ") + to_string(other.tile);
  }
  throw Refusal("the tile " + to_string(kernel.tile) + " needs " + std::to_string(kernel.shared_bytes) +
                " bytes of shared memory a block, but " + gpu.name + " gives a block at most " +
                std::to_string(gpu.shared_bytes_per_block) + ": of those built, " +
                (fitting.empty() ? "none fits" : "these fit: " + fitting));
}

}  // namespace harness
