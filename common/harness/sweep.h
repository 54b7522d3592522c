// What is benchmarked.
#pragma once

#include <string>
#include <vector>

#include "common/harness/problem.h"
#include "common/harness/registry.h"

namespace harness {

struct Sweep {
  std::vector<int> chapters;  // empty: all
  bool all_tiles = false;     // otherwise the default tile
  std::vector<int64_t> lengths = {512, 1024, 2048, 4096, 8192, 16384};
  std::vector<int64_t> head_dims = {128};
  std::vector<ElementType> types = {ElementType::kFloat16};
  int64_t heads = 16;
  std::vector<bool> cold_l2 = {false};
};

struct ParsedSweep {
  Sweep sweep;
  std::string help;                 // not empty: print it and stop
  std::vector<std::string> others;  // for Google Benchmark
};

// Throws Refusal.
ParsedSweep parse_sweep(int argc, const char* const* argv);

// A chapter's kernel, or a reference, on one problem.
struct SweepCase {
  std::string name;                  // "chapter3/fp16/d128/q64_kv64_w4/b16_s4096_h16/l2_warm"
  const Chapter* chapter = nullptr;  // none: a reference
  const Kernel* kernel = nullptr;
  std::string reference;
  Problem problem;
  bool cold_l2 = false;
};

// All cases of one problem follow each other, so that its inputs are made once: first the references `references`, then
// the chapters. Tiles whose shared memory exceeds `shared_bytes_per_block`, or that do not divide the length, are left
// out. Throws Refusal if nothing remains.
std::vector<SweepCase> make_cases(const Sweep& sweep, const std::vector<std::string>& references,
                                  int64_t shared_bytes_per_block);

}  // namespace harness
