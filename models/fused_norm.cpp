#include "models/fused_norm.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "models/instruction_sets.h"

namespace canvaslab {
namespace {

CANVASLAB_EVERY_INSTRUCTION_SET
float sum_of_squares(const float* x, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

CANVASLAB_EVERY_INSTRUCTION_SET
void scale_by(const float* x, float factor, const float* weight, float* out, int64_t n) {
  if (weight == nullptr) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor;
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor * weight[i];
  }
}

}  // namespace

bool fused_rms_norm_applies(const at::Tensor& x, const at::Tensor& weight) {
  const bool gradient =
      at::GradMode::is_enabled() && (x.requires_grad() || (weight.defined() && weight.requires_grad()));
  return x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous() && x.dim() > 0 && x.size(-1) > 0 &&
         !gradient && (!weight.defined() || (weight.scalar_type() == at::kFloat && weight.is_contiguous()));
}

at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  at::Tensor out = at::empty_like(x);
  const int64_t width = x.size(-1);
  const float* in = x.const_data_ptr<float>();
  const float* scale = weight.defined() ? weight.const_data_ptr<float>() : nullptr;
  float* to = out.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, 16384 / width);
  at::parallel_for(0, x.numel() / width, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float mean = sum_of_squares(in + row * width, width) / static_cast<float>(width);
      const float factor = 1.0F / std::sqrt(mean + static_cast<float>(epsilon));
      scale_by(in + row * width, factor, scale, to + row * width, width);
    }
  });
  return out;
}

}  // namespace canvaslab
