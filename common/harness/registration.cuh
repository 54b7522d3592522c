// How a chapter tells the harness which kernels it has. Included by chapter.cu alone, which is compiled twice: by nvcc
// for the GPU and by the host compiler for the simulator.
#pragma once

#include <utility>

#include "common/harness/registry.h"
#include "common/harness/tiles.cuh"

namespace harness {

template <typename Element>
inline constexpr ElementType kElementType = ElementType::kFloat16;
template <>
inline constexpr ElementType kElementType<device::BFloat16> = ElementType::kBFloat16;

// Describes the kernel `function` that was compiled for Config.
template <typename Config>
Kernel describe(void (*function)(device::AttentionArguments)) {
  Kernel kernel;
  kernel.element_type = kElementType<typename Config::Element>;
  kernel.head_dim = Config::kHeadDim;
  kernel.tile = {Config::kBlockQ, Config::kBlockKv, Config::kWarps};
  kernel.shared_bytes = Config::kSharedBytes;
  kernel.shared_regions = {{"Q", "O", Config::kSharedQ, Config::kBlockQ, Config::kRowBytes},
                           {"K", "K", Config::kSharedK, Config::kBlockKv, Config::kRowBytes},
                           {"V", "V", Config::kSharedV, Config::kBlockKv, Config::kRowBytes}};
#ifdef __CUDACC__
  kernel.gpu_function = reinterpret_cast<const void*>(function);
#else
  kernel.simulator_thread = function;
#endif
  return kernel;
}

// Registers when it is constructed, before main.
struct Registration {
  Registration(int number, const char* title, std::vector<Kernel> kernels) {
    register_kernels(number, title, std::move(kernels));
  }
};

}  // namespace harness
