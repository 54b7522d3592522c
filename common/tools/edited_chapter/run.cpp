// edited_chapter LIBRARY [options of chapterN]: runs the kernel that was compiled into a shared library.
#include <dlfcn.h>

#include <iostream>
#include <string>
#include <vector>

#include "common/harness/programs.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "edited_chapter: name a shared library, compiled from one_kernel.cpp\n";
    return 2;
  }
  const std::string path = argv[1];
  // A name without a slash would be searched among the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {  // it registers its kernel as it is loaded
    std::cerr << "edited_chapter: " << dlerror() << "\n";
    return 2;
  }
  std::vector<const char*> rest(argv + 1, argv + argc);
  rest[0] = argv[0];
  return harness::chapter_program(static_cast<int>(rest.size()), rest.data());
}
