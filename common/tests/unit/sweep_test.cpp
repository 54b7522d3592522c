#include "common/harness/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

ParsedSweep parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "benchmark");
  return parse_sweep(static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
  return refusal_of([&] { parse(arguments); });
}

class SweepCases : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const int function = 0;
    std::vector<Kernel> kernels;
    for (const Tile& tile : {Tile{64, 64, 4}, Tile{128, 128, 8}}) {
      for (const ElementType type : {ElementType::kFloat16, ElementType::kBFloat16}) {
        Kernel kernel;
        kernel.element_type = type;
        kernel.head_dim = 128;
        kernel.tile = tile;
        kernel.shared_bytes = tile.block_q * 768;
        kernel.gpu_function = &function;
        kernels.push_back(kernel);
      }
    }
    register_kernels(921, "First", kernels);
    register_kernels(922, "Second", kernels);
  }

  static std::vector<std::string> names(const std::vector<const char*>& arguments, int64_t shared_bytes = 232448) {
    std::vector<const char*> all = {"--chapters", "921,922"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<std::string> list;
    for (const SweepCase& entry : make_cases(parse(all).sweep, {"cuDNN"}, shared_bytes)) list.push_back(entry.name);
    return list;
  }
};

TEST_F(SweepCases, DefaultIsTheUsualLengthsAtTheDefaultTile) {
  const std::vector<std::string> list = names({});
  ASSERT_EQ(list.size(), 6u * 3u);
  EXPECT_EQ(list[0], "cuDNN/fp16/d128/b16_s512_h16/l2_warm");
  EXPECT_EQ(list[1], "chapter921/fp16/d128/q64_kv64_w4/b16_s512_h16/l2_warm");
  EXPECT_EQ(list[2], "chapter922/fp16/d128/q64_kv64_w4/b16_s512_h16/l2_warm");
  EXPECT_EQ(list[13], "chapter921/fp16/d128/q64_kv64_w4/b8_s8192_h16/l2_warm");
  EXPECT_EQ(list[17], "chapter922/fp16/d128/q64_kv64_w4/b4_s16384_h16/l2_warm");
}

TEST_F(SweepCases, AreAllCombinationsOfWhatIsAsked) {
  const std::vector<std::string> list =
      names({"--lengths", "1024,2048", "--dtypes", "fp16,bf16", "--tiles", "all", "--l2", "both", "--heads", "3"});
  EXPECT_EQ(list.size(), 2u * 2u * 2u * (1u + 2u * 2u));
  EXPECT_EQ(std::count(list.begin(), list.end(), "chapter922/bf16/d128/q128_kv128_w8/b16_s2048_h3/l2_cold"), 1);
}

TEST_F(SweepCases, LeaveOutWhatDoesNotFit) {
  EXPECT_EQ(names({"--tiles", "all", "--lengths", "512"}, 50000).size(), 1u + 2u);
  EXPECT_EQ(names({"--tiles", "all", "--lengths", "192"}).size(), 1u + 2u);
}

TEST_F(SweepCases, RefuseToBeNone) {
  EXPECT_NE(refusal_of([] { names({"--lengths", "100"}); }).find("nothing is left"), std::string::npos);
  EXPECT_NE(refusal_of([] { names({"--head-dims", "96"}); }).find("nothing is left"), std::string::npos);
  EXPECT_NE(refusal_of([] {
              make_cases(parse({"--chapters", "999"}).sweep, {}, 232448);
            }).find("--chapters names 999"),
            std::string::npos);
}

TEST(ParseSweep, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal({"--tiles", "some"}), "--tiles some is not known: there are default, all");
  EXPECT_EQ(refusal({"--l2", "hot"}), "--l2 hot is not known: there are warm, cold, both");
  EXPECT_NE(refusal({"--lengths", "0"}).find("the nearest that works is 1"), std::string::npos);
  EXPECT_NE(refusal({"--lengths", ""}).find("an empty list"), std::string::npos);
  EXPECT_NE(refusal({"--dtypes", "fp8"}).find("fp16 and bf16"), std::string::npos);
  EXPECT_NE(refusal({"--chapters"}).find("--help lists the options"), std::string::npos);
}

TEST(ParseSweep, LeavesGoogleBenchmarksFlagsToIt) {
  const ParsedSweep parsed = parse({"--benchmark_filter=x", "--chapters=1", "--benchmark_repetitions=3"});
  EXPECT_EQ(parsed.others, (std::vector<std::string>{"--benchmark_filter=x", "--benchmark_repetitions=3"}));
  EXPECT_EQ(parsed.sweep.chapters, (std::vector<int>{1}));
  EXPECT_NE(parse({"--help"}).help.find("--benchmark_filter"), std::string::npos);
}

}  // namespace
}  // namespace harness
