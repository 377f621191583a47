// gelu_tanh(gate) * up, the middle of Gemma's MLPs and experts, in one pass over memory with its gradient.
// float32 on the CPU; elsewhere gated_activation() uses plain tensor operations, which its test compares
// with.
#pragma once

#include <ATen/ATen.h>

namespace canvaslab {

// gate and up [N, I] -> [N, I]; differentiable by both.
at::Tensor gated_activation(const at::Tensor& gate, const at::Tensor& up);

// The same on n numbers.
void gate_numbers(const float* gate, const float* up, float* out, int64_t n);

// What `incoming` passes back through gate_numbers.
void gate_numbers_gradient(const float* gate, const float* up, const float* incoming, float* by_gate,
                           float* by_up, int64_t n);

}  // namespace canvaslab
