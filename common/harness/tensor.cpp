#include "common/harness/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "common/harness/parallel.h"
#include "common/harness/refusal.h"

namespace harness {
namespace {

// A tensor with more elements of gaps than this for each of its own has huge strides.
constexpr int64_t kLargestGap = 16;

bool all_guard(const unsigned char* bytes) {
  return std::all_of(bytes, bytes + kGuardBytes, [](unsigned char byte) { return byte == kGuardByte; });
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t bytes) : mapping_(nullptr), bytes_(bytes) {
  void* mapping =
      mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    throw Refusal("the operating system refuses " + std::to_string(bytes) + " bytes of host memory");
  }
  mapping_ = static_cast<unsigned char*>(mapping);
  std::memset(mapping_, kGuardByte, kGuardBytes);
  std::memset(mapping_ + kGuardBytes + bytes_, kGuardByte, kGuardBytes);
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_bytes());
}

bool GuardedBuffer::guards_intact() const { return all_guard(mapping_) && all_guard(mapping_ + kGuardBytes + bytes_); }

HostTensor::HostTensor(const Shape& shape)
    : shape_(shape), buffer_(static_cast<std::size_t>(shape.extent()) * sizeof(uint16_t)) {
  poison();
}

bool HostTensor::is_sparse() const { return shape_.extent() / shape_.elements() > kLargestGap; }

void HostTensor::for_each_part(const std::function<void(int64_t, int64_t)>& visit) const {
  if (!is_sparse()) {
    visit(0, shape_.extent());
    return;
  }
  for (int64_t batch = 0; batch < shape_.batch; ++batch) {
    for (int64_t row_index = 0; row_index < shape_.rows; ++row_index) {
      for (int64_t head = 0; head < shape_.heads; ++head) visit(shape_.offset(batch, row_index, head), shape_.head_dim);
    }
  }
}

void HostTensor::poison() {
  constexpr int64_t kPiece = 1 << 20;
  for_each_part([&](int64_t first, int64_t count) {
    parallel_for((count + kPiece - 1) / kPiece, [&](int64_t piece) {
      std::fill(data() + first + piece * kPiece, data() + first + std::min((piece + 1) * kPiece, count), kPoison);
    });
  });
}

}  // namespace harness
