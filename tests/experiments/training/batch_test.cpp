// What a batch is made of: the same for the same step, times in every part of (0, 1), as much noise as the
// schedule says.
#include "experiments/training/batch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "experiments/training/trainer.h"
#include "tests/experiments/training/small_training.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

struct Made {
  explicit Made(const std::vector<std::string>& more = {})
      : config(train_config(small_training(more))), trainer(config) {}

  std::vector<TrainingRow> rows(std::int64_t step, int batch) const {
    return trainer.batch_maker().rows(step, batch, 0, batch);
  }

  TrainConfig config;
  Trainer trainer;
};

TEST(Batch, DependsOnSeedAndStepAlone) {
  const Made made, other({"seed=2"});
  const auto first = made.rows(7, 5);
  made.rows(3, 5);
  const auto again = made.rows(7, 5), next = made.rows(8, 5), seeded = other.rows(7, 5);
  for (size_t r = 0; r < first.size(); ++r) {
    EXPECT_EQ(first[r].noisy, again[r].noisy);
    EXPECT_EQ(first[r].prompt, again[r].prompt);
    EXPECT_EQ(first[r].time, again[r].time);
  }
  EXPECT_NE(first[4].noisy, next[4].noisy);
  EXPECT_NE(first[0].time, seeded[0].time);
}

TEST(Batch, TimesAreStratified) {
  const Made made;
  for (const int batch : {1, 3, 16}) {
    const auto rows = made.rows(2, batch);
    for (int b = 0; b < batch; ++b) {
      EXPECT_GE(rows[static_cast<size_t>(b)].time, static_cast<double>(b) / batch);
      EXPECT_LT(rows[static_cast<size_t>(b)].time, static_cast<double>(b + 1) / batch);
    }
  }
}

TEST(Batch, UniformNoiseReplacesAsMuchAsTheScheduleSaysAndEverythingCounts) {
  const Made made;
  double changed = 0, expected = 0, positions = 0;
  for (std::int64_t step = 0; step < 60; ++step) {
    for (const TrainingRow& row : made.rows(step, 16)) {
      EXPECT_THAT(row.counted, ::testing::Each(1));
      const double vocabulary = static_cast<double>(made.trainer.vocabulary().size);
      for (size_t i = 0; i < row.clean.size(); ++i, ++positions) {
        changed += row.noisy[i] != row.clean[i] ? 1 : 0;
        expected += row.time * (1 - 1 / vocabulary);  // noise may hit the clean token
      }
    }
  }
  EXPECT_NEAR(changed / positions, expected / positions, 0.015);
}

TEST(Batch, MaskedNoiseMasksAndOnlyMasksCount) {
  const Made made({"noise=masked"});
  const TokenId mask = *made.trainer.vocabulary().mask;
  double masked = 0, expected = 0, positions = 0;
  for (std::int64_t step = 0; step < 60; ++step) {
    for (const TrainingRow& row : made.rows(step, 16)) {
      for (size_t i = 0; i < row.clean.size(); ++i, ++positions) {
        EXPECT_TRUE(row.noisy[i] == row.clean[i] || row.noisy[i] == mask);
        EXPECT_EQ(row.counted[i] != 0, row.noisy[i] == mask);
        masked += row.counted[i], expected += row.time;
      }
    }
  }
  EXPECT_NEAR(masked / positions, expected / positions, 0.015);
}

// A file of pairs for the shipped model with a canvas of 36.
std::string pairs_file(const TemporaryFolder& folder, const char* prompt) {
  const std::filesystem::path file = folder / "pairs.jsonl";
  std::ofstream out(file);
  for (int i = 0; i < 40; ++i)
    out << fmt::format("{{\"prompt\": \"{}{}\", \"response\": \"123\"}}\n", prompt,
                       std::string(i % 7 + 1, '4'));
  return file.string();
}

TEST(Batch, ShortAnswersEndAndArePadded) {
  const TemporaryFolder folder;
  const Made made({"initial=checkpoint", "task=jsonl", "task.file=" + pairs_file(folder, "5")});
  for (const TrainingRow& row : made.rows(0, 8)) {
    ASSERT_EQ(row.clean.size(), 36U);
    EXPECT_EQ(row.spoken, 4);  // three digits and the end
    EXPECT_EQ(made.trainer.tokenizer().decode(std::span(row.clean).first(3), true), "123");
    EXPECT_EQ(row.clean[3], made.trainer.vocabulary().end.front());
    for (size_t i = 4; i < row.clean.size(); ++i) EXPECT_EQ(row.clean[i], *made.trainer.vocabulary().padding);
  }
}

TEST(Batch, HalfOfTheRowsAreConditioned) {
  const Made made;
  int conditioned = 0;
  for (std::int64_t step = 0; step < 50; ++step) {
    for (const TrainingRow& row : made.rows(step, 16)) conditioned += row.conditioned ? 1 : 0;
  }
  EXPECT_NEAR(conditioned / 800.0, 0.5, 0.06);
}

}  // namespace
}  // namespace canvaslab
