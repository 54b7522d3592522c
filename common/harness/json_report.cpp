#include "common/harness/json_report.h"

#include <cmath>

#include "common/harness/arguments.h"
#include "common/harness/environment.h"
#include "common/harness/reference.h"

namespace harness {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Problem& problem) {
  return {{"batch", problem.batch},   {"heads", problem.heads},           {"seq_q", problem.seq_q},
          {"seq_kv", problem.seq_kv}, {"head_dim", problem.head_dim},     {"dtype", to_string(problem.element_type)},
          {"seed", problem.seed},     {"input", to_string(problem.input)}};
}

Json to_json(const Kernel& kernel) {
  return {{"block_q", kernel.tile.block_q},
          {"block_kv", kernel.tile.block_kv},
          {"warps", kernel.tile.warps},
          {"threads", threads_of(kernel)},
          {"shared_bytes", kernel.shared_bytes}};
}

Json to_json(const simulator::SharedCounts& counts) {
  return {
      {"requests", counts.requests}, {"wavefronts", counts.wavefronts}, {"ideal_wavefronts", counts.ideal_wavefronts}};
}

Json to_json(const simulator::GlobalCounts& counts) {
  return {{"requests", counts.requests},
          {"sectors", counts.sectors},
          {"ideal_sectors", counts.ideal_sectors},
          {"bytes", counts.bytes}};
}

simulator::GlobalCounts total(const std::map<std::string, simulator::GlobalCounts>& tensors) {
  simulator::GlobalCounts sum;
  for (const auto& [tensor, counts] : tensors) {
    sum.requests += counts.requests;
    sum.sectors += counts.sectors;
    sum.ideal_sectors += counts.ideal_sectors;
    sum.bytes += counts.bytes;
  }
  return sum;
}

Json counters(const simulator::Report& report) {
  Json json;
  for (const char* const family : {"ldmatrix", "cp_async", "shared_load", "shared_store"}) {
    json[family] = to_json(report.shared_total(family));
    json[family]["tensors"] = Json::object();
    const auto tensors = report.shared.find(family);
    if (tensors == report.shared.end()) continue;
    for (const auto& [tensor, counts] : tensors->second) json[family]["tensors"][tensor] = to_json(counts);
  }
  json["global"] = Json::object();
  for (const auto& [family, tensors] : report.global) {
    Json& entry = json["global"][family];
    entry = to_json(total(tensors));
    for (const auto& [tensor, counts] : tensors) entry["tensors"][tensor] = to_json(counts);
  }
  return json;
}

Json to_json(const simulator::Hazard& hazard) {
  return {{"kind", to_string(hazard.kind)},
          {"count", hazard.count},
          {"site", describe(hazard.site)},
          {"other_site", hazard.other_site ? Json(describe(*hazard.other_site)) : Json(nullptr)},
          {"tensor", hazard.tensor},
          {"row", hazard.row},
          {"column_bytes", hazard.column_bytes},
          {"thread", hazard.thread},
          {"other_thread", hazard.other_thread},
          {"block", hazard.block},
          {"message", hazard.message}};
}

Json to_json(const Timing& timing) {
  return {{"median", timing.median}, {"minimum", timing.minimum}, {"spread", timing.spread}};
}

Json to_json(const std::optional<GpuState>& state) {
  if (!state) return nullptr;
  return {{"sm_mhz", state->sm_mhz},
          {"memory_mhz", state->memory_mhz},
          {"temperature_celsius", state->temperature_celsius}};
}

void add_simulator(const Result& result, Json& json) {
  Json list = Json::array();
  for (const simulator::Hazard& hazard : result.report.hazards) list.push_back(to_json(hazard));
  json["hazards"] = {{"count", result.report.hazard_count()}, {"list", list}};
  json["counters"] = counters(result.report);
  json["instructions"] = result.report.instructions;
  json["per_key_tile"] = {{"instructions", result.key_tile.instructions}, {"counters", counters(result.key_tile)}};
}

void add_gpu(const Problem& problem, const Result& result, Json& json) {
  const double operations = problem.floating_point_operations();
  json["time_ms"] = result.timing ? to_json(*result.timing) : Json(nullptr);
  json["tflops"] = result.timing ? Json(teraflops(operations, result.timing->median)) : Json(nullptr);
  json["registers"] = result.resources.registers;
  json["spill_bytes"] = result.resources.spill_bytes;
  json["shared_bytes"] = result.resources.shared_bytes;
  json["blocks_per_sm"] = result.resources.blocks_per_sm;
  json["references"] = Json::object();
  for (const ReferenceResult& reference : result.references) {
    Json& entry = json["references"][reference.name];
    const bool both = reference.timing && result.timing;
    entry["time_ms"] = reference.timing ? to_json(*reference.timing) : Json(nullptr);
    entry["tflops"] = reference.timing ? Json(teraflops(operations, reference.timing->median)) : Json(nullptr);
    entry["percent"] = both ? Json(100 * reference.timing->median / result.timing->median) : Json(nullptr);
    entry["message"] = reference.message;
  }
  json["speed_up"] = result.speed_up ? Json(*result.speed_up) : Json(nullptr);
}

}  // namespace

Json to_json(const Results& results, const Result& result) {
  const Plan& plan = results.plan;
  Json json;
  json["chapter"] = result.chapter->number;
  json["title"] = result.chapter->title;
  json["device"] = to_string(plan.device.kind);
  json["device_reason"] = plan.device.reason;
  json["problem"] = to_json(plan.problem);
  json["config"] = to_json(*result.kernel);
  json["correct"] = result.correct();
  json["message"] = result.complaint();
  json["checked_rows"] = result.verdict.checked_rows;
  json["max_abs_error"] = number(result.verdict.max_abs_error);
  json["tolerance"] = number(result.verdict.tolerance);
  json["relative_error"] = number(result.verdict.relative_error);
  json["relative_tolerance"] = number(result.verdict.relative_tolerance);
  if (plan.device.kind == DeviceKind::kSimulator) {
    add_simulator(result, json);
  } else {
    add_gpu(plan.problem, result, json);
  }
  json["environment"] = describe_environment(plan);
  if (plan.gpu) {
    json["environment"]["before"] = to_json(results.before);
    json["environment"]["after"] = to_json(results.after);
  }
  return json;
}

Json to_json(const Results& results) {
  Json list = Json::array();
  for (const Result& result : results.chapters) list.push_back(to_json(results, result));
  return list;
}

}  // namespace harness
