// Hazards in words.
#include <string>

#include "common/simulator/hazard_log.h"
#include "common/simulator/launch.h"

namespace simulator {

std::string to_string(HazardKind kind) {
  switch (kind) {
    case HazardKind::kReadBeforeWait:
      return "read_before_wait";
    case HazardKind::kWriteBeforeWait:
      return "write_before_wait";
    case HazardKind::kReadBeforeBarrier:
      return "read_before_barrier";
    case HazardKind::kOverwriteWhileRead:
      return "overwrite_while_read";
    case HazardKind::kWriteWriteRace:
      return "write_write_race";
    case HazardKind::kSourceModified:
      return "source_modified";
    case HazardKind::kUninitializedRead:
      return "uninitialized_read";
    case HazardKind::kOutOfBounds:
      return "out_of_bounds";
    case HazardKind::kMisaligned:
      return "misaligned";
    case HazardKind::kDivergentCollective:
      return "divergent_collective";
    case HazardKind::kUncommittedCopies:
      return "uncommitted_copies";
    case HazardKind::kUncollectedCopies:
      return "uncollected_copies";
    case HazardKind::kDeadlock:
      return "deadlock";
  }
  return "unknown";
}

namespace {

std::string line(const CallSite& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

std::string thread(int index) { return "thread " + std::to_string(index); }

// "row 3, byte 64 of K", or "shared memory that no tensor has".
std::string place(const Hazard& hazard) {
  if (hazard.tensor.empty()) return "shared memory outside all tensors";
  if (hazard.row < 0) return hazard.tensor;
  return "row " + std::to_string(hazard.row) + ", byte " + std::to_string(hazard.column_bytes) + " of " + hazard.tensor;
}

std::string sentence(const Hazard& hazard, const std::string& detail) {
  const std::string who = thread(hazard.thread) + " at " + line(hazard.site);
  const std::string other =
      hazard.other_site ? thread(hazard.other_thread) + " at " + line(*hazard.other_site) : std::string();
  switch (hazard.kind) {
    case HazardKind::kReadBeforeWait:
      return who + " reads " + place(hazard) + " before the cp.async of " + other + " was waited for";
    case HazardKind::kWriteBeforeWait:
      return who + " writes " + place(hazard) + " before the cp.async of " + other + " was waited for";
    case HazardKind::kReadBeforeBarrier:
      return who + " reads " + place(hazard) + ", written by " + other + ", and no barrier lies between them";
    case HazardKind::kOverwriteWhileRead:
      return who + " overwrites " + place(hazard) + ", read by " + other + ", and no barrier lies between them";
    case HazardKind::kWriteWriteRace:
      return who + " and " + other + " both write " + place(hazard) + ", and no barrier lies between them";
    case HazardKind::kSourceModified:
      return who + " writes to " + place(hazard) + ", which the cp.async of " + other + " may still be reading";
    case HazardKind::kUninitializedRead:
      return who + " reads " + place(hazard) + ", which nothing wrote";
    case HazardKind::kUncommittedCopies:
      return "the cp.async of " + who + " is in no group: the thread exits without a cp.async.commit_group";
    case HazardKind::kUncollectedCopies:
      return "the cp.async of " + who +
             " is never waited for: no cp.async.wait_group collects its group before the exit";
    case HazardKind::kOutOfBounds:
    case HazardKind::kMisaligned:
    case HazardKind::kDivergentCollective:
      return who + " " + detail;
    case HazardKind::kDeadlock:
      return detail;
  }
  return detail;
}

}  // namespace

std::string message(const Hazard& hazard, std::string_view detail) {
  std::string block = " (block";
  for (const int index : hazard.block) block += " " + std::to_string(index);
  return sentence(hazard, std::string(detail)) + block + ")";
}

}  // namespace simulator
