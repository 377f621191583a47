#include "models/numeric.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "models/fused_norm.h"

namespace canvaslab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedNorm : torch::autograd::Function<FusedNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const std::optional<at::Tensor>& weight, double epsilon) {
    context->save_for_backward(weight ? variable_list{x, *weight} : variable_list{x});
    context->saved_data["epsilon"] = epsilon;
    return fused_rms_norm(x, weight.value_or(at::Tensor()), epsilon);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const FusedNormGradient out =
        fused_rms_norm_gradient(saved[0], saved.size() > 1 ? saved[1] : at::Tensor(),
                                context->saved_data["epsilon"].toDouble(), gradients[0]);
    return {out.by_x, out.by_weight, {}};
  }
};

bool needs_gradient(const at::Tensor& x, const at::Tensor& weight) {
  return c10::GradMode::is_enabled() && (x.requires_grad() || (weight.defined() && weight.requires_grad()));
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (fused_rms_norm_applies(x, weight)) {
    return needs_gradient(x, weight)
               ? FusedNorm::apply(x, weight.defined() ? std::optional(weight) : std::nullopt, epsilon)
               : fused_rms_norm(x, weight, epsilon);
  }
  const at::Tensor wide = x.to(at::kFloat);
  at::Tensor scaled = wide * at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + epsilon);
  if (weight.defined()) scaled = scaled * weight.to(at::kFloat);
  return scaled.to(x.scalar_type());
}

bool has_bfloat16_units(const at::Device& device) {
  if (!device.is_cpu()) return true;
  static const bool available = __builtin_cpu_supports("avx512bf16") != 0;
  return available;
}

at::Tensor project(const at::Tensor& x, const at::Tensor& weight) {
  if (x.scalar_type() == at::kBFloat16 && !has_bfloat16_units(x.device())) {
    return at::linear(x.to(at::kFloat), weight.to(at::kFloat)).to(at::kBFloat16);
  }
  return at::linear(x, weight);
}

at::Tensor GatedMlp::operator()(const at::Tensor& x) const {
  return project(at::gelu(project(x, gate), "tanh") * project(x, up), down);
}

}  // namespace canvaslab
