// What one_kernel.cpp tells run.cpp of the kernel that it holds: plain numbers, because a copy that included the
// harness would take four times as long to compile.
#pragma once

#include "common/device/attention.cuh"

struct EditedKernel {
  struct Region {
    int offset;  // bytes from the beginning of dynamic shared memory
    int rows;
    int row_bytes;
  };

  int chapter;
  int head_dim;
  int block_q;
  int block_kv;
  int warps;
  int shared_bytes;
  Region q;  // O is stored here too
  Region k;
  Region v;
  void (*function)(device::AttentionArguments);  // the body of one simulated thread, for fp16
};

extern "C" const EditedKernel edited_kernel;
