#include "common/harness/text_report.h"

#include <algorithm>

#include "common/harness/arguments.h"
#include "common/harness/reference.h"
#include "common/harness/text_table.h"

namespace harness {
namespace {

bool on_simulator(const Results& results) { return results.plan.device.kind == DeviceKind::kSimulator; }

int simulated_sm(const Results& results) {
  return results.plan.options.architecture == simulator::Architecture::kSm80 ? 80 : 90;
}

std::string device_line(const Results& results) {
  const Plan& plan = results.plan;
  if (on_simulator(results)) {
    return "simulator, with the tensor cores of sm_" + std::to_string(simulated_sm(results)) + " (" +
           plan.device.reason + ")";
  }
  return plan.device.reason + ", driver " + plan.gpu->driver + ", CUDA " + plan.gpu->runtime;
}

std::string heading(const Results& results) {
  return "problem  " + describe(results.plan.problem) + "\n" +  //
         "device   " + device_line(results) + "\n";
}

std::string state_text(const std::optional<GpuState>& state) {
  if (!state) return "unknown";
  return std::to_string(state->sm_mhz) + " MHz, " + std::to_string(state->temperature_celsius) + " C";
}

// Wavefronts as a multiple of the ideal: "8.00x"; "n/a" if there are none.
std::string multiple(const simulator::SharedCounts& counts) {
  if (counts.ideal_wavefronts == 0) return "n/a";
  return format_number("%.2fx", static_cast<double>(counts.wavefronts) / static_cast<double>(counts.ideal_wavefronts));
}

std::string number(int64_t value) { return std::to_string(value); }

std::string excess_of(const simulator::Report& report, const std::string& family, const std::string& tensor) {
  const auto tensors = report.shared.find(family);
  if (tensors == report.shared.end()) return "0";
  const auto counts = tensors->second.find(tensor);
  return counts == tensors->second.end() ? "0" : number(counts->second.excess());
}

int64_t instructions(const simulator::Report& report, const std::string& name) {
  const auto entry = report.instructions.find(name);
  return entry == report.instructions.end() ? 0 : entry->second;
}

std::string result_line(const Result& result) {
  const Verdict& verdict = result.verdict;
  if (!result.correct()) return "result   WRONG: " + result.complaint() + "\n";
  return "result   right: largest error " + format_number("%.3g", verdict.max_abs_error) + " (tolerance " +
         format_number("%.3g", verdict.tolerance) + "), relative error " +
         format_number("%.3g", verdict.relative_error) + " (tolerance " +
         format_number("%.3g", verdict.relative_tolerance) + "), " + number(verdict.checked_rows) +
         " rows against float64\n";
}

std::string shared_table(const simulator::Report& report) {
  TextTable table({"shared memory", "tensor", "requests", "wavefronts", "ideal", "excess", "of ideal"}, 2);
  for (const auto& [family, tensors] : report.shared) {
    for (const auto& [tensor, counts] : tensors) {
      table.add_row({family, tensor, number(counts.requests), number(counts.wavefronts),
                     number(counts.ideal_wavefronts), number(counts.excess()), multiple(counts)});
    }
  }
  return table.text();
}

std::string global_table(const simulator::Report& report) {
  TextTable table({"global memory", "tensor", "requests", "sectors", "ideal", "bytes"}, 2);
  for (const auto& [family, tensors] : report.global) {
    for (const auto& [tensor, counts] : tensors) {
      table.add_row({family, tensor, number(counts.requests), number(counts.sectors), number(counts.ideal_sectors),
                     number(counts.bytes)});
    }
  }
  return table.text();
}

std::string instruction_table(const Result& result) {
  TextTable table({"warp instructions", "in all", "a key tile"}, 1);
  for (const auto& [name, count] : result.report.instructions) {
    table.add_row({name, number(count), number(instructions(result.key_tile, name))});
  }
  return table.text() + "A key tile: what one tile of K and V costs one block, all its warps together.\n";
}

std::string time_lines(const Results& results, const Result& result) {
  const KernelResources& resources = result.resources;
  std::string text;
  if (result.timing) {
    const double tflops = teraflops(results.plan.problem.floating_point_operations(), result.timing->median);
    text += "time     " + format_number("%.4g ms", result.timing->median) + " (median; minimum " +
            format_number("%.4g", result.timing->minimum) + ", spread " + format_number("%.2g", result.timing->spread) +
            "), " + format_number("%.1f TFLOP/s", tflops) + "\n";
  }
  return text + "uses     " + number(resources.registers) + " registers a thread, " + number(resources.spill_bytes) +
         " bytes spilled, " + number(resources.shared_bytes) + " bytes of shared memory a block, " +
         number(resources.blocks_per_sm) + " blocks a multiprocessor\n" + "clocks   " + state_text(results.before) +
         " before, " + state_text(results.after) + " after\n";
}

std::string title_of(const Result& result) { return result.chapter->name + "  " + result.chapter->title; }

std::string row_title(const Result& result) { return number(result.chapter->number) + "  " + result.chapter->title; }

std::string simulator_comparison(const Results& results) {
  TextTable table({"chapter", "ok", "max error", "hazards", "ldmatrix\nof ideal", "excess\nQ", "K", "V",
                   "O excess\nstores", "loads", "a key tile:\nmma", "ldsm", "cp.async", "wait", "bar", "shfl", "ex2"},
                  2);
  for (const Result& result : results.chapters) {
    const simulator::Report& report = result.report;
    std::vector<std::string> row = {row_title(result), result.ok() ? "yes" : "NO",
                                    format_number("%.2e", result.verdict.max_abs_error), number(report.hazard_count()),
                                    multiple(report.shared_total("ldmatrix"))};
    for (const char* const tensor : {"Q", "K", "V"}) row.push_back(excess_of(report, "ldmatrix", tensor));
    for (const char* const family : {"shared_store", "shared_load"}) {
      row.push_back(number(report.shared_total(family).excess()));
    }
    for (const char* const name : {"mma", "ldmatrix", "cp_async", "cp_async_wait", "sync_threads", "shuffle", "exp2"}) {
      row.push_back(number(instructions(result.key_tile, name)));
    }
    table.add_row(std::move(row));
  }
  return table.text() +
         "\nldmatrix of ideal: its wavefronts as a multiple of the fewest possible. Excess: wavefronts beyond those, "
         "which "
         "is bank conflicts,\nof ldmatrix by tensor, and of the stores and loads that bring O through shared memory. A "
         "key tile: warp instructions of one\nblock for one tile of K and V: mma.sync, ldmatrix, cp.async, its waits, "
         "block barriers, shuffles and exponentials.\nThe simulator counts and checks; it has no times.\n";
}

std::vector<std::string> gpu_row(const Results& results, const Result& result) {
  std::vector<std::string> row = {row_title(result), result.ok() ? "yes" : "NO",
                                  format_number("%.2e", result.verdict.max_abs_error)};
  if (result.timing) {
    row.push_back(format_number("%.4g", result.timing->median));
    row.push_back(format_number("%.2g", result.timing->spread));
    row.push_back(
        format_number("%.1f", teraflops(results.plan.problem.floating_point_operations(), result.timing->median)));
  } else {
    row.insert(row.end(), 3, "n/a");
  }
  for (const std::string& name : reference_names()) {
    std::string percent = "n/a";
    for (const ReferenceResult& reference : result.references) {
      if (reference.name != name || !reference.timing || !result.timing) continue;
      percent = format_number("%.1f", 100 * reference.timing->median / result.timing->median);
    }
    row.push_back(percent);
  }
  const KernelResources& resources = result.resources;
  row.push_back(result.speed_up ? format_number("%.2fx", *result.speed_up) : "");
  for (const int value :
       {resources.registers, resources.spill_bytes, resources.shared_bytes, resources.blocks_per_sm}) {
    row.push_back(number(value));
  }
  return row;
}

std::string gpu_comparison(const Results& results) {
  std::vector<std::string> header = {"chapter", "ok", "max error", "ms", "spread", "TFLOP/s"};
  for (const std::string& name : reference_names()) header.push_back("% of\n" + name);
  header.insert(header.end(), {"speed-up", "registers", "spilled", "shared", "blocks\nper SM"});
  TextTable table(header, 2);
  for (const Result& result : results.chapters) table.add_row(gpu_row(results, result));

  std::string text =
      table.text() +
      "\nms: median of ten batches, in turn with batches of the references; speed-up: over the step before, each "
      "beside\nits references; spilled: bytes a thread; shared: bytes a block.\n";
  if (results.chapters.empty()) return text;
  for (size_t i = 0; i < results.chapters.front().references.size(); ++i) {
    std::vector<double> medians;
    for (const Result& result : results.chapters) {
      if (i < result.references.size() && result.references[i].timing && result.timing) {
        medians.push_back(result.references[i].timing->median);
      }
    }
    const ReferenceResult& reference = results.chapters.front().references[i];
    if (medians.empty()) {
      text += reference.name + ": n/a, " + reference.message + "\n";
      continue;
    }
    const auto [fastest, slowest] = std::minmax_element(medians.begin(), medians.end());
    const double operations = results.plan.problem.floating_point_operations();
    text += reference.name + ": " + format_number("%.4g to ", *fastest) + format_number("%.4g ms, ", *slowest) +
            format_number("%.1f to ", teraflops(operations, *slowest)) +
            format_number("%.1f TFLOP/s", teraflops(operations, *fastest)) + " beside the different chapters" +
            (reference.message.empty() ? "" : "; its result is WRONG: " + reference.message) + "\n";
  }
  return text + "clocks: " + state_text(results.before) + " before, " + state_text(results.after) + " after\n";
}

}  // namespace

std::string hazard_list(const simulator::Report& report) {
  std::string text;
  for (const simulator::Hazard& hazard : report.hazards) {
    text += "hazard   " + hazard.message + " (" + to_string(hazard.kind) + ", " + number(hazard.count) + " times)\n";
  }
  return text;
}

std::string chapter_report(const Results& results) {
  const Result& result = results.chapters.front();
  const simulator::Grid grid = make_grid(results.plan.problem, result.kernel->tile);
  std::string text = title_of(result) + "\n" + heading(results);
  text += "kernel   tile " + to_string(result.kernel->tile) + ", " + number(result.kernel->shared_bytes) +
          " bytes of shared memory a block, grid of " + number(grid.x) + " x " + number(grid.y) + " x " +
          number(grid.z) + " blocks\n" + result_line(result);
  if (!on_simulator(results)) return text + time_lines(results, result);
  text += "hazards  " + number(result.report.hazard_count()) + "\n" + hazard_list(result.report);
  return text + "\n" + shared_table(result.report) + "\n" + global_table(result.report) + "\n" +
         instruction_table(result);
}

std::string comparison_report(const Results& results) {
  std::string text = heading(results);
  if (!results.chapters.empty()) {
    text += "kernel   tile " + to_string(results.chapters.front().kernel->tile) + ", the same in every chapter; " +
            number(results.chapters.front().verdict.checked_rows) + " rows checked against float64\n";
  }
  text += "\n" + (on_simulator(results) ? simulator_comparison(results) : gpu_comparison(results));
  for (const Result& result : results.chapters) {
    if (!result.ok())
      text += "\n" + result.chapter->name + ": " + result.complaint() + "\n" + hazard_list(result.report);
  }
  return text;
}

}  // namespace harness
