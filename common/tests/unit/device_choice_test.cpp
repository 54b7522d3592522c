#include "common/harness/device_choice.h"

#include <gtest/gtest.h>

#include "common/tests/unit/refusal_of.h"

namespace harness {
namespace {

GpuQuery gpu_of(int sm) {
  GpuInfo info;
  info.name = "NVIDIA Test";
  info.sm = sm;
  info.shared_bytes_per_block = 101376;
  return {info, ""};
}

TEST(WhyNotGpu, NothingSpeaksAgainstAGpuWithCode) { EXPECT_FALSE(why_not_gpu(gpu_of(90), true, "80 90")); }

TEST(WhyNotGpu, SaysWhyThereIsNone) {
  EXPECT_EQ(why_not_gpu({std::nullopt, "the driver is missing"}, false, ""), "no GPU: the driver is missing");
}

TEST(WhyNotGpu, NamesTheLowestComputeCapability) {
  EXPECT_EQ(why_not_gpu(gpu_of(75), true, "75"),
            "NVIDIA Test is sm_75, but the kernels need sm_80 or later, for cp.async and mma.m16n8k16");
}

TEST(WhyNotGpu, NamesTheFlagThatAddsCode) {
  EXPECT_EQ(why_not_gpu(gpu_of(89), false, "80 90"),
            "NVIDIA Test is sm_89, but this build has code for sm_80, sm_90 only: configure again with "
            "-DCMAKE_CUDA_ARCHITECTURES=89");
}

TEST(ChooseDevice, AutoTakesTheGpuIfNothingSpeaksAgainstIt) {
  EXPECT_EQ(choose_device(DeviceRequest::kAuto, std::nullopt, "NVIDIA Test").kind, DeviceKind::kGpu);
  const DeviceChoice fallback = choose_device(DeviceRequest::kAuto, "no GPU: none", "");
  EXPECT_EQ(fallback.kind, DeviceKind::kSimulator);
  EXPECT_EQ(fallback.reason, "no GPU: none");
}

TEST(ChooseDevice, GpuIsRefusedWhereItCannotRun) {
  EXPECT_EQ(choose_device(DeviceRequest::kGpu, std::nullopt, "NVIDIA Test").kind, DeviceKind::kGpu);
  EXPECT_EQ(refusal_of([] { choose_device(DeviceRequest::kGpu, "no GPU: none", ""); }),
            "--device gpu: no GPU: none; --device sim works anywhere");
}

TEST(ChooseDevice, TheSimulatorNeedsNoReason) {
  EXPECT_EQ(choose_device(DeviceRequest::kSimulator, std::nullopt, "NVIDIA Test").kind, DeviceKind::kSimulator);
  EXPECT_EQ(choose_device(DeviceRequest::kSimulator).kind, DeviceKind::kSimulator);
}

TEST(CheckSharedMemory, NamesTheLimitAndTheTilesThatFit) {
  std::vector<Kernel> kernels(3);
  kernels[0].tile = {64, 64, 4};
  kernels[0].shared_bytes = 49152;
  kernels[1].tile = {128, 64, 4};
  kernels[1].shared_bytes = 101376;
  kernels[2].tile = {128, 128, 8};
  kernels[2].shared_bytes = 101377;
  EXPECT_EQ(refusal_of([&] { check_shared_memory(*gpu_of(89).info, kernels[1], kernels); }), "");
  EXPECT_EQ(
      refusal_of([&] { check_shared_memory(*gpu_of(89).info, kernels[2], kernels); }),
      "the tile 128x128 with 8 warps needs 101377 bytes of shared memory a block, but NVIDIA Test gives a block at "
      "most 101376: of those built, these fit: 64x64 with 4 warps, 128x64 with 4 warps");
}

}  // namespace
}  // namespace harness
