// Registers one kernel of an edited chapter. Compiled with CHAPTER_NUMBER and with KERNEL, the arguments of Config.
#include "common/harness/registration.cuh"
#include "kernel.cuh"

namespace {

using KernelConfig = Config<KERNEL>;

const harness::Registration registration(CHAPTER_NUMBER, "edited",
                                         {harness::describe<KernelConfig>(attention_forward<KernelConfig>)});

}  // namespace
