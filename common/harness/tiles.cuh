// The tiles that every chapter is built for.
#pragma once

#include <vector>

#include "common/device/types.cuh"
#include "common/harness/registry.h"

namespace harness {

// Both element types and head dimensions with one tile.
template <int kBlockQ, int kBlockKv, int kWarps, typename Build>
void for_each_type(std::vector<Kernel>& kernels, Build build) {
  kernels.push_back(build.template operator()<device::Half, 128, kBlockQ, kBlockKv, kWarps>());
  kernels.push_back(build.template operator()<device::Half, 64, kBlockQ, kBlockKv, kWarps>());
  kernels.push_back(build.template operator()<device::BFloat16, 128, kBlockQ, kBlockKv, kWarps>());
  kernels.push_back(build.template operator()<device::BFloat16, 64, kBlockQ, kBlockKv, kWarps>());
}

// Calls build<Element, head dimension, query rows, key rows, warps>() for every kernel of a chapter and returns them.
// The first tile is the default. It is the same in all chapters, so that a difference in speed is the difference of
// the step. A warp needs at least 16 query rows, so 64 rows cannot feed 8 warps.
template <typename Build>
std::vector<Kernel> for_each_tile(Build build) {
  std::vector<Kernel> kernels;
  for_each_type<64, 64, 4>(kernels, build);
  for_each_type<64, 32, 4>(kernels, build);
  for_each_type<64, 128, 4>(kernels, build);
  for_each_type<128, 32, 4>(kernels, build);
  for_each_type<128, 64, 4>(kernels, build);
  for_each_type<128, 128, 4>(kernels, build);
  for_each_type<128, 32, 8>(kernels, build);
  for_each_type<128, 64, 8>(kernels, build);
  for_each_type<128, 128, 8>(kernels, build);
  return kernels;
}

}  // namespace harness
