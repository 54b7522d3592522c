#include "common/simulator/global_memory.h"

namespace simulator {
namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

std::string GlobalMemory::describe(const void* address) const {
  // The buffer whose end or beginning is nearest.
  std::string nearest = "outside global memory: there are no buffers";
  std::uintptr_t least = ~std::uintptr_t{0};
  for (const GlobalBuffer& buffer : buffers_) {
    const std::uintptr_t begin = number(buffer.data);
    const std::uintptr_t end = begin + buffer.bytes;
    const bool below = number(address) < begin;
    const bool inside = !below && number(address) < end;
    const std::uintptr_t distance = below ? begin - number(address) : inside ? 0 : number(address) - end;
    if (distance >= least) continue;
    least = distance;
    const std::string place = inside  ? std::to_string(end - number(address)) + " bytes before the end of "
                              : below ? std::to_string(distance) + " bytes before the beginning of "
                                      : std::to_string(distance) + " bytes past the end of ";
    nearest = place + buffer.name + ", which has " + std::to_string(buffer.bytes) + " bytes";
  }
  return nearest;
}

}  // namespace simulator
