// Q, K and V of a problem.
#pragma once

#include <cstdint>

#include "common/harness/problem.h"
#include "common/harness/tensor.h"

namespace harness {

struct Inputs {
  Problem problem;
  HostTensor q;  // (batch, seq_q, heads, head_dim)
  HostTensor k;  // (batch, seq_kv, heads, head_dim)
  HostTensor v;  // (batch, seq_kv, heads, head_dim)
};

// Two independent samples of N(0,1), the pair-th of the sequence that `seed` and `stream` name.
//
// Marsaglia's polar method ("A convenient method for generating normal variables", 1964) over a counter-based integer
// generator (the output function of SplitMix64; Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014). It uses +, -, *, / and the square root of doubles alone, which IEEE 754 fixes to the bit, so the samples are
// the same on every machine; std::normal_distribution, and the logarithm of the C library, are not.
struct NormalPair {
  double first;
  double second;
};
NormalPair normal_pair(uint64_t seed, uint64_t stream, uint64_t pair);

// The input that problem.input and problem.seed name, rounded to the element type. An element depends on its indices,
// not on strides or on the number of cores.
Inputs make_inputs(const Problem& problem);

}  // namespace harness
