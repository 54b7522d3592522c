#include "common/harness/problem.h"

#include <limits>
#include <utility>

#include "common/harness/refusal.h"

namespace harness {
namespace {

const std::vector<std::pair<InputKind, std::string>>& input_kind_names() {
  static const std::vector<std::pair<InputKind, std::string>> names = {
      {InputKind::kNormal, "normal"},
      {InputKind::kLargeLogits, "large-logits"},
      {InputKind::kEqualKeys, "equal-keys"},
      {InputKind::kDominantKey, "dominant-key"},
      {InputKind::kLargeNegative, "large-negative"},
      {InputKind::kMaskedKeys, "masked-keys"},
  };
  return names;
}

// Of values that are not negative; sticks at the largest.
int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Shape::extent() for sizes that were not checked yet.
int64_t saturating_extent(const Shape& shape) {
  int64_t extent = shape.head_dim;
  extent = saturating_add(extent, saturating_multiply(shape.batch - 1, shape.strides.batch));
  extent = saturating_add(extent, saturating_multiply(shape.rows - 1, shape.strides.row));
  return saturating_add(extent, saturating_multiply(shape.heads - 1, shape.strides.head));
}

std::string count(int64_t number, const std::string& singular, const std::string& plural) {
  return std::to_string(number) + " " + (number == 1 ? singular : plural);
}

}  // namespace

Shape Problem::shape(Role role) const {
  Shape shape{batch, rows(role), heads, head_dim, {}};
  if (strides) {
    shape.strides = (*strides)[static_cast<size_t>(role)];
  } else {
    const int64_t row = saturating_multiply(heads, head_dim);
    shape.strides = {saturating_multiply(shape.rows, row), row, head_dim};
  }
  return shape;
}

double Problem::floating_point_operations() const {
  return 4.0 * static_cast<double>(batch) * static_cast<double>(heads) * static_cast<double>(seq_q) *
         static_cast<double>(seq_kv) * static_cast<double>(head_dim);
}

int64_t Problem::bytes() const {
  int64_t elements = 0;
  for (const Role role : {Role::kQ, Role::kK, Role::kV, Role::kO}) {
    elements = saturating_add(elements, saturating_extent(shape(role)));
  }
  return saturating_multiply(elements, 2);
}

std::string to_string(ElementType type) { return type == ElementType::kFloat16 ? "fp16" : "bf16"; }

std::string to_string(InputKind kind) {
  for (const auto& [candidate, name] : input_kind_names()) {
    if (candidate == kind) return name;
  }
  return "unknown";
}

std::string to_string(const Tile& tile) {
  return std::to_string(tile.block_q) + "x" + std::to_string(tile.block_kv) + " with " +
         count(tile.warps, "warp", "warps");
}

std::string to_string(Role role) {
  static const char* const names[] = {"Q", "K", "V", "O"};
  return names[static_cast<int>(role)];
}

ElementType parse_element_type(const std::string& name) {
  if (name == "fp16") return ElementType::kFloat16;
  if (name == "bf16") return ElementType::kBFloat16;
  throw Refusal("--dtype " + name + " is not an element type of these kernels: fp16 and bf16 are");
}

InputKind parse_input_kind(const std::string& name) {
  std::string known;
  for (const auto& [kind, candidate] : input_kind_names()) {
    if (candidate == name) return kind;
    known += (known.empty() ? "" : ", ") + candidate;
  }
  throw Refusal("--input " + name + " is not a kind of input: there are " + known);
}

const std::vector<InputKind>& input_kinds() {
  static const std::vector<InputKind> kinds = [] {
    std::vector<InputKind> list;
    for (const auto& entry : input_kind_names()) list.push_back(entry.first);
    return list;
  }();
  return kinds;
}

std::string describe(const Problem& problem) {
  return count(problem.batch, "batch", "batches") + ", " + count(problem.heads, "head", "heads") + ", " +
         count(problem.seq_q, "query", "queries") + ", " + count(problem.seq_kv, "key", "keys") + ", head dimension " +
         std::to_string(problem.head_dim) + ", " + to_string(problem.element_type) + ", " + to_string(problem.input) +
         " input, seed " + std::to_string(problem.seed);
}

}  // namespace harness
