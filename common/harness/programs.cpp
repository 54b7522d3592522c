#include "common/harness/programs.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <new>
#include <string>

#include "common/harness/banks_view.h"
#include "common/harness/execution.h"
#include "common/harness/json_report.h"
#include "common/harness/options.h"
#include "common/harness/output_file.h"
#include "common/harness/refusal.h"
#include "common/harness/text_report.h"
#include "common/harness/trace.h"

namespace harness {
namespace {

constexpr int kRight = 0;
constexpr int kWrong = 1;
constexpr int kRefused = 2;

// Shows one access to shared memory instead of running the problem.
int show_banks(const Plan& plan) {
  const Chapter& chapter = *plan.chapters.front();
  OutputFile svg("--banks-svg", plan.options.banks_svg);
  const BanksPicture picture =
      choose_access(chapter.name + ": " + chapter.title, key_tile_accesses(*plan.kernels.front()), plan.options.banks);
  (svg.is_stdout() ? std::cerr : std::cout) << banks_text(picture);
  svg.write(banks_svg(picture));
  return kRight;
}

int run(Program program, const std::string& name, int argc, const char* const* argv) {
  const ParsedOptions parsed = parse_options(program, name, argc, argv);
  if (!parsed.help.empty()) {
    std::cout << parsed.help;
    return kRight;
  }
  const Options& options = parsed.options;
  const Plan plan = make_plan(options);
  if (!options.banks.empty()) return show_banks(plan);
  OutputFile json("--json", options.json);
  OutputFile trace("--trace", options.trace);
  std::ostream& text = json.is_stdout() || trace.is_stdout() ? std::cerr : std::cout;
  if (options.device == DeviceRequest::kAuto && plan.device.kind == DeviceKind::kSimulator) {
    std::cerr << plan.device.reason << "; running on the simulator\n";
  }

  const bool compare = program == Program::kCompare;
  const Results results = execute(plan, compare);
  text << (compare ? comparison_report(results) : chapter_report(results));
  json.write((compare ? to_json(results) : to_json(results, results.chapters.front())).dump(2) + "\n");
  if (trace.wanted()) {
    const Result& result = results.chapters.front();
    trace.write(chrome_trace(result.report.trace, result.chapter->name + " " + result.chapter->title));
  }
  const auto ok = [](const Result& result) { return result.ok(); };
  return std::all_of(results.chapters.begin(), results.chapters.end(), ok) ? kRight : kWrong;
}

// Turns what was thrown into a sentence and a status.
int guard(const std::string& name, const std::function<int()>& body) {
  const auto complain = [&](const std::string& sentence) { std::cerr << name << ": " << sentence << "\n"; };
  try {
    return body();
  } catch (const Refusal& refusal) {
    complain(refusal.what());
    return kRefused;
  } catch (const std::bad_alloc&) {
    complain("the host memory is used up: ask for fewer batches, heads, queries or keys");
    return kRefused;
  } catch (const std::exception& failure) {
    complain(failure.what());
    return kWrong;
  }
}

int run_guarded(Program program, int argc, const char* const* argv) {
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "program";
  return guard(name, [&] { return run(program, name, argc, argv); });
}

}  // namespace

int chapter_program(int argc, const char* const* argv) { return run_guarded(Program::kChapter, argc, argv); }

int compare_program(int argc, const char* const* argv) { return run_guarded(Program::kCompare, argc, argv); }

}  // namespace harness
