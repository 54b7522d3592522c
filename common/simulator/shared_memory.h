// The shared memory of one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

// The address at which dynamic shared memory begins: an odd multiple of 128, as bad as the alignment that kernels ask
// for allows. It is more than any block may have, so that an address to which it was not added is out of bounds.
inline constexpr uint32_t kSharedBase = 2049 * 128;

// What bytes hold that were never written, and that a copy under way will write: as fp16, bf16 and fp32 it is a NaN.
inline constexpr int kPoison = 0xff;

// Bytes, by their offset from the beginning of dynamic shared memory.
class SharedMemory {
 public:
  explicit SharedMemory(uint32_t bytes) : storage_(bytes) {}

  uint32_t bytes() const { return static_cast<uint32_t>(storage_.size()); }
  // Whether an access of so many bytes lies in it.
  bool contains(uint32_t offset, int bytes) const {
    return offset <= storage_.size() && static_cast<uint32_t>(bytes) <= storage_.size() - offset;
  }
  unsigned char* at(uint32_t offset) { return storage_.data() + offset; }

 private:
  std::vector<unsigned char> storage_;
};

}  // namespace simulator
