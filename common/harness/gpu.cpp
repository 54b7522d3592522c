// Runs and times kernels on the GPU.
#include "common/harness/gpu.h"

#include <algorithm>
#include <vector>

#include "common/harness/arguments.h"
#include "common/harness/gpu_runtime.h"

namespace harness {
namespace {

// Memory of the GPU between two guards.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t bytes) : bytes_(bytes) {
    const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&allocation_), bytes_ + 2 * kGuardBytes);
    if (error != cudaSuccess) {
      cudaGetLastError();  // forgets it
      throw Refusal("the GPU refuses " + std::to_string(bytes_) + " bytes of memory: " + cudaGetErrorString(error));
    }
    check_cuda(cudaMemset(allocation_, kGuardByte, kGuardBytes), "cudaMemset");
    check_cuda(cudaMemset(allocation_ + kGuardBytes + bytes_, kGuardByte, kGuardBytes), "cudaMemset");
  }
  ~DeviceBuffer() { cudaFree(allocation_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return allocation_ + kGuardBytes; }
  uint16_t* element(int64_t index) const { return static_cast<uint16_t*>(data()) + index; }
  size_t bytes() const { return bytes_; }

  bool guards_intact() const { return guard_intact(allocation_) && guard_intact(allocation_ + kGuardBytes + bytes_); }

 private:
  static bool guard_intact(const unsigned char* guard) {
    std::vector<unsigned char> bytes(kGuardBytes);
    check_cuda(cudaMemcpy(bytes.data(), guard, kGuardBytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == kGuardByte; });
  }

  unsigned char* allocation_ = nullptr;
  size_t bytes_;
};

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { check_cuda(cudaEventRecord(event_, nullptr), "cudaEventRecord"); }
  // Milliseconds between two recorded events. Waits for this one.
  double since(const Event& earlier) const {
    float milliseconds = 0;
    check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
    check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaSession : public GpuSession {
 public:
  explicit CudaSession(const Inputs& inputs)
      : problem_(inputs.problem),
        q_(inputs.q.bytes()),
        k_(inputs.k.bytes()),
        v_(inputs.v.bytes()),
        o_(static_cast<size_t>(problem_.shape(Role::kO).extent()) * sizeof(uint16_t)) {
    upload(q_, inputs.q);
    upload(k_, inputs.k);
    upload(v_, inputs.v);
  }

  Run run(const GpuWork& work) override {
    static_assert(kPoison == 0xffff, "poison is written byte by byte");
    check_cuda(cudaMemset(o_.data(), 0xff, o_.bytes()), "cudaMemset");
    work();
    check_cuda(cudaGetLastError(), "launch");
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    HostTensor output(problem_.shape(Role::kO));
    download(o_, output);
    const bool intact = q_.guards_intact() && k_.guards_intact() && v_.guards_intact() && o_.guards_intact();
    return {std::move(output), intact};
  }

  GpuWork launch(const Kernel& kernel) override {
    const simulator::Grid grid = make_grid(problem_, kernel.tile);
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
    const dim3 threads(static_cast<unsigned>(threads_of(kernel)));
    const auto shared_bytes = static_cast<size_t>(kernel.shared_bytes);
    return [=, function = kernel.gpu_function, arguments = arguments()]() mutable {
      void* parameters[] = {&arguments};
      check_cuda(cudaLaunchKernel(function, blocks, threads, parameters, shared_bytes, nullptr), "cudaLaunchKernel");
    };
  }

  device::AttentionArguments arguments() const override {
    return make_arguments(problem_, q_.data(), k_.data(), v_.data(), o_.data());
  }

 private:
  static void upload(const DeviceBuffer& buffer, const HostTensor& tensor) {
    copy(tensor, [&](int64_t first, size_t bytes) {
      return cudaMemcpy(buffer.element(first), tensor.data() + first, bytes, cudaMemcpyHostToDevice);
    });
  }
  static void download(const DeviceBuffer& buffer, HostTensor& tensor) {
    copy(tensor, [&](int64_t first, size_t bytes) {
      return cudaMemcpy(tensor.data() + first, buffer.element(first), bytes, cudaMemcpyDeviceToHost);
    });
  }
  template <typename Copy>
  static void copy(const HostTensor& tensor, const Copy& copy_part) {
    tensor.for_each_part([&](int64_t first, int64_t count) {
      check_cuda(copy_part(first, static_cast<size_t>(count) * sizeof(uint16_t)), "cudaMemcpy");
    });
  }

  Problem problem_;
  DeviceBuffer q_;
  DeviceBuffer k_;
  DeviceBuffer v_;
  DeviceBuffer o_;
};

// Overwrites the L2 cache with what nobody needs.
void flush_l2() {
  static const DeviceBuffer junk(static_cast<size_t>(std::max<int64_t>(query_gpu().info->l2_bytes, 1 << 20)) * 2);
  check_cuda(cudaMemsetAsync(junk.data(), 0, junk.bytes(), nullptr), "cudaMemsetAsync");
}

}  // namespace

std::unique_ptr<GpuSession> open_gpu_session(const Inputs& inputs) { return std::make_unique<CudaSession>(inputs); }

double time_batch(const GpuWork& work, int launches, bool cold_l2) {
  Event begin;
  Event end;
  if (!cold_l2) {
    begin.record();
    for (int i = 0; i < launches; ++i) work();
    end.record();
    return end.since(begin) / launches;
  }
  double total = 0;
  for (int i = 0; i < launches; ++i) {
    flush_l2();
    begin.record();
    work();
    end.record();
    total += end.since(begin);
  }
  return total / launches;
}

}  // namespace harness
