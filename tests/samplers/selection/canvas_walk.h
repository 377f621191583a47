// A canvas that a selection rule walks through its steps with random statistics, and what must hold of every
// rule with a quota.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/options.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {

// Fresh statistics and random numbers at every position, on a coarse grid.
inline void randomize(Positions& positions, std::mt19937& random) {
  const size_t length = positions.canvas.size();
  Prediction& p = positions.prediction;
  for (auto* column : {&p.entropy, &p.confidence, &p.margin, &p.sampled_probability, &p.current_probability,
                       &p.raw_sampled_probability})
    *column = grid_values(length, random);
  positions.draws.values.assign(2, std::vector<double>(length));
  for (auto& numbers : positions.draws.values) {
    for (double& u : numbers) u = std::uniform_real_distribution<double>()(random);
  }
}

// Where a walk begins, and under which noise: "masked" or "uniform".
struct Walk {
  Walk(const std::string& noise, size_t length, int steps) : positions(length) {
    positions.noise = build<NoiseProcess>(fmt::format("{{name: {}}}", noise));
    positions.vocabulary.mask = 299;
    positions.canvas.assign(length, 299);
    positions.time = {0, steps};
    given.assign(length, 0);
    refresh();
  }

  // Marks a position as given: never the rule's to decide.
  void give(size_t position) {
    positions.canvas[position] = 1;
    given[position] = 1;
    refresh();
  }

  // One step under the linear noise schedule, positions moved on as the loop moves them; the decisions as
  // letters (Positions::decide). A re-noised position gets the mask's id whatever the noise.
  std::string step(const SelectionRule& rule) {
    const StepTime& time = positions.time;
    positions.survival = {static_cast<double>(time.index) / time.count,
                          static_cast<double>(time.index + 1) / time.count};
    const std::string letters = positions.decide(rule);
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 's') positions.canvas[i] = positions.prediction.sampled[i];
      if (letters[i] == 'r') positions.canvas[i] = 299;
    }
    ++positions.time.index;
    edits = rule.needs().edits;
    refresh();
    return letters;
  }

  void refresh() {
    for (size_t i = 0; i < given.size(); ++i) {
      const bool open =
          given[i] == 0 && positions.noise->undecided(positions.canvas[i], positions.vocabulary);
      positions.undecided[i] = open ? 1 : 0;
      positions.editable[i] = edits && given[i] == 0 && !open ? 1 : 0;
    }
  }

  int open() const {
    return static_cast<int>(std::count(positions.undecided.begin(), positions.undecided.end(), 1));
  }

  Positions positions;
  std::vector<std::uint8_t> given;
  bool edits = false;
};

inline int committed(const std::string& letters) {
  return static_cast<int>(std::count(letters.begin(), letters.end(), 's'));
}

// The probability of each outcome that the rule lists, by its letters.
inline std::map<std::string, double> law_of(const SelectionRule& rule, const Positions& positions) {
  std::map<std::string, double> law;
  for (const SelectionOutcome& outcome : rule.outcomes(positions.input())) {
    std::string letters;
    for (const Decision decision : outcome.decision) letters += "ksar"[static_cast<int>(decision)];
    law[letters] += outcome.probability;
  }
  return law;
}

// How many positions each step of a whole walk commits.
inline std::vector<int> commits_by_step(const std::string& rule, const std::string& noise, size_t length,
                                        int steps, size_t given = 0) {
  const auto built = build<SelectionRule>(rule);
  std::mt19937 random(7);
  Walk walk(noise, length, steps);
  for (size_t i = 0; i < given; ++i) walk.give(i);
  std::vector<int> commits;
  for (int i = 0; i < steps; ++i) {
    randomize(walk.positions, random);
    commits.push_back(committed(walk.step(*built)));
  }
  return commits;
}

// From any state, with any given positions: after the last step no position is left as noise, under masked
// noise because all were decided, under uniform noise because the last step committed them all.
inline void expect_done_after_the_last_step(const std::string& rule) {
  const auto built = build<SelectionRule>(rule);
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const bool masked = trial % 2 == 0;
    const size_t length = 1 + random() % 20;
    Walk walk(masked ? "masked" : "uniform", length, 1 + static_cast<int>(random() % 12));
    for (size_t i = 0; i < length; ++i) {
      if (random() % 4 == 0) walk.give(i);
      if (random() % 4 == 0) walk.positions.canvas[i] = 5;  // revealed before, where the noise has masks
    }
    walk.refresh();
    walk.positions.time.index = static_cast<int>(random() % walk.positions.time.count);
    std::string last;
    while (walk.positions.time.index < walk.positions.time.count) {
      randomize(walk.positions, random);
      last = walk.step(*built);
    }
    EXPECT_EQ(last.find('r'), std::string::npos) << rule << ", trial " << trial << ": " << last;
    if (masked) {
      EXPECT_EQ(walk.open(), 0) << rule << ", trial " << trial;
    }
  }
}

// What is not undecided is left alone: the decision that the loop had put there stays.
inline void expect_decided_positions_untouched(const std::string& rule) {
  const auto built = build<SelectionRule>(rule);
  std::mt19937 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Walk walk("masked", 12, 6);
    walk.positions.time.index = trial % 6;
    for (size_t i = 0; i < 12; ++i) {
      if (random() % 2 == 0) walk.give(i);
    }
    randomize(walk.positions, random);
    std::vector<Decision> decisions(12, Decision::kKeep);
    built->decide(walk.positions.input(), decisions);
    for (size_t i = 0; i < 12; ++i) {
      if (walk.given[i] != 0) {
        EXPECT_EQ(decisions[i], Decision::kKeep) << rule << " at " << i;
      }
    }
  }
}

}  // namespace canvaslab
