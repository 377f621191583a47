#include "samplers/enumeration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/error.h"
#include "models/exact/statistics.h"
#include "samplers/current_shift.h"
#include "samplers/suppressed_ids.h"

namespace canvaslab {
namespace {

// What one position may become: tokens with probabilities.
using Choices = std::vector<std::pair<TokenId, double>>;

Choices certain(TokenId token) {
  return {{token, 1.0}};
}

Choices possible(std::span<const double> law) {
  Choices choices;
  for (size_t v = 0; v < law.size(); ++v)
    if (law[v] > 0) choices.emplace_back(static_cast<TokenId>(v), law[v]);
  return choices;
}

// Calls `each` with every combination of independent choices and its probability.
void for_each_combination(const std::vector<Choices>& positions,
                          const std::function<void(const std::vector<TokenId>&, double)>& each) {
  std::vector<TokenId> tokens(positions.size());
  const std::function<void(size_t, double)> from = [&](size_t i, double probability) {
    if (i == positions.size()) return each(tokens, probability);
    for (const auto& [token, p] : positions[i]) {
      tokens[i] = token;
      from(i + 1, probability * p);
    }
  };
  from(0, 1);
}

class Enumeration {
 public:
  Enumeration(const ExactDenoiser& denoiser, const Rules& rules, int steps)
      : denoiser_(denoiser),
        rules_(rules),
        steps_(steps),
        suppressed_(suppressed_ids(rules.noise, rules.vocabulary, {})),
        prior_(possible(rules.noise.prior(rules.vocabulary))),
        law_(denoiser.vocabulary(), denoiser.canvas_length()) {
    denoiser.check_noise(rules.noise.prior(rules.vocabulary));
    check_prediction_kind(denoiser, rules);
    const std::vector<Choices> start(static_cast<size_t>(denoiser.canvas_length()), prior_);
    for_each_combination(start, [&](const std::vector<TokenId>& canvas, double probability) {
      law_.probabilities()[law_.number(canvas)] += probability;
    });
  }

  CanvasLaw run() {
    for (int step = 0; step < steps_; ++step) {
      CanvasLaw next(denoiser_.vocabulary(), denoiser_.canvas_length());
      for (size_t n = 0; n < law_.probabilities().size(); ++n) {
        const double mass = law_.probabilities()[n];
        if (mass > 0) spread(law_.canvas(n), mass, {step, steps_}, next);
      }
      law_ = std::move(next);
    }
    return law_;
  }

 private:
  double survival(int step) const {
    return rules_.noise_schedule.survival(StepTime{step, steps_}.remaining());
  }

  // One step of one canvas.
  void spread(const std::vector<TokenId>& canvas, double mass, const StepTime& time, CanvasLaw& next) const {
    std::vector<std::uint8_t> undecided;
    for (const TokenId token : canvas) undecided.push_back(rules_.noise.undecided(token, rules_.vocabulary));
    const float temperature = rules_.temperature.at(time);
    const double now = survival(time.index);
    const std::vector<double> unused(canvas.size(), 0.5);
    const RowQuery query{.context = nullptr,
                         .canvas = canvas,
                         .temperature = temperature,
                         .uniforms = unused,
                         .given = {},
                         .current_shift = current_shift(denoiser_, rules_, now),
                         .survival = now};
    const PassOptions options{
        .suppressed = suppressed_, .filter = {}, .raw_probability = rules_.selection.needs().raw_probability};
    const std::vector<double> distribution = denoiser_.distribution(canvas, now);
    std::vector<Choices> drawn;  // what a position's candidate may be
    const size_t width = distribution.size() / canvas.size();
    for (size_t i = 0; i < canvas.size(); ++i) {
      drawn.push_back(undecided[i] == 0
                          ? certain(canvas[i])
                          : possible(tempered(std::span(distribution).subspan(i * width, width), canvas[i],
                                              temperature, query.current_shift, options)));
    }
    Prediction prediction = statistics_of(distribution, query, options);
    make_decided_certain(canvas, undecided, prediction);
    const History nothing;
    const SelectionInput input{
        .canvas = canvas,
        .prediction = prediction,
        .undecided = undecided,
        .time = time,
        .history = nothing,
        .editable = {},
        .temperature = temperature,
        .survival = {now, survival(std::min(time.index + 1, time.count))},
        .noise = &rules_.noise,
        .vocabulary = &rules_.vocabulary,
    };
    if (!rules_.selection.looks_at_draw(rules_.noise)) return add_outcomes(input, drawn, mass, next);
    for_each_combination(drawn, [&](const std::vector<TokenId>& candidates, double probability) {
      prediction = statistics_of(distribution, with_given(query, candidates), options);
      make_decided_certain(canvas, undecided, prediction);
      std::vector<Choices> fixed;
      for (const TokenId token : candidates) fixed.push_back(certain(token));
      add_outcomes(input, fixed, mass * probability, next);
    });
  }

  static RowQuery with_given(RowQuery query, const std::vector<TokenId>& candidates) {
    query.given = candidates;
    return query;
  }

  // As the loop shows decided positions to rules.
  static void make_decided_certain(const std::vector<TokenId>& canvas,
                                   const std::vector<std::uint8_t>& undecided, Prediction& prediction) {
    for (size_t i = 0; i < canvas.size(); ++i) {
      if (undecided[i] != 0) continue;
      prediction.argmax[i] = prediction.sampled[i] = canvas[i];
      prediction.entropy[i] = 0;
      prediction.confidence[i] = prediction.margin[i] = 1;
      prediction.sampled_probability[i] = prediction.current_probability[i] = 1;
    }
  }

  // Noise that no prediction ever is, and so no canvas is left with.
  bool never_committed(const Choices& choices) const {
    return choices.size() == 1 &&
           std::binary_search(suppressed_.begin(), suppressed_.end(), choices.front().first);
  }

  // `candidates`: what each position's sampled token may be.
  void add_outcomes(const SelectionInput& input, const std::vector<Choices>& candidates, double mass,
                    CanvasLaw& next) const {
    for (const SelectionOutcome& outcome : rules_.selection.outcomes(input)) {
      const bool last = input.time.index + 1 == input.time.count;
      std::vector<Choices> becomes;
      for (size_t i = 0; i < input.canvas.size(); ++i) {
        const bool open = input.undecided[i] != 0;
        switch (open ? outcome.decision[i] : Decision::kKeep) {
          case Decision::kKeep:
            becomes.push_back(certain(input.canvas[i]));
            break;
          case Decision::kCommitSampled:
            becomes.push_back(candidates[i]);
            break;
          case Decision::kCommitArgmax:
            becomes.push_back(certain(input.prediction.argmax[i]));
            break;
          case Decision::kRenoise:
            becomes.push_back(prior_);
            break;
        }
        if (last && open && never_committed(becomes.back()))
          becomes.back() = certain(input.prediction.argmax[i]);
      }
      for_each_combination(becomes, [&](const std::vector<TokenId>& canvas, double probability) {
        next.probabilities()[next.number(canvas)] += mass * outcome.probability * probability;
      });
    }
  }

  const ExactDenoiser& denoiser_;
  const Rules& rules_;
  int steps_;
  std::vector<TokenId> suppressed_;
  Choices prior_;
  CanvasLaw law_;
};

// Calls `each` with the model's and the law's probability of every sequence of symbols.
void compare(const CanvasLaw& law, const JointModel& model,
             const std::function<void(double truth, double generated)>& each) {
  for (size_t n = 0; n < law.probabilities().size(); ++n) {
    const std::vector<TokenId> canvas = law.canvas(n);
    const bool symbols_only =
        std::all_of(canvas.begin(), canvas.end(), [&](TokenId token) { return token < model.symbols(); });
    each(symbols_only ? std::exp(model.log_probability(canvas)) : 0, law.probabilities()[n]);
  }
}

}  // namespace

CanvasLaw::CanvasLaw(std::int64_t vocabulary, std::int64_t length)
    : vocabulary_(vocabulary), length_(length) {
  const double count = std::pow(static_cast<double>(vocabulary), static_cast<double>(length));
  if (count > kMost) {
    throw ConfigurationError(
        fmt::format("{} tokens at {} positions make {:.3g} canvases; at most {:.0f} can be "
                    "enumerated",
                    vocabulary, length, count, kMost));
  }
  probabilities_.assign(static_cast<size_t>(std::llround(count)), 0.0);
}

std::vector<TokenId> CanvasLaw::canvas(size_t number) const {
  std::vector<TokenId> tokens(static_cast<size_t>(length_));
  for (size_t i = tokens.size(); i-- > 0; number /= static_cast<size_t>(vocabulary_))
    tokens[i] = static_cast<TokenId>(number % static_cast<size_t>(vocabulary_));
  return tokens;
}

size_t CanvasLaw::number(std::span<const TokenId> canvas) const {
  size_t result = 0;
  for (const TokenId token : canvas)
    result = result * static_cast<size_t>(vocabulary_) + static_cast<size_t>(token);
  return result;
}

CanvasLaw enumerate(const ExactDenoiser& denoiser, const Rules& rules, int steps) {
  return Enumeration(denoiser, rules, steps).run();
}

double total_variation(const CanvasLaw& law, const JointModel& model) {
  double sum = 0;
  compare(law, model, [&](double truth, double generated) { sum += std::abs(truth - generated); });
  return sum / 2;
}

double divergence(const CanvasLaw& law, const JointModel& model) {
  double sum = 0;
  compare(law, model, [&](double truth, double generated) {
    if (truth > 0) sum += truth * (std::log(truth) - std::log(generated));
  });
  return sum;
}

}  // namespace canvaslab
