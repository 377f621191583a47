// The vocabulary pass straight from the definitions, with [N, V] tensors.
#include <algorithm>
#include <cmath>

#include "models/vocabulary_head.h"

namespace canvaslab {
namespace {

at::Tensor column(std::span<const float> values, const at::Device& device) {
  return at::tensor(at::ArrayRef<float>(values.data(), values.size())).to(device).unsqueeze(1);
}

at::Tensor ids(std::span<const TokenId> values, const at::Device& device) {
  return at::tensor(at::ArrayRef<TokenId>(values.data(), values.size())).to(device, at::kLong).unsqueeze(1);
}

template <typename T>
void read(const at::Tensor& from, at::ScalarType type, std::vector<T>& to) {
  const at::Tensor host = from.reshape({-1}).to(at::kCPU, type).contiguous();
  to.assign(host.const_data_ptr<T>(), host.const_data_ptr<T>() + host.numel());
}

// The first token whose cumulative mass exceeds u: by counting those that do not. float64.
at::Tensor inverse_transform(const at::Tensor& p, std::span<const double> uniforms) {
  const at::Tensor u =
      at::tensor(at::ArrayRef<double>(uniforms.data(), uniforms.size())).to(p.device()).unsqueeze(1);
  const at::Tensor cumulative = p.to(at::kDouble).cumsum(-1);
  const at::Tensor total = cumulative.narrow(-1, cumulative.size(-1) - 1, 1);
  return (cumulative <= u * total).sum(-1, /*keepdim=*/true).clamp_max(p.size(-1) - 1);
}

}  // namespace

HeadResult VocabularyHead::reference(const at::Tensor& hidden, const HeadQuery& query) const {
  at::Tensor capped = logits(hidden);
  const at::Tensor bad = at::logical_not(at::isfinite(at::linear(hidden, output_).to(at::kFloat))).any(-1);
  if (bad.any().item<bool>()) throw NonFiniteLogit(bad.to(at::kByte).argmax().item<int64_t>());
  for (const TokenId id : query.suppressed) capped.select(-1, id).fill_(-INFINITY);

  const at::Tensor temperature = column(query.temperature, hidden.device());
  const at::Tensor greedy = temperature == 0;
  const at::Tensor most = at::argmax(capped, -1, /*keepdim=*/true);
  const at::Tensor certain = at::zeros_like(capped).scatter_(-1, most, 1.0);
  at::Tensor p = at::softmax(capped / at::where(greedy, at::ones_like(temperature), temperature), -1);
  p = at::where(greedy, certain, p);
  const at::Tensor top = std::get<0>(at::topk(p, std::min<int64_t>(2, p.size(-1)), -1));
  const at::Tensor first = top.narrow(-1, 0, 1);
  const at::Tensor runner_up = top.size(-1) > 1 ? top.narrow(-1, 1, 1) : at::zeros_like(first);
  const at::Tensor drawn =
      query.given.empty() ? inverse_transform(p, query.uniforms) : ids(query.given, hidden.device());

  HeadResult result;
  Prediction& out = result.prediction;
  read(most, at::kInt, out.argmax);
  read(query.given.empty() ? at::where(greedy, most, drawn) : drawn, at::kInt, out.sampled);
  read(at::special_entr(p).sum(-1), at::kFloat, out.entropy);
  read(first, at::kFloat, out.confidence);
  read(first - runner_up, at::kFloat, out.margin);
  read(p.gather(-1, ids(out.sampled, hidden.device())), at::kFloat, out.sampled_probability);
  read(p.gather(-1, ids(query.current, hidden.device())), at::kFloat, out.current_probability);
  if (query.self_conditioning != SelfConditioning::kOff) {
    const at::Tensor weights =
        query.self_conditioning == SelfConditioning::kRaw ? at::softmax(capped, -1) : p;
    result.soft_embedding =
        at::linear(weights.to(embedding_.scalar_type()), embedding_.t()) * embedding_scale_;
  }
  return result;
}

}  // namespace canvaslab
