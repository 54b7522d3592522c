// What lets one kernel source serve two machines.
//
// nvcc compiles a kernel for the GPU; the host compiler compiles the same source for the simulator. Every wrapper in
// this directory has two bodies, the instruction and the call into the simulator, so that no kernel ever needs an
// #ifdef. Of CUDA and of the simulator, kernels see only the headers of this directory.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

namespace device {

// On the GPU a call site is an empty argument: it costs nothing.
struct CallSite {
  __host__ __device__ static constexpr CallSite here() { return {}; }
};

}  // namespace device

#else

// The CUDA qualifiers mean nothing to the host compiler.
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__

#include "common/simulator/instructions.h"

namespace device {

// The line of the kernel that called a wrapper: the simulator names it in counts and hazards.
using CallSite = simulator::CallSite;

}  // namespace device

#endif
