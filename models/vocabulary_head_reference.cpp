// The vocabulary pass straight from the definitions, with [N, V] tensors.
#include <algorithm>
#include <cmath>

#include "models/numeric.h"
#include "models/vocabulary_head.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kLargestBlock = std::int64_t{1} << 24;  // logits that are held at once

template <typename T>
at::Tensor column(std::span<const T> values, const at::Device& device) {
  return at::tensor(at::ArrayRef<T>(values.data(), values.size())).to(device).unsqueeze(1);
}

at::Tensor ids(std::span<const TokenId> values, const at::Device& device) {
  return column(values, device).to(at::kLong);
}

template <typename T>
void read(const at::Tensor& from, at::ScalarType type, std::vector<T>& to) {
  const at::Tensor host = from.reshape({-1}).to(at::kCPU, type).contiguous();
  to.assign(host.const_data_ptr<T>(), host.const_data_ptr<T>() + host.numel());
}

// The first token whose cumulative mass exceeds u: by counting those that do not. float64.
at::Tensor inverse_transform(const at::Tensor& p, std::span<const double> uniforms) {
  const at::Tensor u = column(uniforms, p.device());
  const at::Tensor cumulative = p.to(at::kDouble).cumsum(-1);
  const at::Tensor total = cumulative.narrow(-1, cumulative.size(-1) - 1, 1);
  return (cumulative <= u * total).sum(-1, /*keepdim=*/true).clamp_max(p.size(-1) - 1);
}

// Logits outside the filter become minus infinity. Tokens as probable as the k-th stay, all of them.
at::Tensor filtered(at::Tensor logits, const VocabularyFilter& filter) {
  if (filter.top_k && *filter.top_k < logits.size(-1)) {
    const at::Tensor least =
        std::get<0>(at::topk(logits, *filter.top_k, -1)).narrow(-1, *filter.top_k - 1, 1);
    logits = logits.masked_fill(logits < least, -INFINITY);
  }
  if (filter.top_p) {
    const auto [sorted, order] = at::sort(logits, -1, /*descending=*/true);
    const at::Tensor beyond = at::cumsum(at::softmax(sorted, -1), -1) > *filter.top_p;
    const at::Tensor removed = at::zeros_like(beyond);
    removed.narrow(-1, 1, removed.size(-1) - 1).copy_(beyond.narrow(-1, 0, beyond.size(-1) - 1));
    logits = logits.masked_fill(at::zeros_like(removed).scatter(-1, order, removed), -INFINITY);
  }
  return logits;
}

void append(std::vector<TokenId>& to, const std::vector<TokenId>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void append(std::vector<float>& to, const std::vector<float>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void append(Prediction& to, const Prediction& more) {
  append(to.argmax, more.argmax), append(to.sampled, more.sampled), append(to.entropy, more.entropy);
  append(to.confidence, more.confidence), append(to.margin, more.margin);
  append(to.sampled_probability, more.sampled_probability);
  append(to.current_probability, more.current_probability);
  append(to.raw_sampled_probability, more.raw_sampled_probability);
}

// The part of a query that is about positions [begin, begin + count).
HeadQuery part(const HeadQuery& query, std::int64_t begin, std::int64_t count) {
  const auto cut = [&](auto span) {
    return span.empty() ? span : span.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
  };
  HeadQuery out = query;
  out.temperature = cut(query.temperature), out.current = cut(query.current);
  out.uniforms = cut(query.uniforms), out.given = cut(query.given);
  out.current_shift = cut(query.current_shift);
  return out;
}

}  // namespace

at::Tensor VocabularyHead::logits(const at::Tensor& hidden) const {
  const at::Tensor raw = project(hidden, output_).to(at::kFloat);
  return softcap_ ? at::tanh(raw / *softcap_) * *softcap_ : raw;
}

at::Tensor VocabularyHead::tempered_logits(const at::Tensor& hidden, const HeadQuery& query) const {
  at::Tensor z = logits(hidden);
  for (const TokenId id : query.suppressed) z.select(-1, id).fill_(-INFINITY);
  if (!query.current_shift.empty()) {
    z.scatter_add_(-1, ids(query.current, hidden.device()), column(query.current_shift, hidden.device()));
  }
  const at::Tensor temperature = column(query.temperature, hidden.device());
  z = z / at::where(temperature == 0, at::ones_like(temperature), temperature);
  return query.filter.active() ? filtered(z, query.filter) : z;
}

at::Tensor VocabularyHead::soft_embedding(const at::Tensor& tempered) const {
  const at::ScalarType type = embedding_.scalar_type();
  const at::Tensor p = at::softmax(tempered.to(type), -1, at::kFloat).to(type);
  return project(p, embedding_.t()) * embedding_scale_;
}

HeadResult VocabularyHead::reference(const at::Tensor& hidden, const HeadQuery& query) const {
  const at::Tensor bad = at::logical_not(at::isfinite(at::linear(hidden, output_).to(at::kFloat))).any(-1);
  if (bad.any().item<bool>()) throw NonFiniteLogit(bad.to(at::kByte).argmax().item<int64_t>());

  const at::Tensor greedy = column(query.temperature, hidden.device()) == 0;
  // softmax at the temperature; where that is 0, all mass on the most probable token.
  const auto distribution = [&](const at::Tensor& z) {
    const at::Tensor certain = at::zeros_like(z).scatter_(-1, at::argmax(z, -1, /*keepdim=*/true), 1.0);
    return at::where(greedy, certain, at::softmax(z, -1));
  };
  const at::Tensor z = tempered_logits(hidden, query);
  const at::Tensor most = at::argmax(z, -1, /*keepdim=*/true);
  const at::Tensor p = distribution(z);
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
  const std::vector<float> ones(query.temperature.size(), 1.0F);
  if (query.raw_probability) {
    HeadQuery raw = query;
    raw.temperature = ones, raw.filter = {};
    const at::Tensor q = at::softmax(tempered_logits(hidden, raw), -1);
    read(q.gather(-1, ids(out.sampled, hidden.device())), at::kFloat, out.raw_sampled_probability);
  }
  if (query.self_conditioning != SelfConditioning::kOff) {
    HeadQuery own = query;  // the model's own distribution
    own.filter = {}, own.current_shift = {};
    if (query.self_conditioning == SelfConditioning::kRaw) own.temperature = ones;
    const at::Tensor mine = tempered_logits(hidden, own);
    const at::Tensor weights =
        query.self_conditioning == SelfConditioning::kRaw ? at::softmax(mine, -1) : distribution(mine);
    result.soft_embedding =
        at::linear(weights.to(embedding_.scalar_type()), embedding_.t()) * embedding_scale_;
  }
  return result;
}

// The reference, a few positions at a time.
HeadResult VocabularyHead::by_definition(const at::Tensor& hidden, const HeadQuery& query) const {
  const std::int64_t block = std::max<std::int64_t>(1, kLargestBlock / vocabulary());
  HeadResult all;
  std::vector<at::Tensor> soft;
  for (std::int64_t begin = 0; begin < hidden.size(0); begin += block) {
    const std::int64_t count = std::min(block, hidden.size(0) - begin);
    try {
      HeadResult some = reference(hidden.narrow(0, begin, count), part(query, begin, count));
      append(all.prediction, some.prediction);
      if (some.soft_embedding.defined()) soft.push_back(some.soft_embedding);
    } catch (const NonFiniteLogit& bad) {
      throw NonFiniteLogit(begin + bad.position);
    }
  }
  if (!soft.empty()) all.soft_embedding = at::cat(soft);
  return all;
}

}  // namespace canvaslab
