// The option `sampler: autoregressive`: the tokens follow one another as the causal mode predicts them, every
// step is seen, and what it cannot do is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/complaint.h"
#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model with nothing but a causal mode: `rule` gives the logits of the token after those read so far.
class ChainDenoiser : public Denoiser {
 public:
  using Rule = std::function<std::vector<double>(const std::vector<TokenId>&)>;

  ChainDenoiser(std::int64_t vocabulary, std::int64_t length, Rule rule)
      : vocabulary_(vocabulary), length_(length), rule_(std::move(rule)) {}

  std::int64_t vocabulary() const override { return vocabulary_; }
  std::int64_t canvas_length() const override { return length_; }
  std::int64_t max_positions() const override { return 64; }

  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override {
    std::vector<std::unique_ptr<RowContext>> contexts;
    for (const Prompt& prompt : prompts) {
      contexts.push_back(std::make_unique<Context>());
      dynamic_cast<Context&>(*contexts.back()).read.assign(prompt.tokens.begin(), prompt.tokens.end());
    }
    return contexts;
  }
  void extend(std::span<RowContext* const> /*rows*/,
              std::span<const std::span<const TokenId>> /*canvases*/) const override {
    throw std::logic_error("not asked for");
  }
  std::vector<Prediction> predict(std::span<const RowQuery> /*rows*/,
                                  const PassOptions& /*options*/) const override {
    throw std::logic_error("not asked for");
  }

  std::vector<Prediction> predict_next(std::span<const RowQuery> rows,
                                       const PassOptions& options) const override {
    std::vector<Prediction> all;
    batches.push_back(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) {
      auto& context = dynamic_cast<Context&>(*rows[r].context);
      EXPECT_EQ(rows[r].canvas.size(), 1U);
      context.read.push_back(rows[r].canvas[0]);
      all.push_back(predict_one(rows[r], options, static_cast<int>(r), context.read));
    }
    return all;
  }

  mutable std::vector<size_t> batches;

 private:
  struct Context : RowContext {
    std::vector<TokenId> read;
    std::unique_ptr<RowContext> clone() const override { return std::make_unique<Context>(*this); }
    std::size_t bytes() const override { return read.size() * sizeof(TokenId); }
  };

  Prediction predict_one(const RowQuery& row, const PassOptions& options, int index,
                         const std::vector<TokenId>& read) const {
    std::vector<double> p = rule_(read);
    for (const double logit : p)
      if (!std::isfinite(logit)) throw NonFinitePrediction(index, 0);
    for (const TokenId id : options.suppressed) p[static_cast<size_t>(id)] = -1e300;
    const auto best = std::max_element(p.begin(), p.end()) - p.begin();
    const double t = row.temperature, most = p[static_cast<size_t>(best)];
    double sum = 0, entropy = 0, cumulative = 0;
    for (size_t v = 0; v < p.size(); ++v) {
      p[v] = t == 0 ? (static_cast<std::ptrdiff_t>(v) == best ? 1 : 0) : std::exp((p[v] - most) / t);
      sum += p[v];
    }
    size_t drawn = 0;
    for (size_t v = 0; v < p.size(); ++v) {
      p[v] /= sum;
      if (cumulative <= row.uniforms[0] && p[v] > 0) drawn = v;
      cumulative += p[v];
      entropy -= p[v] > 0 ? p[v] * std::log(p[v]) : 0;
    }
    return {.argmax = {static_cast<TokenId>(best)},
            .sampled = {static_cast<TokenId>(drawn)},
            .entropy = {static_cast<float>(entropy)},
            .confidence = {static_cast<float>(p[static_cast<size_t>(best)])},
            .margin = {0},
            .sampled_probability = {static_cast<float>(p[drawn])},
            .current_probability = {0},
            .raw_sampled_probability = {}};
  }

  std::int64_t vocabulary_, length_;
  Rule rule_;
};

// Always the last token plus one, to the base 12.
ChainDenoiser counting(std::int64_t length = 4) {
  return {12, length, [](const std::vector<TokenId>& read) { return certain((read.back() + 1) % 12); }};
}

struct Decoding {
  std::string settings = "{name: autoregressive}";
  Vocabulary vocabulary{.size = 12, .mask = 11, .padding = 0, .end = {1}};
  std::int64_t max_new_tokens = 4;
  std::string noise = "{name: uniform}";
  Recorder seen;

  template <class Use>
  auto with(const Denoiser& denoiser, Random& random, Use use) {
    const auto process = build<NoiseProcess>(noise);
    const auto survival = build<NoiseSchedule>("{name: linear}");
    const auto schedule = build<TemperatureSchedule>("{name: constant}");
    const auto rule = build<SelectionRule>("{name: entropy_bound}");
    const auto criterion = build<StoppingCriterion>("{name: stable_and_confident}");
    const Rules rules{*process, *survival, *schedule, *rule, *criterion, vocabulary};
    return use(*build<SamplerSource>(settings)->make(denoiser, rules, random, max_new_tokens));
  }

  std::vector<SampleResult> run(const Denoiser& denoiser, const std::vector<SampleRequest>& requests,
                                std::uint64_t seed = 1) {
    seen = {};
    CounterRandom random(seed);
    return with(denoiser, random, [&](Sampler& sampler) { return sampler.run(requests, seen); });
  }
};

std::vector<SampleRequest> asking(const std::vector<std::vector<TokenId>>& prompts) {
  std::vector<SampleRequest> requests;
  for (const auto& prompt : prompts)
    requests.push_back(
        {.sample = requests.size(), .prompt = prompt, .padding_before = 0, .initial_canvas = {}});
  return requests;
}

TEST(Autoregressive, EachTokenFollowsFromThoseBefore) {
  Decoding decoding;
  const ChainDenoiser denoiser = counting();
  const auto results = decoding.run(denoiser, asking({{3}, {7, 2}}));
  EXPECT_THAT(results[0].tokens, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(results[1].tokens, ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(results[0].forward_passes, 4);
  EXPECT_EQ(results[0].canvases, 1);
  EXPECT_EQ(results[0].stop_reason, "length");
  EXPECT_DOUBLE_EQ(results[0].tokens_per_forward(), 1);
}

TEST(Autoregressive, AnEndTokenEndsASampleAndTheOthersGoOn) {
  Decoding decoding;
  decoding.max_new_tokens = 7;
  const ChainDenoiser denoiser = counting();
  const auto results = decoding.run(denoiser, asking({{11}, {4}}));  // 0, then 1, which ends
  EXPECT_THAT(results[0].tokens, ElementsAre(0, 1));
  EXPECT_EQ(results[0].generated, 2);
  EXPECT_EQ(results[0].stop_reason, "end");
  EXPECT_THAT(results[1].tokens, ElementsAre(5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(denoiser.batches, ElementsAre(2, 2, 1, 1, 1, 1, 1));
}

TEST(Autoregressive, MoreTokensThanACanvasAreSeveralCanvases) {
  Decoding decoding;
  decoding.max_new_tokens = 6;
  const ChainDenoiser denoiser = counting();
  decoding.run(denoiser, asking({{3}}));
  ASSERT_EQ(decoding.seen.canvases.size(), 2U);
  EXPECT_THAT(decoding.seen.canvases[0].tokens, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(decoding.seen.canvases[1].tokens, ElementsAre(8, 9, 0, 0));
  EXPECT_EQ(decoding.seen.canvases[0].stop_reason, "complete");
  EXPECT_EQ(decoding.seen.canvases[1].steps, 2);
  EXPECT_EQ(decoding.seen.samples.at(0).canvases, 2);
}

TEST(Autoregressive, ShowsOneStepAToken) {
  Decoding decoding;
  const ChainDenoiser denoiser = counting();
  decoding.run(denoiser, asking({{3}}));
  const std::vector<SeenStep> steps = decoding.seen.of(0, 0);
  ASSERT_EQ(steps.size(), 4U);
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& record = steps[i].record;
    EXPECT_EQ(steps[i].key.step, i);
    EXPECT_EQ(record.time.index, static_cast<int>(i));
    EXPECT_EQ(record.time.count, 4);
    EXPECT_EQ(record.next_canvas[i], static_cast<TokenId>(4 + i));
    EXPECT_EQ(record.decision[i], Decision::kCommitArgmax);
    EXPECT_EQ(record.prediction.argmax[i], static_cast<TokenId>(4 + i));
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(std::isnan(record.prediction.entropy[j]), j > i) << i << " " << j;
      if (j < i) {
        EXPECT_EQ(record.decision[j], Decision::kKeep);
        EXPECT_EQ(record.prediction.entropy[j], 0);
        EXPECT_EQ(record.prediction.sampled_probability[j], 1);
      }
      if (j > i) {
        EXPECT_EQ(record.canvas[j], 0);
      }
    }
    if (i > 0) {
      EXPECT_EQ(record.canvas, steps[i - 1].record.next_canvas);
    }
  }
}

// At temperature 1 the chain's own probabilities come out: a token after 2 is 3 or 4, one to three.
TEST(Autoregressive, DrawsFromTheTemperedDistribution) {
  const ChainDenoiser denoiser(12, 1, [](const std::vector<TokenId>&) {
    std::vector<double> z(12, -100.0);
    z[3] = 0, z[4] = std::log(3.0);
    return z;
  });
  Decoding decoding;
  decoding.max_new_tokens = 1;
  const std::vector<SampleRequest> requests = asking(std::vector<std::vector<TokenId>>(4000, {2}));
  const auto share = [&](const std::string& temperature) {
    decoding.settings = fmt::format("{{name: autoregressive, temperature: {}}}", temperature);
    int fours = 0;
    for (const SampleResult& result : decoding.run(denoiser, requests))
      fours += result.tokens[0] == 4 ? 1 : 0;
    return fours / 4000.0;
  };
  EXPECT_NEAR(share("1"), 0.75, 0.03);   // 4.4 standard deviations
  EXPECT_NEAR(share("0.5"), 0.9, 0.03);  // 9 to 1
  EXPECT_DOUBLE_EQ(share("0"), 1);
}

TEST(Autoregressive, GreedyStatisticsAreThoseAtTemperatureOne) {
  const ChainDenoiser denoiser(12, 1, [](const std::vector<TokenId>&) {
    std::vector<double> z(12, -100.0);
    z[3] = 0, z[4] = std::log(3.0);
    return z;
  });
  Decoding decoding;
  decoding.max_new_tokens = 1;
  decoding.run(denoiser, asking({{2}}));
  const StepRecord& record = decoding.seen.steps.at(0).record;
  EXPECT_EQ(record.temperature, 0);
  EXPECT_EQ(record.next_canvas[0], 4);
  EXPECT_NEAR(record.mean_entropy, -0.25 * std::log(0.25) - 0.75 * std::log(0.75), 1e-6);
  EXPECT_NEAR(record.prediction.confidence[0], 0.75, 1e-6);
}

TEST(Autoregressive, DrawsDoNotDependOnTheBatch) {
  const ChainDenoiser denoiser(12, 4, [](const std::vector<TokenId>& read) {
    std::vector<double> z(12, 0.0);
    z[static_cast<size_t>(read.back())] = 1, z[1] = -100;
    return z;
  });
  Decoding decoding;
  decoding.max_new_tokens = 9;
  std::vector<std::vector<TokenId>> prompts;
  for (int i = 0; i < 20; ++i) prompts.push_back({static_cast<TokenId>(2 + i % 7)});
  decoding.settings = "{name: autoregressive, temperature: 1, batch: 7}";
  const auto together = decoding.run(denoiser, asking(prompts));
  decoding.settings = "{name: autoregressive, temperature: 1, batch: 1}";
  const auto alone = decoding.run(denoiser, asking(prompts));
  for (size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i].tokens, alone[i].tokens) << i;
  EXPECT_NE(together[0].tokens, together[7].tokens);  // the same prompt, another sample
}

TEST(Autoregressive, MaskAndSuppressedTokensAreNeverWritten) {
  const ChainDenoiser denoiser(12, 4, [](const std::vector<TokenId>&) {
    std::vector<double> z(12, 0.0);
    z[11] = 50, z[5] = 40, z[7] = 30;  // the mask first
    return z;
  });
  Decoding decoding;
  decoding.noise = "{name: masked}";
  decoding.settings = "{name: autoregressive, suppress: [5]}";
  EXPECT_THAT(decoding.run(denoiser, asking({{3}}))[0].tokens, Each(7));
}

TEST(Autoregressive, FurtherStopTokensEndASample) {
  Decoding decoding;
  decoding.settings = "{name: autoregressive, stop_tokens: [6]}";
  const ChainDenoiser denoiser = counting();
  const auto results = decoding.run(denoiser, asking({{3}}));
  EXPECT_THAT(results[0].tokens, ElementsAre(4, 5, 6));
  EXPECT_EQ(results[0].stop_reason, "end");
}

TEST(Autoregressive, ANonFinitePredictionNamesItsPlace) {
  const ChainDenoiser denoiser(12, 4, [](const std::vector<TokenId>& read) {
    std::vector<double> z = certain(5);
    if (read.size() == 7) z[2] = std::nan("");
    return z;
  });
  Decoding decoding;
  decoding.max_new_tokens = 8;
  try {
    decoding.run(denoiser, asking({{3}}));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sample 0, canvas 1, step 2, position 2"));
  }
}

TEST(Autoregressive, WhatItCannotDoIsRefused) {
  Decoding decoding;
  const ChainDenoiser denoiser = counting();
  EXPECT_THAT(complaint([&] { decoding.run(denoiser, asking({{}})); }), HasSubstr("the prompt is empty"));
  EXPECT_THAT(complaint([&] {
                decoding.run(denoiser, asking({{3, 12}}));
              }),
              HasSubstr("id 12 is outside the vocabulary of 12"));
  std::vector<SampleRequest> given = asking({{3}});
  given[0].initial_canvas = {1, 2, 3, 4};
  EXPECT_THAT(complaint([&] { decoding.run(denoiser, given); }), HasSubstr("use start=noise"));
  decoding.max_new_tokens = 64;
  EXPECT_THAT(complaint([&] { decoding.run(denoiser, asking({{3}})); }),
              AllOf(HasSubstr("65 positions"), HasSubstr("has 64")));
  decoding.max_new_tokens = 63;
  EXPECT_EQ(decoding.run(counting(), asking({{1}})).size(), 1U);
  decoding.settings = "{name: autoregressive, suppress: [12]}";
  EXPECT_THAT(complaint([&] { decoding.run(denoiser, asking({{3}})); }), HasSubstr("sampler.suppress"));
}

TEST(Autoregressive, AModelWithoutACausalModeIsRefused) {
  Decoding decoding;
  const StubDenoiser denoiser(12, 4, always(3));
  EXPECT_THAT(complaint([&] { decoding.run(denoiser, asking({{3}})); }), HasSubstr("sampler=block"));
}

class LockstepRandom : public CounterRandom {
 public:
  using CounterRandom::CounterRandom;
  bool lockstep() const override { return true; }
};

TEST(Autoregressive, AGeneratorThatDrawsForTheWholeBatchIsRefused) {
  Decoding decoding;
  LockstepRandom random(1);
  EXPECT_THAT(complaint([&] { decoding.with(counting(), random, [](Sampler&) { return 0; }); }),
              HasSubstr("random=counter"));
}

}  // namespace
}  // namespace canvaslab
