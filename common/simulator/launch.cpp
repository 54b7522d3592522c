#include "common/simulator/launch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "common/simulator/block.h"

namespace simulator {
namespace {

// The most that any GPU so far gives one block (sm_90 and sm_100).
constexpr uint32_t kMostSharedBytes = 227 * 1024;

void refuse(const std::string& why) { throw std::invalid_argument("cannot launch on the simulator: " + why); }

void check(const LaunchConfiguration& configuration) {
  const Grid& grid = configuration.grid;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1) {
    refuse("the grid is " + std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " + std::to_string(grid.z) +
           ", every side must be at least 1");
  }
  if (configuration.threads < kWarpSize || configuration.threads > 1024 || configuration.threads % kWarpSize != 0) {
    refuse(std::to_string(configuration.threads) + " threads a block; it must be a multiple of 32 from 32 to 1024");
  }
  if (configuration.shared_bytes > kMostSharedBytes) {
    refuse(std::to_string(configuration.shared_bytes) + " bytes of shared memory; no GPU has more than " +
           std::to_string(kMostSharedBytes) + " for a block");
  }
  if (configuration.workers < 0) refuse(std::to_string(configuration.workers) + " workers; 0 means one a core");
  for (const SharedRegion& region : configuration.shared_regions) {
    if (region.rows < 1 || region.row_bytes < 1) {
      refuse("the tensor " + region.name + " has " + std::to_string(region.rows) + " rows of " +
             std::to_string(region.row_bytes) + " bytes; both must be at least 1");
    }
    const int64_t end = region.offset + int64_t{region.rows} * region.row_bytes;
    if (end > configuration.shared_bytes) {
      refuse("the tensor " + region.name + " ends at byte " + std::to_string(end) + " of shared memory, which has " +
             std::to_string(configuration.shared_bytes));
    }
  }
  for (const GlobalBuffer& buffer : configuration.global_buffers) {
    if (buffer.data == nullptr) refuse("the buffer " + buffer.name + " has no memory");
  }
}

// One a core. But every simulated thread of a worker has a stack with a guard page, and Linux gives a process no more
// than 65,530 areas of memory.
int64_t default_workers(int threads) {
  constexpr int kMostStacks = 16384;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, kMostStacks / threads);
}

}  // namespace

Report launch(const LaunchConfiguration& configuration, const std::function<void()>& thread_body) {
  check(configuration);
  const Grid grid = configuration.grid;
  const int64_t blocks = int64_t{grid.x} * grid.y * grid.z;
  const int64_t workers =
      std::min(configuration.workers > 0 ? configuration.workers : default_workers(configuration.threads), blocks);

  std::atomic<int64_t> next = 0;
  std::mutex mutex;  // for what follows
  int64_t done = 0;
  std::exception_ptr exception;
  Report report;
  HazardLog hazards;
  const auto work = [&] {
    try {
      Instruments instruments(configuration);
      Block block(configuration, thread_body, instruments);
      for (int64_t number = next++; number < blocks; number = next++) {
        block.run(number, {static_cast<int>(number % grid.x), static_cast<int>(number / grid.x % grid.y),
                           static_cast<int>(number / grid.x / grid.y)});
        const std::lock_guard lock(mutex);
        ++done;
        if (configuration.progress) configuration.progress(done, blocks);
      }
      const std::lock_guard lock(mutex);
      instruments.add_to(report);
      hazards.merge(instruments.hazards);
    } catch (...) {
      next = blocks;
      const std::lock_guard lock(mutex);
      exception = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (exception) std::rethrow_exception(exception);
  report.hazards = hazards.hazards();
  return report;
}

}  // namespace simulator
