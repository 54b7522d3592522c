// One problem on the GPU, with everything that is timed on it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/harness/gpu.h"
#include "common/harness/sweep.h"
#include "common/harness/verification.h"

namespace harness {

// Something ready to be timed, and found right before.
struct Candidate {
  GpuWork work;
  int launches = 1;     // in a batch
  int rounds = 0;       // in which it was timed so far
  std::string message;  // what is wrong with it; empty if nothing is
};

class Workbench {
 public:
  explicit Workbench(const Problem& problem);

  // Verifies the case's kernel or reference, finds how many launches make a batch, and warms up. The second time it
  // returns what the first time found.
  Candidate& prepare(const SweepCase& entry);
  // Likewise for a reference beside a chapter.
  Candidate& prepare_reference(const std::string& name, bool cold_l2);

  bool holds(const Problem& problem) const;

 private:
  void settle(Candidate& candidate, bool cold_l2) const;
  std::string verify(const GpuWork& work) const;

  Inputs inputs_;
  Verifier verifier_;
  std::unique_ptr<GpuSession> session_;
  std::map<std::string, Candidate> candidates_;  // by name
};

// The workbench of this problem; the one before it is given up, so that one problem at a time takes memory.
Workbench& workbench_for(const Problem& problem);

}  // namespace harness
