// The arithmetic of common/device/math.cuh, as the GPU does it.
#pragma once

#include <cstdint>

namespace simulator {

// 2^x to within half a unit in the last place and a little; ex2.approx.ftz allows 2. Results below 2^-126 are zero.
float exp2_ftz(float x);

// The bits of the nearest number, ties to even. NaN becomes 0x7fff, as cvt.rn does it.
uint32_t to_float16(float value);
uint32_t to_bfloat16(float value);

}  // namespace simulator
