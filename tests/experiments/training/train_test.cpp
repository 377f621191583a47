// Whole trainings: they learn, they end in a checkpoint that runs, a kill changes nothing, and bad input ends
// in a clear error with the last good checkpoint intact.
#include "experiments/training/train.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "core/trace/trace_folder.h"
#include "experiments/training/trainer.h"
#include "experiments/training/training_folder.h"
#include "models/checkpoint/huggingface.h"
#include "tests/experiments/training/small_training.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

const ConfigLocation kTrain{{}, "train"};

std::string train_in(const std::filesystem::path& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = small_training(more);
  words.push_back("hydra.run.dir=" + folder.string());
  std::ostringstream out;
  EXPECT_EQ(train(kTrain, words, out), 0);
  return out.str();
}

std::string refusal_of(const std::filesystem::path& folder, const std::vector<std::string>& more) {
  try {
    train_in(folder, more);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

void expect_same_state(const std::filesystem::path& one, const std::filesystem::path& two) {
  const TensorMap a = read_safetensors(one / "state.safetensors"),
                  b = read_safetensors(two / "state.safetensors");
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    if (name.find("per_second") != std::string::npos || name.find("seconds") != std::string::npos) continue;
    EXPECT_TRUE(tensor.equal(b.at(name))) << name;
  }
}

TEST(Train, TheLossFalls) {
  TrainConfig config = train_config(small_training({"training.steps=60", "training.batch=16"}));
  Trainer trainer(config);
  double first = 0, last = 0;
  for (int step = 0; step < 60; ++step) {
    const StepReport report = trainer.step();
    (step < 10 ? first : last) += step < 10 || step >= 50 ? report.loss / 10 : 0;
  }
  EXPECT_LT(last, first - 0.3);
}

TEST(Train, TheLikelihoodBoundFalls) {
  for (const char* noise : {"noise=uniform", "noise=masked"}) {
    const TrainConfig config =
        train_config(small_training({noise, "training.weighting=elbo", "training.steps=200",
                                     "training.batch=16", "training.learning_rate=5e-3"}));
    Trainer trainer(config);
    double first = 0, last = 0;
    for (int step = 0; step < 200; ++step) {
      const double bound = trainer.step().denoising;
      if (step < 10) first += bound / 10;
      if (step >= 180) last += bound / 20;
    }
    EXPECT_LT(last, first - 0.3) << noise;
  }
}

// A noise of which nothing but how it begins is known.
class Unbounded : public NoiseProcess {
 public:
  void draw(std::span<const StreamKey>, Purpose, const Vocabulary&, std::int64_t, Random&,
            std::span<TokenId> out) const override {
    std::fill(out.begin(), out.end(), 0);
  }
  std::vector<double> prior(const Vocabulary& vocabulary) const override {
    return std::vector<double>(static_cast<size_t>(vocabulary.size), 0.0);
  }
  bool undecided(TokenId, const Vocabulary&) const override { return true; }
  Routes routes(TokenId, TokenId, const Survival&, const Vocabulary&) const override { return {}; }
};

TEST(Train, RefusesTheBoundOfANoiseThatHasNone) {
  TrainConfig config = train_config(small_training({"training.weighting=elbo"}));
  config.noise = std::make_unique<Unbounded>();
  try {
    Trainer trainer(config);
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("training.weighting: this noise process has no likelihood bound"));
  }
}

TEST(Train, EndsInACheckpointThatLoads) {
  const TemporaryFolder folder;
  EXPECT_THAT(train_in(folder / "run"), HasSubstr("6 updates"));
  const Checkpoint checkpoint = load_checkpoint(folder / "run" / "checkpoint");
  EXPECT_EQ(checkpoint.config.vocab_size, 9);
  EXPECT_EQ(checkpoint.config.canvas_length, 16);
  for (const char* file : {"tokenizer.json", "generation_config.json", "README.md", "training.yaml"})
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / "checkpoint" / file)) << file;
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "metrics.h5"));
  // Fine-tuning goes on from it.
  const std::string again = train_in(
      folder / "tuned", {"initial=checkpoint", "initial.folder=" + (folder / "run" / "checkpoint").string()});
  EXPECT_THAT(again, HasSubstr("6 updates"));
}

TEST(Train, FrozenWeightsStay) {
  TrainConfig config = train_config(small_training({"training.freeze=[router]"}));
  Trainer trainer(config);
  TensorMap before;
  for (const auto& [name, tensor] : trainer.parts().weights) before[name] = tensor.detach().clone();
  trainer.step();
  for (const auto& [name, tensor] : trainer.parts().weights) {
    if (name.find("router") != std::string::npos) {
      EXPECT_TRUE(tensor.equal(before.at(name))) << name;
    }
    if (name.find("q_proj.weight") != std::string::npos && name.find("decoder") != std::string::npos) {
      EXPECT_FALSE(tensor.equal(before.at(name))) << name;
    }
  }
}

TEST(Train, ResumingAfterAnyStepChangesNothing) {
  const TrainConfig config = train_config(small_training());
  for (const int steps : {1, 3, 5}) {
    Trainer trainer(config);
    for (int step = 0; step < steps; ++step) trainer.step();
    TensorMap state;
    for (const auto& [name, tensor] : trainer.state()) state[name] = tensor.clone();
    Trainer other(config);
    other.load(state);
    EXPECT_EQ(other.steps_done(), steps);
    trainer.step(), other.step();
    const TensorMap a = trainer.state(), b = other.state();
    for (const auto& [name, tensor] : a) EXPECT_TRUE(tensor.equal(b.at(name))) << name;
  }
}

// The program as a child process.
pid_t start(std::vector<std::string> words) {
  const pid_t child = fork();
  if (child != 0) return child;
  words.insert(words.begin(), {"canvaslab", "train"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (freopen("/dev/null", "w", stdout) == nullptr || freopen("/dev/null", "w", stderr) == nullptr) _exit(9);
  execv((std::filesystem::path(CANVASLAB_BUILD_DIR) / "canvaslab").c_str(), arguments.data());
  _exit(9);
}

// SIGKILL at random moments, again and again, until the training is through.
TEST(Train, KillsChangeNothing) {
  const TemporaryFolder folder;
  const auto words_in = [&](const char* name) {
    std::vector<std::string> words = small_training({"training.steps=150", "training.validate_every=40"});
    words.push_back("hydra.run.dir=" + (folder / name).string());
    return words;
  };
  int status = 0;
  waitpid(start(words_in("whole")), &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::mt19937 random(7);
  int kills = 0;
  for (bool done = false, started = false; !done;) {
    const pid_t child = start(started ? std::vector<std::string>{"--resume", (folder / "killed").string()}
                                      : words_in("killed"));
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + random() % 900));
    if (kills < 12) kill(child, SIGKILL);
    waitpid(child, &status, 0);
    started = std::filesystem::exists(folder / "killed" / ".hydra" / "overrides.yaml");
    done = WIFEXITED(status);
    if (!done) ++kills;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GE(kills, 2);
  expect_same_state(folder / "whole", folder / "killed");
  const TensorMap a = load_checkpoint(folder / "whole" / "checkpoint").tensors,
                  b = load_checkpoint(folder / "killed" / "checkpoint").tensors;
  for (const auto& [name, tensor] : a) EXPECT_TRUE(tensor.equal(b.at(name))) << name;
}

TEST(Train, ALossThatIsNotFiniteEndsItAndKeepsTheLastState) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of(folder / "run", {"training.learning_rate=1e30", "training.warmup_steps=0"}),
              HasSubstr("is not finite"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "state.safetensors"));
  for (const auto& [name, tensor] : read_safetensors(folder / "run" / "state.safetensors"))
    if (name.starts_with("log/")) {
      EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
    }
}

// A file-size limit stands for a full disk: what was saved before stays whole.
TEST(Train, AFullDiskLeavesTheLastGoodFiles) {
  const TemporaryFolder folder;
  train_in(folder / "run");
  const TensorMap before = load_checkpoint(folder / "run" / "checkpoint").tensors;
  TrainConfig config = train_config(small_training());
  Trainer trainer(config);
  signal(SIGXFSZ, SIG_IGN);
  rlimit old{}, small{4096, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  const TrainingFolder place(folder / "run");
  EXPECT_THROW(place.save_state(trainer, {}), Error);
  EXPECT_THROW(place.save_checkpoint(trainer, {}, ""), Error);
  setrlimit(RLIMIT_FSIZE, &old);
  const TensorMap after = load_checkpoint(folder / "run" / "checkpoint").tensors;
  for (const auto& [name, tensor] : before) EXPECT_TRUE(tensor.equal(after.at(name))) << name;
  EXPECT_EQ(read_safetensors(folder / "run" / "state.safetensors").at("steps_done").item<std::int64_t>(), 6);
}

TEST(Train, RefusesWhatCannotWorkBeforeAnythingStarts) {
  const TemporaryFolder folder;
  const auto expect_refused = [&](const std::vector<std::string>& words, const char* because) {
    EXPECT_THAT(refusal_of(folder / "never", words), HasSubstr(because));
    EXPECT_FALSE(std::filesystem::exists(folder / "never"));
  };
  expect_refused({"training.freeze=[rooter]"}, "no weight has 'rooter'");
  expect_refused({"training.freeze=[model]"}, "nothing is left to train");
  expect_refused({"training.stepz=3"}, "did you mean 'steps'");
  expect_refused({"training.stepz=3", "training.batch=0"}, "did you mean 'steps'");  // all errors at once
  expect_refused({"training.stepz=3", "training.batch=0"}, "training.batch");
  expect_refused({"sampler.max_new_tokens=3"}, "16 tokens");
  expect_refused({"~noise"}, "noise: is missing");
  expect_refused({"~selection"}, "selection: is missing");
  expect_refused({"noise=masked", "selection=leave_one_out_corrector"}, "use noise=uniform");
  expect_refused({"initial.heads=3", "initial.kv_heads=2"}, "heads");
  expect_refused({"initial=checkpoint", "initial.folder=sudoku6-unifrom"}, "did you mean 'sudoku6-uniform'");
}

// Random weights answer nothing: every validation is 0 % right, and the newest weights are the ones to keep.
TEST(Train, AmongEquallyGoodWeightsTheNewestAreKept) {
  const TemporaryFolder folder;
  train_in(folder / "run");
  const TensorMap kept = load_checkpoint(folder / "run" / "checkpoint").tensors,
                  state = read_safetensors(folder / "run" / "state.safetensors");
  for (const char* name : {"model.decoder.embed_tokens.weight", "model.decoder.norm.weight"})
    EXPECT_TRUE(kept.at(name).equal(state.at(std::string("average/").append(name)))) << name;
}

// Deleted by a user, or lost between two writes.
TEST(Train, ResumingMakesGoodWhatIsMissing) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run";
  std::ostringstream out;
  train_in(run);
  const TensorMap kept = load_checkpoint(run / "checkpoint").tensors;
  std::filesystem::remove(run / "metrics.h5");
  std::filesystem::rename(run / "checkpoint", run / "checkpoint.old");  // killed in the midst of replacing it
  EXPECT_EQ(resume_training(run, {}, out), 0);
  EXPECT_TRUE(std::filesystem::exists(run / "metrics.h5"));
  EXPECT_FALSE(std::filesystem::exists(run / "checkpoint.old"));
  // The last validation was among the best: its weights are in the saved state as well.
  std::filesystem::rename(run / "checkpoint", folder / "taken");
  testing::internal::CaptureStderr();
  EXPECT_EQ(resume_training(run, {}, out), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("run/checkpoint is missing or damaged, and the best weights so far are lost with it; "
                        "those of step 6 take their place"));
  for (const auto& [name, tensor] : load_checkpoint(run / "checkpoint").tensors)
    EXPECT_TRUE(tensor.equal(kept.at(name))) << name;
  std::filesystem::rename(run / "state.safetensors", folder / "state");
  try {
    resume_training(run, {}, out);
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("state.safetensors is missing"));
  }
}

TEST(Train, LostWeightsAreNotTheBestAnyMore) {
  TrainingLog log;
  ValidationReport report;
  report.samples = report.graded = 4;
  const auto validate = [&](std::int64_t step, int right) {
    report.right = right;
    log.add(step, report);
  };
  EXPECT_FALSE(log.kept());
  validate(1, 3), validate(2, 2);
  EXPECT_EQ(log.kept()->quality, 0.75);
  log.lose_kept_weights();
  EXPECT_FALSE(log.kept());
  validate(3, 1);
  TrainingLog loaded;
  loaded.load(log.state());
  EXPECT_EQ(loaded.kept()->quality, 0.25);
}

TEST(Train, RefusesToResumeWhatIsNoTraining) {
  const TemporaryFolder folder;
  std::ostringstream out;
  EXPECT_THROW(resume_training(folder / "nothing", {}, out), ConfigurationError);
  train_in(folder / "run");
  EXPECT_THROW(resume_training(folder / "run", {"seed=2"}, out), ConfigurationError);
  const auto lock = FolderLock::try_lock(folder / "run" / "training.lock");
  EXPECT_THROW(resume_training(folder / "run", {}, out), ConfigurationError);  // somebody is at it
}

}  // namespace
}  // namespace canvaslab
