// FlashAttention-2 and cuDNN as PyTorch's C++ library has them. Compiled where CMake finds PyTorch (2.6 or later, for
// both functions' signatures) and linked as an object, so that the registrations below happen.
//
// The functions are called directly, not through scaled_dot_product_attention, so it is certain which one runs.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <optional>
#include <string>
#include <tuple>

#include "common/harness/reference.h"
#include "common/harness/refusal.h"

namespace harness {
namespace {

// A view of memory that is ours: (batch, heads, rows, head_dim), as PyTorch orders a problem, over elements that lie
// as `shape` says.
at::Tensor view(const Shape& shape, ElementType type, void* data) {
  const auto scalar = type == ElementType::kFloat16 ? at::kHalf : at::kBFloat16;
  return at::from_blob(data, {shape.batch, shape.heads, shape.rows, shape.head_dim},
                       {shape.strides.batch, shape.strides.head, shape.strides.row, 1},
                       at::TensorOptions().dtype(scalar).device(at::kCUDA, 0));
}

// Runs `body` as PyTorch should run here: without gradients, its exceptions as ours (the first line of them).
template <typename Body>
auto in_torch(const std::string& name, const Body& body) {
  try {
    const c10::NoGradGuard no_gradients;
    return body();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw RunFailure(name + ": " + text.substr(0, text.find('\n')));
  }
}

// `attention` takes q, k, v as (batch, heads, rows, head_dim) and the scale, and returns O likewise.
template <typename Attention>
GpuWork prepare(const std::string& name, const Attention& attention, const Problem& problem,
                const device::AttentionArguments& arguments, bool store) {
  return in_torch(name, [&] {
    const ElementType type = problem.element_type;
    const at::Tensor q = view(problem.shape(Role::kQ), type, arguments.q.data);
    const at::Tensor k = view(problem.shape(Role::kK), type, arguments.k.data);
    const at::Tensor v = view(problem.shape(Role::kV), type, arguments.v.data);
    const at::Tensor o = view(problem.shape(Role::kO), type, arguments.o.data);
    at::empty({1}, q.options());  // the first allocation starts PyTorch's side of CUDA
    const double scale = 1 / std::sqrt(static_cast<double>(problem.head_dim));
    return GpuWork([=] {
      in_torch(name, [&] {
        const at::Tensor result = attention(q, k, v, scale);
        if (store) o.copy_(result);
      });
    });
  });
}

template <typename Attention>
Reference make_reference(const std::string& name, const Attention& attention) {
  return {name, [=](const Problem& problem, const device::AttentionArguments& arguments, bool store) {
            return prepare(name, attention, problem, arguments, store);
          }};
}

at::Tensor flash_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale) {
  return std::get<0>(at::_scaled_dot_product_flash_attention(q, k, v, /*dropout_p=*/0.0, /*is_causal=*/false,
                                                             /*return_debug_mask=*/false, scale));
}

at::Tensor cudnn_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale) {
  return std::get<0>(at::_scaled_dot_product_cudnn_attention(q, k, v, /*attn_bias=*/std::nullopt,
                                                             /*compute_log_sumexp=*/false, /*dropout_p=*/0.0,
                                                             /*is_causal=*/false, /*return_debug_mask=*/false, scale));
}

MatrixProduct make_matrix_product() {
  constexpr int64_t kSize = 8192;
  return in_torch("matrix product", [] {
    const auto options = at::TensorOptions().dtype(at::kHalf).device(at::kCUDA, 0);
    const at::Tensor a = at::randn({kSize, kSize}, options);
    const at::Tensor b = at::randn({kSize, kSize}, options);
    const at::Tensor c = at::empty({kSize, kSize}, options);
    const GpuWork work = [=] {
      in_torch("matrix product", [&] {
        at::Tensor result = c;
        at::matmul_out(result, a, b);
      });
    };
    return MatrixProduct{work, 2.0 * kSize * kSize * kSize};
  });
}

// In the order of reference_names().
const bool kRegistered = [] {
  register_reference(make_reference(reference_names()[0], flash_attention));
  register_reference(make_reference(reference_names()[1], cudnn_attention));
  register_matrix_product(make_matrix_product);
  return true;
}();

}  // namespace
}  // namespace harness
