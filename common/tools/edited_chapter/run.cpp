// edited_chapter LIBRARY [options of chapterN]: runs the kernel that was compiled into a shared library.
#include <dlfcn.h>

#include <iostream>
#include <string>
#include <vector>

#include "common/harness/programs.h"
#include "common/harness/registry.h"
#include "common/tools/edited_chapter/edited_kernel.h"

namespace {

void add(const EditedKernel& edited) {
  const auto region = [](const char* name, const char* exchange_name, const EditedKernel::Region& r) {
    return simulator::SharedRegion{name, exchange_name, static_cast<uint32_t>(r.offset), r.rows, r.row_bytes};
  };
  harness::Kernel kernel;
  kernel.head_dim = edited.head_dim;
  kernel.tile = {edited.block_q, edited.block_kv, edited.warps};
  kernel.shared_bytes = edited.shared_bytes;
  kernel.shared_regions = {region("Q", "O", edited.q), region("K", "K", edited.k), region("V", "V", edited.v)};
  kernel.simulator_thread = edited.function;
  harness::register_kernels(edited.chapter, "edited", {kernel});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "edited_chapter: name a shared library, compiled from one_kernel.cpp\n";
    return 2;
  }
  const std::string path = argv[1];
  // A name without a slash would be searched among the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const kernel = library == nullptr ? nullptr : dlsym(library, "edited_kernel");
  if (kernel == nullptr) {
    std::cerr << "edited_chapter: " << dlerror() << "\n";
    return 2;
  }
  add(*static_cast<const EditedKernel*>(kernel));
  std::vector<const char*> rest(argv + 1, argv + argc);
  rest[0] = argv[0];
  return harness::chapter_program(static_cast<int>(rest.size()), rest.data());
}
