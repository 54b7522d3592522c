// What the wrappers of common/device call when the host compiler compiles a kernel: one function for each instruction.
//
// Each acts for the simulated thread that calls it (the fiber that is running) and may be called only from inside
// simulator::launch. Warp-wide and block-wide ones return when all lanes or threads have arrived.
#pragma once

#include <cstdint>

namespace simulator {

// A line of the kernel's source. `here()` as a default argument takes the caller's.
struct CallSite {
  const char* file;
  int line;

  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

enum class MatrixType { kFloat16, kBFloat16 };

int thread_index();
int block_index(int axis);

// Shared memory is addressed by 32-bit offsets. The dynamic allocation begins at an odd multiple of 128, as bad as the
// alignment that kernels ask for allows.
uint32_t dynamic_shared_memory();
void load_shared(uint32_t address, void* value, int bytes, CallSite site);
void store_shared(uint32_t address, const void* value, int bytes, CallSite site);

void load_global(const void* source, void* value, int bytes, CallSite site);
void store_global(void* destination, const void* value, int bytes, CallSite site);

void cp_async(uint32_t destination, const void* source, int bytes, CallSite site);
void cp_async_commit(CallSite site);
void cp_async_wait(int pending_groups, CallSite site);

// `row`: the address this lane contributes; `matrices`: where this lane's four registers go.
void ldmatrix_x4(uint32_t* const (&matrices)[4], uint32_t row, bool transposed, CallSite site);
void mma_m16n8k16(float (&upper)[2], float (&lower)[2], const uint32_t (&a)[4], const uint32_t (&b)[2], MatrixType type,
                  CallSite site);

float shuffle_xor(float value, int lane_mask, CallSite site);
bool any(bool predicate, CallSite site);
void sync_warp(CallSite site);
void sync_threads(CallSite site);

float exp2_approx(float x, CallSite site);
float fused_multiply_add(float a, float b, float c);
float maximum(float a, float b);
uint32_t pack_float16(float low, float high);
uint32_t pack_bfloat16(float low, float high);

}  // namespace simulator
