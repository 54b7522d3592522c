// The hazards that one worker found, gathered by kind and pair of source lines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/launch.h"

namespace simulator {

// One occurrence of a hazard.
struct Occurrence {
  HazardKind kind;
  CallSite site;
  std::optional<CallSite> other_site{};
  int64_t count = 1;
  int thread = -1;
  int other_thread = -1;
  std::string_view tensor{};
  int row = -1;
  int column_bytes = -1;
  std::string_view detail{};  // what the message says beyond all this, or in place of it: see message()
};

class HazardLog {
 public:
  // What is reported from now on happens in this block. Blocks come in increasing order.
  void begin_block(int64_t number, std::array<int, 3> index);
  void report(const Occurrence& occurrence);
  // Takes in what another worker found in other blocks.
  void merge(const HazardLog& other);
  // In the order of their first occurrence: by block, and within it as reported.
  std::vector<Hazard> hazards() const;

 private:
  struct Entry {
    Hazard hazard;
    int64_t block;     // of the first occurrence
    int64_t sequence;  // of the first occurrence among all that was reported in its block
  };
  Entry* find(HazardKind kind, const CallSite& site, const std::optional<CallSite>& other_site);

  std::vector<Entry> entries_;
  int64_t block_ = 0;
  int64_t sequence_ = 0;
  std::array<int, 3> index_{};
};

// One sentence with all that is known of the first occurrence of a hazard.
std::string message(const Hazard& hazard, std::string_view detail);

}  // namespace simulator
