#include "common/harness/reference.h"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

std::vector<Reference>& registered_references() {
  static std::vector<Reference> list;
  return list;
}

std::function<MatrixProduct()>& registered_matrix_product() {
  static std::function<MatrixProduct()> prepare;
  return prepare;
}

}  // namespace

const std::vector<Reference>& references() { return registered_references(); }

const std::vector<std::string>& reference_names() {
  static const std::vector<std::string> names = {"FlashAttention-2", "cuDNN"};
  return names;
}

std::optional<MatrixProduct> matrix_product() {
  if (!registered_matrix_product()) return std::nullopt;
  return registered_matrix_product()();
}

void register_reference(Reference reference) { registered_references().push_back(std::move(reference)); }

void register_matrix_product(std::function<MatrixProduct()> prepare) {
  registered_matrix_product() = std::move(prepare);
}

}  // namespace harness
