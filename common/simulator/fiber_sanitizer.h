// What AddressSanitizer and ThreadSanitizer must be told about fibers: that the processor goes on on another stack, or
// as another thread. In a build without them all of this is empty.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMULATOR_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define SIMULATOR_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIMULATOR_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define SIMULATOR_THREAD_SANITIZER 1
#endif

#if defined(SIMULATOR_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(SIMULATOR_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace simulator {

#if defined(SIMULATOR_ADDRESS_SANITIZER)

class FiberSanitizer {
 public:
  void prepare(const char* bottom, std::size_t bytes) {
    bottom_ = bottom;
    bytes_ = bytes;
    __asan_unpoison_memory_region(bottom, bytes);
  }
  void leave(const FiberSanitizer& next) { __sanitizer_start_switch_fiber(&fake_stack_, next.bottom_, next.bytes_); }
  void come_back() { __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr); }
  // This fiber runs for the first time. Only now is it known where the stack of the one before it lies, if that is not
  // a fiber that was prepared but the operating system's thread.
  void begin(FiberSanitizer& before) { __sanitizer_finish_switch_fiber(nullptr, &before.bottom_, &before.bytes_); }

 private:
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* fake_stack_ = nullptr;
};

#elif defined(SIMULATOR_THREAD_SANITIZER)

class FiberSanitizer {
 public:
  FiberSanitizer() = default;
  FiberSanitizer(const FiberSanitizer&) = delete;
  FiberSanitizer& operator=(const FiberSanitizer&) = delete;
  ~FiberSanitizer() { forget(); }

  void prepare(const char*, std::size_t) {
    forget();
    fiber_ = __tsan_create_fiber(0);
    created_ = true;
  }
  void leave(const FiberSanitizer& next) {
    if (!created_) fiber_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(next.fiber_, 0);
  }
  void come_back() {}
  void begin(FiberSanitizer&) {}

 private:
  void forget() {
    if (created_) __tsan_destroy_fiber(fiber_);
    created_ = false;
  }

  void* fiber_ = nullptr;
  bool created_ = false;
};

#else

class FiberSanitizer {
 public:
  void prepare(const char*, std::size_t) {}
  void leave(const FiberSanitizer&) {}
  void come_back() {}
  void begin(FiberSanitizer&) {}
};

#endif

}  // namespace simulator
