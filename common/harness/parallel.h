// Loops over the machine's cores.
#pragma once

#include <cstdint>
#include <functional>

namespace harness {

// Calls body(i) once for each i from 0 to count - 1, on as many threads as the machine has cores, in no given order.
// Rethrows the first exception of a body, after all threads have stopped.
void parallel_for(int64_t count, const std::function<void(int64_t)>& body);

}  // namespace harness
