#include "common/harness/banks_view.h"

#include <algorithm>
#include <bit>
#include <map>

#include "common/harness/refusal.h"
#include "common/harness/simulator_run.h"
#include "common/simulator/banks.h"

namespace harness {
namespace {

constexpr int kLanes = 32;
constexpr uint32_t kBankBytes = 4;

const std::map<std::string, std::string> kFamilies = {
    {"ldmatrix", "ldmatrix"}, {"cp-async", "cp_async"}, {"store", "shared_store"}, {"load", "shared_load"}};

bool takes_part(const simulator::SharedAccess& access, int lane) { return (access.lanes >> lane & 1) != 0; }

// The lanes of one phase, spread over as many wavefronts as its most loaded bank has different words.
std::vector<Wavefront> phase_wavefronts(const simulator::SharedAccess& access, int phase, int first, int count) {
  const uint32_t piece = std::max<uint32_t>(static_cast<uint32_t>(access.bytes), kBankBytes);
  std::vector<Wavefront> found;
  for (int lane = first; lane < first + count; ++lane) {
    if (!takes_part(access, lane)) continue;
    const uint32_t address = access.addresses[static_cast<size_t>(lane)] / piece * piece;
    const size_t bank = address / kBankBytes % kBanks;
    const auto is_free = [&](const Wavefront& wavefront) { return wavefront.lane[bank] < 0; };
    const auto has_same_word = [&](const Wavefront& wavefront) {
      return !is_free(wavefront) &&
             access.addresses[static_cast<size_t>(wavefront.lane[bank])] / piece * piece == address;
    };
    auto place = std::find_if(found.begin(), found.end(), has_same_word);
    const bool is_shared = place != found.end();
    if (!is_shared) place = std::find_if(found.begin(), found.end(), is_free);
    if (place == found.end()) {
      found.push_back({phase, {}, {}});
      place = std::prev(found.end());
      place->lane.fill(-1);
    }
    for (size_t word = 0; word < piece / kBankBytes; ++word) {
      if (!is_shared) place->lane[bank + word] = lane;
      place->is_shared[bank + word] = is_shared;
    }
  }
  return found;
}

std::string padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string range(int first, int count) {
  return "lanes " + padded(std::to_string(first), 2) + " to " + padded(std::to_string(first + count - 1), 2);
}

}  // namespace

std::vector<Wavefront> wavefronts(const simulator::SharedAccess& access) {
  const int count = phase_lanes(access);
  std::vector<Wavefront> all;
  for (int first = 0; first < kLanes; first += count) {
    const std::vector<Wavefront> phase = phase_wavefronts(access, first / count, first, count);
    all.insert(all.end(), phase.begin(), phase.end());
  }
  return all;
}

int phase_lanes(const simulator::SharedAccess& access) {
  if (access.family == "ldmatrix") return 8;  // the rows of one matrix
  const auto direction = access.family == "shared_load" ? simulator::Direction::kLoad : simulator::Direction::kStore;
  return simulator::phase_lanes(access.addresses, access.lanes, access.bytes, direction);
}

int ideal_wavefronts(const std::vector<Wavefront>& all) {
  int phases = 0;
  for (size_t i = 0; i < all.size(); ++i) phases += i == 0 || all[i].phase != all[i - 1].phase;
  return phases;
}

std::vector<std::string> banks_instructions() {
  return {"ldmatrix-q", "ldmatrix-k", "ldmatrix-v", "cp-async-q", "cp-async-k", "cp-async-v", "store-o", "load-o"};
}

BanksPicture choose_access(const std::string& title, const std::vector<simulator::SharedAccess>& accesses,
                           const std::string& instruction) {
  const std::vector<std::string> known = banks_instructions();
  if (std::find(known.begin(), known.end(), instruction) == known.end()) {
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    throw Refusal("--banks " + instruction + " is not an instruction that can be drawn: there are " + names);
  }
  const size_t dash = instruction.rfind('-');
  const std::string& family = kFamilies.at(instruction.substr(0, dash));
  const std::string tensor(1, static_cast<char>(instruction[dash + 1] - 'a' + 'A'));
  BanksPicture picture{title, {}, 0, 0};
  size_t worst = 0;
  for (const simulator::SharedAccess& access : accesses) {
    if (access.family != family || access.tensor != tensor) continue;
    const size_t taken = wavefronts(access).size();
    ++picture.of;
    if (taken > worst) {
      worst = taken;
      picture.access = access;
      picture.alike = 0;
    }
    picture.alike += taken == worst;
  }
  if (picture.of == 0) throw Refusal("--banks " + instruction + " finds nothing: this kernel has no such access");
  return picture;
}

std::string banks_summary(const BanksPicture& picture) {
  const std::vector<Wavefront> all = wavefronts(picture.access);
  const int taken = static_cast<int>(all.size());
  const int ideal = ideal_wavefronts(all);
  std::string name = picture.access.family == "ldmatrix"       ? "ldmatrix of "
                     : picture.access.family == "cp_async"     ? "cp.async to "
                     : picture.access.family == "shared_store" ? "store to "
                                                               : "load from ";
  name += picture.access.tensor + ": " + std::to_string(taken) + (taken == 1 ? " wavefront" : " wavefronts");
  return name + (taken == ideal ? ", the fewest possible" : ", where " + std::to_string(ideal) + " would do");
}

std::string banks_text(const BanksPicture& picture) {
  const simulator::SharedAccess& access = picture.access;
  const size_t banks_a_cell = static_cast<size_t>(std::max<int>(access.bytes, kBankBytes)) / kBankBytes;
  const size_t width = banks_a_cell == 1 ? 3 : 5;
  const int count = phase_lanes(access);

  std::string text = picture.title + "\n" + banks_summary(picture) + "\n";
  text += describe(access.site) + ", " + std::to_string(access.bytes) + " bytes a lane; " +
          std::to_string(picture.alike) + " of the " + std::to_string(picture.of) + " in one warp are like this\n\n";
  text += std::string(range(0, 1).size(), ' ') + "  bank";
  for (size_t bank = 0; bank < kBanks; bank += banks_a_cell) text += padded(std::to_string(bank), width);
  text += "\n";
  int phase = -1;
  int pass = 0;
  for (const Wavefront& wavefront : wavefronts(access)) {
    const bool is_first = wavefront.phase != phase;
    phase = wavefront.phase;
    const std::string lanes = range(phase * count, count);
    text += (is_first ? lanes : std::string(lanes.size(), ' ')) + padded(std::to_string(++pass), 6);
    for (size_t bank = 0; bank < kBanks; bank += banks_a_cell) {
      const int lane = wavefront.lane[bank];
      text += padded(lane < 0 ? "." : std::to_string(lane), width);
    }
    text += "\n";
  }
  text += "\nA line is a wavefront, one pass over the banks; in it, the lane that each bank serves.\n";
  return text;
}

}  // namespace harness
