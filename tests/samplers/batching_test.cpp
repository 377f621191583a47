// Rows of a batch: they advance independently, leave when they are done, and never feel their neighbours.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Sample s is vague for steps(s, canvas) - 1 passes over a canvas and then certain; with stability 0 it stops
// at that pass.
StubDenoiser::Rule takes(int (*steps)(int sample, int canvas)) {
  return [steps](const StubDenoiser::View& view) {
    return view.pass + 1 < steps(view.sample, view.canvas) ? undecided() : certain(5);
  };
}

Loop stops_when_certain() {
  Loop loop;
  loop.stopping = "{name: stable_and_confident, stability: 0}";
  return loop;
}

std::vector<int> sizes(const StubDenoiser& denoiser) {
  std::vector<int> out;
  for (const auto& pass : denoiser.passes) out.push_back(pass.size());
  return out;
}

TEST(Batching, RowsThatAreDoneLeave) {
  const StubDenoiser denoiser(12, 4, takes([](int sample, int) { return sample + 1; }));
  Loop loop = stops_when_certain();
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(4));
  EXPECT_THAT(sizes(denoiser), ElementsAre(4, 3, 2, 1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(results[static_cast<size_t>(i)].forward_passes, i + 1);
}

TEST(Batching, WaitingSamplesTakeFreePlaces) {
  const StubDenoiser denoiser(12, 4, takes([](int sample, int) { return sample == 0 ? 5 : 2; }));
  Loop loop = stops_when_certain();
  loop.config.batch = 2;
  loop.run(denoiser, numbered(3));
  EXPECT_THAT(sizes(denoiser), ElementsAre(2, 2, 2, 2, 1));
  EXPECT_THAT(denoiser.passes[2].samples, ElementsAre(0, 2));
  EXPECT_THAT(denoiser.prefilled, ElementsAre(2, 1));
}

// Row 0 takes 1 + 3 steps, row 1 takes 3 + 1.
int crossed(int sample, int canvas) {
  return sample == canvas ? 1 : 3;
}

TEST(Batching, ContinuousRowsStartTheirNextCanvasAtOnce) {
  const StubDenoiser denoiser(12, 4, takes(crossed));
  Loop loop = stops_when_certain();
  loop.max_new_tokens = 8;
  loop.run(denoiser, numbered(2));
  EXPECT_THAT(sizes(denoiser), ElementsAre(2, 2, 2, 2));
}

TEST(Batching, SynchronousRowsWaitForEachOther) {
  const StubDenoiser denoiser(12, 4, takes(crossed));
  Loop loop = stops_when_certain();
  loop.config.batching = Batching::kSynchronous;
  loop.max_new_tokens = 8;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2));
  EXPECT_THAT(sizes(denoiser), ElementsAre(2, 1, 1, 2, 1, 1));  // a row that waits costs nothing
  for (const SampleResult& result : results) EXPECT_EQ(result.forward_passes, 4);
}

// Everything that is drawn and decided, by (sample, canvas, step).
std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::vector<TokenId>> trajectories(
    const Recorder& seen) {
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::vector<TokenId>> out;
  for (const SeenStep& step : seen.steps) {
    std::vector<TokenId>& all = out[{step.key.sample, step.key.canvas, step.key.step}];
    for (const auto* part : {&step.record.canvas, &step.record.prediction.argmax,
                             &step.record.prediction.sampled, &step.record.noise, &step.record.next_canvas}) {
      all.insert(all.end(), part->begin(), part->end());
    }
  }
  return out;
}

TEST(Batching, ARowIsAsAloneWhateverTheBatch) {
  for (const char* noise : {"{name: uniform}", "{name: masked}"}) {
    Loop loop;
    loop.noise = noise;
    loop.selection = "{name: entropy_bound, bound: 1.5}";
    loop.config.steps = 6;
    loop.config.batch = 1;
    loop.max_new_tokens = 10;
    const StubDenoiser alone(12, 4, dependent());
    const std::vector<SampleResult> expected = loop.run(alone, numbered(9));
    const auto trajectory = trajectories(loop.seen);
    for (const int batch : {2, 4, 9, 32}) {
      for (const Batching batching : {Batching::kContinuous, Batching::kSynchronous}) {
        const StubDenoiser together(12, 4, dependent());
        loop.config.batch = batch;
        loop.config.batching = batching;
        const std::vector<SampleResult> results = loop.run(together, numbered(9));
        for (size_t i = 0; i < results.size(); ++i) {
          EXPECT_EQ(results[i].sample, i);
          EXPECT_EQ(results[i].tokens, expected[i].tokens) << noise << " batch " << batch;
          EXPECT_EQ(results[i].forward_passes, expected[i].forward_passes);
        }
        EXPECT_EQ(trajectories(loop.seen), trajectory);
        EXPECT_EQ(together.uniforms, alone.uniforms);
      }
    }
  }
}

TEST(Batching, TheSampleNumberAndNotThePlaceKeysTheDraws) {
  Loop loop;
  loop.config.steps = 4;
  const StubDenoiser denoiser(12, 4, dependent());
  std::vector<SampleRequest> requests = numbered(3);
  const std::vector<SampleResult> expected = loop.run(denoiser, requests);
  std::reverse(requests.begin(), requests.end());
  const std::vector<SampleResult> reversed = loop.run(denoiser, requests);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(reversed[i].tokens, expected[2 - i].tokens);
}

TEST(Batching, TheSameSeedGivesTheSameRunAndAnotherSeedAnother) {
  Loop loop;
  loop.config.steps = 5;
  loop.max_new_tokens = 8;
  loop.vocabulary.end = {};  // every row takes all its canvases
  const StubDenoiser denoiser(12, 4, dependent());
  loop.run(denoiser, numbered(3));
  const auto first = trajectories(loop.seen);
  loop.run(denoiser, numbered(3));
  EXPECT_EQ(trajectories(loop.seen), first);
  loop.seed = 2;
  loop.run(denoiser, numbered(3));
  const auto other = trajectories(loop.seen);
  ASSERT_EQ(other.size(), first.size());
  for (const auto& [key, draws] : other) EXPECT_NE(draws, first.at(key));
}

TEST(Batching, AThousandSamplesComeBackInOrder) {
  const StubDenoiser denoiser(12, 4,
                              [](const StubDenoiser::View& view) { return certain(2 + view.sample % 9); });
  Loop loop;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(1000));
  ASSERT_EQ(results.size(), 1000U);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].sample, i);
    EXPECT_THAT(results[i].tokens, Each(static_cast<TokenId>(2 + i % 9)));
  }
  EXPECT_EQ(denoiser.passes.size(), 64U);  // 32 batches of 32, two steps each
}

// A generator whose draws depend on the batch: counts how many rows it draws for.
class BatchRandom : public Random, public JointDraw {
 public:
  bool lockstep() const override { return true; }
  void tokens(std::span<const StreamKey> rows, Purpose, std::int64_t, std::int64_t,
              std::span<TokenId> out) override {
    token_rows.push_back(static_cast<int>(rows.size()));
    std::fill(out.begin(), out.end(), TokenId{3});
  }
  CandidateDraws candidates(std::span<const StreamKey> rows, std::int64_t) override {
    candidate_rows.push_back(static_cast<int>(rows.size()));
    return {.uniforms = {}, .given = {}, .joint = this};
  }
  double selection(const StreamKey&, std::uint32_t, std::uint32_t) override { return 0.5; }
  void operator()(std::span<const float> probabilities, std::int64_t vocabulary,
                  std::span<TokenId> out) override {
    EXPECT_EQ(static_cast<std::int64_t>(probabilities.size()),
              static_cast<std::int64_t>(out.size()) * vocabulary);
    std::fill(out.begin(), out.end(), static_cast<TokenId>(2 + ++draws % 7));  // another token at every step
  }
  int draws = 0;
  std::vector<int> token_rows, candidate_rows;
};

TEST(Lockstep, AllRowsStayUntilTheLastOneStops) {
  const StubDenoiser denoiser(12, 4, takes([](int sample, int) { return sample + 1; }));
  Loop loop = stops_when_certain();
  loop.config.batch = 1;  // the batch is whatever is given
  BatchRandom random;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(3), random);
  EXPECT_THAT(sizes(denoiser), ElementsAre(3, 3, 3));
  EXPECT_THAT(random.candidate_rows, ElementsAre(3, 3, 3));
  EXPECT_THAT(random.token_rows, ElementsAre(3, 3, 3, 3));  // the initial canvas, and one re-noising a step
  EXPECT_THAT(denoiser.passes[2].frozen, ElementsAre(true, true, false));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(results[static_cast<size_t>(i)].forward_passes, i + 1);
}

TEST(Lockstep, AStoppedRowKeepsItsCanvasAndItsPrediction) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View& view) {
    if (view.sample == 0 && view.pass == 0) return certain(5);
    return view.sample == 0 || view.pass < 3 ? certain(6) : certain(7);
  });
  Loop loop;
  BatchRandom random;
  const std::vector<SampleRequest> requests = numbered(2);
  loop.stopping = "{name: max_steps, steps: 4}";
  const std::vector<SampleResult> both = loop.run(denoiser, requests, random);
  EXPECT_THAT(both[0].tokens, Each(6));
  EXPECT_THAT(both[1].tokens, Each(7));

  const StubDenoiser settles(12, 4, [](const StubDenoiser::View& view) {
    return view.sample == 1 && view.pass < 3 ? undecided() : certain(view.pass == 0 ? 5 : 6);
  });
  loop.stopping = "{name: stable_and_confident, stability: 0}";
  const std::vector<SampleResult> results = loop.run(settles, requests, random);
  EXPECT_THAT(results[0].tokens, Each(5));  // its context is frozen too: the prediction at which it stopped
  const std::vector<SeenStep> steps = loop.seen.of(0, 0);
  ASSERT_EQ(steps.size(), 4U);
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].record.canvas, steps[0].record.next_canvas);
    EXPECT_EQ(steps[i].record.next_canvas, steps[0].record.next_canvas);
    EXPECT_EQ(steps[i].record.prediction.argmax, steps[0].record.prediction.argmax);
    EXPECT_TRUE(steps[i].signal.stop);
  }
}

TEST(Lockstep, EndedRowsStayOnButAreNotCounted) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View& view) {
    return certain(view.sample == 0 && view.position == 1 ? 1 : 5);
  });
  Loop loop = stops_when_certain();
  loop.max_new_tokens = 12;
  BatchRandom random;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2), random);
  EXPECT_THAT(sizes(denoiser), ElementsAre(2, 2, 2));
  EXPECT_THAT(results[0].tokens, ElementsAre(5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(results[0].generated, 2);
  EXPECT_EQ(results[0].canvases, 1);
  EXPECT_EQ(results[0].forward_passes, 1);
  EXPECT_EQ(results[1].forward_passes, 3);
}

TEST(Lockstep, StopsEarlyWhenAllRowsHaveEnded) {
  const StubDenoiser denoiser(12, 4, always(1));
  Loop loop = stops_when_certain();
  loop.max_new_tokens = 12;
  BatchRandom random;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2), random);
  EXPECT_THAT(sizes(denoiser), ElementsAre(2));
  EXPECT_THAT(results[1].tokens, ElementsAre(1, 0, 0, 0));
}

TEST(Lockstep, NothingAskedNothingDone) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop;
  BatchRandom random;
  EXPECT_THAT(loop.run(denoiser, {}, random), IsEmpty());
  EXPECT_THAT(denoiser.passes, IsEmpty());
}

// Recorded draws may come from a model with more entries.
class GivenRandom : public BatchRandom {
 public:
  CandidateDraws candidates(std::span<const StreamKey> rows, std::int64_t length) override {
    return {.uniforms = {},
            .given = std::vector<TokenId>(rows.size() * static_cast<size_t>(length), token),
            .joint = nullptr};
  }
  TokenId token = 0;
};

TEST(Lockstep, GivenCandidatesAreTakenAndChecked) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View&) { return undecided(); });
  Loop loop;
  loop.config.steps = 2;
  GivenRandom random;
  random.token = 9;
  loop.run(denoiser, numbered(2), random);
  for (const SeenStep& step : loop.seen.steps) EXPECT_THAT(step.record.prediction.sampled, Each(9));
  for (const TokenId outside : {12, -1}) {
    random.token = outside;
    try {
      loop.run(denoiser, numbered(2), random);
      FAIL() << outside << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  ::testing::HasSubstr(fmt::format("token id {}, is outside the vocabulary of 12", outside)));
    }
  }
}

}  // namespace
}  // namespace canvaslab
