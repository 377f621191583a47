// A batch in parts on several threads has the gradient of the whole, the balance included.
#include "experiments/training/batch_gradient.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "experiments/training/trainer.h"
#include "models/gemma4/initial_weights.h"
#include "tests/experiments/training/small_training.h"

namespace canvaslab {
namespace {

class Threads {
 public:
  explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { at::set_num_threads(before_); }

 private:
  int before_;
};

struct Made {
  explicit Made(const std::vector<std::string>& more)
      : config(train_config(small_training(more))),
        parts(config.initial->make(*config.task, 3)),
        trainer(config) {
    for (auto& [name, tensor] : parts.weights) {
      tensor = tensor * 3;
      if (!is_trained(name)) continue;
      tensor.set_requires_grad(true);
      parameters.push_back(tensor);
    }
    denoiser = std::make_unique<gemma4::Gemma4Denoiser>(
        Checkpoint{parts.config, parts.generation, parts.weights, {}},
        gemma4::DenoiserOptions{.precision = gemma4::Precision::kFloat32});
    rows = trainer.batch_maker().rows(0, 13, 0, 13);
  }

  BatchGradient gradient(int threads, std::int64_t round = 13) const {
    const Threads set(threads);
    const Objective objective{*denoiser, config.training, *config.noise, trainer.vocabulary()};
    return batch_gradient(objective, parameters, rows, BatchTotals(rows, config.training.weighting), round,
                          Processes::single());
  }

  TrainConfig config;
  ModelParts parts;
  Trainer trainer;
  std::vector<at::Tensor> parameters;
  std::unique_ptr<gemma4::Gemma4Denoiser> denoiser;
  std::vector<TrainingRow> rows;
};

void expect_alike(const BatchGradient& one, const BatchGradient& other) {
  EXPECT_NEAR(one.loss, other.loss, 1e-5);
  EXPECT_NEAR(one.balance, other.balance, 1e-5);
  ASSERT_EQ(one.gradients.size(), other.gradients.size());
  for (size_t i = 0; i < one.gradients.size(); ++i) {
    const double largest = one.gradients[i].abs().max().item<double>();
    EXPECT_LE((one.gradients[i] - other.gradients[i]).abs().max().item<double>(), 1e-5 + 1e-4 * largest) << i;
  }
}

TEST(BatchGradient, PartsOnThreadsAddUpToTheWhole) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"noise=uniform", "training.balance_weight=3"},
                                             {"noise=masked", "training.causal_weight=0"},
                                             {"noise=uniform", "training.weighting=inverse_time"}}) {
    const Made made(more);
    const BatchGradient whole = made.gradient(1);
    expect_alike(whole, made.gradient(2));
    expect_alike(whole, made.gradient(3));
  }
}

TEST(BatchGradient, TheSameThreadsGiveTheSameBits) {
  const Made made({});
  const BatchGradient one = made.gradient(3), two = made.gradient(3);
  EXPECT_EQ(one.loss, two.loss);
  for (size_t i = 0; i < one.gradients.size(); ++i) EXPECT_TRUE(one.gradients[i].equal(two.gradients[i]));
}

// Rounds share denoising and causal loss exactly; the balance is each round's own.
TEST(BatchGradient, RoundsAddUpWhereTheBalanceDoesNotCount) {
  const Made made({"training.balance_weight=0"});
  const BatchGradient whole = made.gradient(1);
  for (const std::int64_t round : {1, 5, 12}) {
    const BatchGradient parts = made.gradient(2, round);
    EXPECT_NEAR(parts.denoising, whole.denoising, 1e-5);
    EXPECT_NEAR(parts.causal, whole.causal, 1e-5);
    for (size_t i = 0; i < whole.gradients.size(); ++i)
      EXPECT_TRUE(at::allclose(parts.gradients[i], whole.gradients[i], 1e-3, 1e-5)) << i;
  }
}

TEST(BatchGradient, PartsAreNeitherTooSmallNorTooBig) {
  EXPECT_EQ(parts_of(32, 2, 1'000'000), 2);
  EXPECT_EQ(parts_of(32, 64, 1'000'000), 8);  // four rows each
  EXPECT_EQ(parts_of(3, 4, 1'000'000), 1);
  EXPECT_EQ(parts_of(1, 1, 1), 1);
  EXPECT_EQ(parts_of(32, 16, 4'000'000'000), 1);  // 16 gradients of 16 GB
}

}  // namespace
}  // namespace canvaslab
