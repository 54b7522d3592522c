// What is built of this chapter, and its registration with the harness.
#include "common/harness/registration.cuh"
#include "kernel.cuh"

namespace {

const harness::Registration registration(
    3, "K and V loaded ahead",
    harness::for_each_tile([]<typename Element, int kHeadDim, int kBlockQ, int kBlockKv, int kWarps>() {
      using KernelConfig = Config<Element, kHeadDim, kBlockQ, kBlockKv, kWarps>;
      return harness::describe<KernelConfig>(attention_forward<KernelConfig>);
    }));

}  // namespace
