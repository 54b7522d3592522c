// The 16-bit storage types, and the vectors that move through memory.
//
// A kernel moves 16-bit elements and hands them to the tensor cores; it never does arithmetic on them. So these types
// are plain bits, and the same on the GPU and in the simulator.
#pragma once

#include "common/device/platform.cuh"

namespace device {

struct Half {  // IEEE binary16: 1 sign, 5 exponent, 10 fraction bits
  uint16_t bits;
};

struct BFloat16 {  // the upper half of a binary32: 1 sign, 8 exponent, 7 fraction bits
  uint16_t bits;
};

struct alignas(16) Vector16 {  // 16 bytes, the widest access of one thread: eight 16-bit elements
  uint32_t words[4];
};

// A byte address in the block's shared memory. 32 bits: shared memory is far smaller than 4 GiB, and one register
// holds the address where a generic pointer takes two.
using SharedAddress = uint32_t;

}  // namespace device
