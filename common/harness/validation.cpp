#include "common/harness/validation.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "common/harness/refusal.h"

namespace harness {
namespace {

constexpr int64_t kLargestGridYz = 65535;  // blocks along y and z (CUDA C++ Programming Guide, "Compute Capabilities")
constexpr int64_t kLargestRow = std::numeric_limits<int>::max();  // kernels count rows in 32 bits

std::string join(const std::vector<std::string>& items, const std::string& separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

// 100, 64 -> "64 and 128"; 10, 64 -> "64".
std::string nearest_multiples(int64_t value, int64_t step) {
  const int64_t below = value / step * step;
  const int64_t largest = kLargestRow / step * step;
  if (below < step) return std::to_string(step);
  if (below >= largest) return std::to_string(largest);
  return std::to_string(below) + " and " + std::to_string(below + step);
}

void check_count(const std::string& option, const std::string& what, int64_t value) {
  if (value >= 1 && value <= kLargestGridYz) return;
  throw Refusal(option + " is " + std::to_string(value) + ", but the number of " + what + " must be from 1 to " +
                std::to_string(kLargestGridYz) + ", the largest grid along its axis: the nearest that works is " +
                std::to_string(std::clamp<int64_t>(value, 1, kLargestGridYz)));
}

void check_length(const std::string& option, const std::string& what, int64_t value, int64_t tile_rows) {
  if (value >= 1 && value <= kLargestRow && value % tile_rows == 0) return;
  const std::string nearest = nearest_multiples(value, tile_rows);
  const bool two = nearest.find(' ') != std::string::npos;
  std::string rule = "must be a multiple of the tile's " + std::to_string(tile_rows) + " rows";
  if (value < 1) rule += ", and at least one of them";
  if (value > kLargestRow) rule += " and below 2^31";
  throw Refusal(option + " is " + std::to_string(value) + ", but the number of " + what + " " + rule +
                ": the nearest " + (two ? "that work are " : "that works is ") + nearest);
}

// Sizes are checked before this.
void check_strides(const Problem& problem, Role role) {
  const Shape shape = problem.shape(role);
  for (const auto& [name, stride] : {std::pair{"batch", shape.strides.batch}, std::pair{"row", shape.strides.row},
                                     std::pair{"head", shape.strides.head}}) {
    if (stride % 8 != 0 || stride < shape.head_dim) {
      throw Refusal("the " + std::string(name) + " stride of " + to_string(role) + " is " + std::to_string(stride) +
                    " elements, but it must be a multiple of 8 (rows are read 16 bytes at a time) and at least the "
                    "head dimension: the nearest that works is " +
                    std::to_string(std::max(shape.head_dim, (stride + 4) / 8 * 8)));
    }
  }
}

// The largest value from 1 to `value`, in steps of `step`, that fits; `step` if none does.
int64_t largest_that_fits(int64_t value, int64_t step, const std::function<bool(int64_t)>& fits) {
  int64_t low = 1;  // in steps; the largest known, or hoped, to fit
  int64_t high = value / step + 1;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle * step) ? low : high) = middle;
  }
  return low * step;
}

// Gives up batches first, then heads, then length: "--batch 3", "--batch 1 --heads 2", ...
std::string nearest_that_fits(Problem problem, const Tile& tile, const std::function<bool(const Problem&)>& fits) {
  const auto shrink = [&](int64_t Problem::*size, int64_t step, const std::string& option) {
    problem.*size = largest_that_fits(problem.*size, step, [&](int64_t value) {
      Problem smaller = problem;
      smaller.*size = value;
      return fits(smaller);
    });
    return option + " " + std::to_string(problem.*size);
  };
  std::string text = shrink(&Problem::batch, 1, "--batch");
  if (!fits(problem)) text += " " + shrink(&Problem::heads, 1, "--heads");
  if (!fits(problem)) text += " " + shrink(&Problem::seq_q, tile.block_q, "--seq-q");
  if (!fits(problem)) text += " " + shrink(&Problem::seq_kv, tile.block_kv, "--seq-kv");
  return text;
}

void add_once(std::vector<std::string>& items, const std::string& item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

// The number after `key` in a file such as /proc/meminfo, or -1.
int64_t number_in_file(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(key, 0) != 0) continue;
    std::istringstream rest(line.substr(key.size()));
    int64_t number = -1;
    return rest >> number ? number : -1;
  }
  return -1;
}

}  // namespace

const Kernel& find_kernel(const std::string& chapter_name, const std::vector<Kernel>& kernels, ElementType type,
                          int64_t head_dim, const Tile& tile) {
  std::set<int64_t> head_dims;
  std::vector<std::string> tiles;
  std::vector<std::string> types;
  for (const Kernel& kernel : kernels) {
    if (kernel.element_type == type && kernel.head_dim == head_dim && kernel.tile == tile) return kernel;
    add_once(types, to_string(kernel.element_type));
    head_dims.insert(kernel.head_dim);
    if (kernel.element_type == type && kernel.head_dim == head_dim) add_once(tiles, to_string(kernel.tile));
  }
  if (kernels.empty()) throw Refusal(chapter_name + " has no kernel for this machine in this build");
  if (head_dims.count(head_dim) == 0) {
    const int64_t nearest = *std::min_element(head_dims.begin(), head_dims.end(), [&](int64_t a, int64_t b) {
      return std::abs(a - head_dim) < std::abs(b - head_dim);
    });
    std::vector<std::string> built(head_dims.size());
    std::transform(head_dims.begin(), head_dims.end(), built.begin(),
                   [](int64_t value) { return std::to_string(value); });
    throw Refusal("--head-dim is " + std::to_string(head_dim) + ", but " + chapter_name + " is built for " +
                  join(built, " and ") + ": the nearest that works is " + std::to_string(nearest));
  }
  if (tiles.empty()) {
    throw Refusal("--dtype is " + to_string(type) + ", but " + chapter_name + " is built for " + join(types, " and ") +
                  " at head dimension " + std::to_string(head_dim));
  }
  throw Refusal("the tile " + to_string(tile) + " (--block-q, --block-kv, --warps) is not built for " + chapter_name +
                ": there are " + join(tiles, ", "));
}

void check_sizes(const Problem& problem, const Tile& tile) {
  check_count("--batch", "batches", problem.batch);
  check_count("--heads", "heads", problem.heads);
  check_length("--seq-q (or --seq-len)", "queries", problem.seq_q, tile.block_q);
  check_length("--seq-kv (or --seq-len)", "keys", problem.seq_kv, tile.block_kv);
  for (const Role role : {Role::kQ, Role::kK, Role::kV, Role::kO}) check_strides(problem, role);
}

void check_memory(const Problem& problem, const Tile& tile, const std::function<int64_t(const Problem&)>& needed_by,
                  int64_t free, const std::string& where) {
  const int64_t needed = needed_by(problem);
  if (needed <= free) return;
  const std::string at_least = needed == std::numeric_limits<int64_t>::max() ? "more than " : "";
  const std::string nearest = nearest_that_fits(problem, tile, [&](const Problem& p) { return needed_by(p) <= free; });
  throw Refusal("this problem needs " + at_least + std::to_string(needed) + " bytes of " + where + ", but " +
                std::to_string(free) + " bytes are free: the nearest that works is " + nearest);
}

int64_t free_host_memory() {
  int64_t free = number_in_file("/proc/meminfo", "MemAvailable:");
  free = free < 0 ? std::numeric_limits<int64_t>::max() : free * 1024;
  const int64_t limit = number_in_file("/sys/fs/cgroup/memory.max", "");  // of a container; "max" reads as none
  const int64_t used = number_in_file("/sys/fs/cgroup/memory.current", "");
  if (limit >= 0 && used >= 0) free = std::min(free, std::max<int64_t>(limit - used, 0));
  return free;
}

}  // namespace harness
