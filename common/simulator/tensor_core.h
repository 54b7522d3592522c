// What the tensor cores compute, to the last bit.
//
// mma.sync with fp32 accumulation is not a chain of fp32 additions. The published model (MMA-Sim, arXiv 2511.10909;
// independently arXiv 2512.07004) of one output element and one step of the sum:
//   1. The products are exact. The exponent of a product is the sum of the exponents of its factors, that of a
//      subnormal factor is the smallest normal one. A product that is zero has no exponent. A C that is subnormal or
//      zero has the exponent -126.
//   2. The products and C are aligned to the largest of these exponents, and each is cut off (toward zero) after F
//      fraction bits.
//   3. The sum of what is left is exact. It is cut off to fp32, and becomes an infinity from 2^128 on.
// Ampere and Ada have F = 24 and add a k of 16 in two steps of 8; Hopper has F = 25 and adds it in one step. Every NaN
// that comes out is 0x7fffffff, and a sum of zero is +0. The Hopper model gives every bit that an H200 gave, in
// common/tests/data.
#pragma once

#include <cstdint>

#include "common/simulator/instructions.h"
#include "common/simulator/launch.h"

namespace simulator {

// The operands of one mma.m16n8k16. A stays as its lanes hold it; B, C and D are arranged so that the eight columns of
// a row of D lie side by side.
struct MatrixOperands {
  uint32_t a[4][32];  // [register][lane], see common/device/mma.cuh
  uint32_t b[2][4]
            [8];   // [register][lane % 4][lane / 4]: rows 8 * register + 2 * (lane % 4) and the next, and the column
  float c[16][8];  // [row][column]; D takes its place
};

// D = A * B + C, in place of C.
void multiply_accumulate(MatrixOperands& operands, MatrixType type, Architecture architecture);

}  // namespace simulator
