#include "common/harness/options.h"

#include <gtest/gtest.h>

#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

ParsedOptions parse(Program program, std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return parse_options(program, "program", static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments, Program program = Program::kChapter) {
  return refusal_of([&] { parse(program, arguments); });
}

TEST(Options, HaveDefaults) {
  const Options options = parse(Program::kCompare, {}).options;
  EXPECT_EQ(options.device, DeviceRequest::kAuto);
  EXPECT_FALSE(options.batch || options.heads || options.seq_len || options.seq_q || options.seq_kv);
  EXPECT_EQ(options.head_dim, 128);
  EXPECT_EQ(options.element_type, ElementType::kFloat16);
  EXPECT_EQ(options.tile, (Tile{64, 64, 4}));
  EXPECT_EQ(options.architecture, simulator::Architecture::kSm90);
  EXPECT_EQ(options.check, CheckMode::kAuto);
  EXPECT_TRUE(options.chapters.empty());
  EXPECT_TRUE(options.json.empty());
}

TEST(Options, ReadEveryOption) {
  const Options options =
      parse(
          Program::kChapter,
          {"--device",  "sim", "--batch",    "2",     "--heads", "3",    "--seq-len", "1024", "--seq-q", "128",
           "--seq-kv",  "256", "--head-dim", "64",    "--dtype", "bf16", "--seed",    "7",    "--input", "dominant-key",
           "--block-q", "128", "--block-kv", "32",    "--warps", "8",    "--sm",      "80",   "--check", "sampled",
           "--json",    "-",   "--trace",    "t.json"})
          .options;
  EXPECT_EQ(options.device, DeviceRequest::kSimulator);
  EXPECT_EQ(options.batch, 2);
  EXPECT_EQ(options.heads, 3);
  EXPECT_EQ(options.seq_len, 1024);
  EXPECT_EQ(options.seq_q, 128);
  EXPECT_EQ(options.seq_kv, 256);
  EXPECT_EQ(options.head_dim, 64);
  EXPECT_EQ(options.element_type, ElementType::kBFloat16);
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.input, InputKind::kDominantKey);
  EXPECT_EQ(options.tile, (Tile{128, 32, 8}));
  EXPECT_EQ(options.architecture, simulator::Architecture::kSm80);
  EXPECT_EQ(options.check, CheckMode::kSampled);
  EXPECT_EQ(options.json, "-");
  EXPECT_EQ(options.trace, "t.json");
}

TEST(Options, CompareTakesAListOfChapters) {
  EXPECT_EQ(parse(Program::kCompare, {"--chapters", "2,4"}).options.chapters, (std::vector<int>{2, 4}));
  EXPECT_NE(refusal({"--chapters", "2"}, Program::kChapter).find("--chapters"), std::string::npos);
  EXPECT_NE(refusal({"--trace", "t.json"}, Program::kCompare).find("--trace"), std::string::npos);
  EXPECT_NE(refusal({"--chapters", "2,x"}, Program::kCompare).find("--chapters is x"), std::string::npos);
}

TEST(Options, HelpNamesUnitsDefaultsAndExamples) {
  const std::string help = parse(Program::kChapter, {"--help"}).help;
  for (const char* const part : {"--seq-kv", "[128]", "Examples:", "Exit status", "bf16", "GPU: 4096"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(help.back(), '\n');
  EXPECT_TRUE(parse(Program::kChapter, {}).help.empty());
}

TEST(Options, RefuseWhatIsNoNumber) {
  EXPECT_EQ(refusal({"--batch", "many"}), "--batch is many, but it must be a whole number from 1 to 65535");
  EXPECT_NE(refusal({"--seq-len", "12.5"}).find("--seq-len is 12.5, but"), std::string::npos);
  EXPECT_NE(refusal({"--heads", "4x"}).find("--heads is 4x, but"), std::string::npos);
  EXPECT_NE(refusal({"--heads", ""}).find("--heads is empty, but"), std::string::npos);
  EXPECT_EQ(refusal({"--seq-len", "99999999999999999999"}),
            "--seq-len is 99999999999999999999, but it must be a whole number from 1 to 2147483647: the nearest that "
            "works is 2147483647");
}

TEST(Options, RefuseUnknownNames) {
  EXPECT_EQ(refusal({"--dtype", "fp32"}), "--dtype fp32 is not an element type of these kernels: fp16 and bf16 are");
  EXPECT_EQ(refusal({"--input", "zeros"}),
            "--input zeros is not a kind of input: there are normal, large-logits, equal-keys, dominant-key, "
            "large-negative, masked-keys");
  EXPECT_EQ(refusal({"--device", "cpu"}), "--device cpu is not a device: there are auto, gpu and sim");
  EXPECT_EQ(refusal({"--sm", "70"}), "--sm 70 is not simulated: there are 80 (Ampere, Ada) and 90 (Hopper)");
}

TEST(Options, RefuseNumbersThatMakeNoSense) {
  EXPECT_EQ(refusal({"--seed", "-1"}), "--seed is -1, but must not be negative: the nearest that works is 0");
  EXPECT_NE(refusal({"--warps", "0"}).find("the nearest that works is 1"), std::string::npos);
  EXPECT_NE(refusal({"--block-q", "4294967360"}).find("the nearest that works is 1024"), std::string::npos);
}

TEST(Options, RefuseWhatIsUnknownOrIncompleteInOneSentence) {
  for (const auto& arguments : {std::vector<const char*>{"--bach", "2"}, {"--batch"}, {"stray"}}) {
    const std::string sentence = refusal(arguments);
    EXPECT_NE(sentence, "");
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("--help"), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace harness
