#include "common/harness/simulator_run.h"

#include <filesystem>

#include "common/harness/arguments.h"

namespace harness {
namespace {

simulator::GlobalBuffer describe_buffer(Role role, const HostTensor& tensor) {
  return {to_string(role), const_cast<uint16_t*>(tensor.data()), tensor.bytes(), role == Role::kO};
}

// a - b, of maps of counts.
template <typename Map, typename Subtract>
Map difference(Map a, const Map& b, Subtract subtract) {
  for (const auto& [name, value] : b) subtract(a[name], value);
  return a;
}

void subtract_shared(simulator::SharedCounts& a, const simulator::SharedCounts& b) {
  a.requests -= b.requests;
  a.wavefronts -= b.wavefronts;
  a.ideal_wavefronts -= b.ideal_wavefronts;
}

void subtract_global(simulator::GlobalCounts& a, const simulator::GlobalCounts& b) {
  a.requests -= b.requests;
  a.sectors -= b.sectors;
  a.ideal_sectors -= b.ideal_sectors;
  a.bytes -= b.bytes;
}

}  // namespace

SimulatorRun run_on_simulator(const Kernel& kernel, const Inputs& inputs, const SimulatorOptions& options) {
  const Problem& problem = inputs.problem;
  HostTensor output(problem.shape(Role::kO));
  const device::AttentionArguments arguments =
      make_arguments(problem, inputs.q.data(), inputs.k.data(), inputs.v.data(), output.data());

  simulator::LaunchConfiguration launch;
  launch.grid = make_grid(problem, kernel.tile);
  launch.threads = threads_of(kernel);
  launch.shared_bytes = static_cast<uint32_t>(kernel.shared_bytes);
  launch.shared_regions = kernel.shared_regions;
  launch.global_buffers = {describe_buffer(Role::kQ, inputs.q), describe_buffer(Role::kK, inputs.k),
                           describe_buffer(Role::kV, inputs.v), describe_buffer(Role::kO, output)};
  launch.architecture = options.architecture;
  launch.workers = options.workers;
  launch.schedule_seed = options.schedule_seed;
  launch.progress = options.progress;
  launch.trace = options.trace;
  launch.keep_accesses = options.keep_accesses;

  simulator::Report report = simulator::launch(launch, [&] { kernel.simulator_thread(arguments); });
  const bool intact =
      inputs.q.guards_intact() && inputs.k.guards_intact() && inputs.v.guards_intact() && output.guards_intact();
  return {std::move(output), std::move(report), intact};
}

std::vector<simulator::SharedAccess> key_tile_accesses(const Kernel& kernel) {
  Problem problem;
  problem.seq_q = kernel.tile.block_q;
  problem.seq_kv = kernel.tile.block_kv;
  problem.head_dim = kernel.head_dim;
  problem.element_type = kernel.element_type;
  SimulatorOptions options;
  options.keep_accesses = true;
  return run_on_simulator(kernel, make_inputs(problem), options).report.accesses;
}

simulator::Report count_key_tile(const Kernel& kernel, const SimulatorOptions& options) {
  Problem problem;
  problem.seq_q = kernel.tile.block_q;
  problem.head_dim = kernel.head_dim;
  problem.element_type = kernel.element_type;
  SimulatorOptions quiet = options;
  quiet.trace = false;
  quiet.progress = nullptr;
  const auto run = [&](int key_tiles) {
    problem.seq_kv = int64_t{key_tiles} * kernel.tile.block_kv;
    return run_on_simulator(kernel, make_inputs(problem), quiet).report;
  };
  const simulator::Report one = run(1);
  simulator::Report two = run(2);
  two.instructions = difference(std::move(two.instructions), one.instructions, [](int64_t& a, int64_t b) { a -= b; });
  two.shared = difference(std::move(two.shared), one.shared,
                          [](auto& a, const auto& b) { a = difference(std::move(a), b, subtract_shared); });
  two.global = difference(std::move(two.global), one.global,
                          [](auto& a, const auto& b) { a = difference(std::move(a), b, subtract_global); });
  two.hazards.clear();
  return two;
}

std::string describe(const simulator::CallSite& site) {
  if (site.file == nullptr) return "";
  const std::filesystem::path path(site.file);
  return (path.parent_path().filename() / path.filename()).string() + ":" + std::to_string(site.line);
}

}  // namespace harness
