#include "models/vocabulary_head.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/numeric.h"
#include "models/vocabulary_tile.h"

namespace canvaslab {
namespace {

constexpr int64_t kPositionBlock = 512;
constexpr int64_t kGrain = 8;  // positions a thread takes at a time

// One position while tiles go by.
struct PositionState {
  RunningDistribution tempered;
  double raw_mass = 0;  // Z at temperature 1, when the next step is conditioned on that
  bool finite = true;
  float current_z = 0, given_z = 0;   // z of the token on the canvas and of the given draw
  std::vector<double> tile_mass;      // mass of each tile ...
  std::vector<float> tile_reference;  // ... relative to this
};

// The whole pass over one batch of positions.
class VocabularyPass {
 public:
  VocabularyPass(const at::Tensor& embedding, const at::Tensor& output, std::optional<double> softcap,
                 int64_t tile, const at::Tensor& hidden, const HeadQuery& query)
      : embedding_(embedding),
        output_(output),
        cap_(static_cast<float>(softcap.value_or(0))),
        tile_(tile),
        hidden_(hidden),
        query_(query),
        states_(hidden.size(0)) {
    if (query.self_conditioning != SelfConditioning::kOff) soft_ = at::zeros(hidden.sizes(), at::kFloat);
    suppressed_.assign(query.suppressed.begin(), query.suppressed.end());
    std::sort(suppressed_.begin(), suppressed_.end());
  }

  void run() {
    for (int64_t first = 0; first < embedding_.size(0); first += tile_) {
      const int64_t entries = std::min(tile_, embedding_.size(0) - first);
      for (int64_t begin = 0; begin < hidden_.size(0); begin += kPositionBlock) {
        process(entries, first, begin, std::min(kPositionBlock, hidden_.size(0) - begin));
      }
    }
  }

  Prediction statistics() const {
    Prediction out;
    const size_t count = states_.size();
    out.argmax.resize(count), out.sampled.resize(count);
    for (auto* column :
         {&out.entropy, &out.confidence, &out.margin, &out.sampled_probability, &out.current_probability})
      column->resize(count);
    for (size_t i = 0; i < count; ++i) {
      const RunningDistribution& p = states_[i].tempered;
      out.argmax[i] = p.argmax;
      if (query_.temperature[i] == 0) {
        out.confidence[i] = out.margin[i] = 1;
        out.current_probability[i] = query_.current[i] == p.argmax ? 1 : 0;
        continue;
      }
      out.entropy[i] = static_cast<float>(std::max(0.0, std::log(p.mass) - p.moment / p.mass));
      out.confidence[i] = static_cast<float>(1 / p.mass);
      out.margin[i] = static_cast<float>((1 - std::exp(static_cast<double>(p.second) - p.maximum)) / p.mass);
      out.current_probability[i] = probability(p, states_[i].current_z);
    }
    return out;
  }

  void take_given(Prediction& out) const {
    for (size_t i = 0; i < states_.size(); ++i) {
      out.sampled[i] = query_.given[i];
      const RunningDistribution& p = states_[i].tempered;
      out.sampled_probability[i] = query_.temperature[i] == 0 ? (query_.given[i] == p.argmax ? 1.0F : 0.0F)
                                                              : probability(p, states_[i].given_z);
    }
  }

  // Draws the first token whose cumulative mass exceeds u Z: finds its tile from the tiles' masses, then
  // looks at that tile once more. Positions that share a tile are looked at together.
  void draw(Prediction& out) const {
    std::map<int64_t, std::vector<int64_t>> positions_of_tile;
    std::vector<double> left(
        states_.size());  // mass still to go inside the tile, relative to the final maximum
    for (int64_t i = 0; i < static_cast<int64_t>(states_.size()); ++i) {
      if (query_.temperature[i] == 0) {
        out.sampled[i] = out.argmax[i];
        out.sampled_probability[i] = 1;
      } else {
        positions_of_tile[choose_tile(i, left[i])].push_back(i);
      }
    }
    for (const auto& [tile, positions] : positions_of_tile) draw_in_tile(tile, positions, left, out);
  }

  at::Tensor soft_embedding(double scale, at::ScalarType type) const {
    if (!soft_.defined()) return {};
    at::Tensor out = soft_.clone();
    std::vector<float> inverse(states_.size());
    for (size_t i = 0; i < states_.size(); ++i) {
      const PositionState& state = states_[i];
      const bool raw = query_.self_conditioning == SelfConditioning::kRaw;
      inverse[i] = static_cast<float>(1 / (raw ? state.raw_mass : state.tempered.mass));
      if (query_.temperature[i] == 0 && !raw) {
        out[static_cast<int64_t>(i)].copy_(embedding_[state.tempered.argmax]);
        inverse[i] = 1;
      }
    }
    return (out * at::tensor(inverse).unsqueeze(1)).to(type) * scale;
  }

 private:
  float effective_temperature(int64_t i) const {
    return query_.temperature[i] == 0 ? 1.0F : query_.temperature[i];
  }

  static float probability(const RunningDistribution& p, float z) {
    return static_cast<float>(std::exp(static_cast<double>(z) - p.maximum) / p.mass);
  }

  // Cap, temperature, suppression of one position's raw logits over the tile that starts at `first`.
  TileMaxima scale(float* z, int64_t entries, int64_t first, int64_t position) const {
    TileMaxima top = scale_tile(z, entries, cap_, effective_temperature(position));
    auto id = std::lower_bound(suppressed_.begin(), suppressed_.end(), first);
    if (id == suppressed_.end() || *id >= first + entries) return top;
    for (; id != suppressed_.end() && *id < first + entries; ++id) z[*id - first] = -INFINITY;
    return maxima(z, entries);
  }

  void process(int64_t entries, int64_t first, int64_t begin, int64_t length) {
    at::Tensor logits = project(hidden_.narrow(0, begin, length), output_.narrow(0, first, entries))
                            .to(at::kFloat)
                            .contiguous();
    float* z = logits.mutable_data_ptr<float>();
    const bool raw = query_.self_conditioning == SelfConditioning::kRaw;
    at::Tensor raw_weights = raw ? at::empty_like(logits) : at::Tensor();
    at::Tensor rescale = at::ones({length, 1}, at::kFloat);
    float* factor = rescale.mutable_data_ptr<float>();
    at::parallel_for(0, length, kGrain, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        float* raw_row = raw ? raw_weights.mutable_data_ptr<float>() + i * entries : nullptr;
        factor[i] = absorb(z + i * entries, raw_row, entries, first, begin + i);
      }
    });
    for (int64_t i = begin; i < begin + length; ++i) {
      if (!states_[i].finite) throw NonFiniteLogit(i);
    }
    if (!soft_.defined()) return;
    at::Tensor sum = soft_.narrow(0, begin, length);
    if (first > 0) sum.mul_(rescale);
    sum.addmm_(raw ? raw_weights : logits, embedding_.narrow(0, first, entries).to(at::kFloat));
  }

  // Takes one tile into a position's state; z becomes the weights of the soft embedding. Returns the factor
  // that the weights of earlier tiles must be multiplied by.
  float absorb(float* z, float* raw_weights, int64_t entries, int64_t first, int64_t position) {
    PositionState& state = states_[position];
    RunningDistribution& p = state.tempered;
    const TileMaxima top = scale(z, entries, first, position);
    state.finite = state.finite && top.finite;
    note_watched(state, z, entries, first, position);
    const float before = p.maximum;
    p.second = std::max({p.second, top.second, std::min(p.maximum, top.first)});
    if (top.first > p.maximum) {
      p.argmax = static_cast<TokenId>(first + first_equal(z, entries, top.first));
      p.rebase(top.first);
    }
    const float reference = std::isfinite(p.maximum) ? p.maximum : 0;  // a tile of suppressed ids alone
    float factor = std::exp(before - reference);
    if (raw_weights != nullptr) {
      const float t = effective_temperature(position);
      for (int64_t i = 0; i < entries; ++i) raw_weights[i] = (z[i] - reference) * t;
      float mass = 0, moment = 0;
      exponentiate_tile(raw_weights, entries, 0, &mass, &moment);
      factor = std::exp((before - reference) * t);
      state.raw_mass = state.raw_mass * factor + mass;
    }
    float mass = 0, moment = 0;
    exponentiate_tile(z, entries, reference, &mass, &moment);
    p.mass += mass, p.moment += moment;
    state.tile_mass.push_back(mass), state.tile_reference.push_back(reference);
    return factor;
  }

  void note_watched(PositionState& state, const float* z, int64_t entries, int64_t first,
                    int64_t position) const {
    const auto inside = [&](TokenId id) { return id >= first && id < first + entries; };
    if (inside(query_.current[position])) state.current_z = z[query_.current[position] - first];
    if (!query_.given.empty() && inside(query_.given[position]))
      state.given_z = z[query_.given[position] - first];
  }

  int64_t choose_tile(int64_t position, double& left) const {
    const PositionState& state = states_[position];
    left = query_.uniforms[position] * state.tempered.mass;
    int64_t last = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(state.tile_mass.size()); ++t) {
      const double mass = state.tile_mass[t] *
                          std::exp(static_cast<double>(state.tile_reference[t]) - state.tempered.maximum);
      if (left < mass) return t;
      if (mass > 0) last = t;
      left -= mass;
    }
    left = INFINITY;  // rounding: u Z lies in the last bits; the last token with mass takes it
    return last;
  }

  void draw_in_tile(int64_t tile, const std::vector<int64_t>& positions, const std::vector<double>& left,
                    Prediction& out) const {
    const int64_t first = tile * tile_, entries = std::min(tile_, embedding_.size(0) - first);
    const at::Tensor rows = output_.narrow(0, first, entries);
    for (size_t begin = 0; begin < positions.size(); begin += kPositionBlock) {
      const std::vector<int64_t> block(
          positions.begin() + begin, positions.begin() + std::min(positions.size(), begin + kPositionBlock));
      at::Tensor logits =
          project(hidden_.index_select(0, at::tensor(block)), rows).to(at::kFloat).contiguous();
      float* z = logits.mutable_data_ptr<float>();
      at::parallel_for(0, static_cast<int64_t>(block.size()), kGrain, [&](int64_t from, int64_t to) {
        for (int64_t k = from; k < to; ++k) {
          const int64_t i = block[k];
          const int64_t at = walk(z + k * entries, entries, first, i, left[i]);
          out.sampled[i] = static_cast<TokenId>(first + at);
          const RunningDistribution& p = states_[i].tempered;
          out.sampled_probability[i] = static_cast<float>(z[k * entries + at] / p.mass);
        }
      });
    }
  }

  // The first entry of the tile whose cumulative mass exceeds `left`; z becomes exp(z - maximum).
  int64_t walk(float* z, int64_t entries, int64_t first, int64_t position, double left) const {
    scale(z, entries, first, position);
    float mass = 0, moment = 0;
    exponentiate_tile(z, entries, states_[position].tempered.maximum, &mass, &moment);
    double cumulative = 0;
    int64_t last = 0;
    for (int64_t v = 0; v < entries; ++v) {
      cumulative += z[v];
      if (cumulative > left) return v;
      if (z[v] > 0) last = v;
    }
    return last;
  }

  const at::Tensor& embedding_;
  const at::Tensor& output_;
  float cap_;
  int64_t tile_;
  const at::Tensor& hidden_;
  const HeadQuery& query_;
  std::vector<PositionState> states_;
  std::vector<TokenId> suppressed_;
  at::Tensor soft_;  // float32 [N, H]: sum of exp(z - maximum) E, not yet divided by Z
};

}  // namespace

VocabularyHead::VocabularyHead(at::Tensor embedding, double embedding_scale, std::optional<double> softcap,
                               int64_t tile, at::Tensor output)
    : embedding_(std::move(embedding)),
      output_(output.defined() ? std::move(output) : embedding_),
      embedding_scale_(embedding_scale),
      softcap_(softcap),
      tile_(tile) {}

HeadResult VocabularyHead::operator()(const at::Tensor& hidden, const HeadQuery& query) const {
  if (!hidden.is_cpu()) return reference(hidden, query);
  if (!query.current_shift.empty() || query.filter.active() || query.raw_probability) {
    return by_definition(hidden, query);
  }
  VocabularyPass pass(embedding_, output_, softcap_, tile_, hidden, query);
  pass.run();
  HeadResult result;
  result.prediction = pass.statistics();
  if (query.given.empty()) {
    pass.draw(result.prediction);
  } else {
    pass.take_given(result.prediction);
  }
  result.soft_embedding = pass.soft_embedding(embedding_scale_, hidden.scalar_type());
  return result;
}

}  // namespace canvaslab
