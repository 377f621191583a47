// Validation where nothing can be graded, too: losses on rows that training never sees, the task's metrics,
// and which weights are kept for them.
#include "experiments/training/validation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "experiments/tasks/encode_example.h"
#include "experiments/training/train.h"
#include "experiments/training/training_log.h"
#include "tests/experiments/training/small_training.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A training on a text of random words.
std::vector<std::string> text_training(const TemporaryFolder& folder) {
  const std::filesystem::path file = folder / "text.txt";
  std::ofstream out(file);
  std::mt19937 random(1);
  const char* const words[] = {"one", "three", "seven", "none"};
  for (int i = 0; i < 1000; ++i) out << words[random() % 4] << ' ';
  return small_training({"task=text", "task.file=" + file.string(), "task.length=12", "task.context=4"});
}

// Before the first update the averaged weights are the weights, and a step's losses are those before its
// update.
TEST(HeldOut, AreTheLossesOfTheStepOnTheSameRows) {
  for (const char* words : {"noise=uniform", "noise=masked"}) {
    for (const char* weighting : {"none", "elbo"}) {
      const TrainConfig config = train_config(
          small_training({words, fmt::format("training.weighting={}", weighting), "training.batch=5"}));
      Trainer trainer(config);
      const HeldOut mine = trainer.held_out(trainer.batch_maker().rows(0, 5, 0, 5));
      const StepReport report = trainer.step();
      EXPECT_NEAR(mine.denoising, report.denoising, 1e-5);
      EXPECT_NEAR(mine.causal, report.causal, 1e-5);
    }
  }
}

TEST(HeldOut, RoundsOfRowsAddUp) {
  const auto losses = [](const char* batch) {
    const TrainConfig config = train_config(small_training({batch}));
    const Trainer trainer(config);
    return trainer.held_out(trainer.batch_maker(Split::kValidation).rows(0, 7, 0, 7));
  };
  const HeldOut whole = losses("training.batch=16"), parts = losses("training.batch=2");
  EXPECT_NEAR(whole.denoising, parts.denoising, 1e-5);
  EXPECT_NEAR(whole.causal, parts.causal, 1e-5);
}

TEST(HeldOut, ACausalModeThatIsNotTrainedHasNoLoss) {
  const TrainConfig config = train_config(small_training({"training.causal_weight=0"}));
  const Trainer trainer(config);
  const HeldOut losses = trainer.held_out(trainer.batch_maker(Split::kValidation).rows(0, 3, 0, 3));
  EXPECT_TRUE(std::isfinite(losses.denoising));
  EXPECT_TRUE(std::isnan(losses.causal));
}

TEST(HeldOut, RowsAreThoseOfTheirSplit) {
  const TrainConfig config = train_config(small_training());
  const Trainer trainer(config);
  const auto rows = trainer.batch_maker(Split::kValidation).rows(0, 3, 0, 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::string prompt = trainer.tokenizer().decode(rows[i].prompt, /*skip_special_tokens=*/true);
    EXPECT_EQ(prompt, config.task->example(Split::kValidation, i)->prompt);
  }
}

TEST(Validation, OfATextHasLossesAndTheTasksMetrics) {
  const TemporaryFolder folder;
  const TrainConfig config = train_config(text_training(folder));
  Trainer trainer(config);
  const Validation validation(trainer, config);
  const ValidationReport first = validation.run(), again = validation.run();
  EXPECT_EQ(first.graded, 0);
  EXPECT_EQ(first.samples, 2);
  std::vector<std::string> names;
  for (size_t i = 0; i < first.metrics.size(); ++i) {
    names.push_back(first.metrics[i].name);
    EXPECT_EQ(first.metrics[i].value, again.metrics[i].value);
  }
  EXPECT_THAT(names, Contains("ngram_nats"));
  EXPECT_EQ(first.held_out.denoising, again.held_out.denoising);
  EXPECT_EQ(first.held_out.causal, again.held_out.causal);
  trainer.step();
  EXPECT_NE(validation.run().held_out.denoising, first.held_out.denoising);
}

struct Silent : SampleObserver {
  void step(const StreamKey&, const StepRecord&, const StopSignal&, float, double) override {}
};

// From the answers, sampled here once more.
TEST(Validation, MetricsAreMeansOverTheAnswers) {
  const TrainConfig config = train_config(small_training({"training.validation_samples=5"}));
  const Trainer trainer(config);
  const ValidationReport report = Validation(trainer, config).run();
  std::vector<TaskItem> items;
  std::vector<SampleRequest> requests;
  for (std::uint64_t i = 0; i < 5; ++i) {
    items.push_back(*config.task->example(Split::kValidation, i));
    requests.push_back({.sample = i,
                        .prompt = encode_prompt(items.back(), trainer.tokenizer()),
                        .padding_before = 0,
                        .initial_canvas = {}});
  }
  const Rules rules = config.rules(trainer.vocabulary());
  const std::unique_ptr<Random> random = config.random->make(config.seed);
  Silent observer;
  std::map<std::string, double> sums;
  for (const SampleResult& result :
       config.sampler->make(trainer.averaged(), rules, *random, 16)->run(requests, observer)) {
    const std::string text = trainer.tokenizer().decode(result.tokens, /*skip_special_tokens=*/true);
    for (const Metric& metric : config.task->measure(items[result.sample], text))
      sums[metric.name] += metric.value;
  }
  ASSERT_EQ(report.metrics.size(), sums.size());
  ASSERT_GE(sums.size(), 3U);
  for (const Metric& metric : report.metrics) EXPECT_NEAR(metric.value, sums[metric.name] / 5, 1e-12);
}

TEST(Validation, InShort) {
  ValidationReport report;
  report.samples = report.graded = 50, report.right = 47, report.steps_per_canvas = 11.44;
  report.held_out = {.denoising = 0.22131, .causal = 0.4801};
  EXPECT_EQ(report.in_short(), "94.0 % right in 11.4 steps, held out 0.2213 denoising, 0.4801 causal");
  report.graded = 0;
  EXPECT_EQ(report.in_short(), "11.4 steps, held out 0.2213 denoising, 0.4801 causal");
  report.held_out = {};
  EXPECT_EQ(report.in_short(), "11.4 steps");
}

ValidationReport ungraded(double denoising) {
  ValidationReport report;
  report.samples = 4;
  report.held_out.denoising = denoising;
  return report;
}

TEST(TrainingLog, WhereNothingIsGradedTheLowestHeldOutLossIsKept) {
  TrainingLog log;
  EXPECT_FALSE(log.kept());
  log.add(10, ungraded(2)), log.add(20, ungraded(1.5)), log.add(30, ungraded(1.75));
  EXPECT_FALSE(log.kept()->graded);
  EXPECT_EQ(log.kept()->denoising, 1.5);
  const auto takes = [&](double loss) {
    return TrainingLog::Kept(ungraded(loss)).at_least_as_good_as(*log.kept());
  };
  EXPECT_TRUE(takes(1.4));
  EXPECT_TRUE(takes(1.5));  // the newest of equals
  EXPECT_FALSE(takes(1.6));
  EXPECT_TRUE(takes(std::nan("")));  // nothing was held out: the newest
}

TEST(TrainingLog, AMetricThatSomeValidationsLackIsNotShifted) {
  TrainingLog log;
  const auto add = [&](std::int64_t step, const Metrics& metrics) {
    ValidationReport report;
    report.metrics = metrics;
    log.add(step, report);
  };
  add(1, {}), add(2, {{"words", 0.5}}), add(3, {}), add(4, {{"words", 0.75}, {"late", 1}});
  TrainingLog loaded;
  loaded.load(log.state());
  const auto column = [&](const char* name) {
    const at::Tensor values = loaded.state().at(fmt::format("log/validation/metrics/{}", name));
    return std::vector<double>(values.const_data_ptr<double>(),
                               values.const_data_ptr<double>() + values.numel());
  };
  EXPECT_THAT(column("words"), ::testing::ElementsAre(::testing::IsNan(), 0.5, ::testing::IsNan(), 0.75));
  EXPECT_THAT(column("late"),
              ::testing::ElementsAre(::testing::IsNan(), ::testing::IsNan(), ::testing::IsNan(), 1));
}

// States of earlier versions held no loss out.
TEST(TrainingLog, GoesOnWhereAnEarlierVersionStopped) {
  TrainingLog log;
  ValidationReport report;
  report.samples = report.graded = 4, report.right = 3;
  log.add(1, report);
  TensorMap old = log.state();
  old.erase("log/validation/denoising_loss"), old.erase("log/validation/causal_loss");
  TrainingLog resumed;
  resumed.load(old);
  EXPECT_EQ(resumed.kept()->quality, 0.75);
  report.held_out.denoising = 0.5;
  resumed.add(2, report);
  EXPECT_EQ(resumed.state().at("log/validation/denoising_loss").size(0), 2);
}

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Train, TheCardSaysWhatTheWeightsWereKeptFor) {
  const TemporaryFolder folder;
  std::vector<std::string> words = text_training(folder);
  words.push_back("hydra.run.dir=" + (folder / "text").string());
  std::ostringstream out;
  testing::internal::CaptureStderr();
  ASSERT_EQ(train({{}, "train"}, words, out), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("validation 2.0 steps, held out "));
  EXPECT_THAT(out.str(), HasSubstr("lowest held-out denoising loss "));
  const std::string card = file_text(folder / "text" / "checkpoint" / "README.md");
  EXPECT_THAT(card, HasSubstr("at the validation with the lowest held-out denoising loss"));
  EXPECT_THAT(card, HasSubstr("| held-out causal loss | "));
  EXPECT_THAT(card, HasSubstr("| ngram_nats | "));
  EXPECT_THAT(card, Not(HasSubstr("| right |")));
  words = small_training({"hydra.run.dir=" + (folder / "grids").string()});
  ASSERT_EQ(train({{}, "train"}, words, out), 0);
  const std::string graded = file_text(folder / "grids" / "checkpoint" / "README.md");
  EXPECT_THAT(graded, HasSubstr("at the validation with the largest share of right answers"));
  EXPECT_THAT(graded, HasSubstr("| right | 0 of 2 graded (0.0 %) |"));
}

// Of two that are equally right, the one that takes fewer steps; of equals in both, the newest.
TEST(TrainingLogKept, PrefersQualityAndThenFewerSteps) {
  const auto kept = [](double quality, double steps) { return TrainingLog::Kept(true, quality, steps, 1.0); };
  EXPECT_TRUE(kept(0.9, 30).at_least_as_good_as(kept(0.8, 5)));
  EXPECT_FALSE(kept(0.8, 5).at_least_as_good_as(kept(0.9, 30)));
  EXPECT_TRUE(kept(0.9, 10).at_least_as_good_as(kept(0.9, 11)));
  EXPECT_FALSE(kept(0.9, 11).at_least_as_good_as(kept(0.9, 10)));
  EXPECT_TRUE(kept(0.9, 10).at_least_as_good_as(kept(0.9, 10)));
}

}  // namespace
}  // namespace canvaslab
