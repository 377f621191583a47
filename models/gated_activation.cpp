#include "models/gated_activation.h"

#include <ATen/Parallel.h>

#include "models/differentiable.h"
#include "models/fast_math.h"
#include "models/instruction_sets.h"
#include "models/row_grain.h"

namespace canvaslab {
namespace {

constexpr float kRoot = 0.7978845608F;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715F;

at::Tensor activate(const at::Tensor& gate, const at::Tensor& up) {
  at::Tensor out = at::empty_like(gate);
  const float *g = gate.const_data_ptr<float>(), *u = up.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, gate.numel(), kNumbersOfATask, [&](int64_t begin, int64_t end) {
    gate_numbers(g + begin, u + begin, to + begin, end - begin);
  });
  return out;
}

std::vector<at::Tensor> back_through(const at::Tensor& gate, const at::Tensor& up,
                                     const at::Tensor& incoming) {
  at::Tensor by_gate = at::empty_like(gate), by_up = at::empty_like(up);
  const float *g = gate.const_data_ptr<float>(), *u = up.const_data_ptr<float>(),
              *in = incoming.const_data_ptr<float>();
  float *to_gate = by_gate.mutable_data_ptr<float>(), *to_up = by_up.mutable_data_ptr<float>();
  at::parallel_for(0, incoming.numel(), kNumbersOfATask, [&](int64_t begin, int64_t end) {
    gate_numbers_gradient(g + begin, u + begin, in + begin, to_gate + begin, to_up + begin, end - begin);
  });
  return {by_gate, by_up};
}

bool fits(const at::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous();
}

}  // namespace

CANVASLAB_EVERY_INSTRUCTION_SET
void gate_numbers(const float* gate, const float* up, float* out, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float x = gate[i];
    const float t = fast_tanh(kRoot * (x + kCubic * x * x * x));
    out[i] = 0.5F * x * (1.0F + t) * up[i];
  }
}

CANVASLAB_EVERY_INSTRUCTION_SET
void gate_numbers_gradient(const float* gate, const float* up, const float* incoming, float* by_gate,
                           float* by_up, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float x = gate[i];
    const float t = fast_tanh(kRoot * (x + kCubic * x * x * x));
    const float slope =
        0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * kRoot * (1.0F + 3.0F * kCubic * x * x);
    by_gate[i] = incoming[i] * up[i] * slope;
    by_up[i] = incoming[i] * 0.5F * x * (1.0F + t);
  }
}

at::Tensor gated_activation(const at::Tensor& gate, const at::Tensor& up) {
  if (!fits(gate) || !fits(up)) return at::gelu(gate, "tanh") * up;
  return differentiable(
      {gate, up},
      [&](std::vector<at::Tensor>& kept) {
        kept = {gate, up};
        return activate(gate, up);
      },
      [](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
        return back_through(kept[0], kept[1], incoming);
      });
}

}  // namespace canvaslab
