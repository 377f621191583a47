// What a run of an exact model says of the truth, and how a sweep shows it.
#include "experiments/true_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/sampling_run.h"
#include "experiments/sweep/measures.h"
#include "models/exact/exact_denoiser.h"
#include "models/exact/table_model.h"
#include "tests/complaint.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RunMetrics run(std::vector<std::string> words, std::string* printed = nullptr) {
  const TemporaryFolder folder;
  for (const char* word :
       {"model=table", "model.length=4", "noise=masked", "task=unconditional", "task.samples=50",
        "temperature=constant", "stopping=max_steps", "trace=none", "threads=1"})
    words.insert(words.begin(), word);
  Session session({}, words);
  session.load();
  std::ostringstream out;
  const RunMetrics metrics =
      SamplingRun(session).run({folder / "run", {}}, std::make_unique<SampleObserver>(), &out);
  if (printed != nullptr) *printed = out.str();
  return metrics;
}

const MetricSummary& measure(const RunMetrics& metrics, const std::string& name) {
  for (const MetricSummary& summary : metrics.measures)
    if (summary.name == name) return summary;
  throw std::runtime_error("no measure " + name);
}

TEST(TrueErrorOfARun, OnePositionAtATimeIsExact) {
  std::string printed;
  const RunMetrics metrics = run({"sampler.steps=4", "selection.bound=0"}, &printed);
  EXPECT_NEAR(measure(metrics, "divergence").mean, 0, 1e-9);
  EXPECT_EQ(measure(metrics, "impossible").mean, 0);
  EXPECT_EQ(measure(metrics, "true_nats").count, 50);
  EXPECT_THAT(printed, AllOf(HasSubstr("divergence"), HasSubstr("true_nats"), HasSubstr("impossible")));
}

// All at once: two pairs, each of which loses its mutual information, log 4 less the noise of the coupling.
TEST(TrueErrorOfARun, AllAtOnceLosesTheMutualInformation) {
  const RunMetrics metrics = run(
      {"sampler.steps=1", "selection=confidence_threshold", "selection.threshold=0", "task.samples=2000"});
  const double unequal = -0.9 * std::log(0.9 / 4) - 0.1 * std::log(0.1 / 12);  // entropy of a pair
  const double lost = 2 * (2 * std::log(4) - unequal);
  const MetricSummary& divergence = measure(metrics, "divergence");
  EXPECT_LT(divergence.interval.low - 0.05, lost);
  EXPECT_GT(divergence.interval.high + 0.05, lost);
  EXPECT_NEAR(measure(metrics, "entropy_bound").mean, 3 * std::log(4), 1e-6);
}

TEST(TrueErrorOfARun, IsAnUpperBoundWhereTheChoiceIsRandom) {
  const RunMetrics metrics = run({"sampler.steps=4", "selection=ancestral"});
  EXPECT_GT(measure(metrics, "divergence_at_most").mean, 0);
}

TEST(TrueErrorOfARun, NoDivergenceIsClaimedForSamplersThatReNoiseOrLookAtTheDraw) {
  const std::vector<std::vector<std::string>> runs{
      {"noise=uniform", "model.corruption=uniform", "sampler.steps=8", "selection=ancestral"},
      {"sampler.steps=4", "selection=low_confidence"}};
  for (const std::vector<std::string>& words : runs) {
    const RunMetrics metrics = run(words);
    EXPECT_THROW(measure(metrics, "divergence"), std::runtime_error);
    EXPECT_THROW(measure(metrics, "divergence_at_most"), std::runtime_error);
    EXPECT_GT(measure(metrics, "true_nats").mean, 1);
  }
}

TEST(TrueErrorOfARun, ImpossibleSamplesAreCounted) {
  const TableModel table(2, {{{0, 0}, 1}, {{1, 1}, 1}});
  EXPECT_EQ(sample_truth(table, std::vector<TokenId>{0, 1}).at(0).value, 1);
  EXPECT_EQ(sample_truth(table, std::vector<TokenId>{0, 1}).size(), 1U);
  EXPECT_NEAR(sample_truth(table, std::vector<TokenId>{1, 1}).at(1).value, std::log(2), 1e-12);
  EXPECT_EQ(sample_truth(table, std::vector<TokenId>{1, 2}).at(0).value, 1);  // a mask
}

TEST(TrueErrorOfARun, OnlyWholeSequencesAreAskedFor) {
  EXPECT_THAT(complaint([] { run({"sampler.max_new_tokens=3"}); }),
              HasSubstr("this model's sequences have 4"));
  EXPECT_THAT(complaint([] { run({"sampler.max_new_tokens=8"}); }),
              HasSubstr("this model's sequences have 4"));
}

TEST(TrueErrorOfARun, ComesBackFromAFileAndIsShownCellByCell) {
  RunMetrics metrics = run({"sampler.steps=2", "selection.bound=0"});  // cannot finish: infinite
  EXPECT_TRUE(std::isinf(measure(metrics, "divergence").mean));
  EXPECT_EQ(metrics_of(nlohmann::json::parse(to_json(metrics).dump())), metrics);
  std::vector<TableRow> rows(2);
  rows[0].cell.overrides = {"sampler.steps=2"}, rows[1].cell.overrides = {"sampler.steps=4"};
  rows[1].cell.number = 1;
  rows[0].record.metrics = metrics;
  rows[1].record.metrics = run({"sampler.steps=4", "selection.bound=0"});
  std::ostringstream out;
  print_measures(rows, out);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("sampler.steps"), HasSubstr("divergence"), HasSubstr("[inf, inf]"),
                               HasSubstr("true_nats")));
}

}  // namespace
}  // namespace canvaslab
