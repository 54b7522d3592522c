// For tests of what is refused, and how it is said.
#pragma once

#include <string>

#include "common/harness/refusal.h"

namespace harness {

// The sentence with which `body` refuses; empty if it does not.
template <typename Body>
std::string refusal_of(const Body& body) {
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

}  // namespace harness
