#include "common/harness/banks_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "common/simulator/banks.h"
#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

using simulator::SharedAccess;

SharedAccess access_of(const std::string& family, const std::string& tensor, int bytes, uint32_t (*address)(uint32_t)) {
  SharedAccess access{family, tensor, {"chapter1/tile.cuh", 113}, bytes, ~0u, {}};
  for (uint32_t lane = 0; lane < 32; ++lane) access.addresses[lane] = address(lane);
  return access;
}

// Four 8x8 matrices, one below the other, in rows of 256 bytes: eight rows of each begin in the same bank.
SharedAccess conflict() {
  return access_of("ldmatrix", "K", 16, [](uint32_t lane) { return lane * 256; });
}

// The same with the chunks of a row swizzled.
SharedAccess no_conflict() {
  return access_of("ldmatrix", "K", 16, [](uint32_t lane) { return lane * 256 + lane % 8 * 16; });
}

TEST(Banks, ConflictingLanesAreServedOneAfterTheOther) {
  const std::vector<Wavefront> all = wavefronts(conflict());
  ASSERT_EQ(all.size(), 32u);
  for (int lane = 0; lane < 32; ++lane) {
    const Wavefront& wavefront = all[static_cast<size_t>(lane)];
    EXPECT_EQ(wavefront.phase, lane / 8);
    for (size_t bank = 0; bank < 32; ++bank) EXPECT_EQ(wavefront.lane[bank], bank < 4 ? lane : -1);
  }
}

TEST(Banks, LanesInDifferentBanksAreServedTogether) {
  const std::vector<Wavefront> all = wavefronts(no_conflict());
  ASSERT_EQ(all.size(), 4u);
  for (int phase = 0; phase < 4; ++phase) {
    for (int bank = 0; bank < 32; ++bank) {
      EXPECT_EQ(all[static_cast<size_t>(phase)].lane[static_cast<size_t>(bank)], phase * 8 + bank / 4);
    }
  }
}

TEST(Banks, LanesThatShareAWordShareAPass) {
  const std::vector<Wavefront> all =
      wavefronts(access_of("shared_load", "O", 4, [](uint32_t lane) { return lane / 2 * 4; }));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].lane[5], 10);
  EXPECT_TRUE(all[0].is_shared[5]);
  EXPECT_EQ(all[0].lane[16], -1);
}

TEST(Banks, ThereAreAsManyWavefrontsAsTheSimulatorCounts) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const int bytes = 4 << random() % 3;
    const bool is_load = random() % 2 == 0;
    SharedAccess access{is_load ? "shared_load" : "shared_store", "O", {"x", 1}, bytes,
                        static_cast<uint32_t>(random()) | 1u,     {}};
    const uint32_t spread = 1u << random() % 8;
    const uint32_t group = 1u << random() % 3;  // neighbours that share an address, so that phases merge
    for (uint32_t lane = 0; lane < 32; ++lane) {
      access.addresses[lane] =
          lane % group == 0 ? static_cast<uint32_t>(random() % spread) * 16 : access.addresses[lane - lane % group];
    }
    const auto direction = is_load ? simulator::Direction::kLoad : simulator::Direction::kStore;
    const simulator::Passes passes = simulator::shared_wavefronts(access.addresses, access.lanes, bytes, direction);
    EXPECT_EQ(wavefronts(access).size(), static_cast<size_t>(passes.taken));

    access.family = "ldmatrix";
    access.bytes = 16;
    access.lanes = ~0u;
    EXPECT_EQ(wavefronts(access).size(),
              static_cast<size_t>(simulator::ldmatrix_wavefronts(access.addresses, 4).taken));
  }
}

TEST(Banks, TheWorstAccessIsDrawn) {
  SharedAccess of_v = conflict();
  of_v.tensor = "V";
  const std::vector<SharedAccess> accesses = {no_conflict(), of_v, conflict(), no_conflict(), conflict()};
  const BanksPicture picture = choose_access("chapter1", accesses, "ldmatrix-k");
  EXPECT_EQ(picture.access.addresses[1], 256u);
  EXPECT_EQ(picture.alike, 2);
  EXPECT_EQ(picture.of, 4);
  EXPECT_EQ(banks_summary(picture), "ldmatrix of K: 32 wavefronts, where 4 would do");
}

TEST(Banks, AnUnknownInstructionIsRefused) {
  const auto refusal = [](const std::string& instruction) {
    return refusal_of([&] { choose_access("chapter1", {conflict()}, instruction); });
  };
  for (const std::string unknown : {"ldmatrix", "ldmatrix-o"}) {
    EXPECT_EQ(refusal(unknown), "--banks " + unknown +
                                    " is not an instruction that can be drawn: there are ldmatrix-q, ldmatrix-k, "
                                    "ldmatrix-v, cp-async-q, cp-async-k, cp-async-v, store-o, load-o");
  }
  EXPECT_EQ(refusal("store-o"), "--banks store-o finds nothing: this kernel has no such access");
}

TEST(Banks, TextHasALineForEachWavefront) {
  const std::string text = banks_text(choose_access("chapter2", {no_conflict()}, "ldmatrix-k"));
  EXPECT_EQ(text,
            "chapter2\n"
            "ldmatrix of K: 4 wavefronts, the fewest possible\n"
            "chapter1/tile.cuh:113, 16 bytes a lane; 1 of the 1 in one warp are like this\n"
            "\n"
            "                bank    0    4    8   12   16   20   24   28\n"
            "lanes  0 to  7     1    0    1    2    3    4    5    6    7\n"
            "lanes  8 to 15     2    8    9   10   11   12   13   14   15\n"
            "lanes 16 to 23     3   16   17   18   19   20   21   22   23\n"
            "lanes 24 to 31     4   24   25   26   27   28   29   30   31\n"
            "\n"
            "A line is a wavefront, one pass over the banks; in it, the lane that each bank serves.\n");
}

TEST(Banks, DrawingHasACellForEachLaneAndNamesWhatItShows) {
  const std::string svg = banks_svg(choose_access("chapter1 <Base kernel>", {conflict()}, "ldmatrix-k"));
  size_t cells = 0;
  for (size_t at = svg.find("class=\"cell\""); at != std::string::npos; at = svg.find("class=\"cell\"", at + 1))
    ++cells;
  EXPECT_EQ(cells, 32u);
  EXPECT_NE(svg.find(">chapter1 &lt;Base kernel></text>"), std::string::npos);
  EXPECT_NE(svg.find(">ldmatrix of K: 32 wavefronts, where 4 would do</text>"), std::string::npos);
}

// Sixteen bytes for each of a few lanes: of the four phases, some have nothing to do.
TEST(Banks, LanesThatTakeNoPartDoNotChangeThePhases) {
  SharedAccess access = access_of("shared_store", "O", 16, [](uint32_t lane) { return lane * 16; });
  access.lanes = 0x00ff00ff;
  const BanksPicture picture = choose_access("chapter1", {access}, "store-o");
  EXPECT_EQ(banks_summary(picture), "store to O: 2 wavefronts, the fewest possible");
  for (const std::string& text : {banks_text(picture), banks_svg(picture)}) {
    EXPECT_NE(text.find("16 to 23"), std::string::npos) << text;
    EXPECT_EQ(text.find("8 to 15"), std::string::npos) << text;
  }
  access.lanes = 0x000000ff;
  EXPECT_NE(banks_svg(choose_access("chapter1", {access}, "store-o")).find("lanes 0 to 7"), std::string::npos);
}

}  // namespace
}  // namespace harness
