// What this machine has for these programs, and what to do about what is missing.
#pragma once

#include <string>
#include <vector>

#include "common/harness/gpu.h"

namespace harness {

// One line of the doctor's report.
struct Finding {
  std::string subject;  // "GPU"
  bool good = true;     // false: something is missing, though perhaps not needed
  std::string text;     // what was found
  std::string advice;   // what to do about it; empty if nothing needs doing
};

// What a machine shows. Separate from the judgement, so that any machine can be judged in a test.
struct MachineFacts {
  GpuQuery gpu;
  bool code_found = false;        // the build has code for the GPU
  std::string architectures;      // of the build: "80 90"; empty without CUDA
  int default_shared_bytes = 0;   // of the default tile; 0: no chapter is linked
  std::string nvcc;               // its path, or empty
  std::string ncu;                // of Nsight Compute, or empty
  std::string driver_parameters;  // /proc/driver/nvidia/params, or empty
  bool is_root = false;
  unsigned cores = 1;
  std::vector<std::string> references;  // linked into this program
};

MachineFacts look_at_machine();
std::vector<Finding> judge(const MachineFacts& facts);

}  // namespace harness
