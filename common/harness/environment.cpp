#include "common/harness/environment.h"

#include "common/harness/gpu.h"

namespace harness {

std::string host_compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "g++ " __VERSION__;
#endif
}

nlohmann::ordered_json describe_environment(const Plan& plan) {
  nlohmann::ordered_json json;
  json["compiler"] = host_compiler();
#ifdef NDEBUG
  json["build"] = "optimised";
#else
  json["build"] = "with assertions";
#endif
  if (!plan.gpu) {
    json["simulated_sm"] = plan.options.architecture == simulator::Architecture::kSm80 ? 80 : 90;
    return json;
  }
  json["gpu"] = plan.gpu->name;
  json["sm"] = plan.gpu->sm;
  json["driver"] = plan.gpu->driver;
  json["cuda"] = plan.gpu->cuda;
  json["runtime"] = plan.gpu->runtime;
  json["architectures"] = built_architectures();
  return json;
}

}  // namespace harness
