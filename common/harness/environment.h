// What a program was built with and by, and where it runs: kept beside every number.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/harness/execution.h"

namespace harness {

// "g++ 12.2.0"
std::string host_compiler();

nlohmann::ordered_json describe_environment(const Plan& plan);

}  // namespace harness
