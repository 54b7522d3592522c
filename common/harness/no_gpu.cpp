// Stands in for gpu*.cpp where the build has no CUDA.
#include "common/harness/gpu.h"
#include "common/harness/refusal.h"

namespace harness {
namespace {

const char* const kAbsence = "this build has no GPU kernels (to have them, configure with -DFLASH_GPU=ON)";

[[noreturn]] void refuse() { throw Refusal(kAbsence); }

}  // namespace

GpuQuery query_gpu() { return {std::nullopt, kAbsence}; }
std::string built_architectures() { return ""; }
bool has_code(const Kernel&) { return false; }
std::optional<GpuState> gpu_state() { return std::nullopt; }
KernelResources kernel_resources(const Kernel&) { refuse(); }
std::unique_ptr<GpuSession> open_gpu_session(const Inputs&) { refuse(); }
double time_batch(const GpuWork&, int, bool) { refuse(); }

}  // namespace harness
