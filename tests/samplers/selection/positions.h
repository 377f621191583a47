// A row's positions as a selection rule sees them, made by hand, and what a rule decides about them.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "samplers/selection/selection_rule.h"

namespace canvaslab {

// Hands out the numbers that a test lists: [number][position].
struct GivenDraws : SelectionDraws {
  std::vector<std::vector<double>> values;
  double uniform(int position, int number) override {
    return values.at(static_cast<size_t>(number)).at(static_cast<size_t>(position));
  }
};

// Every statistic [L]; tests set those that their rule reads.
struct Positions {
  explicit Positions(size_t length) : canvas(length), undecided(length, 1), editable(length, 0) {
    for (size_t i = 0; i < length; ++i) {
      canvas[i] = static_cast<TokenId>(i);
      prediction.argmax.push_back(static_cast<TokenId>(100 + i));
      prediction.sampled.push_back(static_cast<TokenId>(200 + i));
    }
    for (auto* column :
         {&prediction.entropy, &prediction.confidence, &prediction.margin, &prediction.sampled_probability,
          &prediction.current_probability, &prediction.raw_sampled_probability}) {
      column->assign(length, 0.5F);
    }
  }

  // One letter a position: k keep, s commit the sampled token, a commit the argmax, r re-noise. Positions
  // that are neither undecided nor editable are not the rule's to decide: a dot.
  std::string decide(const SelectionRule& rule) const {
    std::string letters;
    const std::vector<Decision> decisions = decisions_of(rule);
    for (size_t i = 0; i < decisions.size(); ++i) {
      letters += undecided[i] == 0 && editable[i] == 0 ? '.' : "ksar"[static_cast<int>(decisions[i])];
    }
    return letters;
  }

  // The rule's slack after its own decisions, with the loop's rule that what is not undecided is kept.
  float slack(const SelectionRule& rule) const {
    std::vector<Decision> decisions = decisions_of(rule);
    for (size_t i = 0; i < decisions.size(); ++i) {
      if (undecided[i] == 0) decisions[i] = Decision::kKeep;
    }
    return rule.slack(input(), decisions);
  }

  std::vector<TokenId> canvas;
  Prediction prediction;
  std::vector<std::uint8_t> undecided, editable;
  StepTime time{3, 10};
  float temperature = 1;
  Survival survival{0.3, 0.4};
  std::unique_ptr<NoiseProcess> noise;
  Vocabulary vocabulary{.size = 300, .mask = {}, .padding = {}, .end = {}};
  mutable GivenDraws draws;

  SelectionInput input() const {
    return {.canvas = canvas,
            .prediction = prediction,
            .undecided = undecided,
            .time = time,
            .history = history_,
            .editable = editable,
            .temperature = temperature,
            .survival = survival,
            .noise = noise.get(),
            .vocabulary = &vocabulary,
            .draws = &draws};
  }

 private:
  std::vector<Decision> decisions_of(const SelectionRule& rule) const {
    std::vector<Decision> decisions(canvas.size(), Decision::kKeep);
    rule.decide(input(), decisions);
    return decisions;
  }

  History history_;
};

// Random probabilities on a coarse grid, so that ties and values equal to a threshold occur.
inline std::vector<float> grid_values(size_t length, std::mt19937& random) {
  std::vector<float> values(length);
  for (float& value : values) value = static_cast<float>(random() % 17) / 16;
  return values;
}

}  // namespace canvaslab
