// Rules and schedules against the values that the reference implementations gave
// (tests/data/golden/README.md, section sampling_rules): masks, ids, flags and temperatures exactly,
// entropies and probabilities to rounding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "models/checkpoint/safetensors.h"
#include "models/vocabulary_head.h"
#include "samplers/selection/selection_rule.h"
#include "samplers/stopping/stopping_criterion.h"
#include "schedules/temperature/temperature_schedule.h"
#include "tests/options.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

constexpr double kEntropyTolerance = 5e-6;  // nats
constexpr double kProbabilityTolerance = 2e-6;

const std::filesystem::path kFolder = test_data("golden/sampling_rules");

const TensorMap& inputs() {
  static const TensorMap all = read_safetensors(kFolder / "inputs.safetensors");
  return all;
}

const TensorMap& expected() {
  static const TensorMap all = read_safetensors(kFolder / "expected.safetensors");
  return all;
}

const TensorMap& diffusers() {
  static const TensorMap all = read_safetensors(kFolder / "diffusers.safetensors");
  return all;
}

const nlohmann::json& settings() {
  static const nlohmann::json all = read_json(kFolder / "cases.json");
  return all;
}

std::vector<TokenId> ids(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.reshape({-1}).to(at::kInt).contiguous();
  return {flat.const_data_ptr<TokenId>(), flat.const_data_ptr<TokenId>() + flat.numel()};
}

at::Tensor as_tensor(const std::vector<float>& values, at::IntArrayRef shape) {
  return at::tensor(values).reshape(shape);
}

// Logits [B,L,V] go through the vocabulary head as hidden states with the identity as embedding: B
// predictions [L].
std::vector<Prediction> predict(const at::Tensor& logits, const std::vector<TokenId>& current,
                                float temperature, const std::vector<TokenId>& given) {
  const std::int64_t rows = logits.size(0), length = logits.size(1), vocabulary = logits.size(2);
  const VocabularyHead head(at::eye(vocabulary), 1.0, std::nullopt);
  const std::vector<float> temperatures(static_cast<size_t>(rows * length), temperature);
  HeadQuery query{
      .temperature = temperatures, .current = current, .uniforms = {}, .given = given, .suppressed = {}};
  return split(head(logits.reshape({rows * length, vocabulary}), query).prediction, length);
}

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

void expect_equal(const at::Tensor& mine, const at::Tensor& theirs, const std::string& name) {
  ASSERT_EQ(mine.sizes(), theirs.sizes()) << name;
  EXPECT_TRUE((mine == theirs).all().item<bool>()) << name;
}

double expect_close(const at::Tensor& mine, const at::Tensor& theirs, double tolerance,
                    const std::string& name) {
  EXPECT_EQ(mine.sizes(), theirs.sizes()) << name;
  if (mine.sizes() != theirs.sizes()) return 0;
  const double difference = (mine - theirs).abs().max().item<double>();
  EXPECT_LE(difference, tolerance) << name;
  return difference;
}

at::Tensor entropies(const std::vector<Prediction>& rows) {
  std::vector<at::Tensor> all;
  for (const Prediction& row : rows) all.push_back(at::tensor(row.entropy));
  return at::stack(all);
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
    const auto rows = predict(inputs().at("logits." + parts[1].str()), current, 1, drawn);
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
    const at::Tensor mine = entropies(predict(inputs().at(fmt::format("logits.{}", n)), any, 1, any));
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
        entropies(predict(inputs().at("stopping.logits")[t], any, 1, any)).to(at::kDouble).mean(-1);
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

// One step of the entropy-bound scheduler of the second reference, with its recorded draws.
void check_entropy_bound(const nlohmann::json& scenario) {
  const std::string name = scenario["name"];
  const auto tensor = [&](const std::string& part) -> const at::Tensor& {
    return diffusers().at(name + "." + part);
  };
  const auto& config = scenario["config"];
  const auto schedule = build<TemperatureSchedule>(fmt::format(
      "{{name: linear, maximum: {}, minimum: {}}}", config["t_max"].dump(), config["t_min"].dump()));
  const float temperature = schedule->at({scenario["timestep"], scenario["num_inference_steps"]});
  const at::Tensor& logits = inputs().at(scenario["logits"].get<std::string>());
  expect_close(logits / temperature, tensor("pred_logits"), 1e-5, name + ".pred_logits");

  const std::vector<TokenId> current = ids(tensor("sample")), drawn = ids(tensor("draw.0.multinomial"));
  expect_equal(at::tensor(drawn).to(at::kLong).reshape(tensor("sample").sizes()), tensor("sampled_tokens"),
               name);
  const auto rows = predict(logits, current, temperature, drawn);
  std::vector<at::Tensor> probabilities;
  for (const Prediction& row : rows) probabilities.push_back(at::tensor(row.sampled_probability));
  expect_close(at::stack(probabilities), tensor("sampled_probs"), kProbabilityTolerance,
               name + ".sampled_probs");

  const auto rule =
      build<SelectionRule>(fmt::format("{{name: entropy_bound, bound: {}}}", config["entropy_bound"].dump()));
  const at::Tensor mask = accepted(*rule, rows, current);
  expect_equal(mask, tensor("accepted_index"), name + ".accepted_index");
  expect_equal(at::where(mask.to(at::kBool), tensor("sampled_tokens"), tensor("draw.1.randint")),
               tensor("prev_sample"), name + ".prev_sample");
}

// Cases of the second reference, by name. Those without a check belong to rules that do not exist here.
struct CaseGroup {
  const char* pattern;
  int count;
  void (*check)(const nlohmann::json&);
};

const std::vector<CaseGroup> kCaseGroups{{"entropy_bound\\..*", 6, check_entropy_bound},
                                         {"discrete_ddim\\.(T[0-9.]+|agree)\\.t\\d+", 9, nullptr},
                                         {"discrete_ddim\\.correct\\..*", 10, nullptr},
                                         {"block_refinement\\.uniform\\.t\\d+", 6, nullptr},
                                         {"block_refinement\\.uniform_edit\\.t\\d+", 6, nullptr},
                                         {"block_refinement\\.mask\\.t\\d+", 6, nullptr},
                                         {"block_refinement\\.mask_edit\\.t\\d+", 6, nullptr},
                                         {"block_refinement\\.mask_sampled\\.t\\d+", 6, nullptr},
                                         {"block_refinement\\.add_noise", 1, nullptr}};

TEST(SamplingRulesGolden, SchedulerCases) {
  std::vector<int> counts(kCaseGroups.size());
  for (const auto& scenario : settings()["cases"]) {
    const std::string name = scenario["name"];
    int groups = 0;
    for (size_t g = 0; g < kCaseGroups.size(); ++g) {
      if (!std::regex_match(name, std::regex(kCaseGroups[g].pattern))) continue;
      ++groups, ++counts[g];
      if (kCaseGroups[g].check != nullptr) kCaseGroups[g].check(scenario);
    }
    EXPECT_EQ(groups, 1) << name << " belongs to " << groups << " groups";
  }
  for (size_t g = 0; g < kCaseGroups.size(); ++g)
    EXPECT_EQ(counts[g], kCaseGroups[g].count) << kCaseGroups[g].pattern;
}

}  // namespace
}  // namespace canvaslab
