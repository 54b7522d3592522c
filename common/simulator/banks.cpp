#include "common/simulator/banks.h"

#include <algorithm>
#include <bit>

namespace simulator {
namespace {

constexpr uint32_t kBankRowBytes = 128;  // 32 banks of 4 bytes
constexpr uint32_t kSectorBytes = 32;

// The wavefronts of the lanes first to first + count - 1 together. All access pieces of the same size, so a piece is
// as good as a word: it is in the way of the pieces that lie in the same banks, and of no others.
int phase_wavefronts(const SharedAddresses& addresses, uint32_t lanes, int first, int count, uint32_t piece_bytes) {
  const uint32_t pieces_per_row = kBankRowBytes / piece_bytes;
  uint32_t pieces[kWarpSize];  // different ones
  int different = 0;
  uint8_t load[kWarpSize] = {};
  int wavefronts = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const uint32_t piece = addresses[static_cast<std::size_t>(lane)] / piece_bytes;
    uint8_t& bank_load = load[piece % pieces_per_row];
    if (bank_load > 0 && std::find(pieces, pieces + different, piece) != pieces + different) continue;
    pieces[different++] = piece;
    wavefronts = std::max<int>(wavefronts, ++bank_load);
  }
  return wavefronts;
}

// Whether every active lane has the address of the lane `distance` away, or that lane is not active.
bool shared_with_neighbour(const SharedAddresses& addresses, uint32_t lanes, int distance) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int other = lane ^ distance;
    if ((lanes >> lane & 1) == 0 || (lanes >> other & 1) == 0) continue;
    if (addresses[static_cast<std::size_t>(lane)] != addresses[static_cast<std::size_t>(other)]) return false;
  }
  return true;
}

}  // namespace

Passes shared_wavefronts(const SharedAddresses& addresses, uint32_t lanes, int bytes, Direction direction) {
  const auto piece_bytes = static_cast<uint32_t>(std::max(bytes, 4));
  const int step = phase_lanes(addresses, lanes, bytes, direction);
  Passes passes;
  for (int first = 0; first < kWarpSize; first += step) {
    const int wavefronts = phase_wavefronts(addresses, lanes, first, step, piece_bytes);
    passes.taken += wavefronts;
    passes.ideal += wavefronts > 0;
  }
  return passes;
}

int phase_lanes(const SharedAddresses& addresses, uint32_t lanes, int bytes, Direction direction) {
  const int count = std::min(kWarpSize, static_cast<int>(kBankRowBytes) / std::max(bytes, 4));
  const bool merged = direction == Direction::kLoad && count < kWarpSize &&
                      (shared_with_neighbour(addresses, lanes, 1) || shared_with_neighbour(addresses, lanes, 2));
  return merged ? 2 * count : count;
}

Passes ldmatrix_wavefronts(const SharedAddresses& rows, int matrices) {
  Passes passes{0, matrices};
  for (int matrix = 0; matrix < matrices; ++matrix) passes.taken += phase_wavefronts(rows, ~0u, matrix * 8, 8, 16);
  return passes;
}

Passes global_sectors(const GlobalOffsets& offsets, uint32_t lanes, int bytes) {
  uint64_t sectors[kWarpSize];
  int count = 0;
  bool sorted = true;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const uint64_t sector = offsets[static_cast<std::size_t>(lane)] / kSectorBytes;
    if (count > 0 && sector == sectors[count - 1]) continue;
    sorted &= count == 0 || sector > sectors[count - 1];
    sectors[count++] = sector;
  }
  if (!sorted) {
    std::sort(sectors, sectors + count);
    count = static_cast<int>(std::unique(sectors, sectors + count) - sectors);
  }
  const int wanted = std::popcount(lanes) * bytes;
  const int fewest = (wanted + static_cast<int>(kSectorBytes) - 1) / static_cast<int>(kSectorBytes);
  return {count, std::min(count, fewest)};
}

}  // namespace simulator
