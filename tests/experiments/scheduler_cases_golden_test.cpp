// Rules against the schedulers of the second reference, call by call with its recorded random draws
// (tests/data/golden/README.md, section sampling_rules, `cases`): ids and masks exactly, probabilities to
// rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "samplers/noise/corrupt.h"
#include "samplers/noise/noise_process.h"
#include "schedules/temperature/temperature_schedule.h"
#include "tests/experiments/recorded_rules.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

using namespace recorded;

// One recorded call.
struct Call {
  explicit Call(const nlohmann::json& entry)
      : scenario(entry),
        name(entry["name"]),
        config(entry.value("config", nlohmann::json::object())),
        arguments(entry["args"]),
        time{entry.value("timestep", 0), entry.value("num_inference_steps", 1)} {}

  const at::Tensor& operator[](const std::string& part) const { return diffusers().at(name + "." + part); }
  const at::Tensor& logits() const { return inputs().at(scenario["logits"].get<std::string>()); }
  std::int64_t rows() const { return (*this)["sample"].size(0); }
  std::int64_t length() const { return (*this)["sample"].size(1); }
  std::int64_t vocabulary() const { return logits().size(2); }

  // The tokens that the call drew; nothing where it took the most probable ones.
  std::vector<TokenId> drawn(bool sampled) const {
    return sampled ? ids((*this)["draw.0.multinomial"]) : std::vector<TokenId>();
  }

  const nlohmann::json& scenario;
  std::string name;
  nlohmann::json config, arguments;
  StepTime time;
};

// Row r of the call as its rule sees it.
Positions row_of(const Call& call, const std::vector<Prediction>& predictions, std::int64_t r) {
  Positions row(static_cast<size_t>(call.length()));
  row.canvas = ids(call["sample"][r]);
  row.prediction = predictions[static_cast<size_t>(r)];
  row.time = call.time;
  row.vocabulary = {.size = call.vocabulary(), .mask = {}, .padding = {}, .end = {}};
  return row;
}

std::vector<Decision> decisions(const SelectionRule& rule, const Positions& row) {
  std::vector<Decision> out(row.canvas.size(), Decision::kKeep);
  rule.decide(row.input(), out);
  return out;
}

// The canvas after the decisions.
std::vector<TokenId> applied(const Positions& row, const std::vector<Decision>& decision,
                             const std::vector<TokenId>& noise) {
  std::vector<TokenId> next = row.canvas;
  for (size_t i = 0; i < next.size(); ++i) {
    if (decision[i] == Decision::kCommitSampled) next[i] = row.prediction.sampled[i];
    if (decision[i] == Decision::kRenoise) next[i] = noise[i];
  }
  return next;
}

void check_entropy_bound(const nlohmann::json& scenario) {
  const Call call(scenario);
  const auto schedule =
      build<TemperatureSchedule>(fmt::format("{{name: linear, maximum: {}, minimum: {}}}",
                                             call.config["t_max"].dump(), call.config["t_min"].dump()));
  const float temperature = schedule->at(call.time);
  expect_close(call.logits() / temperature, call["pred_logits"], 1e-5, call.name + ".pred_logits");
  const auto predictions =
      predict(call.logits(), ids(call["sample"]), {.temperature = temperature}, call.drawn(/*sampled=*/true));
  expect_equal(stacked(predictions, &Prediction::sampled), call["sampled_tokens"], call.name);
  expect_close(stacked(predictions, &Prediction::sampled_probability), call["sampled_probs"],
               kProbabilityTolerance, call.name + ".sampled_probs");
  const auto rule = build<SelectionRule>(
      fmt::format("{{name: entropy_bound, bound: {}}}", call.config["entropy_bound"].dump()));
  for (std::int64_t r = 0; r < call.rows(); ++r) {
    const Positions row = row_of(call, predictions, r);
    const std::vector<Decision> decision = decisions(*rule, row);
    std::vector<TokenId> accepted;
    for (const Decision one : decision) accepted.push_back(one == Decision::kCommitSampled ? 1 : 0);
    EXPECT_EQ(accepted, ids(call["accepted_index"][r])) << call.name;
    EXPECT_EQ(applied(row, decision, ids(call["draw.1.randint"][r])), ids(call["prev_sample"][r]))
        << call.name;
  }
}

// A number that leads to the recorded route: the middle of its share, worked out here from the weights that
// NOTES.md gives.
double draw_of_route(const Call& call, TokenId token, TokenId candidate, std::int64_t route) {
  const double now = static_cast<double>(call.time.index) / call.time.count,
               next = static_cast<double>(call.time.index + 1) / call.time.count, a = now / next,
               v = static_cast<double>(call.vocabulary());
  const double weights[] = {next * (1 - a) / v + a * next * (token == candidate ? 1 : 0), a * (1 - next) / v,
                            (1 - a) * (1 - next) / v};
  const double sum = weights[0] + weights[1] + weights[2];
  double before = 0;
  for (std::int64_t r = 0; r < route; ++r) before += weights[r];
  EXPECT_GT(weights[route], 0) << call.name;
  return (before + weights[route] / 2) / sum;
}

void check_discrete_ddim(const nlohmann::json& scenario) {
  const Call call(scenario);
  const float temperature = call.arguments["temperature"].get<float>();
  const bool sampled = temperature > 0;
  const auto predictions =
      predict(call.logits(), ids(call["sample"]), {.temperature = temperature, .raw_probability = true},
              call.drawn(sampled));
  expect_equal(stacked(predictions, &Prediction::sampled), call["sampled_tokens"], call.name);
  expect_close(stacked(predictions, &Prediction::raw_sampled_probability), call["sampled_probs"],
               kProbabilityTolerance, call.name + ".sampled_probs");
  const at::Tensor routes =
      call[sampled ? "draw.1.multinomial" : "draw.0.multinomial"].reshape({call.rows(), call.length()});
  const at::Tensor& noise = call[sampled ? "draw.2.randint" : "draw.1.randint"];
  const auto rule = build<SelectionRule>("{name: ancestral}");
  for (std::int64_t r = 0; r < call.rows(); ++r) {
    Positions row = row_of(call, predictions, r);
    row.noise = build<NoiseProcess>("{name: uniform}");
    const double steps = call.time.count;
    row.survival = {call.time.index / steps, (call.time.index + 1) / steps};
    const std::vector<TokenId> route = ids(routes[r]);
    row.draws.values = {{}};
    for (size_t i = 0; i < route.size(); ++i) {
      row.draws.values[0].push_back(draw_of_route(call, row.canvas[i], row.prediction.sampled[i], route[i]));
    }
    const std::vector<Decision> decision = decisions(*rule, row);
    EXPECT_EQ(applied(row, decision, ids(noise[r])), ids(call["prev_sample"][r])) << call.name;
    for (size_t i = 0; i < route.size(); ++i) {
      const Decision expected[] = {Decision::kCommitSampled, Decision::kKeep, Decision::kRenoise};
      EXPECT_EQ(decision[i], expected[route[i]]) << call.name << " at " << i;
    }
  }
}

// The corrector's call happens on the canvas that step t left: alpha = (t + 1) / n.
void check_corrector(const nlohmann::json& scenario) {
  const Call call(scenario);
  const double alpha = (call.time.index + 1.0) / call.time.count, v = static_cast<double>(call.vocabulary());
  const auto noise = build<NoiseProcess>("{name: uniform}");
  const double shift =
      *noise->leave_one_out_shift(alpha, {.size = call.vocabulary(), .mask = {}, .padding = {}, .end = {}});
  const auto predictions = predict(call.logits(), ids(call["sample"]),
                                   {.current_shift = static_cast<float>(shift)}, ids(call["prev_sample"]));
  const std::map<std::string, std::string> choices{{"lowest_log_margin", "log_margin"},
                                                   {"lowest_maxprob", "maximum"},
                                                   {"lowest_current_prob", "current"},
                                                   {"random", "random"}};
  const auto rule = build<SelectionRule>(
      fmt::format("{{name: leave_one_out_corrector, positions: {}, choice: {}, tau: {}}}",
                  call.config["corrector_k"].dump(), choices.at(call.config["corrector_selection"]),
                  call.config["corrector_selection_tau"].dump()));
  for (std::int64_t r = 0; r < call.rows(); ++r) {
    Positions row = row_of(call, predictions, r);
    row.survival = {alpha, 1};
    const at::Tensor draws = call["draw.0.rand"][r].to(at::kDouble).contiguous();
    row.draws.values = {
        {draws.const_data_ptr<double>(), draws.const_data_ptr<double>() + draws.numel()},
        std::vector<double>(row.canvas.size(), 0.0)};  // the conditional's draw is recorded as a token
    const std::vector<Decision> decision = decisions(*rule, row);
    EXPECT_EQ(applied(row, decision, row.canvas), ids(call["prev_sample"][r])) << call.name;
    // Tokens and their conditional probabilities at the chosen positions, whatever their order.
    std::vector<std::pair<TokenId, double>> mine, theirs;
    for (size_t i = 0; i < decision.size(); ++i) {
      if (decision[i] == Decision::kKeep) continue;
      mine.emplace_back(row.prediction.sampled[i],
                        alpha * row.prediction.sampled_probability[i] + (1 - alpha) / v);
    }
    const std::vector<TokenId> tokens = ids(call["sampled_tokens"][r]);
    for (size_t k = 0; k < tokens.size(); ++k)
      theirs.emplace_back(tokens[k], call["sampled_probs"][r][static_cast<std::int64_t>(k)].item<double>());
    std::sort(mine.begin(), mine.end()), std::sort(theirs.begin(), theirs.end());
    ASSERT_EQ(mine.size(), theirs.size()) << call.name;
    for (size_t k = 0; k < mine.size(); ++k) {
      EXPECT_EQ(mine[k].first, theirs[k].first) << call.name;
      EXPECT_NEAR(mine[k].second, theirs[k].second, kProbabilityTolerance) << call.name;
    }
  }
}

std::string refinement_settings(const Call& call, bool masked) {
  std::string settings = fmt::format("{{name: block_refinement, threshold: {}, quota: {}",
                                     call.config["threshold"].dump(), masked ? "per_step" : "cumulative");
  if (call.config.contains("editing_threshold"))
    settings += fmt::format(", editing_threshold: {}", call.config["editing_threshold"].dump());
  return settings + "}";
}

// Which positions are committed when the call starts: under masked noise what is no mask, under uniform noise
// what the calls of the earlier steps committed.
at::Tensor committed_before(const Call& call, bool masked) {
  if (masked) return call["sample"] != call.arguments["mask_token_id"].get<std::int64_t>();
  at::Tensor committed = at::zeros_like(call["sample"], at::kBool);
  const std::string stem = call.name.substr(0, call.name.rfind('t') + 1);
  for (int step = 0; step < call.time.index; ++step) {
    committed =
        committed.logical_or(diffusers().at(fmt::format("{}{}.transfer_index", stem, step)).to(at::kBool));
  }
  return committed;
}

void check_block_refinement(const nlohmann::json& scenario) {
  const Call call(scenario);
  const bool masked = !call.arguments["mask_token_id"].is_null();
  const float temperature = call.arguments["temperature"].get<float>();
  HeadSettings settings{.temperature = temperature, .raw_probability = true};
  if (call.arguments.contains("top_k")) settings.filter.top_k = call.arguments["top_k"].get<std::int64_t>();
  if (call.arguments.contains("top_p")) settings.filter.top_p = call.arguments["top_p"].get<double>();
  const auto predictions = predict(call.logits(), ids(call["sample"]), settings, call.drawn(temperature > 0));
  expect_equal(stacked(predictions, &Prediction::sampled), call["sampled_tokens"], call.name);
  expect_close(stacked(predictions, temperature > 0 ? &Prediction::sampled_probability
                                                    : &Prediction::raw_sampled_probability),
               call["sampled_probs"], kProbabilityTolerance, call.name + ".sampled_probs");

  const auto rule = build<SelectionRule>(refinement_settings(call, masked));
  const at::Tensor committed = committed_before(call, masked);
  for (std::int64_t r = 0; r < call.rows(); ++r) {
    Positions row = row_of(call, predictions, r);
    row.temperature = temperature;
    for (size_t i = 0; i < row.canvas.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const bool given = scenario.contains("prompt_mask") &&
                         inputs().at(scenario["prompt_mask"].get<std::string>())[at].item<bool>();
      row.undecided[i] = committed[r][at].item<bool>() ? 0 : 1;
      row.editable[i] = row.undecided[i] == 0 && !given ? 1 : 0;
    }
    const std::vector<Decision> decision = decisions(*rule, row);
    std::vector<TokenId> transferred, edited;
    for (size_t i = 0; i < decision.size(); ++i) {
      const bool commits = decision[i] == Decision::kCommitSampled;
      transferred.push_back(commits && row.undecided[i] != 0 ? 1 : 0);
      edited.push_back(commits && row.undecided[i] == 0 ? 1 : 0);
    }
    EXPECT_EQ(transferred, ids(call["transfer_index"][r])) << call.name;
    EXPECT_EQ(edited, ids(call["editing_transfer_index"][r])) << call.name;
    const std::vector<TokenId> noise =
        masked ? std::vector<TokenId>(row.canvas.size(), call.arguments["mask_token_id"].get<TokenId>())
               : ids(call[temperature > 0 ? "draw.1.randint" : "draw.0.randint"][r]);
    EXPECT_EQ(applied(row, decision, noise), ids(call["prev_sample"][r])) << call.name;
  }
}

// Training noise: every block of the answer at a level of its own, and the complement of what was masked.
void check_add_noise(const nlohmann::json& scenario) {
  const Call call(scenario);
  const std::int64_t prompt = call.arguments["prompt_length"], block = call.arguments["block_length"];
  const auto mask = call.arguments["mask_token_id"].get<TokenId>();
  const at::Tensor& original = inputs().at("noise.original");
  const at::Tensor& attention = inputs().at("noise.attention_mask");
  for (std::int64_t r = 0; r < original.size(0); ++r) {
    const std::vector<TokenId> clean = ids(original[r]), valid = ids(attention[r]);
    std::vector<TokenId> noisy = clean;
    int number = 0;
    for (std::int64_t begin = prompt; begin < original.size(1); begin += block, number += 2) {
      const at::Tensor draws = call[fmt::format("draw.{}.rand", number + 1)][r].to(at::kDouble).contiguous();
      const std::span uniforms(draws.const_data_ptr<double>(), static_cast<size_t>(draws.numel()));
      std::vector<double> level(uniforms.size(), call[fmt::format("draw.{}.rand", number)][r].item<double>());
      for (size_t i = 0; i < level.size(); ++i) {
        if (valid[static_cast<size_t>(begin) + i] == 0) level[i] = 0;  // padding stays
      }
      corrupt(std::span(noisy).subspan(static_cast<size_t>(begin), level.size()), level, uniforms,
              std::vector<TokenId>(level.size(), mask));
    }
    EXPECT_EQ(noisy, ids(call["noisy"][r]));
    std::vector<TokenId> masked, complement = clean, masked_complement;
    for (size_t i = 0; i < clean.size(); ++i) {
      const bool changed = noisy[i] == mask && clean[i] != mask;
      const bool open = static_cast<std::int64_t>(i) >= prompt && valid[i] != 0 && !changed;
      if (open) complement[i] = mask;
      masked.push_back(changed ? 1 : 0), masked_complement.push_back(open ? 1 : 0);
    }
    EXPECT_EQ(masked, ids(call["masked"][r]));
    EXPECT_EQ(complement, ids(call["noisy_rev"][r]));
    EXPECT_EQ(masked_complement, ids(call["masked_rev"][r]));
  }
}

// Recorded calls by name: every one belongs to exactly one group, and every group has its check.
struct CaseGroup {
  const char* pattern;
  int count;
  void (*check)(const nlohmann::json&);
};

const std::vector<CaseGroup> kCaseGroups{
    {"entropy_bound\\..*", 6, check_entropy_bound},
    {"discrete_ddim\\.(T[0-9.]+|agree)\\.t\\d+", 9, check_discrete_ddim},
    {"discrete_ddim\\.correct\\..*", 10, check_corrector},
    {"block_refinement\\.(uniform|uniform_edit|mask|mask_edit|mask_sampled)\\.t\\d+", 30,
     check_block_refinement},
    {"block_refinement\\.add_noise", 1, check_add_noise}};

TEST(SchedulerCasesGolden, EveryCall) {
  std::vector<int> counts(kCaseGroups.size());
  for (const auto& scenario : settings()["cases"]) {
    const std::string name = scenario["name"];
    int groups = 0;
    for (size_t g = 0; g < kCaseGroups.size(); ++g) {
      if (!std::regex_match(name, std::regex(kCaseGroups[g].pattern))) continue;
      ++groups, ++counts[g];
      kCaseGroups[g].check(scenario);
    }
    EXPECT_EQ(groups, 1) << name << " belongs to " << groups << " groups";
  }
  for (size_t g = 0; g < kCaseGroups.size(); ++g)
    EXPECT_EQ(counts[g], kCaseGroups[g].count) << kCaseGroups[g].pattern;
}

// How many positions the block-refinement quota commits at each step where nothing exceeds the threshold.
TEST(SchedulerCasesGolden, CommitSchedules) {
  const auto rule = build<SelectionRule>("{name: block_refinement, threshold: 2}");
  int schedules = 0;
  for (const auto& [key, counts] : settings()["num_transfer_tokens"].items()) {
    const size_t slash = key.find('/');
    const int length = std::stoi(key.substr(0, slash)), steps = std::stoi(key.substr(slash + 1));
    ASSERT_EQ(static_cast<int>(counts.size()), steps);
    for (int step = 0; step < steps; ++step) {
      Positions row(static_cast<size_t>(length));
      row.time = {step, steps};
      const std::vector<Decision> decision = decisions(*rule, row);
      EXPECT_EQ(std::count(decision.begin(), decision.end(), Decision::kCommitSampled),
                counts[static_cast<size_t>(step)].get<int>())
          << key << " at step " << step;
    }
    ++schedules;
  }
  EXPECT_EQ(schedules, 5);
}

}  // namespace
}  // namespace canvaslab
