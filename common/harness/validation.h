// Which requests are refused. Everything here throws Refusal and touches nothing else; it is called before memory is
// allocated, a file is opened or a kernel is launched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/harness/problem.h"
#include "common/harness/registry.h"

namespace harness {

// The kernel of this type, head dimension and tile among `kernels`, which are a chapter's for one machine. Refuses
// what is not built, and lists what is.
const Kernel& find_kernel(const std::string& chapter_name, const std::vector<Kernel>& kernels, ElementType type,
                          int64_t head_dim, const Tile& tile);

// Refuses sizes that are not positive, exceed the grid or 32-bit row numbers, or are no multiple of the tile, and
// strides that break the 16-byte alignment of rows or let rows overlap.
void check_sizes(const Problem& problem, const Tile& tile);

// Refuses a problem of which `needed_by` asks for more bytes than are free, and names the nearest that fits. `where`:
// "host memory", "GPU memory". Sizes that overflow count as the largest int64_t.
void check_memory(const Problem& problem, const Tile& tile, const std::function<int64_t(const Problem&)>& needed_by,
                  int64_t free, const std::string& where);

// Bytes of host memory that can be allocated now: what the kernel calls available, or less in a container with a limit.
int64_t free_host_memory();

}  // namespace harness
