// Reports of trainings against text written by hand, and refusals of folders that hold none.
#include "experiments/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "core/trace/column_file.h"
#include "experiments/training/train.h"
#include "tests/experiments/training/small_training.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What a training leaves; without metrics it has not saved anything yet.
void write_training(const std::filesystem::path& folder, const std::vector<NumberColumn>& metrics) {
  std::filesystem::create_directories(folder / ".hydra");
  std::ofstream(folder / ".hydra" / "config.yaml") << "training: {steps: 8}\n";
  std::ofstream(folder / ".hydra" / "hydra.yaml") << "hydra: {}\n";
  std::ofstream(folder / ".hydra" / "overrides.yaml") << "[]\n";
  std::ofstream(folder / "resolved.yaml")
      << "initial: {name: scratch, layers: 2}\n"
         "task: {name: sudoku, file: null, side: 4, givens: [0, 8]}\n"
         "training: {steps: 8, batch: 4, weighting: elbo, causal_weight: 0.0, self_conditioning: 0.5, "
         "learning_rate: 0.002}\n"
         "noise: {name: masked}\n";
  if (!metrics.empty()) write_columns(folder / "metrics.h5", metrics);
}

std::vector<NumberColumn> four_updates() {
  const double none = std::nan("");
  return {{"training/step", "steps", "", {1, 2, 3, 4}},
          {"training/loss", "nats", "", {4, 3, 2, 1}},
          {"validation/step", "steps", "", {2, 4}},
          {"validation/quality", "1", "", {0.25, 0.75}},
          {"validation/graded", "samples", "", {4, 4}},
          {"validation/samples", "samples", "", {4, 4}},
          {"validation/steps_per_canvas", "steps", "", {8, 6}},
          {"validation/denoising_loss", "nats", "", {1.5, 0.5}},
          {"validation/causal_loss", "nats", "", {none, none}},
          {"validation/seconds", "s", "", {1, 1}},
          {"validation/metrics/words", "", "", {none, 0.5}}};
}

constexpr const char* kReport =
    "* {0}\n"
    "  noise     masked\n"
    "  task      sudoku side=4 givens=[0,8]\n"
    "  initial   scratch layers=2\n"
    "  training  batch=4 weighting=elbo causal_weight=0.0 self_conditioning=0.5 learning_rate=0.002\n"
    "  updates   4 of 8\n"
    "\n"
    "loss that was minimised, nats (mean of nearby updates)\n"
    "        4 |                  *\n"
    "          |\n"
    "          |\n"
    "          |                                    *\n"
    "          |\n"
    "          |\n"
    "          |                                                     *\n"
    "          |\n"
    "          |\n"
    "        1 |                                                                       *\n"
    "          +------------------------------------------------------------------------\n"
    "           0                                                                      4 updates\n"
    "\n"
    "right, % of the graded answers\n"
    "       75 |                                                                       *\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "       25 |                                    *\n"
    "          +------------------------------------------------------------------------\n"
    "           0                                                                      4 updates\n"
    "\n"
    "steps a canvas\n"
    "        8 |                                    *\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "        6 |                                                                       *\n"
    "          +------------------------------------------------------------------------\n"
    "           0                                                                      4 updates\n"
    "\n"
    "held-out denoising loss, nats a token\n"
    "      1.5 |                                    *\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "          |\n"
    "      0.5 |                                                                       *\n"
    "          +------------------------------------------------------------------------\n"
    "           0                                                                      4 updates\n"
    "\n"
    "* {0}: validations\n"
    "  updates  right %  graded  answers  steps/canvas  denoising  seconds   words\n"
    "        2     25.0       4        4          8.00     1.5000      1.0       -\n"
    "        4     75.0       4        4          6.00     0.5000      1.0  0.5000\n";

std::string reported(const std::vector<std::filesystem::path>& folders, bool json = false) {
  std::ostringstream out;
  EXPECT_EQ(report(folders, json, out), 0);
  return out.str();
}

std::string refusal(const std::vector<std::filesystem::path>& folders) {
  try {
    reported(folders);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Report, OfATraining) {
  const TemporaryFolder folder;
  write_training(folder.path(), four_updates());
  EXPECT_EQ(reported({folder.path()}), fmt::format(fmt::runtime(kReport), folder.path().string()));
}

TEST(Report, SeveralTrainingsHaveMarksOfTheirOwn) {
  const TemporaryFolder folder;
  write_training(folder / "a", four_updates());
  std::vector<NumberColumn> other = four_updates();
  other[1].values = {5, 5, 5, 5};
  write_training(folder / "b", other);
  write_training(folder / "c", {});
  const std::string text = reported({folder / "a", folder / "b", folder / "c"});
  // At 18, 36, 53 and 71 of the top row; the first training's 4 to 1 lie below it.
  EXPECT_THAT(text, HasSubstr(fmt::format("        5 |{:>19}{:>18}{:>17}{:>18}\n", "o", "o", "o", "o")));
  EXPECT_THAT(text, HasSubstr(fmt::format("        1 |{:>72}\n", "*")));
  EXPECT_THAT(text, HasSubstr(fmt::format("o {}: validations\n", (folder / "b").string())));
  EXPECT_THAT(text, HasSubstr("  updates   0 of 8; nothing is saved yet\n"));
  EXPECT_THAT(text, HasSubstr(fmt::format("+ {}: no validation yet\n", (folder / "c").string())));
}

TEST(Report, WhereNothingIsGradedNoShareIsShown) {
  const TemporaryFolder folder;
  std::vector<NumberColumn> metrics = four_updates();
  metrics[3].values = metrics[4].values = {0, 0};
  write_training(folder.path(), metrics);
  const std::string text = reported({folder.path()});
  EXPECT_THAT(text, Not(HasSubstr("right")));
  EXPECT_THAT(text, HasSubstr("words\n"));
}

TEST(Report, AsJson) {
  const TemporaryFolder folder;
  write_training(folder.path(), four_updates());
  const nlohmann::json json = nlohmann::json::parse(reported({folder.path()}, /*json=*/true));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["folder"], folder.path().string());
  EXPECT_EQ(json[0]["updates"], 4);
  EXPECT_EQ(json[0]["planned_updates"], 8);
  EXPECT_EQ(json[0]["noise"], "masked");
  EXPECT_EQ(json[0]["curves"]["training/loss"]["values"], nlohmann::json({4, 3, 2, 1}));
  EXPECT_EQ(json[0]["curves"]["training/loss"]["unit"], "nats");
  EXPECT_TRUE(json[0]["curves"]["validation/causal_loss"]["values"][0].is_null());
}

TEST(Report, OfARealTraining) {
  const TemporaryFolder folder;
  std::ostringstream out;
  ASSERT_EQ(train({{}, "train"}, small_training({"hydra.run.dir=" + (folder / "run").string()}), out), 0);
  const std::string text = reported({folder / "run"});
  EXPECT_THAT(text, HasSubstr("  noise     uniform\n"));
  EXPECT_THAT(text, HasSubstr("  updates   6 of 6\n"));
  for (const char* title : {"loss that was minimised", "right, %", "steps a canvas",
                            "held-out denoising loss", "held-out causal loss"})
    EXPECT_THAT(text, HasSubstr(title));
  EXPECT_THAT(text, HasSubstr("token_accuracy"));
}

TEST(Report, RefusesWhatIsNoTraining) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "sweep" / ".sweep");
  std::filesystem::create_directories(folder / "empty");
  write_training(folder / "run", {});
  std::ofstream(folder / "run" / ".hydra" / "config.yaml") << "sampler: {name: block}\n";
  EXPECT_THAT(refusal({folder / "gone"}), HasSubstr("gone: expected a training's folder, found no folder"));
  EXPECT_THAT(refusal({folder / "empty"}), HasSubstr(".hydra/config.yaml"));
  EXPECT_THAT(refusal({folder / "sweep"}), HasSubstr("canvaslab sweep " + (folder / "sweep").string()));
  EXPECT_THAT(refusal({folder / "run"}), HasSubstr("found a run; only trainings are reported so far"));
  write_training(folder / "a", {});
  EXPECT_THAT(refusal(std::vector<std::filesystem::path>(9, folder / "a")), HasSubstr("at most 8 folders"));
}

}  // namespace
}  // namespace canvaslab
