#include "common/harness/execution.h"

#include <algorithm>
#include <limits>

#include "common/harness/progress.h"
#include "common/harness/reference.h"
#include "common/harness/refusal.h"
#include "common/harness/validation.h"

namespace harness {
namespace {

// Host memory: Q, K, V and O, and K and V of a head in fp32 for the reference.
int64_t host_bytes(const Problem& problem) {
  const int64_t bytes = problem.bytes();
  const int64_t reference = 8 * problem.seq_kv * problem.head_dim;
  return bytes > std::numeric_limits<int64_t>::max() - reference ? bytes : bytes + reference;
}

Problem choose_problem(const Options& options, const std::optional<GpuInfo>& gpu) {
  Problem problem;
  const int64_t length = options.seq_len.value_or(gpu ? 4096 : 512);
  problem.batch = options.batch.value_or(gpu ? 16 : 1);
  problem.heads = options.heads.value_or(gpu ? 16 : 1);
  problem.seq_q = options.seq_q.value_or(length);
  problem.seq_kv = options.seq_kv.value_or(length);
  problem.head_dim = options.head_dim;
  problem.element_type = options.element_type;
  problem.seed = options.seed;
  problem.input = options.input;
  // Where nothing was asked for, something that fits.
  const bool free_choice = gpu && !options.batch && !options.heads;
  while (free_choice && problem.batch > 1 &&
         (problem.bytes() > gpu->free_bytes / 2 || host_bytes(problem) > free_host_memory() / 2)) {
    problem.batch /= 2;
  }
  return problem;
}

void run_on_simulator(const Plan& plan, const Inputs& inputs, const Verifier& verifier, Result& result) {
  Progress progress(result.chapter->name);
  SimulatorOptions options;
  options.architecture = plan.options.architecture;
  options.trace = !plan.options.trace.empty();
  options.progress = [&](int64_t done, int64_t blocks) { progress.update(done, blocks); };
  SimulatorRun run = harness::run_on_simulator(*result.kernel, inputs, options);
  result.verdict = verifier.verify(run.output);
  result.guards_intact = run.guards_intact;
  result.report = std::move(run.report);
  result.key_tile = count_key_tile(*result.kernel, options);
}

// Right, or not; before anything is timed.
void check_on_gpu(GpuSession& session, const Verifier& verifier, Result& result) {
  result.resources = kernel_resources(*result.kernel);
  try {
    const GpuSession::Run run = session.run(session.launch(*result.kernel));
    result.verdict = verifier.verify(run.output);
    result.guards_intact = run.guards_intact;
  } catch (const RunFailure& failure) {
    result.failure = failure.what();
  }
}

// The references that can do this problem, verified like the chapters.
std::vector<GpuWork> prepare_references(const Problem& problem, GpuSession& session, const Verifier& verifier,
                                        std::vector<ReferenceResult>& results) {
  std::vector<GpuWork> works;
  for (const std::string& name : reference_names()) {
    ReferenceResult result{name, std::nullopt, "this build has no " + name};
    for (const Reference& reference : references()) {
      if (reference.name != name) continue;
      try {
        const Verdict verdict =
            verifier.verify(session.run(reference.prepare(problem, session.arguments(), true)).output);
        result.message = verdict.message;
        works.push_back(reference.prepare(problem, session.arguments(), false));
        result.timing = Timing{};
      } catch (const RunFailure& failure) {
        result.message = failure.what();
      }
    }
    results.push_back(result);
  }
  return works;
}

// A sentence if no tensor core could be that fast, so that the time must be wrong.
std::string exceeds_roofline(const GpuInfo& gpu, const Problem& problem, const Timing& timing) {
  const double roofline = tensor_roofline(gpu);
  const double reached = teraflops(problem.floating_point_operations(), timing.minimum);
  if (roofline == 0 || reached <= roofline) return "";
  return "the time is wrong: it would be " + std::to_string(reached) + " TFLOP/s, and the tensor cores of the " +
         gpu.name + " end at " + std::to_string(roofline);
}

// The chapter's time in units of the first reference that was timed beside it, which cancels clocks; else in ms.
double relative_time(const Result& result) {
  for (const ReferenceResult& reference : result.references) {
    if (reference.timing) return result.timing->median / reference.timing->median;
  }
  return result.timing->median;
}

// Times everything that ran right. Each chapter takes turns with the references and with nothing else: a GPU at its
// power limit runs the faster the less its work of the last milliseconds took, so that a chapter timed after a slow one
// would look better than it is, and the references would not share the favour.
void time_on_gpu(const GpuInfo& gpu, const Problem& problem, GpuSession& session, const Verifier& verifier,
                 bool with_references, std::vector<Result>& results) {
  std::vector<ReferenceResult> references;
  std::vector<GpuWork> works;
  if (with_references) works = prepare_references(problem, session, verifier, references);
  const Result* before = nullptr;
  for (Result& result : results) {
    result.references = references;
    if (result.correct()) {
      works.push_back(session.launch(*result.kernel));
      const std::vector<Timing> timings = time_interleaved(works, TimingOptions{});
      works.pop_back();
      size_t next = 0;
      for (ReferenceResult& reference : result.references) {
        if (reference.timing) reference.timing = timings[next++];
      }
      result.timing = timings.back();
      result.failure = exceeds_roofline(gpu, problem, *result.timing);
    }
    if (before != nullptr && before->timing && result.timing) {
      result.speed_up = relative_time(*before) / relative_time(result);
    }
    before = &result;
  }
}

}  // namespace

std::string Result::complaint() const {
  if (!failure.empty()) return failure;
  if (!verdict.message.empty()) return verdict.message;
  if (!guards_intact) return "memory outside of the tensors was overwritten";
  if (report.hazard_count() > 0) return std::to_string(report.hazard_count()) + " hazards";
  return "";
}

std::vector<const Chapter*> choose_chapters(const std::vector<int>& numbers) {
  std::vector<const Chapter*> chosen;
  std::string known;
  for (const Chapter& chapter : chapters()) {
    known += (known.empty() ? "" : ", ") + std::to_string(chapter.number);
    if (numbers.empty() || std::count(numbers.begin(), numbers.end(), chapter.number) > 0) chosen.push_back(&chapter);
  }
  for (const int number : numbers) {
    const bool found = std::any_of(chosen.begin(), chosen.end(), [&](const Chapter* c) { return c->number == number; });
    if (!found) {
      throw Refusal("--chapters names " + std::to_string(number) + ", but this program has " + known);
    }
  }
  if (chosen.empty()) throw Refusal("this program was linked without a chapter");
  return chosen;
}

Plan make_plan(const Options& options) {
  Plan plan;
  plan.options = options;
  plan.chapters = choose_chapters(options.chapters);
  plan.device = choose_device(options.device);
  const bool on_gpu = plan.device.kind == DeviceKind::kGpu;
  if (on_gpu) plan.gpu = query_gpu().info;
  if (on_gpu && !options.trace.empty()) {
    throw Refusal("--trace records the simulator, but the device is the GPU: add --device sim");
  }
  if (on_gpu && !options.banks.empty()) {
    throw Refusal("--banks shows what the simulator counts, but the device is the GPU: add --device sim");
  }
  if (!options.banks.empty() && !(options.trace.empty() && options.json.empty())) {
    throw Refusal("--banks shows one instruction and runs nothing else, so there is nothing for " +
                  std::string(options.trace.empty() ? "--json" : "--trace") + " to write: give one of the two");
  }
  if (options.banks.empty() && !options.banks_svg.empty()) {
    throw Refusal("--banks-svg draws an instruction: name it with --banks, for example --banks ldmatrix-k");
  }
  plan.problem = choose_problem(options, plan.gpu);
  for (const Chapter* chapter : plan.chapters) {
    const std::vector<Kernel>& kernels = on_gpu ? chapter->gpu_kernels : chapter->simulator_kernels;
    const Kernel& kernel = find_kernel(chapter->name, kernels, options.element_type, options.head_dim, options.tile);
    if (on_gpu) check_shared_memory(*plan.gpu, kernel, kernels);
    plan.kernels.push_back(&kernel);
  }
  check_sizes(plan.problem, options.tile);
  check_memory(plan.problem, options.tile, host_bytes, free_host_memory(), "host memory");
  if (on_gpu) {
    check_memory(
        plan.problem, options.tile, [](const Problem& p) { return p.bytes(); }, plan.gpu->free_bytes, "GPU memory");
  }
  return plan;
}

Results execute(const Plan& plan, bool with_references) {
  Results results{plan, {}, {}, {}};
  const Inputs inputs = make_inputs(plan.problem);
  const Verifier verifier(inputs, plan.options.check, plan.options.tile.block_q);
  for (size_t i = 0; i < plan.chapters.size(); ++i) {
    Result result;
    result.chapter = plan.chapters[i];
    result.kernel = plan.kernels[i];
    results.chapters.push_back(std::move(result));
  }
  if (plan.device.kind == DeviceKind::kSimulator) {
    for (Result& result : results.chapters) run_on_simulator(plan, inputs, verifier, result);
    return results;
  }
  const std::unique_ptr<GpuSession> session = open_gpu_session(inputs);
  for (Result& result : results.chapters) check_on_gpu(*session, verifier, result);
  // After an error of the GPU nothing more can be had from it.
  for (const Result& result : results.chapters) {
    if (!result.failure.empty()) return results;
  }
  results.before = gpu_state();
  time_on_gpu(*plan.gpu, plan.problem, *session, verifier, with_references, results.chapters);
  results.after = gpu_state();
  return results;
}

}  // namespace harness
