#include "common/harness/doctor.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "common/harness/device_choice.h"
#include "common/harness/environment.h"
#include "common/harness/programs.h"
#include "common/harness/reference.h"
#include "common/harness/text_table.h"

namespace harness {
namespace {

// The first executable of this name in PATH or in the toolkit's usual place.
std::string find_tool(const std::string& name) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing changes the environment
  std::istringstream directories(std::string(path != nullptr ? path : "") + ":/usr/local/cuda/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (directory.empty()) continue;
    std::string candidate = directory;
    candidate += "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string gibibytes(int64_t bytes) {
  return format_number("%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
}

Finding judge_gpu(const MachineFacts& facts) {
  if (!facts.gpu.info) {
    return {"GPU", false, "none: " + facts.gpu.absence, "the simulator runs everything but the times"};
  }
  const GpuInfo& gpu = *facts.gpu.info;
  const std::string text = gpu.name + ", sm_" + std::to_string(gpu.sm) + ", " + std::to_string(gpu.multiprocessors) +
                           " multiprocessors, " + gibibytes(gpu.total_bytes) + ", " + gibibytes(gpu.free_bytes) +
                           " free, L2 cache " +
                           format_number("%.0f MiB", static_cast<double>(gpu.l2_bytes) / (1 << 20));
  const std::optional<std::string> objection = why_not_gpu(facts.gpu, facts.code_found, facts.architectures);
  return {"GPU", !objection, text, objection.value_or("")};
}

Finding judge_driver(const MachineFacts& facts) {
  if (!facts.gpu.info)
    return {"driver", false, "none that CUDA can use", "needed only with a GPU: install NVIDIA's driver"};
  return {"driver", true, facts.gpu.info->driver + ", for CUDA up to " + facts.gpu.info->cuda, ""};
}

Finding judge_toolkit(const MachineFacts& facts) {
  if (facts.nvcc.empty()) {
    return {"CUDA Toolkit", false, "nvcc is neither in PATH nor in /usr/local/cuda/bin",
            "needed only to build for a GPU: install the CUDA Toolkit, 12.0 or later"};
  }
  return {"CUDA Toolkit", true, facts.nvcc, ""};
}

Finding judge_build(const MachineFacts& facts) {
  if (facts.architectures.empty()) {
    return {"GPU code", false, "none in this build",
            "to have it, configure with -DFLASH_GPU=ON where the CUDA Toolkit is installed"};
  }
  return {"GPU code", true, "for compute capabilities (times ten) " + facts.architectures, ""};
}

Finding judge_shared_memory(const MachineFacts& facts) {
  const std::string needed = "the default tile takes " + std::to_string(facts.default_shared_bytes) + " bytes a block";
  if (!facts.gpu.info) return {"shared memory", true, needed + "; no GPU to compare with", ""};
  const int64_t limit = facts.gpu.info->shared_bytes_per_block;
  const bool fits = facts.default_shared_bytes <= limit;
  return {"shared memory", fits, needed + ", the GPU gives a block up to " + std::to_string(limit),
          fits ? "" : "choose a smaller tile"};
}

// The driver's parameter RmProfilingAdminOnly: 1 keeps the counters for administrators.
Finding judge_counters(const MachineFacts& facts) {
  if (facts.driver_parameters.empty()) return {"counters", false, "no driver to ask", "needed only with a GPU"};
  const bool restricted = facts.driver_parameters.find("RmProfilingAdminOnly: 1") != std::string::npos;
  if (!restricted) return {"counters", true, "every user may read them", ""};
  if (facts.is_root) return {"counters", true, "only root may read them, and you are root", ""};
  return {"counters", false, "only root may read them",
          "run Nsight Compute as root, or load the module nvidia with NVreg_RestrictProfilingToAdminUsers=0"};
}

Finding judge_profiler(const MachineFacts& facts) {
  if (!facts.ncu.empty()) return {"Nsight Compute", true, facts.ncu, ""};
  return {"Nsight Compute", false, "ncu is not in PATH",
          "needed only to profile: it comes with the CUDA Toolkit; docs/results has profiles to read"};
}

Finding judge_references(const MachineFacts& facts) {
  std::string names;
  for (const std::string& name : facts.references) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) return {"references", true, names + " (PyTorch)", ""};
  return {"references", false, "not in this program: FlashAttention-2 and cuDNN are shown as n/a",
          "to compare with them on a GPU, install PyTorch 2.6 or later and configure again"};
}

}  // namespace

MachineFacts look_at_machine() {
  MachineFacts facts;
  facts.gpu = query_gpu();
  facts.architectures = built_architectures();
  for (const Chapter& chapter : chapters()) {
    if (!chapter.simulator_kernels.empty()) facts.default_shared_bytes = chapter.simulator_kernels.front().shared_bytes;
    if (facts.gpu.info && !chapter.gpu_kernels.empty()) facts.code_found = has_code(chapter.gpu_kernels.front());
  }
  facts.nvcc = find_tool("nvcc");
  facts.ncu = find_tool("ncu");
  facts.driver_parameters = read_file("/proc/driver/nvidia/params");
  facts.is_root = geteuid() == 0;
  facts.cores = std::thread::hardware_concurrency();
  for (const Reference& reference : references()) facts.references.push_back(reference.name);
  return facts;
}

std::vector<Finding> judge(const MachineFacts& facts) {
  return {judge_gpu(facts),
          judge_driver(facts),
          judge_toolkit(facts),
          judge_build(facts),
          judge_shared_memory(facts),
          judge_counters(facts),
          judge_profiler(facts),
          judge_references(facts),
          {"host compiler", true, "this program was built by " + host_compiler(), ""},
          {"simulator", true, "runs on " + std::to_string(facts.cores) + " cores", ""}};
}

int doctor_program(int argc, const char* const* argv) {
  if (argc > 1) {
    const bool help = std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h";
    (help ? std::cout : std::cerr) << "doctor: says what this machine has for these programs; it takes no options\n";
    return help ? 0 : 2;
  }
  for (const Finding& finding : judge(look_at_machine())) {
    std::string line = (finding.good ? "ok  " : "--  ") + finding.subject + ": " + finding.text;
    if (!finding.advice.empty()) line += "; " + finding.advice;
    std::cout << line << "\n";
  }
  return 0;
}

}  // namespace harness
