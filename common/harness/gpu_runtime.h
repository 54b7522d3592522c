// The CUDA runtime, with its errors as exceptions. Included by gpu*.cpp alone.
#pragma once

#include <string>

#include "common/harness/gpu.h"
#include "common/harness/refusal.h"

// After our own headers: to the host compiler, common/device/platform.cuh defines qualifiers that CUDA defines as well,
// as nothing too, and about its own headers the compiler does not complain.
#include <cuda_runtime.h>

namespace harness {

// "cudaMalloc: out of memory (cudaErrorMemoryAllocation)"
inline std::string describe_error(cudaError_t error, const std::string& call) {
  return call + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
}

// Throws RunFailure if a call did not succeed.
inline void check_cuda(cudaError_t error, const std::string& call) {
  if (error != cudaSuccess) throw RunFailure(describe_error(error, call));
}

}  // namespace harness
