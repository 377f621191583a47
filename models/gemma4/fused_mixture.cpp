#include "models/gemma4/fused_mixture.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "models/differentiable.h"
#include "models/gated_activation.h"
#include "models/instruction_sets.h"
#include "models/row_grain.h"

namespace canvaslab::gemma4 {
namespace {

// Where each token's choices stand when all of them are sorted by expert.
struct Dispatch {
  std::vector<int64_t> first;  // [experts + 1] an expert's rows are first[e] .. first[e + 1] - 1
  std::vector<int64_t> token;  // [N * K] whose row stands at this place
  std::vector<int64_t> place;  // [N * K] where choice n * K + k stands

  Dispatch(const at::Tensor& indices, int64_t experts) {
    const at::Tensor flat = indices.contiguous();
    const int64_t* expert = flat.const_data_ptr<int64_t>();
    const int64_t choices = flat.numel(), per_token = indices.size(1);
    first.assign(static_cast<size_t>(experts) + 1, 0);
    for (int64_t i = 0; i < choices; ++i) ++first[expert[i] + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    token.resize(choices), place.resize(choices);
    for (int64_t i = 0; i < choices; ++i) {
      place[i] = next[expert[i]]++;
      token[place[i]] = i / per_token;
    }
  }

  int64_t experts() const { return static_cast<int64_t>(first.size()) - 1; }
  int64_t choices() const { return static_cast<int64_t>(token.size()); }

  template <class Action>
  void for_each_expert(const Action& action) const {
    for (int64_t e = 0; e < experts(); ++e)
      if (first[e + 1] > first[e]) action(e);
  }

  // An expert's rows of a tensor that is sorted by expert.
  at::Tensor rows(const at::Tensor& sorted, int64_t e) const {
    return sorted.narrow(0, first[e], first[e + 1] - first[e]);
  }
};

CANVASLAB_EVERY_INSTRUCTION_SET
void add_scaled(const float* x, float factor, float* sum, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) sum[i] += factor * x[i];
}

CANVASLAB_EVERY_INSTRUCTION_SET
void scale(const float* x, float factor, float* out, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = factor * x[i];
}

CANVASLAB_EVERY_INSTRUCTION_SET
float dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// x's rows, sorted by expert. [N, H] -> [N * K, H].
at::Tensor gather(const at::Tensor& x, const Dispatch& dispatch) {
  const int64_t width = x.size(1);
  at::Tensor sorted = at::empty({dispatch.choices(), width}, x.options());
  const float* from = x.const_data_ptr<float>();
  float* to = sorted.mutable_data_ptr<float>();
  at::parallel_for(0, dispatch.choices(), row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::copy_n(from + dispatch.token[i] * width, width, to + i * width);
  });
  return sorted;
}

// The sum of a token's K rows, weighted where weights [N, K] are given, in the order of its choices.
at::Tensor combine(const at::Tensor& sorted, const float* weights, const Dispatch& dispatch, int64_t tokens) {
  const int64_t width = sorted.size(1), per_token = tokens > 0 ? dispatch.choices() / tokens : 0;
  at::Tensor out = at::empty({tokens, width}, sorted.options());
  const float* from = sorted.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, tokens, row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      std::fill_n(to + n * width, width, 0.0F);
      for (int64_t i = n * per_token; i < (n + 1) * per_token; ++i)
        add_scaled(from + dispatch.place[i] * width, weights == nullptr ? 1.0F : weights[i], to + n * width,
                   width);
    }
  });
  return out;
}

// What an expert computes on the way, sorted by expert; kept for the gradient.
struct Intermediate {
  at::Tensor input;      // [N * K, H]
  at::Tensor gate_up;    // [N * K, 2 I]
  at::Tensor activated;  // [N * K, I]
  at::Tensor output;     // [N * K, H]
};

void activate(const at::Tensor& gate_up, at::Tensor& activated) {
  const int64_t inner = activated.size(1);
  const float* from = gate_up.const_data_ptr<float>();
  float* to = activated.mutable_data_ptr<float>();
  at::parallel_for(0, activated.size(0), row_grain(inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      gate_numbers(from + 2 * i * inner, from + (2 * i + 1) * inner, to + i * inner, inner);
  });
}

Intermediate run_experts(const at::Tensor& x, const at::Tensor& gate_up, const at::Tensor& down,
                         const Dispatch& dispatch) {
  const int64_t choices = dispatch.choices(), inner = down.size(2);
  Intermediate all{.input = gather(x, dispatch),
                   .gate_up = at::empty({choices, 2 * inner}, x.options()),
                   .activated = at::empty({choices, inner}, x.options()),
                   .output = at::empty({choices, x.size(1)}, x.options())};
  dispatch.for_each_expert([&](int64_t e) {
    at::Tensor out = dispatch.rows(all.gate_up, e);
    at::mm_out(out, dispatch.rows(all.input, e), gate_up.select(0, e).t());
  });
  activate(all.gate_up, all.activated);
  dispatch.for_each_expert([&](int64_t e) {
    at::Tensor out = dispatch.rows(all.output, e);
    at::mm_out(out, dispatch.rows(all.activated, e), down.select(0, e).t());
  });
  return all;
}

// Back through the weighted sum: the gradient of every expert's output, and of the weights.
at::Tensor through_sum(const at::Tensor& incoming, const at::Tensor& weights, const at::Tensor& output,
                       const Dispatch& dispatch, at::Tensor& by_weights) {
  const int64_t width = incoming.size(1), per_token = weights.size(1);
  at::Tensor by_output = at::empty_like(output);
  const float *in = incoming.const_data_ptr<float>(), *w = weights.const_data_ptr<float>(),
              *y = output.const_data_ptr<float>();
  float *to = by_output.mutable_data_ptr<float>(), *to_weight = by_weights.mutable_data_ptr<float>();
  at::parallel_for(0, dispatch.choices(), row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* g = in + (i / per_token) * width;
      const int64_t at = dispatch.place[i] * width;
      to_weight[i] = dot(g, y + at, width);
      scale(g, w[i], to + at, width);
    }
  });
  return by_output;
}

void through_gate(const at::Tensor& gate_up, const at::Tensor& by_activated, at::Tensor& by_gate_up) {
  const int64_t inner = by_activated.size(1);
  const float *from = gate_up.const_data_ptr<float>(), *in = by_activated.const_data_ptr<float>();
  float* to = by_gate_up.mutable_data_ptr<float>();
  at::parallel_for(0, by_activated.size(0), row_grain(inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t gate = 2 * i * inner, up = gate + inner;
      gate_numbers_gradient(from + gate, from + up, in + i * inner, to + gate, to + up, inner);
    }
  });
}

// The gradients of x, the weights and the experts.
std::vector<at::Tensor> back_through(const at::Tensor& weights, const at::Tensor& gate_up,
                                     const at::Tensor& down, const at::Tensor& indices,
                                     const Intermediate& kept, const at::Tensor& incoming,
                                     const std::vector<bool>& needed) {
  const Dispatch dispatch(indices, down.size(0));
  at::Tensor by_weights = at::empty_like(weights), by_down, by_gate_up;
  const at::Tensor by_output = through_sum(incoming, weights, kept.output, dispatch, by_weights);
  at::Tensor by_rows = at::empty_like(kept.gate_up), by_input = at::empty_like(kept.input),
             by_activated = at::empty_like(kept.activated);
  if (needed[2]) by_gate_up = at::zeros_like(gate_up);
  if (needed[3]) by_down = at::zeros_like(down);
  dispatch.for_each_expert([&](int64_t e) {
    const at::Tensor out = dispatch.rows(by_output, e);
    at::Tensor middle = dispatch.rows(by_activated, e);
    at::mm_out(middle, out, down.select(0, e));
    if (needed[3]) by_down.select(0, e).addmm_(out.t(), dispatch.rows(kept.activated, e), 0);
  });
  through_gate(kept.gate_up, by_activated, by_rows);
  dispatch.for_each_expert([&](int64_t e) {
    const at::Tensor middle = dispatch.rows(by_rows, e);
    at::Tensor in = dispatch.rows(by_input, e);
    at::mm_out(in, middle, gate_up.select(0, e));
    if (needed[2]) by_gate_up.select(0, e).addmm_(middle.t(), dispatch.rows(kept.input, e), 0);
  });
  return {combine(by_input, nullptr, dispatch, incoming.size(0)), by_weights, by_gate_up, by_down};
}

bool plain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat && tensor.is_contiguous();
}

}  // namespace

bool fused_mixture_applies(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x) {
  return !experts.gate_up_update.a.defined() && !experts.down_update.a.defined() && plain(x) &&
         plain(routing.weights) && plain(experts.gate_up) && plain(experts.down);
}

at::Tensor fused_mixture(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x) {
  const at::Tensor &weights = routing.weights, &gate_up = experts.gate_up, &down = experts.down,
                   &indices = routing.indices;
  return differentiable(
      {x, weights, gate_up, down},
      [&](std::vector<at::Tensor>& kept) {
        const Dispatch dispatch(indices, down.size(0));
        const Intermediate all = run_experts(x, gate_up, down, dispatch);
        kept = {weights, gate_up, down, indices, all.input, all.gate_up, all.activated, all.output};
        return combine(all.output, weights.const_data_ptr<float>(), dispatch, x.size(0));
      },
      [](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>& needed) {
        return back_through(kept[0], kept[1], kept[2], kept[3], {kept[4], kept[5], kept[6], kept[7]},
                            incoming, needed);
      });
}

}  // namespace canvaslab::gemma4
