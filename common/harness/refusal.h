// How the harness says no.
#pragma once

#include <stdexcept>

namespace harness {

// A request that cannot be met. what() is one sentence for the user: the value, the rule it breaks, and the nearest
// value that works. Thrown before anything is launched or written; programs end with exit status 2.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A kernel, or a reference, that failed while it ran. Programs end with exit status 1.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace harness
