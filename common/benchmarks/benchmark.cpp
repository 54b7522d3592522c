// Google Benchmark over all chapters, on the GPU.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <map>

#include "common/harness/device_choice.h"
#include "common/harness/reference.h"
#include "common/harness/refusal.h"
#include "common/harness/sweep.h"
#include "common/harness/text_table.h"
#include "common/harness/timing.h"
#include "common/harness/workbench.h"

namespace benchmarks {
namespace {

using harness::Refusal;
using harness::SweepCase;
using harness::teraflops;

bool something_was_wrong = false;

// The fastest tile of a chapter for a shape, by the median of its repetitions.
struct TileTimes {
  std::map<std::string, std::vector<double>> milliseconds;  // by the case's name
  std::map<std::string, double> operations;
};
std::map<std::string, TileTimes> tile_times;  // by chapter and shape

std::string without_tile(const SweepCase& entry) {
  return entry.chapter->name + " " + describe(entry.problem) + (entry.cold_l2 ? ", cold L2" : "");
}

void show_progress(const SweepCase& entry, size_t index, size_t count) {
  if (isatty(STDERR_FILENO) != 1) return;
  std::cerr << "\r\033[K" << index + 1 << " of " << count << ": " << entry.name << "\r" << std::flush;
}

// What takes turns: the references that work here, by name, and the case itself, without one. A reference is alone.
std::vector<std::pair<std::string, const harness::Candidate*>> contenders(harness::Workbench& bench,
                                                                          const SweepCase& entry,
                                                                          const harness::Candidate& own) {
  std::vector<std::pair<std::string, const harness::Candidate*>> all;
  for (const harness::Reference& reference : harness::references()) {
    if (entry.chapter == nullptr) break;
    const harness::Candidate& other = bench.prepare_reference(reference.name, entry.cold_l2);
    if (other.message.empty()) all.emplace_back(reference.name, &other);
  }
  all.emplace_back("", &own);
  return all;
}

// One repetition: a batch of each reference and a batch of the case, whose time counts.
void measure(benchmark::State& state, const SweepCase& entry, double ceiling) {
  try {
    harness::Workbench& bench = harness::workbench_for(entry.problem);
    harness::Candidate& candidate = bench.prepare(entry);
    if (!candidate.message.empty()) {
      something_was_wrong = something_was_wrong || entry.chapter != nullptr;
      state.SkipWithError(candidate.message.c_str());
      return;
    }
    const auto all = contenders(bench, entry, candidate);
    std::map<std::string, double> reference_ms;
    double milliseconds = 0;
    for ([[maybe_unused]] auto iteration : state) {
      for (const size_t i : harness::order_in_round(all.size(), candidate.rounds++)) {
        const auto& [name, contender] = all[i];
        const double time = harness::time_batch(contender->work, contender->launches, entry.cold_l2);
        (name.empty() ? milliseconds : reference_ms[name]) = time;
      }
      state.SetIterationTime(milliseconds / 1000);
    }
    const double tflops = teraflops(entry.problem.floating_point_operations(), milliseconds);
    state.counters["TFLOP/s"] = tflops;
    for (const auto& [name, reference] : reference_ms) state.counters["% of " + name] = 100 * reference / milliseconds;
    if (ceiling > 0) state.counters["% of matmul"] = 100 * tflops / ceiling;
    if (const auto gpu = harness::gpu_state()) {
      state.counters["sm_mhz"] = gpu->sm_mhz;
      state.counters["celsius"] = gpu->temperature_celsius;
    }
    if (entry.chapter != nullptr) {
      tile_times[without_tile(entry)].milliseconds[entry.name].push_back(milliseconds);
      tile_times[without_tile(entry)].operations[entry.name] = entry.problem.floating_point_operations();
    }
  } catch (const std::exception& failure) {
    something_was_wrong = true;
    state.SkipWithError(failure.what());
  }
}

// TFLOP/s of a large matrix product; 0 without PyTorch.
double measure_ceiling() {
  const std::optional<harness::MatrixProduct> product = harness::matrix_product();
  if (!product) return 0;
  const harness::Timing timing = harness::time_interleaved({product->work}, {}).front();
  return teraflops(product->floating_point_operations, timing.median);
}

void add_context(double ceiling) {
  const harness::GpuInfo gpu = *harness::query_gpu().info;
  benchmark::AddCustomContext("gpu", gpu.name + ", sm_" + std::to_string(gpu.sm));
  benchmark::AddCustomContext("driver", gpu.driver + ", CUDA " + gpu.cuda + ", runtime " + gpu.runtime);
  benchmark::AddCustomContext("architectures", harness::built_architectures());
  benchmark::AddCustomContext("matrix product 8192^3 fp16",
                              ceiling > 0 ? harness::format_number("%.1f TFLOP/s", ceiling) : "n/a");
  for (const std::string& name : harness::reference_names()) {
    const auto& list = harness::references();
    const bool found = std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
    benchmark::AddCustomContext(name, found ? "PyTorch, timed in turn" : "n/a: this build has no PyTorch");
  }
}

// Google Benchmark's flags, with defaults of our own in front: the last of a kind counts.
std::vector<std::string> benchmark_flags(const std::vector<std::string>& others) {
  std::vector<std::string> flags = {"benchmark", "--benchmark_repetitions=10", "--benchmark_min_time=0.000001",
                                    "--benchmark_display_aggregates_only=true", "--benchmark_counters_tabular=true"};
  flags.insert(flags.end(), others.begin(), others.end());
  return flags;
}

void initialize(const std::vector<std::string>& others) {
  static std::vector<std::string> flags = benchmark_flags(others);
  std::vector<char*> arguments;
  arguments.reserve(flags.size());
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) throw Refusal(std::string(arguments[1]) + " is not an option (benchmark --help lists them)");
}

void print_best_tiles() {
  for (const auto& [shape, times] : tile_times) {
    std::pair<double, std::string> best{0, ""};
    for (const auto& [name, samples] : times.milliseconds) {
      best = std::max(best, {teraflops(times.operations.at(name), harness::summarise(samples).median), name});
    }
    std::cout << "best tile of " << shape << ": " << best.second << ", "
              << harness::format_number("%.1f TFLOP/s", best.first) << "\n";
  }
}

int run(int argc, const char* const* argv) {
  const harness::ParsedSweep parsed = harness::parse_sweep(argc, argv);
  if (!parsed.help.empty()) {
    std::cout << parsed.help;
    return 0;
  }
  if (const std::optional<std::string> objection = harness::why_not_gpu()) {
    throw Refusal(*objection + "; times need a GPU, but compare shows conflicts and hazards on the simulator");
  }
  const harness::GpuInfo gpu = *harness::query_gpu().info;
  std::vector<std::string> references;
  for (const harness::Reference& reference : harness::references()) references.push_back(reference.name);
  const std::vector<SweepCase> cases = harness::make_cases(parsed.sweep, references, gpu.shared_bytes_per_block);
  initialize(parsed.others);
  const double ceiling = measure_ceiling();
  add_context(ceiling);
  for (size_t i = 0; i < cases.size(); ++i) {
    benchmark::RegisterBenchmark(cases[i].name.c_str(),
                                 [&cases, i, ceiling](benchmark::State& state) {
                                   show_progress(cases[i], i, cases.size());
                                   measure(state, cases[i], ceiling);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (parsed.sweep.all_tiles) print_best_tiles();
  return something_was_wrong ? 1 : 0;
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  try {
    return benchmarks::run(argc, argv);
  } catch (const harness::Refusal& refusal) {
    std::cerr << "benchmark: " << refusal.what() << "\n";
    return 2;
  } catch (const std::exception& failure) {
    std::cerr << "benchmark: " << failure.what() << "\n";
    return 1;
  }
}
