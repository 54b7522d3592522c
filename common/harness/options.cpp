#include "common/harness/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <sstream>

#include "common/harness/refusal.h"

namespace harness {
namespace {

constexpr int64_t kLargestCount = 65535;        // batches and heads: see check_sizes
constexpr int64_t kLargestLength = 2147483647;  // likewise

// Adds an option whose text `store` takes. CLI11 sees strings alone, so that every refusal is worded here.
template <typename Store>
CLI::Option* add(CLI::App& app, const std::string& name, const std::string& type, const std::string& help,
                 Store store) {
  return app.add_option_function<std::string>(name, store, help)->type_name(type);
}

// An option that takes a whole number. Whether the number makes sense is seen later, together with the others.
template <typename Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& help, int64_t largest,
                        Number& number) {
  return add(app, name, "N", help, [name, largest, &number](const std::string& text) {
    number = static_cast<Number>(parse_integer(name, text, 1, largest));
  });
}

CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& help, int64_t largest,
                        std::optional<int64_t>& number) {
  return add(app, name, "N", help,
             [name, largest, &number](const std::string& text) { number = parse_integer(name, text, 1, largest); });
}

// A tile's size: no larger than what 32 bits hold.
CLI::Option* add_tile_number(CLI::App& app, const std::string& name, const std::string& help, int& number) {
  return add(app, name, "N", help, [name, &number](const std::string& text) {
    const int64_t value = parse_integer(name, text, 1, 1024);
    if (value < 1 || value > 1024) {
      throw Refusal(name + " is " + text + ", but it must be from 1 to 1024: the nearest that works is " +
                    (value < 1 ? "1" : "1024") + ", if that is built");
    }
    number = static_cast<int>(value);
  });
}

simulator::Architecture parse_architecture(const std::string& text) {
  if (text == "80") return simulator::Architecture::kSm80;
  if (text == "90") return simulator::Architecture::kSm90;
  throw Refusal("--sm " + text + " is not simulated: there are 80 (Ampere, Ada) and 90 (Hopper)");
}

std::vector<int> parse_chapters(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const int64_t number = parse_integer("--chapters", item, 1, kLargestCount);
    numbers.push_back(static_cast<int>(std::min<int64_t>(std::max<int64_t>(number, -1), kLargestCount)));
  }
  if (numbers.empty()) throw Refusal("--chapters names no chapter: give a list such as 1,2");
  return numbers;
}

std::string input_names() {
  std::string names;
  for (const InputKind kind : input_kinds()) names += (names.empty() ? "" : ", ") + to_string(kind);
  return names;
}

void add_problem(CLI::App& app, Options& options) {
  const auto group = [](CLI::Option* option) { option->group("Problem"); };
  group(add_number(app, "--batch", "batches [simulator: 1, GPU: 16]", kLargestCount, options.batch));
  group(add_number(app, "--heads", "heads of each batch [simulator: 1, GPU: 16]", kLargestCount, options.heads));
  group(add_number(app, "--seq-len",
                   "queries and keys of each head, a multiple of the tile [simulator: 512, GPU: 4096]", kLargestLength,
                   options.seq_len));
  group(add_number(app, "--seq-q", "queries, if not as many as keys", kLargestLength, options.seq_q));
  group(add_number(app, "--seq-kv", "keys, if not as many as queries", kLargestLength, options.seq_kv));
  group(add_number(app, "--head-dim", "columns of Q, K, V and O: 64 or 128 [128]", kLargestCount, options.head_dim));
  group(add(app, "--dtype", "TYPE", "element type: fp16 or bf16 [fp16]",
            [&](const std::string& text) { options.element_type = parse_element_type(text); }));
  group(add(app, "--seed", "N", "of the random input [0]", [&](const std::string& text) {
    const int64_t seed = parse_integer("--seed", text, 0, std::numeric_limits<int64_t>::max());
    if (seed < 0) throw Refusal("--seed is " + text + ", but must not be negative: the nearest that works is 0");
    options.seed = static_cast<uint64_t>(seed);
  }));
  group(add(app, "--input", "KIND", input_names() + " [normal]",
            [&](const std::string& text) { options.input = parse_input_kind(text); }));
}

void add_tile(CLI::App& app, Options& options) {
  const auto group = [](CLI::Option* option) { option->group("Tile"); };
  group(add_tile_number(app, "--block-q", "rows of Q that a block owns: 64 or 128 [64]", options.tile.block_q));
  group(add_tile_number(app, "--block-kv", "rows of K and V that it works on at a time: 32, 64 or 128 [64]",
                        options.tile.block_kv));
  group(add_tile_number(app, "--warps", "warps of a block, of 32 threads each: 4, or 8 with 128 rows of Q [4]",
                        options.tile.warps));
}

void add_run(CLI::App& app, Program program, Options& options) {
  const auto group = [](CLI::Option* option) { option->group("Run"); };
  group(add(app, "--device", "WHERE", "gpu, sim (the simulator) or auto: the GPU if it can run this build [auto]",
            [&](const std::string& text) { options.device = parse_device_request(text); }));
  group(add(app, "--sm", "N", "whose tensor cores the simulator has: 80 (Ampere, Ada) or 90 (Hopper) [90]",
            [&](const std::string& text) { options.architecture = parse_architecture(text); }));
  group(add(app, "--check", "ROWS", "rows of O compared with the float64 reference: full, sampled or auto [auto]",
            [&](const std::string& text) { options.check = parse_check_mode(text); }));
  group(add(app, "--json", "FILE", "writes the results as JSON; - is stdout, and the text goes to stderr",
            [&](const std::string& text) { options.json = text; }));
  if (program == Program::kCompare) {
    group(add(app, "--chapters", "LIST", "which chapters, for example 2,4 [all]",
              [&](const std::string& text) { options.chapters = parse_chapters(text); }));
  } else {
    group(add(app, "--trace", "FILE",
              "writes what the simulator's first block does, for ui.perfetto.dev; the axis counts instructions",
              [&](const std::string& text) { options.trace = text; }));
    group(add(app, "--banks", "INSTRUCTION",
              "instead, which lane hits which bank in ldmatrix-{q,k,v}, cp-async-{q,k,v}, store-o or load-o",
              [&](const std::string& text) {
                if (text.empty()) throw Refusal("--banks names no instruction: for example --banks ldmatrix-k");
                options.banks = text;
              }));
    group(add(app, "--banks-svg", "FILE", "with --banks, draws it there",
              [&](const std::string& text) { options.banks_svg = text; }));
  }
}

std::string examples(Program program, const std::string& name) {
  const std::string call = "  " + name;
  std::string text = "Examples:\n" + call + "\n" + call + " --device sim --seq-len 1024 --dtype bf16\n" + call +
                     " --batch 4 --heads 16 --seq-len 16384 --json result.json\n" + call +
                     " --block-q 128 --block-kv 64 --warps 8\n";
  text += program == Program::kCompare ? call + " --chapters 2,4\n" : call + " --device sim --trace trace.json\n";
  return text + "\nExit status: 0 right, 1 wrong result or hazard, 2 bad arguments or an impossible request.";
}

}  // namespace

int64_t parse_integer(const std::string& option, const std::string& text, int64_t smallest, int64_t largest) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc() && whole) return number;
  std::string sentence = option + " is " + (text.empty() ? "empty" : text) + ", but it must be a whole number from " +
                         std::to_string(smallest) + " to " + std::to_string(largest);
  if (error == std::errc::result_out_of_range && whole) {
    sentence += ": the nearest that works is " + std::to_string(text[0] == '-' ? smallest : largest);
  }
  throw Refusal(sentence);
}

ParsedOptions parse_options(Program program, const std::string& name, int argc, const char* const* argv) {
  ParsedOptions parsed;
  CLI::App app(program == Program::kCompare
                   ? "Runs every chapter on the same input, verifies each, and prints one table."
                   : "Runs and verifies one chapter's FlashAttention-2 forward kernel: O = softmax(Q K^T / sqrt(head "
                     "dimension)) V.",
               name);
  add_problem(app, parsed.options);
  add_tile(app, parsed.options);
  add_run(app, program, parsed.options);
  app.footer("\n" + examples(program, name));
  app.get_formatter()->column_width(24);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.help = app.help() + "\n";
  } catch (const CLI::ParseError& error) {
    const std::string text = error.what();
    throw Refusal(text.substr(0, text.find('\n')) + " (" + name + " --help lists the options)");
  }
  return parsed;
}

}  // namespace harness
