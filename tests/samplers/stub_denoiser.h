// A denoiser without a model: a function says the logits of a position from what a real one would see, and
// the statistics follow from them by definition. It notes what the loop asks of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "models/denoiser.h"

namespace canvaslab {

class StubDenoiser : public Denoiser {
 public:
  // What a prediction may depend on. `sample` is the number whose digits to the base V are the prompt.
  struct View {
    int sample, canvas, pass;         // which row, canvas of it, and pass over that canvas
    std::span<const TokenId> tokens;  // [L] on the canvas
    std::span<const TokenId> before;  // prompt and finished canvases
    int position;
  };
  using Logits = std::vector<double>;  // [V]
  using Rule = std::function<Logits(const View&)>;

  struct Pass {
    std::vector<int> samples;  // of its rows
    std::vector<float> temperature;
    std::vector<bool> frozen;
    std::vector<TokenId> suppressed;
    SelfConditioning self_conditioning;
    int size() const { return static_cast<int>(samples.size()); }
  };

  StubDenoiser(std::int64_t vocabulary, std::int64_t length, Rule rule)
      : vocabulary_(vocabulary), length_(length), rule_(std::move(rule)) {}

  std::int64_t vocabulary() const override { return vocabulary_; }
  std::int64_t canvas_length() const override { return length_; }
  std::int64_t max_positions() const override { return positions; }

  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override {
    std::vector<std::unique_ptr<RowContext>> contexts;
    prefilled.push_back(static_cast<int>(prompts.size()));
    for (const Prompt& prompt : prompts) {
      auto context = std::make_unique<Context>();
      for (const TokenId digit : prompt.tokens)
        context->sample = context->sample * static_cast<int>(vocabulary_) + digit;
      context->before.assign(prompt.tokens.begin(), prompt.tokens.end());
      contexts.push_back(std::move(context));
    }
    return contexts;
  }

  void extend(std::span<RowContext* const> rows,
              std::span<const std::span<const TokenId>> canvases) const override {
    for (size_t r = 0; r < rows.size(); ++r) {
      auto& context = dynamic_cast<Context&>(*rows[r]);
      context.before.insert(context.before.end(), canvases[r].begin(), canvases[r].end());
      ++context.canvas;
      context.pass = 0;
      ++extended;
    }
  }

  std::vector<Prediction> predict(std::span<const RowQuery> rows, const PassOptions& options) const override {
    note(rows, options);
    std::vector<std::vector<std::vector<double>>> p;  // [B][L][V]
    for (size_t r = 0; r < rows.size(); ++r)
      p.push_back(probabilities(rows[r], options, static_cast<int>(r)));
    std::vector<TokenId> joint = joint_draw(p, options.joint_draw);
    std::vector<Prediction> predictions;
    for (size_t r = 0; r < rows.size(); ++r) {
      RowQuery row = rows[r];
      if (!joint.empty())
        row.given = std::span(joint).subspan(r * static_cast<size_t>(length_), static_cast<size_t>(length_));
      predictions.push_back(statistics(row, p[r]));
      if (options.raw_probability) {
        row.temperature = 1;
        const auto raw = probabilities(row, options, static_cast<int>(r));
        for (size_t i = 0; i < raw.size(); ++i) {
          predictions.back().raw_sampled_probability.push_back(
              static_cast<float>(raw[i][static_cast<size_t>(predictions.back().sampled[i])]));
        }
      }
      if (!row.frozen) ++dynamic_cast<Context&>(*row.context).pass;
    }
    return predictions;
  }

  // (sample, canvas, pass): the uniforms that the loop gave for it.
  using Key = std::tuple<int, int, int>;

  std::int64_t positions = 1 << 20;
  mutable std::vector<Pass> passes;
  mutable std::vector<int> prefilled;  // rows of each prefill
  mutable int extended = 0;            // canvases that joined a cache
  mutable std::map<Key, std::vector<double>> uniforms;

 private:
  struct Context : RowContext {
    int sample = 0, canvas = 0, pass = 0;
    std::vector<TokenId> before;
    std::unique_ptr<RowContext> clone() const override { return std::make_unique<Context>(*this); }
    std::size_t bytes() const override { return before.size() * sizeof(TokenId); }
  };

  void note(std::span<const RowQuery> rows, const PassOptions& options) const {
    Pass pass{{}, {}, {}, {options.suppressed.begin(), options.suppressed.end()}, options.self_conditioning};
    for (const RowQuery& row : rows) {
      const auto& context = dynamic_cast<const Context&>(*row.context);
      pass.samples.push_back(context.sample);
      pass.temperature.push_back(row.temperature);
      pass.frozen.push_back(row.frozen);
      uniforms[{context.sample, context.canvas, context.pass}].assign(row.uniforms.begin(),
                                                                      row.uniforms.end());
    }
    passes.push_back(std::move(pass));
  }

  std::vector<std::vector<double>> probabilities(const RowQuery& row, const PassOptions& options,
                                                 int index) const {
    const auto& context = dynamic_cast<const Context&>(*row.context);
    std::vector<std::vector<double>> all;
    for (int i = 0; i < length_; ++i) {
      Logits z = rule_({context.sample, context.canvas, context.pass, row.canvas, context.before, i});
      if (std::any_of(z.begin(), z.end(), [](double logit) { return !std::isfinite(logit); }))
        throw NonFinitePrediction(index, i);
      for (const TokenId id : options.suppressed)
        z[static_cast<size_t>(id)] = -std::numeric_limits<double>::infinity();
      z[static_cast<size_t>(row.canvas[static_cast<size_t>(i)])] += row.current_shift;
      if (options.filter.active()) throw std::logic_error("the stub has no filter");
      const double most = *std::max_element(z.begin(), z.end());
      double sum = 0;
      bool taken = false;
      for (double& logit : z) {
        if (row.temperature == 0) {
          logit = logit == most && !taken ? 1 : 0;
          taken = taken || logit == 1;
        } else {
          logit = std::exp((logit - most) / row.temperature);
        }
        sum += logit;
      }
      for (double& mass : z) mass /= sum;
      all.push_back(std::move(z));
    }
    return all;
  }

  std::vector<TokenId> joint_draw(const std::vector<std::vector<std::vector<double>>>& p,
                                  JointDraw* draw) const {
    if (draw == nullptr) return {};
    std::vector<float> flat;
    for (const auto& row : p) {
      for (const auto& position : row) flat.insert(flat.end(), position.begin(), position.end());
    }
    std::vector<TokenId> out(p.size() * static_cast<size_t>(length_));
    (*draw)(flat, vocabulary_, out);
    return out;
  }

  Prediction statistics(const RowQuery& row, const std::vector<std::vector<double>>& p) const {
    Prediction out;
    for (size_t i = 0; i < p.size(); ++i) {
      const auto best = std::max_element(p[i].begin(), p[i].end());
      double entropy = 0, second = 0, cumulative = 0;
      size_t drawn = 0;
      for (size_t v = 0; v < p[i].size(); ++v) {
        if (p[i][v] > 0) entropy -= p[i][v] * std::log(p[i][v]);
        if (p[i].begin() + static_cast<std::ptrdiff_t>(v) != best) second = std::max(second, p[i][v]);
        if (!row.given.empty()) continue;
        if (cumulative <= row.uniforms[i] && p[i][v] > 0) drawn = v;
        cumulative += p[i][v];
      }
      out.argmax.push_back(static_cast<TokenId>(best - p[i].begin()));
      out.sampled.push_back(row.given.empty() ? static_cast<TokenId>(drawn) : row.given[i]);
      out.entropy.push_back(static_cast<float>(entropy));
      out.confidence.push_back(static_cast<float>(*best));
      out.margin.push_back(static_cast<float>(*best - second));
      out.sampled_probability.push_back(static_cast<float>(p[i].at(static_cast<size_t>(out.sampled[i]))));
      out.current_probability.push_back(static_cast<float>(p[i].at(static_cast<size_t>(row.canvas[i]))));
    }
    return out;
  }

  std::int64_t vocabulary_, length_;
  Rule rule_;
};

}  // namespace canvaslab
