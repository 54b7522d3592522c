// One kernel of an edited chapter. Compiled with CHAPTER_NUMBER and with KERNEL, the arguments of Config.
#include "common/tools/edited_chapter/edited_kernel.h"
#include "kernel.cuh"

namespace {

using KernelConfig = Config<KERNEL>;

}  // namespace

const EditedKernel edited_kernel = {
    CHAPTER_NUMBER,
    KernelConfig::kHeadDim,
    KernelConfig::kBlockQ,
    KernelConfig::kBlockKv,
    KernelConfig::kWarps,
    KernelConfig::kSharedBytes,
    {KernelConfig::kSharedQ, KernelConfig::kBlockQ, KernelConfig::kRowBytes},
    {KernelConfig::kSharedK, KernelConfig::kBlockKv, KernelConfig::kRowBytes},
    {KernelConfig::kSharedV, KernelConfig::kBlockKv, KernelConfig::kRowBytes},
    attention_forward<KernelConfig>,
};
