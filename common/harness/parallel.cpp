#include "common/harness/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace harness {

void parallel_for(int64_t count, const std::function<void(int64_t)>& body) {
  std::atomic<int64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (int64_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (int64_t i = 1; i < std::min(cores, count); ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace harness
