// Other people's implementations, to compare the chapters with on a GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/device/attention.cuh"
#include "common/harness/gpu.h"
#include "common/harness/problem.h"

namespace harness {

struct Reference {
  std::string name;  // "FlashAttention-2"

  // Prepares to compute the problem's O from the tensors at these addresses of the GPU: the same that the chapters
  // read. The work leaves O in memory of its own; with `store` it is also copied to arguments.o. Throws RunFailure if
  // the reference cannot do this problem.
  std::function<GpuWork(const Problem& problem, const device::AttentionArguments& arguments, bool store)> prepare;
};

// What this program was linked with, in a fixed order. Empty in a build without PyTorch.
const std::vector<Reference>& references();

// The names of all references there can be, whether or not this build has them: the columns of a table.
const std::vector<std::string>& reference_names();

// A product of two 8192 x 8192 fp16 matrices, the practical ceiling of the tensor cores; none without PyTorch.
struct MatrixProduct {
  GpuWork work;
  double floating_point_operations;
};
std::optional<MatrixProduct> matrix_product();

// Called before main by the file that implements the references.
void register_reference(Reference reference);
void register_matrix_product(std::function<MatrixProduct()> prepare);

}  // namespace harness
