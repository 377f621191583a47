#include "models/numeric.h"

#include "models/differentiable.h"
#include "models/fused_norm.h"
#include "models/gated_activation.h"

namespace canvaslab {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (fused_rms_norm_applies(x, weight)) {
    return differentiable(
        {x, weight},
        [&](std::vector<at::Tensor>& kept) {
          kept = {x, weight};
          return fused_rms_norm(x, weight, epsilon);
        },
        [epsilon](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
          const FusedNormGradient out = fused_rms_norm_gradient(kept[0], kept[1], epsilon, incoming);
          return std::vector<at::Tensor>{out.by_x, out.by_weight};
        });
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

at::Tensor project(const at::Tensor& x, const Projection& projection) {
  at::Tensor out = project(x, projection.weight);
  const LowRankUpdate& update = projection.update;
  return update.a.defined() ? out + project(project(x, update.a), update.b) * update.scale : out;
}

at::Tensor GatedMlp::operator()(const at::Tensor& x) const {
  return project(gated_activation(project(x, gate), project(x, up)), down);
}

}  // namespace canvaslab
