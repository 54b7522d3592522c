#include "common/harness/doctor.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

MachineFacts good_machine() {
  MachineFacts facts;
  GpuInfo gpu;
  gpu.name = "NVIDIA Test";
  gpu.sm = 90;
  gpu.driver = "580.1";
  gpu.cuda = "13.0";
  gpu.shared_bytes_per_block = 232448;
  gpu.l2_bytes = 60 << 20;
  facts.gpu.info = gpu;
  facts.code_found = true;
  facts.architectures = "80 90";
  facts.default_shared_bytes = 49152;
  facts.nvcc = "/usr/local/cuda/bin/nvcc";
  facts.ncu = "/usr/local/cuda/bin/ncu";
  facts.driver_parameters = "RmProfilingAdminOnly: 0\n";
  facts.references = {"FlashAttention-2", "cuDNN"};
  return facts;
}

Finding find(const MachineFacts& facts, const std::string& subject) {
  for (const Finding& finding : judge(facts)) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "nothing is said of " << subject;
  return {};
}

TEST(Doctor, FindsNothingWrongWithAGoodMachine) {
  for (const Finding& finding : judge(good_machine())) {
    EXPECT_TRUE(finding.good) << finding.subject;
    EXPECT_EQ(finding.advice, "") << finding.subject;
  }
  EXPECT_EQ(judge(good_machine()).size(), 10u);
  EXPECT_NE(find(good_machine(), "GPU").text.find("NVIDIA Test, sm_90"), std::string::npos);
  EXPECT_NE(find(good_machine(), "GPU").text.find("L2 cache 60 MiB"), std::string::npos);
}

TEST(Doctor, SaysWhatToDoAboutWhatIsMissing) {
  const MachineFacts nothing{{std::nullopt, "the driver shows no device"}, false, "", 49152, "", "", "", false, 2, {}};
  for (const char* const subject :
       {"GPU", "driver", "CUDA Toolkit", "GPU code", "counters", "Nsight Compute", "references"}) {
    EXPECT_FALSE(find(nothing, subject).good) << subject;
    EXPECT_NE(find(nothing, subject).advice, "") << subject;
  }
  EXPECT_NE(find(nothing, "GPU").text.find("the driver shows no device"), std::string::npos);
}

TEST(Doctor, SaysHowToAddCodeForTheGpu) {
  MachineFacts facts = good_machine();
  facts.code_found = false;
  facts.gpu.info->sm = 89;
  EXPECT_NE(find(facts, "GPU").advice.find("-DCMAKE_CUDA_ARCHITECTURES=89"), std::string::npos);
}

TEST(Doctor, KnowsWhoMayReadCounters) {
  MachineFacts facts = good_machine();
  facts.driver_parameters = "RmProfilingAdminOnly: 1\n";
  EXPECT_NE(find(facts, "counters").advice.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  facts.is_root = true;
  EXPECT_TRUE(find(facts, "counters").good);
}

TEST(Doctor, ComparesTheDefaultTileWithTheLimit) {
  MachineFacts facts = good_machine();
  facts.gpu.info->shared_bytes_per_block = 49151;
  EXPECT_FALSE(find(facts, "shared memory").good);
}

TEST(Doctor, LooksAtThisMachine) { EXPECT_GE(look_at_machine().cores, 1u); }

}  // namespace
}  // namespace harness
