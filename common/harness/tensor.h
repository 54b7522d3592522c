// Tensors in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "common/harness/problem.h"

namespace harness {

// A NaN of both element types that no instruction computes: cvt gives the NaN 0x7fff. Output buffers hold it before a
// kernel runs, so an element that was never written is told from any result.
inline constexpr uint16_t kPoison = 0xffff;

// Bytes before and after every buffer that a kernel sees, filled with kGuardByte: pairs of them are NaN as well. A
// kernel that reads beyond its tensor gets NaN; one that writes there is found out.
inline constexpr std::size_t kGuardBytes = 256;
inline constexpr unsigned char kGuardByte = 0xff;

// Memory with guards, aligned to 256 bytes as cudaMalloc aligns. Zero at first, and taken from the machine only where
// it is touched, so a tensor with very large strides costs no more than its elements.
class GuardedBuffer {
 public:
  // Throws Refusal if the operating system gives no such range.
  explicit GuardedBuffer(std::size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  GuardedBuffer& operator=(GuardedBuffer other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return mapping_ + kGuardBytes; }
  std::size_t bytes() const { return bytes_; }
  bool guards_intact() const;

 private:
  std::size_t mapped_bytes() const { return bytes_ + 2 * kGuardBytes; }

  unsigned char* mapping_;
  std::size_t bytes_;
};

// A tensor of 16-bit elements, given as bits.
class HostTensor {
 public:
  // The elements, and what lies between them unless the tensor is sparse, hold kPoison.
  explicit HostTensor(const Shape& shape);

  const Shape& shape() const { return shape_; }
  uint16_t* data() { return static_cast<uint16_t*>(buffer_.data()); }
  const uint16_t* data() const { return static_cast<const uint16_t*>(buffer_.data()); }
  std::size_t bytes() const { return buffer_.bytes(); }
  bool guards_intact() const { return buffer_.guards_intact(); }

  // The head_dim contiguous elements of one row.
  uint16_t* row(int64_t batch, int64_t row_index, int64_t head) {
    return data() + shape_.offset(batch, row_index, head);
  }
  const uint16_t* row(int64_t batch, int64_t row_index, int64_t head) const {
    return data() + shape_.offset(batch, row_index, head);
  }

  void poison();

  // Whether the elements lie so far apart that what is between them should not be touched.
  bool is_sparse() const;
  // Calls visit(first element, elements) for the parts of a sparse tensor that hold elements, otherwise once for all.
  void for_each_part(const std::function<void(int64_t, int64_t)>& visit) const;

 private:
  Shape shape_;
  GuardedBuffer buffer_;
};

}  // namespace harness
