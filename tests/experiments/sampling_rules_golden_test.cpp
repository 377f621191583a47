// Rules and schedules against the values that the reference implementations gave
// (tests/data/golden/README.md, section sampling_rules): masks, ids, flags and temperatures exactly,
// entropies and probabilities to rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "samplers/selection/selection_rule.h"
#include "samplers/stopping/stopping_criterion.h"
#include "schedules/temperature/temperature_schedule.h"
#include "tests/experiments/recorded_rules.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using namespace recorded;

// 1 where the rule accepts: [B,L].
at::Tensor accepted(const SelectionRule& rule, const std::vector<Prediction>& rows,
                    const std::vector<TokenId>& canvas) {
  std::vector<at::Tensor> masks;
  const History nothing;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto length = static_cast<size_t>(rows[r].length());
    const std::vector<std::uint8_t> undecided(length, 1);
    std::vector<Decision> decisions(length, Decision::kKeep);
    rule.decide({std::span(canvas).subspan(r * length, length), rows[r], undecided, {}, nothing}, decisions);
    std::vector<std::uint8_t> mask;
    for (const Decision decision : decisions) mask.push_back(decision == Decision::kCommitSampled ? 1 : 0);
    masks.push_back(at::tensor(mask));
  }
  return at::stack(masks);
}

TEST(SamplingRulesGolden, Acceptance) {
  const std::regex name_of_mask("accept\\.(\\d+)\\.bound_([0-9.]+)\\.mask");
  const std::vector<TokenId> drawn = ids(inputs().at("denoiser_canvas")),
                             current = ids(inputs().at("current_canvas"));
  int checked = 0;
  for (const auto& [name, mask] : expected()) {
    std::smatch parts;
    if (!std::regex_match(name, parts, name_of_mask)) continue;
    const std::string bound = parts[2];
    const auto rule = build<SelectionRule>(fmt::format("{{name: entropy_bound, bound: {}}}", bound));
    const auto rows = predict(inputs().at("logits." + parts[1].str()), current, {}, drawn);
    const at::Tensor mine = accepted(*rule, rows, current);
    expect_equal(mine, mask, name);
    expect_equal(at::where(mine.to(at::kBool), inputs().at("denoiser_canvas"), inputs().at("current_canvas")),
                 expected().at(fmt::format("accept.{}.bound_{}.canvas", parts[1].str(), bound)), name);
    ++checked;
  }
  EXPECT_EQ(checked, static_cast<int>(2 * settings()["entropy_bounds"].size()));
}

TEST(SamplingRulesGolden, TokenEntropies) {
  const std::vector<TokenId> any = ids(inputs().at("current_canvas"));
  double largest = 0;
  for (const char* n : {"0", "1"}) {
    const at::Tensor mine =
        stacked(predict(inputs().at(fmt::format("logits.{}", n)), any, {}, any), &Prediction::entropy);
    const std::string name = fmt::format("accept.{}.token_entropy", n);
    largest = std::max(largest, expect_close(mine, expected().at(name), kEntropyTolerance, name));
  }
  std::cout << fmt::format("  largest difference {:.1e} nats\n", largest);
}

// The recorded sequence as the loop would see it, [T][B].
std::vector<std::vector<StepRecord>> stopping_sequence() {
  const at::Tensor& argmax = inputs().at("stopping.argmax_canvas");
  std::vector<std::vector<StepRecord>> steps(static_cast<size_t>(argmax.size(0)));
  for (std::int64_t t = 0; t < argmax.size(0); ++t) {
    const std::vector<TokenId> any = ids(argmax[t]);
    const at::Tensor mean =
        stacked(predict(inputs().at("stopping.logits")[t], any, {}, any), &Prediction::entropy)
            .to(at::kDouble)
            .mean(-1);
    for (std::int64_t b = 0; b < argmax.size(1); ++b) {
      StepRecord record;
      record.time = {static_cast<int>(t), static_cast<int>(argmax.size(0))};
      record.mean_entropy = static_cast<float>(mean[b].item<double>());
      record.prediction.argmax = ids(argmax[t][b]);
      steps[static_cast<size_t>(t)].push_back(std::move(record));
    }
  }
  return steps;
}

TEST(SamplingRulesGolden, MeanEntropies) {
  std::vector<float> mine;
  for (const auto& rows : stopping_sequence()) {
    for (const StepRecord& record : rows) mine.push_back(record.mean_entropy);
  }
  const at::Tensor& theirs = expected().at("stopping.mean_entropy");
  expect_close(as_tensor(mine, theirs.sizes()), theirs, kEntropyTolerance, "stopping.mean_entropy");
}

TEST(SamplingRulesGolden, Stopping) {
  const std::regex pattern("stopping\\.stability_(\\d+)\\.confidence_([0-9.]+)");
  const auto sequence = stopping_sequence();
  int checked = 0, fired = 0;
  for (const auto& [name, flags] : expected()) {
    std::smatch parts;
    if (!std::regex_match(name, parts, pattern)) continue;
    const auto criterion = build<StoppingCriterion>(fmt::format(
        "{{name: stable_and_confident, stability: {}, confidence: {}}}", parts[1].str(), parts[2].str()));
    std::vector<History> histories(static_cast<size_t>(flags.size(1)));
    at::Tensor mine = at::zeros_like(flags);
    for (size_t t = 0; t < sequence.size(); ++t) {
      for (size_t b = 0; b < histories.size(); ++b) {
        histories[b].push_back(sequence[t][b]);
        if (criterion->check(histories[b]).stop)
          mine[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(b)] = 1, ++fired;
      }
    }
    expect_equal(mine, flags, name);
    ++checked;
  }
  EXPECT_EQ(checked, static_cast<int>(settings()["stopping_stability_confidence"].size()));
  EXPECT_GT(fired, 0);
}

// Bit for bit: what is decided downstream compares these numbers.
TEST(SamplingRulesGolden, Temperatures) {
  for (const auto& [name, setting] : settings()["temperature"].items()) {
    const int steps = setting["steps"];
    const auto schedule = build<TemperatureSchedule>(fmt::format(
        "{{name: linear, maximum: {}, minimum: {}}}", setting["t_max"].dump(), setting["t_min"].dump()));
    std::vector<float> values;
    for (int i = 0; i < steps; ++i) values.push_back(schedule->at({i, steps}));
    const at::Tensor mine = at::tensor(values);
    expect_equal(mine, expected().at(fmt::format("temperature.{}.values", name)), name);
    const at::Tensor scaled =
        inputs().at("logits.0")[0][0].narrow(0, 0, 4).reshape({1, 1, 4}) / mine.reshape({-1, 1, 1});
    expect_equal(scaled, expected().at(fmt::format("temperature.{}.scaled_example", name)), name);
  }
}

TEST(SamplingRulesGolden, EveryExpectedTensorHasItsTest) {
  const std::vector<std::pair<const char*, size_t>> patterns{
      {"accept\\.\\d+\\.bound_[0-9.]+\\.(mask|canvas)", 16},
      {"accept\\.\\d+\\.token_entropy", 2},
      {"stopping\\.mean_entropy", 1},
      {"stopping\\.stability_\\d+\\.confidence_[0-9.]+", 5},
      {"temperature\\.\\d+\\.(values|scaled_example)", 4}};
  size_t known = 0;
  for (const auto& [pattern, count] : patterns) {
    const auto found = std::count_if(expected().begin(), expected().end(), [&](const auto& entry) {
      return std::regex_match(entry.first, std::regex(pattern));
    });
    EXPECT_EQ(static_cast<size_t>(found), count) << pattern;
    known += count;
  }
  EXPECT_EQ(known, expected().size());
}

}  // namespace
}  // namespace canvaslab
