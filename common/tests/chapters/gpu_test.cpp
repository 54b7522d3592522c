// Every kernel of every chapter on the GPU. Where there is none that can run this build, the tests are skipped and say
// why. A test goes through all kernels of one chapter.
#include "common/harness/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "common/harness/device_choice.h"
#include "common/harness/refusal.h"
#include "common/harness/simulator_run.h"
#include "common/harness/timing.h"
#include "common/harness/validation.h"
#include "common/harness/verification.h"
#include "common/tests/chapters/chapter_case.h"

namespace harness {
namespace {

class ChapterOnGpu : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const DeviceChoice choice = choose_device(DeviceRequest::kAuto);
    if (choice.kind != DeviceKind::kGpu) GTEST_SKIP() << choice.reason;
    gpu_ = *query_gpu().info;
  }

  const Chapter& chapter() const {
    return *std::find_if(chapters().begin(), chapters().end(), [](const Chapter& c) { return c.number == GetParam(); });
  }

  // Calls body(kernel) for each kernel whose block fits this GPU.
  void for_each_kernel(const std::function<void(const Kernel&)>& body) const {
    ASSERT_FALSE(chapter().gpu_kernels.empty());
    for (const Kernel& kernel : chapter().gpu_kernels) {
      SCOPED_TRACE(kernel_name(kernel));
      if (kernel.shared_bytes <= gpu_.shared_bytes_per_block) body(kernel);
    }
  }

  static HostTensor run(const Kernel& kernel, const Inputs& inputs) {
    kernel_resources(kernel);  // also asks for the shared memory
    const std::unique_ptr<GpuSession> session = open_gpu_session(inputs);
    GpuSession::Run result = session->run(session->launch(kernel));
    EXPECT_TRUE(result.guards_intact);
    return std::move(result.output);
  }

  static HostTensor run_and_expect_right(const Kernel& kernel, const Inputs& inputs) {
    HostTensor output = run(kernel, inputs);
    const Verdict verdict = Verifier(inputs, CheckMode::kFull, kernel.tile.block_q).verify(output);
    EXPECT_TRUE(verdict.correct) << verdict.message << " (" << describe(inputs.problem) << ")";
    return output;
  }

  GpuInfo gpu_;
};

TEST_P(ChapterOnGpu, IsRightForOneTileAndForSeveral) {
  for_each_kernel([](const Kernel& kernel) {
    run_and_expect_right(kernel, make_inputs(make_problem(kernel, 1, 1, 1, 1)));
    run_and_expect_right(kernel, make_inputs(make_problem(kernel, 1, 1, 1, 2)));
    run_and_expect_right(kernel, make_inputs(make_problem(kernel, 2, 3, 5, 7)));
  });
}

TEST_P(ChapterOnGpu, IsRightForStridedTensorsAndWritesNothingBetweenElements) {
  for_each_kernel([](const Kernel& kernel) {
    Problem problem = make_problem(kernel, 2, 2, 2, 3);
    make_strided(problem);
    const HostTensor output = run_and_expect_right(kernel, make_inputs(problem));
    const Shape shape = output.shape();
    const int64_t untouched = std::count(output.data(), output.data() + shape.extent(), kPoison);
    EXPECT_EQ(untouched, shape.extent() - shape.elements());
  });
}

TEST_P(ChapterOnGpu, IsRightForInputsThatBreakOnlineSoftmax) {
  for_each_kernel([](const Kernel& kernel) {
    for (const InputKind kind : input_kinds()) {
      Problem problem = make_problem(kernel, 1, 2, 2, 3);
      problem.input = kind;
      run_and_expect_right(kernel, make_inputs(problem));
    }
  });
}

TEST_P(ChapterOnGpu, GivesTheSameBitsTwice) {
  for_each_kernel([](const Kernel& kernel) {
    const Inputs inputs = make_inputs(make_problem(kernel, 2, 8, 16, 8));
    EXPECT_TRUE(same_bits(run(kernel, inputs), run(kernel, inputs)));
  });
}

TEST_P(ChapterOnGpu, GivesTheSameBitsAsTheFirstChapter) {
  for_each_kernel([](const Kernel& kernel) {
    const Chapter& first = chapters().front();
    const Kernel& same_kernel =
        find_kernel(first.name, first.gpu_kernels, kernel.element_type, kernel.head_dim, kernel.tile);
    const Inputs inputs = make_inputs(make_problem(kernel, 1, 2, 2, 5));
    EXPECT_TRUE(same_bits(run(kernel, inputs), run(same_kernel, inputs)));
  });
}

TEST_P(ChapterOnGpu, AgreesWithTheSimulatorWithinTwoUnits) {
  SimulatorOptions options;
  options.architecture = gpu_.sm >= 90 ? simulator::Architecture::kSm90 : simulator::Architecture::kSm80;
  double largest = 0;
  for_each_kernel([&](const Kernel& kernel) {
    const Kernel& same_kernel =
        find_kernel(chapter().name, chapter().simulator_kernels, kernel.element_type, kernel.head_dim, kernel.tile);
    const Inputs inputs = make_inputs(make_problem(kernel, 1, 2, 2, 3));
    const HostTensor simulated = run_on_simulator(same_kernel, inputs, options).output;
    const double distance = distance_in_ulps(run(kernel, inputs), simulated, kernel.element_type);
    EXPECT_LE(distance, 2);
    largest = std::max(largest, distance);
  });
  RecordProperty("largest_distance_ulp", std::to_string(largest));  // record.py keeps it
}

// Here the memory between far elements must be had, some 60 GB; on the host it is not touched.
TEST_P(ChapterOnGpu, ReachesBeyond32BitOffsets) {
  const Kernel& kernel = chapter().gpu_kernels.front();
  Problem problem = make_problem(kernel, 2, 2, 1, 2);
  make_far_apart(problem);
  if (problem.bytes() > gpu_.free_bytes) {
    GTEST_SKIP() << "needs " << problem.bytes() << " bytes of GPU memory, and " << gpu_.free_bytes << " are free";
  }
  run_and_expect_right(kernel, make_inputs(problem));
}

TEST_P(ChapterOnGpu, TellsWhatTheKernelsUse) {
  for_each_kernel([&](const Kernel& kernel) {
    const KernelResources resources = kernel_resources(kernel);
    EXPECT_GT(resources.registers, 32);
    EXPECT_LE(resources.registers, 255);
    EXPECT_GE(resources.shared_bytes, kernel.shared_bytes);
    EXPECT_GE(resources.blocks_per_sm, 1);
    EXPECT_GE(resources.spill_bytes, 0);
  });
}

TEST_P(ChapterOnGpu, TakesLongerForMoreWork) {
  const Kernel& kernel = chapter().gpu_kernels.front();
  kernel_resources(kernel);
  std::vector<double> medians;
  for (const int64_t heads : {4, 32}) {
    const Inputs inputs = make_inputs(make_problem(kernel, 4, heads, 16, 16));
    const std::unique_ptr<GpuSession> session = open_gpu_session(inputs);
    const Timing timing = time_interleaved({session->launch(kernel)}, {}).front();
    EXPECT_GT(timing.minimum, 0);
    EXPECT_GE(timing.median, timing.minimum);
    const double tflops = teraflops(inputs.problem.floating_point_operations(), timing.minimum);
    if (tensor_roofline(gpu_) > 0) {
      EXPECT_LT(tflops, tensor_roofline(gpu_));
    }
    medians.push_back(timing.median);
  }
  EXPECT_GT(medians[1], 2 * medians[0]);
}

std::vector<int> chapter_numbers() {
  std::vector<int> numbers;
  for (const Chapter& chapter : chapters()) numbers.push_back(chapter.number);
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(All, ChapterOnGpu, testing::ValuesIn(chapter_numbers()),
                         [](const auto& instance) { return "chapter" + std::to_string(instance.param); });

}  // namespace
}  // namespace harness
