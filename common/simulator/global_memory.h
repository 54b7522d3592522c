// The buffers of global memory that a kernel may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace simulator {

// Where an access lies: an offset in one buffer. Offsets stand for addresses: a buffer that cudaMalloc returns begins
// at a multiple of 256, wherever it lies on the CPU.
struct GlobalPlace {
  int buffer = -1;
  uint64_t offset = 0;
};

class GlobalMemory {
 public:
  explicit GlobalMemory(const std::vector<GlobalBuffer>& buffers) : buffers_(buffers) {}

  // The buffer that has all the bytes; that one's buffer number is -1 if none has.
  GlobalPlace find(const void* address, int bytes) const {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const std::size_t offset = wanted - reinterpret_cast<std::uintptr_t>(buffers_[i].data);  // wraps around below
      if (offset < buffers_[i].bytes && static_cast<std::size_t>(bytes) <= buffers_[i].bytes - offset) {
        return {static_cast<int>(i), offset};
      }
    }
    return {};
  }
  const GlobalBuffer& buffer(int index) const { return buffers_[static_cast<std::size_t>(index)]; }

  // In words, for an address that is in none: "32 bytes past the end of O".
  std::string describe(const void* address) const;

 private:
  const std::vector<GlobalBuffer>& buffers_;
};

}  // namespace simulator
