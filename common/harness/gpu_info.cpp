// Which GPU there is, and what it says of a kernel.
#include <algorithm>
#include <fstream>
#include <string>

#include "common/harness/arguments.h"
#include "common/harness/gpu.h"
#include "common/harness/gpu_runtime.h"

#ifndef HARNESS_CUDA_ARCHITECTURES
#define HARNESS_CUDA_ARCHITECTURES ""
#endif

namespace harness {
namespace {

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  ...": the first word that begins with a digit and has
// a point in it.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word.find('.') != std::string::npos) return word;
  }
  return "unknown";
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

std::string explain_absence(cudaError_t error) {
  const std::string text = cudaGetErrorString(error);
  switch (error) {
    case cudaErrorNoDevice:
      return "the driver shows no device (nvidia-smi and CUDA_VISIBLE_DEVICES tell more)";
    case cudaErrorInsufficientDriver:
      return "the NVIDIA driver is missing, or older than CUDA " + version(CUDART_VERSION) +
             " needs (install or update the driver)";
    default:
      return "CUDA does not start: " + text;
  }
}

}  // namespace

GpuQuery query_gpu() {
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  cudaDeviceProp properties{};
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
  if (error == cudaSuccess) error = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (error != cudaSuccess) {
    cudaGetLastError();  // forgets it
    return {std::nullopt, explain_absence(error)};
  }
  GpuInfo info;
  info.name = properties.name;
  info.sm = properties.major * 10 + properties.minor;
  info.driver = driver_version();
  int driver_cuda = 0;
  cudaDriverGetVersion(&driver_cuda);
  info.cuda = version(driver_cuda);
  info.runtime = version(CUDART_VERSION);
  info.total_bytes = static_cast<int64_t>(total_bytes);
  info.free_bytes = static_cast<int64_t>(free_bytes);
  info.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  info.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  info.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  info.largest_sm_mhz = attribute(cudaDevAttrClockRate) / 1000.0;
  return {info, ""};
}

std::string built_architectures() { return HARNESS_CUDA_ARCHITECTURES; }

bool has_code(const Kernel& kernel) {
  cudaFuncAttributes attributes{};
  const bool found = cudaFuncGetAttributes(&attributes, kernel.gpu_function) == cudaSuccess;
  cudaGetLastError();  // forgets it
  return found;
}

KernelResources kernel_resources(const Kernel& kernel) {
  cudaFuncAttributes attributes{};
  int blocks = 0;
  // Asked for whatever the size: without it the driver allows 48 KiB, and the default tile takes exactly that.
  cudaError_t error =
      cudaFuncSetAttribute(kernel.gpu_function, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel.gpu_function);
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.gpu_function, threads_of(kernel),
                                                          static_cast<size_t>(kernel.shared_bytes));
  }
  if (error != cudaSuccess || blocks == 0) {
    cudaGetLastError();  // forgets it
    throw Refusal("the GPU cannot run the tile " + to_string(kernel.tile) + ", which needs " +
                  std::to_string(kernel.shared_bytes) + " bytes of shared memory and " +
                  std::to_string(attributes.numRegs) + " registers a thread: " +
                  (error != cudaSuccess ? cudaGetErrorString(error) : "no block fits a multiprocessor") +
                  "; try a smaller tile");
  }
  return {attributes.numRegs, static_cast<int>(attributes.localSizeBytes),
          kernel.shared_bytes + static_cast<int>(attributes.sharedSizeBytes), blocks};
}

}  // namespace harness
