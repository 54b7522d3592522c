#include "common/harness/registry.h"

#include <algorithm>
#include <stdexcept>

namespace harness {
namespace {

// A function's static, so that it exists before the first registration, whatever the order of initialisation.
std::vector<Chapter>& registered() {
  static std::vector<Chapter> list;
  return list;
}

}  // namespace

const std::vector<Chapter>& chapters() { return registered(); }

void register_kernels(int number, const std::string& title, std::vector<Kernel> kernels) {
  std::vector<Chapter>& list = registered();
  const auto place = std::lower_bound(list.begin(), list.end(), number,
                                      [](const Chapter& chapter, int value) { return chapter.number < value; });
  auto chapter = place;
  if (place == list.end() || place->number != number) {
    chapter = list.insert(place, Chapter{number, "chapter" + std::to_string(number), title, {}, {}});
  }
  if (chapter->title != title) {
    throw std::logic_error(chapter->name + " is registered as '" + chapter->title + "' and as '" + title + "'");
  }
  for (Kernel& kernel : kernels) {
    auto& kernels_of_kind = kernel.gpu_function != nullptr ? chapter->gpu_kernels : chapter->simulator_kernels;
    kernels_of_kind.push_back(std::move(kernel));
  }
}

}  // namespace harness
