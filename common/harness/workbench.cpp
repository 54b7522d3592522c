#include "common/harness/workbench.h"

#include <limits>
#include <utility>

#include "common/harness/reference.h"
#include "common/harness/refusal.h"
#include "common/harness/timing.h"
#include "common/harness/validation.h"

namespace harness {
namespace {

constexpr int64_t kEdgeRows = 64;  // rows are sampled at the edges of tiles of this size

Problem checked(const Problem& problem) {
  const Tile smallest{32, 32, 1};
  const auto bytes = [](const Problem& p) { return p.bytes(); };
  check_memory(problem, smallest, bytes, query_gpu().info->free_bytes, "GPU memory");
  check_memory(problem, smallest, bytes, free_host_memory(), "host memory");
  return problem;
}

}  // namespace

Workbench::Workbench(const Problem& problem)
    : inputs_(make_inputs(checked(problem))),
      verifier_(inputs_, CheckMode::kSampled, kEdgeRows),
      session_(open_gpu_session(inputs_)) {}

bool Workbench::holds(const Problem& problem) const {
  const Problem& own = inputs_.problem;
  return own.batch == problem.batch && own.heads == problem.heads && own.seq_q == problem.seq_q &&
         own.seq_kv == problem.seq_kv && own.head_dim == problem.head_dim && own.element_type == problem.element_type;
}

std::string Workbench::verify(const GpuWork& work) const {
  const GpuSession::Run run = session_->run(work);
  const Verdict verdict = verifier_.verify(run.output);
  return run.guards_intact ? verdict.message : "memory outside of the tensors was overwritten";
}

void Workbench::settle(Candidate& candidate, bool cold_l2) const {
  if (!candidate.message.empty()) return;
  TimingOptions options;
  options.cold_l2 = cold_l2;
  candidate.launches = launches_in_batch(candidate.work, options);
  for (int i = 0; i < options.warm_ups; ++i) time_batch(candidate.work, candidate.launches, cold_l2);
}

Candidate& Workbench::prepare(const SweepCase& entry) {
  if (entry.kernel == nullptr) return prepare_reference(entry.reference, entry.cold_l2);
  const auto [place, is_new] = candidates_.try_emplace(entry.name);
  Candidate& candidate = place->second;
  if (is_new) {
    kernel_resources(*entry.kernel);  // also asks for the shared memory
    candidate.work = session_->launch(*entry.kernel);
    candidate.message = verify(candidate.work);
    settle(candidate, entry.cold_l2);
  }
  return candidate;
}

Candidate& Workbench::prepare_reference(const std::string& name, bool cold_l2) {
  const auto [place, is_new] = candidates_.try_emplace(name + (cold_l2 ? "/cold" : "/warm"));
  Candidate& candidate = place->second;
  if (!is_new) return candidate;
  for (const Reference& reference : references()) {
    if (reference.name != name) continue;
    try {
      candidate.message = verify(reference.prepare(inputs_.problem, session_->arguments(), true));
      candidate.work = reference.prepare(inputs_.problem, session_->arguments(), false);
      settle(candidate, cold_l2);
    } catch (const RunFailure& failure) {
      candidate.message = failure.what();
    }
  }
  return candidate;
}

Workbench& workbench_for(const Problem& problem) {
  static std::unique_ptr<Workbench> current;
  if (!current || !current->holds(problem)) {
    current.reset();  // before the next takes memory
    current = std::make_unique<Workbench>(problem);
  }
  return *current;
}

}  // namespace harness
