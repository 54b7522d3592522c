// Pictures of one access of a warp to shared memory: which lane hits which bank, and how many passes that takes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/simulator/launch.h"

namespace harness {

inline constexpr int kBanks = 32;

// One pass over the banks.
struct Wavefront {
  int phase;                           // the lanes of a phase are served together; phases follow one another
  std::array<int, kBanks> lane;        // that each bank serves, the first of those that share its word; -1: none
  std::array<bool, kBanks> is_shared;  // whether several lanes share it
};

// In the order of the phases. There are as many as the simulator counts.
std::vector<Wavefront> wavefronts(const simulator::SharedAccess& access);

// How many lanes are served together: those of one phase.
int phase_lanes(const simulator::SharedAccess& access);

// The fewest that the access can take: one for each phase in which some lane takes part.
int ideal_wavefronts(const std::vector<Wavefront>& all);

// What --banks draws.
struct BanksPicture {
  std::string title;  // "chapter1, Base kernel"
  simulator::SharedAccess access;
  int alike = 1;  // accesses of this instruction by one warp that take as many wavefronts
  int of = 1;     // accesses of this instruction by one warp
};

// The names of the instructions that can be drawn: "ldmatrix-q", "cp-async-k", "store-o", ...
std::vector<std::string> banks_instructions();

// The worst of the accesses of an instruction, the first if several are. Throws Refusal if the name is unknown or if
// there is none.
BanksPicture choose_access(const std::string& title, const std::vector<simulator::SharedAccess>& accesses,
                           const std::string& instruction);

// "ldmatrix of K: 32 wavefronts, where 4 would do"
std::string banks_summary(const BanksPicture& picture);
// A line for each wavefront, a column for each bank or for neighbouring banks that serve one lane together.
std::string banks_text(const BanksPicture& picture);
// The same as an SVG that follows light and dark.
std::string banks_svg(const BanksPicture& picture);

}  // namespace harness
