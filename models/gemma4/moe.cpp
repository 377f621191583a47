#include "models/gemma4/moe.h"

#include <cmath>

#include "models/gemma4/fused_mixture.h"
#include "models/numeric.h"

namespace canvaslab::gemma4 {
namespace {

constexpr int64_t kTokenBlock = 2048;  // bounds the [tokens * K, hidden] buffer of a long prefill

at::Tensor mixture_block(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x) {
  return fused_mixture_applies(experts, routing, x) ? fused_mixture(experts, routing, x)
                                                    : mixture_reference(experts, routing, x);
}

// The experts one by one, with their updates.
std::vector<Projection> each(const at::Tensor& weights, const LowRankUpdate& update) {
  std::vector<Projection> all;
  for (const at::Tensor& weight : at::unbind(weights)) all.push_back({weight});
  if (!update.a.defined()) return all;
  const std::vector<at::Tensor> a = at::unbind(update.a), b = at::unbind(update.b);
  for (size_t e = 0; e < all.size(); ++e) all[e].update = {a[e], b[e], update.scale};
  return all;
}

}  // namespace

at::Tensor mixture_reference(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x) {
  const int64_t tokens = x.size(0), chosen = routing.indices.size(1), expert_count = experts.down.size(0);
  const at::Tensor assignment = routing.indices.reshape({-1});
  const at::Tensor order = at::argsort(assignment, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor counts = at::bincount(assignment, {}, expert_count).to(at::kCPU);
  const int64_t* count = counts.const_data_ptr<int64_t>();
  const at::Tensor gathered = x.index_select(0, order.div(chosen, "floor"));
  const std::vector<Projection> gate_up = each(experts.gate_up, experts.gate_up_update),
                                down = each(experts.down, experts.down_update);
  std::vector<at::Tensor> outputs;
  for (int64_t e = 0, begin = 0; e < expert_count; begin += count[e++]) {
    if (count[e] == 0) continue;
    const auto halves = project(gathered.narrow(0, begin, count[e]), gate_up[e]).chunk(2, -1);
    outputs.push_back(project(at::gelu(halves[0], "tanh") * halves[1], down[e]));
  }
  const at::Tensor back = at::argsort(order);
  const at::Tensor per_choice = at::cat(outputs).index_select(0, back).view({tokens, chosen, x.size(1)});
  return (per_choice.to(at::kFloat) * routing.weights.unsqueeze(-1)).sum(1).to(x.scalar_type());
}

Routing route(const RouterWeights& router, const at::Tensor& x, int64_t experts_per_token, double epsilon) {
  const double root = std::pow(static_cast<double>(x.size(1)), -0.5);
  const at::Tensor scores = project(rms_norm(x, {}, epsilon) * router.scale * root, router.projection);
  const at::Tensor probabilities = at::softmax(scores, -1, at::kFloat);
  auto [top, indices] = at::topk(probabilities, experts_per_token, -1, /*largest=*/true, /*sorted=*/true);
  const at::Tensor scale = router.per_expert_scale.to(at::kFloat).index_select(0, indices.reshape({-1}));
  return {indices, top / top.sum(-1, /*keepdim=*/true) * scale.view_as(top), probabilities};
}

at::Tensor mixture(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x) {
  if (x.size(0) <= kTokenBlock) return mixture_block(experts, routing, x);
  std::vector<at::Tensor> blocks;
  for (int64_t begin = 0; begin < x.size(0); begin += kTokenBlock) {
    const int64_t length = std::min(kTokenBlock, x.size(0) - begin);
    blocks.push_back(mixture_block(
        experts, {routing.indices.narrow(0, begin, length), routing.weights.narrow(0, begin, length), {}},
        x.narrow(0, begin, length)));
  }
  return at::cat(blocks);
}

}  // namespace canvaslab::gemma4
