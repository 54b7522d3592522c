// Clocks and temperature, from NVML. Its library comes with the driver, so it is looked for when the program runs.
#include <dlfcn.h>

#include "common/harness/gpu.h"

namespace harness {
namespace {

// From nvml.h, which not every CUDA Toolkit has installed. (NVML API Reference Guide, "Device Queries")
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

// The functions of NVML that are used. They are never unloaded.
struct Nvml {
  int (*get_handle)(unsigned index, Device*) = nullptr;
  int (*get_clock)(Device, int clock, unsigned* mhz) = nullptr;
  int (*get_temperature)(Device, int sensor, unsigned* celsius) = nullptr;
  bool usable = false;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return;
    int (*initialize)() = nullptr;
    usable = find(library, "nvmlInit_v2", initialize) && find(library, "nvmlDeviceGetHandleByIndex_v2", get_handle) &&
             find(library, "nvmlDeviceGetClockInfo", get_clock) &&
             find(library, "nvmlDeviceGetTemperature", get_temperature) && initialize() == kSuccess;
  }

  template <typename Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

}  // namespace

std::optional<GpuState> gpu_state() {
  static const Nvml nvml;
  if (!nvml.usable) return std::nullopt;
  Device device = nullptr;
  unsigned sm_mhz = 0;
  unsigned memory_mhz = 0;
  unsigned celsius = 0;
  if (nvml.get_handle(0, &device) != kSuccess || nvml.get_clock(device, kClockSm, &sm_mhz) != kSuccess ||
      nvml.get_clock(device, kClockMemory, &memory_mhz) != kSuccess ||
      nvml.get_temperature(device, kTemperatureGpu, &celsius) != kSuccess) {
    return std::nullopt;
  }
  return GpuState{static_cast<int>(sm_mhz), static_cast<int>(memory_mhz), static_cast<int>(celsius)};
}

}  // namespace harness
