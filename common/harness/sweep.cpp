#include "common/harness/sweep.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <sstream>

#include "common/harness/execution.h"
#include "common/harness/options.h"
#include "common/harness/refusal.h"

namespace harness {
namespace {

const char* const kHelp =
    "\nGoogle Benchmark's flags work as well, among them --benchmark_filter=REGEX, --benchmark_repetitions=N [10],\n"
    "--benchmark_out=FILE and --benchmark_out_format=json.\n\n"
    "Each name says chapter, type, head dimension, tile, shape and L2, as in\n"
    "chapter3/fp16/d128/q64_kv64_w4/b16_s4096_h16/l2_warm. The time is that of one launch, by events around a batch "
    "of\n"
    "launches of at least 1 ms. It takes turns with a batch of each reference, first to last and last to first.\n\n"
    "Examples:\n"
    "  benchmark\n"
    "  benchmark --chapters 4,5 --tiles all --lengths 4096\n"
    "  benchmark --dtypes fp16,bf16 --head-dims 64,128 --benchmark_out=result.json\n"
    "  benchmark --l2 cold --benchmark_filter=chapter3\n\n"
    "Exit status: 0 right, 1 wrong result, 2 bad arguments or no GPU.";

// The items of a list such as "1,2,3", each through `parse`.
template <typename Item>
std::vector<Item> parse_list(const std::string& text, const std::function<Item(const std::string&)>& parse) {
  std::vector<Item> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(parse(item));
  if (items.empty()) throw Refusal("an empty list was given: name at least one item, as in 1,2");
  return items;
}

std::vector<int64_t> parse_numbers(const std::string& option, const std::string& text, int64_t largest) {
  return parse_list<int64_t>(text, [&](const std::string& item) {
    const int64_t number = parse_integer(option, item, 1, largest);
    if (number >= 1 && number <= largest) return number;
    throw Refusal(option + " has " + item + ", but must be from 1 to " + std::to_string(largest) +
                  ": the nearest that works is " + std::to_string(number < 1 ? 1 : largest));
  });
}

template <typename Value>
Value choose(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw Refusal(option + " " + text + " is not known: there are " + names);
}

// Q, K, V and O of 16 heads stay at 16 x 4096 rows or fewer, as is the custom: (16, 4096), (8, 8192), (4, 16384).
int64_t batch_of(int64_t length) { return std::clamp<int64_t>(65536 / length, 1, 16); }

std::string shape_name(const Problem& problem, bool cold_l2) {
  return "b" + std::to_string(problem.batch) + "_s" + std::to_string(problem.seq_q) + "_h" +
         std::to_string(problem.heads) + (cold_l2 ? "/l2_cold" : "/l2_warm");
}

std::string tile_name(const Tile& tile) {
  return "q" + std::to_string(tile.block_q) + "_kv" + std::to_string(tile.block_kv) + "_w" + std::to_string(tile.warps);
}

void add_chapter(const Chapter& chapter, const Sweep& sweep, const SweepCase& shape, int64_t shared_bytes,
                 std::vector<SweepCase>& cases) {
  const Tile default_tile = chapter.gpu_kernels.front().tile;
  for (const Kernel& kernel : chapter.gpu_kernels) {
    if (kernel.element_type != shape.problem.element_type || kernel.head_dim != shape.problem.head_dim) continue;
    if (!sweep.all_tiles && kernel.tile != default_tile) continue;
    if (kernel.shared_bytes > shared_bytes) continue;
    if (shape.problem.seq_q % kernel.tile.block_q != 0 || shape.problem.seq_kv % kernel.tile.block_kv != 0) continue;
    SweepCase entry = shape;
    entry.chapter = &chapter;
    entry.kernel = &kernel;
    entry.name = chapter.name + "/" + to_string(kernel.element_type) + "/d" + std::to_string(kernel.head_dim) + "/" +
                 tile_name(kernel.tile) + "/" + shape_name(shape.problem, shape.cold_l2);
    cases.push_back(entry);
  }
}

// All cases of one problem.
void add_shape(const SweepCase& shape, const Sweep& sweep, const std::vector<std::string>& references,
               int64_t shared_bytes, std::vector<SweepCase>& cases) {
  for (const std::string& reference : references) {
    SweepCase entry = shape;
    entry.reference = reference;
    entry.name = reference + "/" + to_string(shape.problem.element_type) + "/d" +
                 std::to_string(shape.problem.head_dim) + "/" + shape_name(shape.problem, shape.cold_l2);
    cases.push_back(entry);
  }
  for (const Chapter* chapter : choose_chapters(sweep.chapters)) {
    if (!chapter->gpu_kernels.empty()) add_chapter(*chapter, sweep, shape, shared_bytes, cases);
  }
}

}  // namespace

ParsedSweep parse_sweep(int argc, const char* const* argv) {
  ParsedSweep parsed;
  Sweep& sweep = parsed.sweep;
  CLI::App app("Times the chapters, and the references that this build has, on the GPU.", "benchmark");
  app.allow_extras();
  const auto add = [&](const std::string& name, const std::string& type, const std::string& help,
                       const std::function<void(const std::string&)>& store) {
    app.add_option_function<std::string>(name, store, help)->type_name(type);
  };
  add("--chapters", "LIST", "for example 2,4 [all]", [&](const std::string& text) {
    for (const int64_t number : parse_numbers("--chapters", text, 65535)) {
      sweep.chapters.push_back(static_cast<int>(number));
    }
  });
  add("--tiles", "WHICH", "default or all [default]", [&](const std::string& text) {
    sweep.all_tiles = choose<bool>("--tiles", text, {{"default", false}, {"all", true}});
  });
  add("--lengths", "LIST", "queries and keys of each head; batches are 65536 / length, at most 16 [512,...,16384]",
      [&](const std::string& text) { sweep.lengths = parse_numbers("--lengths", text, 1 << 24); });
  add("--heads", "N", "heads of each batch [16]",
      [&](const std::string& text) { sweep.heads = parse_numbers("--heads", text, 65535).front(); });
  add("--head-dims", "LIST", "64, 128 or both [128]",
      [&](const std::string& text) { sweep.head_dims = parse_numbers("--head-dims", text, 65535); });
  add("--dtypes", "LIST", "fp16, bf16 or both [fp16]",
      [&](const std::string& text) { sweep.types = parse_list<ElementType>(text, parse_element_type); });
  add("--l2", "STATE", "warm: as the launch before left it; cold: overwritten before each launch; or both [warm]",
      [&](const std::string& text) {
        sweep.cold_l2 =
            choose<std::vector<bool>>("--l2", text, {{"warm", {false}}, {"cold", {true}}, {"both", {false, true}}});
      });
  app.footer(kHelp);
  app.get_formatter()->column_width(24);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.help = app.help() + "\n";
  } catch (const CLI::ParseError& error) {
    const std::string text = error.what();
    throw Refusal(text.substr(0, text.find('\n')) + " (benchmark --help lists the options)");
  }
  parsed.others = app.remaining();
  return parsed;
}

std::vector<SweepCase> make_cases(const Sweep& sweep, const std::vector<std::string>& references,
                                  int64_t shared_bytes_per_block) {
  std::vector<SweepCase> cases;
  for (const ElementType type : sweep.types) {
    for (const int64_t head_dim : sweep.head_dims) {
      for (const int64_t length : sweep.lengths) {
        for (const bool cold : sweep.cold_l2) {
          SweepCase shape;
          shape.problem.batch = batch_of(length);
          shape.problem.heads = sweep.heads;
          shape.problem.seq_q = shape.problem.seq_kv = length;
          shape.problem.head_dim = head_dim;
          shape.problem.element_type = type;
          shape.cold_l2 = cold;
          add_shape(shape, sweep, references, shared_bytes_per_block, cases);
        }
      }
    }
  }
  const auto is_chapter = [](const SweepCase& entry) { return entry.chapter != nullptr; };
  if (std::none_of(cases.begin(), cases.end(), is_chapter)) {
    throw Refusal(
        "nothing is left to time: no chapter chosen has a kernel for these head dimensions and tiles whose tile "
        "divides these lengths; multiples of 128 are divided by every tile");
  }
  return cases;
}

}  // namespace harness
