// The command lines of chapterN and compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/harness/device_choice.h"
#include "common/harness/problem.h"
#include "common/harness/verification.h"
#include "common/simulator/launch.h"

namespace harness {

enum class Program { kChapter, kCompare };

// What was asked for. Sizes that were not named are chosen when the device is known.
struct Options {
  DeviceRequest device = DeviceRequest::kAuto;
  std::optional<int64_t> batch;
  std::optional<int64_t> heads;
  std::optional<int64_t> seq_len;  // of queries and keys, unless seq_q or seq_kv says otherwise
  std::optional<int64_t> seq_q;
  std::optional<int64_t> seq_kv;
  int64_t head_dim = 128;
  ElementType element_type = ElementType::kFloat16;
  uint64_t seed = 0;
  InputKind input = InputKind::kNormal;
  Tile tile{64, 64, 4};
  simulator::Architecture architecture = simulator::Architecture::kSm90;
  CheckMode check = CheckMode::kAuto;
  std::string json;           // a path, "-" for stdout, or empty
  std::string trace;          // likewise
  std::string banks;          // an instruction: draw its banks instead of running the problem
  std::string banks_svg;      // the drawing's path, "-" for stdout, or empty
  std::vector<int> chapters;  // empty: all
};

struct ParsedOptions {
  Options options;
  std::string help;  // not empty: print it and stop
};

// Throws Refusal, with a sentence for every kind of mistake.
ParsedOptions parse_options(Program program, const std::string& name, int argc, const char* const* argv);

// A whole number. Refuses text that is none, or that 64 bits do not hold, and names `smallest` and `largest`.
int64_t parse_integer(const std::string& option, const std::string& text, int64_t smallest, int64_t largest);

}  // namespace harness
