// What is computed: shapes, element type, where the elements lie, and which input.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/registry.h"

namespace harness {

// The inputs that can be asked for. All but the first are there to break an online softmax.
enum class InputKind {
  kNormal,         // N(0,1)
  kLargeLogits,    // Q and K sixteen times as large: logits of several hundred, softmax close to one-hot
  kEqualKeys,      // all keys of a head are the same, so every weight is 1 / seq_kv
  kDominantKey,    // one key of each head outweighs the rest: the first tile's or the last tile's
  kLargeNegative,  // all logits lie near -724 (head dimension 128): a running maximum that begins at 0 gives 0 / 0
  kMaskedKeys,     // -inf in K gives most keys the logit -inf, the whole first half of them among these
};

enum class Role { kQ, kK, kV, kO };

// Elements from one index to the next. Within a row elements are contiguous.
struct Strides {
  int64_t batch;
  int64_t row;
  int64_t head;
};

// A tensor (batch, rows, heads, head_dim) and where its elements lie.
struct Shape {
  int64_t batch;
  int64_t rows;
  int64_t heads;
  int64_t head_dim;
  Strides strides;

  int64_t elements() const { return batch * rows * heads * head_dim; }
  // Elements from the first to the last, with what lies between them.
  int64_t extent() const {
    return (batch - 1) * strides.batch + (rows - 1) * strides.row + (heads - 1) * strides.head + head_dim;
  }
  int64_t offset(int64_t batch_index, int64_t row, int64_t head) const {
    return batch_index * strides.batch + row * strides.row + head * strides.head;
  }
};

struct Problem {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t seq_q = 512;
  int64_t seq_kv = 512;
  int64_t head_dim = 128;
  ElementType element_type = ElementType::kFloat16;
  uint64_t seed = 0;
  InputKind input = InputKind::kNormal;
  std::optional<std::array<Strides, 4>> strides;  // by Role; none: contiguous

  Shape shape(Role role) const;
  int64_t rows(Role role) const { return role == Role::kQ || role == Role::kO ? seq_q : seq_kv; }
  // Of Q * K^T and P * V: 4 * batch * heads * seq_q * seq_kv * head_dim. Softmax is not counted, as is the custom.
  double floating_point_operations() const;
  // Of Q, K, V and O together. Sticks at the largest int64_t rather than overflow.
  int64_t bytes() const;
};

std::string to_string(ElementType type);  // "fp16", "bf16"
std::string to_string(InputKind kind);    // "normal", "large-logits", ...
std::string to_string(const Tile& tile);  // "64x64 with 4 warps"
std::string to_string(Role role);         // "Q", ...

// The reverse. Throw Refusal, which lists what there is.
ElementType parse_element_type(const std::string& name);
InputKind parse_input_kind(const std::string& name);

const std::vector<InputKind>& input_kinds();

// "4 batches, 16 heads, 512 queries, 512 keys, head dimension 128, fp16, normal input, seed 0"
std::string describe(const Problem& problem);

}  // namespace harness
