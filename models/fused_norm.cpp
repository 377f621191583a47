#include "models/fused_norm.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "models/instruction_sets.h"
#include "models/row_grain.h"

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

float inverse_rms(const float* x, int64_t width, double epsilon) {
  const float mean = sum_of_squares(x, width) / static_cast<float>(width);
  return 1.0F / std::sqrt(mean + static_cast<float>(epsilon));
}

// The gradient of one row: with r = 1 / rms and g the incoming gradient,
//   d x = r (w g - x r^2 mean(w g x)).  Adds d w = g x r to `by_weight`.
CANVASLAB_EVERY_INSTRUCTION_SET
void row_gradient(const float* x, const float* weight, const float* g, float r, float* by_x, float* by_weight,
                  int64_t n) {
  float sum = 0;
  if (weight == nullptr) {
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += g[i] * x[i];
    const float shared = r * r * sum / static_cast<float>(n);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) by_x[i] = r * (g[i] - x[i] * shared);
    return;
  }
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += weight[i] * g[i] * x[i];
  const float shared = r * r * sum / static_cast<float>(n);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) by_x[i] = r * (weight[i] * g[i] - x[i] * shared);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) by_weight[i] += g[i] * x[i] * r;
}

}  // namespace

bool fused_rms_norm_applies(const at::Tensor& x, const at::Tensor& weight) {
  return x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous() && x.dim() > 0 && x.size(-1) > 0 &&
         (!weight.defined() || (weight.scalar_type() == at::kFloat && weight.is_contiguous()));
}

at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  at::Tensor out = at::empty_like(x);
  const int64_t width = x.size(-1);
  const float* in = x.const_data_ptr<float>();
  const float* scale = weight.defined() ? weight.const_data_ptr<float>() : nullptr;
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, x.numel() / width, row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      scale_by(in + row * width, inverse_rms(in + row * width, width, epsilon), scale, to + row * width,
               width);
    }
  });
  return out;
}

FusedNormGradient fused_rms_norm_gradient(const at::Tensor& x, const at::Tensor& weight, double epsilon,
                                          const at::Tensor& incoming) {
  const int64_t width = x.size(-1), rows = x.numel() / width;
  const at::Tensor g = incoming.contiguous();
  FusedNormGradient out{at::empty_like(x), {}};
  const float* scale = weight.defined() ? weight.const_data_ptr<float>() : nullptr;
  // A partial sum for every chunk of rows, added up in their order: the same bits on any number of threads.
  const int64_t chunk = row_grain(width), chunks = (rows + chunk - 1) / chunk;
  at::Tensor partial = weight.defined() ? at::zeros({chunks, width}, at::kFloat) : at::Tensor();
  const float *in = x.const_data_ptr<float>(), *gradient = g.const_data_ptr<float>();
  float* by_x = out.by_x.mutable_data_ptr<float>();
  float* sums = weight.defined() ? partial.mutable_data_ptr<float>() : nullptr;
  at::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      float* sum = sums == nullptr ? nullptr : sums + c * width;
      for (int64_t row = c * chunk; row < std::min(rows, (c + 1) * chunk); ++row) {
        const int64_t at = row * width;
        row_gradient(in + at, scale, gradient + at, inverse_rms(in + at, width, epsilon), by_x + at, sum,
                     width);
      }
    }
  });
  if (weight.defined()) out.by_weight = partial.sum(0);
  return out;
}

}  // namespace canvaslab
