#include "models/numeric.h"

#include "models/fused_norm.h"

namespace canvaslab {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (fused_rms_norm_applies(x, weight)) return fused_rms_norm(x, weight, epsilon);
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

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
  if (x.scalar_type() == at::kBFloat16 && !has_bfloat16_units(x.device())) {
    return at::linear(x.to(at::kFloat), weight.to(at::kFloat)).to(at::kBFloat16);
  }
  return at::linear(x, weight);
}

at::Tensor GatedMlp::operator()(const at::Tensor& x) const {
  return linear(at::gelu(linear(x, gate), "tanh") * linear(x, up), down);
}

}  // namespace canvaslab
