#include "common/simulator/block_end.h"

#include <algorithm>
#include <string>

#include "common/simulator/scheduler.h"
#include "common/simulator/sites.h"

namespace simulator {
namespace {

bool waits(const Thread& thread) { return thread.state == ThreadState::kWaiting; }

bool waits_for_warp(const Thread& thread) { return waits(thread) && thread.waits_at != InstructionKind::kSyncThreads; }

bool same_place(const Thread& a, const Thread& b) {
  if (a.state != b.state) return false;
  return !waits(a) || (a.waits_at == b.waits_at && same_site(a.wait_site, b.wait_site));
}

std::string whereabouts(const Thread& thread) {
  if (thread.state == ThreadState::kExited) return "exited";
  return std::string("at ") + instruction_name(thread.waits_at) + " (" + thread.wait_site.file + ":" +
         std::to_string(thread.wait_site.line) + ")";
}

// "threads 0-31 and 64"
std::string list(const std::vector<int>& indices) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    ranges.push_back(std::to_string(indices[i]));
    if (end - i > 1) ranges.back() += "-" + std::to_string(indices[end - 1]);
    i = end;
  }
  std::string text = indices.size() > 1 ? "threads " : "thread ";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ") + ranges[i];
  }
  return text;
}

void report_fault(const Thread& thread, HazardLog& hazards) {
  const Fault& fault = *thread.fault;
  hazards.report({.kind = fault.kind,
                  .site = fault.site,
                  .thread = thread.index,
                  .tensor = fault.tensor,
                  .row = fault.place.row,
                  .column_bytes = fault.place.column_bytes,
                  .detail = fault.detail});
}

void report_copies(const Thread& thread, const SharedMap& map, HazardLog& hazards) {
  for (const AsyncCopy& copy : thread.copies) {
    const bool committed = copy.group < thread.copies.open_group();
    const Place place = map.locate(copy.destination);
    hazards.report({.kind = committed ? HazardKind::kUncollectedCopies : HazardKind::kUncommittedCopies,
                    .site = copy.site,
                    .count = copy.bytes / 4,
                    .thread = thread.index,
                    .tensor = map.tensor(place.region, false),
                    .row = place.row,
                    .column_bytes = place.column_bytes});
  }
}

// Lanes that wait at a warp-wide instruction while others of their warp are elsewhere.
void report_divergence(const Thread* warp, HazardLog& hazards) {
  const Thread* end = warp + kWarpSize;
  const Thread* first = std::find_if(warp, end, waits_for_warp);
  if (first == end) return;
  std::vector<int> here;
  std::vector<int> elsewhere;
  for (const Thread* thread = warp; thread != end; ++thread) {
    (same_place(*first, *thread) ? here : elsewhere).push_back(thread->index);
  }
  if (elsewhere.empty()) return;
  const Thread& other = warp[elsewhere.front() % kWarpSize];
  const std::string detail = "waits at " + std::string(instruction_name(first->waits_at)) + " with " + list(here) +
                             ", where all lanes of the warp must come, but " + list(elsewhere) + " did not: thread " +
                             std::to_string(other.index) + " " + (waits(other) ? "is " : "") + whereabouts(other);
  hazards.report({.kind = HazardKind::kDivergentCollective,
                  .site = first->wait_site,
                  .other_site = waits(other) ? std::optional(other.wait_site) : std::nullopt,
                  .count = static_cast<int64_t>(elsewhere.size()),
                  .thread = first->index,
                  .other_thread = other.index,
                  .detail = detail});
}

// Who is where: "threads 0-31 at __syncthreads (kernel.cuh:12); threads 32-63 exited".
std::string whereabouts(const std::vector<Thread>& threads) {
  std::string text;
  std::vector<bool> told(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (told[i]) continue;
    std::vector<int> together;
    for (std::size_t j = i; j < threads.size(); ++j) {
      if (!same_place(threads[i], threads[j])) continue;
      told[j] = true;
      together.push_back(threads[j].index);
    }
    text += (i == 0 ? "" : "; ") + list(together) + " " + whereabouts(threads[i]);
  }
  return text;
}

// `first`: the first thread that waits.
void report_deadlock(const std::vector<Thread>& threads, const Thread& first, HazardLog& hazards) {
  const auto other = std::find_if(threads.begin(), threads.end(),
                                  [&](const Thread& thread) { return waits(thread) && !same_place(first, thread); });
  const bool found = other != threads.end();
  const std::string detail = "no thread of the block can go on: " + whereabouts(threads);
  hazards.report({.kind = HazardKind::kDeadlock,
                  .site = first.wait_site,
                  .other_site = found ? std::optional(other->wait_site) : std::nullopt,
                  .count = std::count_if(threads.begin(), threads.end(), waits),
                  .thread = first.index,
                  .other_thread = found ? other->index : -1,
                  .detail = detail});
}

}  // namespace

void report_end(const std::vector<Thread>& threads, const SharedMap& map, HazardLog& hazards) {
  for (const Thread& thread : threads) {
    if (thread.fault) report_fault(thread, hazards);
    if (thread.state == ThreadState::kExited) report_copies(thread, map, hazards);
  }
  // Threads that wait for a stopped one are no hazard of their own.
  const bool stopped = std::any_of(threads.begin(), threads.end(),
                                   [](const Thread& thread) { return thread.state == ThreadState::kStopped; });
  const auto first = std::find_if(threads.begin(), threads.end(), waits);
  if (stopped || first == threads.end()) return;
  for (std::size_t i = 0; i < threads.size(); i += kWarpSize) report_divergence(&threads[i], hazards);
  report_deadlock(threads, *first, hazards);
}

void report_absence_at_barrier(const std::vector<Thread>& threads, HazardLog& hazards) {
  std::vector<int> here;
  std::vector<int> gone;
  for (const Thread& thread : threads) (waits(thread) ? here : gone).push_back(thread.index);
  const std::string detail = "waits at __syncthreads with " + list(here) + ", but " + list(gone) + " exited before it";
  hazards.report({.kind = HazardKind::kDivergentCollective,
                  .site = threads[static_cast<std::size_t>(here.front())].wait_site,
                  .count = static_cast<int64_t>(gone.size()),
                  .thread = here.front(),
                  .other_thread = gone.front(),
                  .detail = detail});
}

}  // namespace simulator
