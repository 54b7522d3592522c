// The chapters that are built into a program, and what each offers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/device/attention.cuh"
#include "common/simulator/launch.h"

namespace harness {

enum class ElementType { kFloat16, kBFloat16 };

struct Tile {
  int block_q;
  int block_kv;
  int warps;

  friend bool operator==(const Tile&, const Tile&) = default;
};

// One kernel of a chapter: a chapter's source compiled for one element type, head dimension and tile.
struct Kernel {
  ElementType element_type = ElementType::kFloat16;
  int head_dim = 0;
  Tile tile{};
  int shared_bytes = 0;  // dynamic shared memory of a block
  std::vector<simulator::SharedRegion> shared_regions;

  // One of the two, depending on which compiler made it.
  std::function<void(const device::AttentionArguments&)> simulator_thread;  // the body of one simulated thread
  const void* gpu_function = nullptr;                                       // for cudaLaunchKernel
};

struct Chapter {
  int number = 0;     // 1, 2, ...
  std::string name;   // "chapter1"
  std::string title;  // "Swizzled shared memory"
  std::vector<Kernel> simulator_kernels;
  std::vector<Kernel> gpu_kernels;
};

// All chapters of this program, by number.
const std::vector<Chapter>& chapters();

// Called before main by each chapter's registration; the two compilations of a chapter are joined by number.
void register_kernels(int number, const std::string& title, std::vector<Kernel> kernels);

}  // namespace harness
