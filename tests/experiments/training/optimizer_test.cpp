// AdamW against its formulas in float64, the learning rate, clipping, the average, and what is kept of it.
#include "experiments/training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace canvaslab {
namespace {

// arXiv 1711.05101, algorithm 2, for one number.
struct ByHand {
  double value, first = 0, second = 0, average = 0;
  int steps = 0;

  void step(double gradient, double rate, const TrainingConfig& c, bool decays) {
    ++steps;
    if (decays) value -= rate * c.weight_decay * value;
    first = c.beta1 * first + (1 - c.beta1) * gradient;
    second = c.beta2 * second + (1 - c.beta2) * gradient * gradient;
    const double mean = first / (1 - std::pow(c.beta1, steps)),
                 square = second / (1 - std::pow(c.beta2, steps));
    value -= rate * mean / (std::sqrt(square) + c.epsilon);
    const double decay = std::min(c.average, (1.0 + steps) / (10 + steps));
    average = decay * average + (1 - decay) * value;
  }
};

TensorMap leaves() {
  TensorMap all{{"model.decoder.layers.0.mlp.up_proj.weight", at::tensor({1.0F, -2.0F})},
                {"model.decoder.norm.weight", at::tensor({0.5F})}};
  for (auto& [name, tensor] : all) tensor.set_requires_grad(true);
  return all;
}

// scale for the first leaf, -3 scale for the second.
std::vector<at::Tensor> gradients(float scale) {
  return {at::full({2}, scale), at::full({1}, -3 * scale)};
}

TEST(Optimizer, IsAdamWWithDecoupledDecay) {
  TrainingConfig config;
  config.weight_decay = 0.1, config.average = 0.9, config.clip = 1e9;
  TensorMap all = leaves();
  Optimizer optimizer(all, config);
  std::vector<ByHand> expected{
      {.value = 1.0, .average = 1.0}, {.value = -2.0, .average = -2.0}, {.value = 0.5, .average = 0.5}};
  for (int step = 0; step < 25; ++step) {
    const float scale = 0.1F * static_cast<float>(step % 7 - 3);
    optimizer.step(gradients(scale), 0.01);
    expected[0].step(scale, 0.01, config, true);
    expected[1].step(scale, 0.01, config, true);
    expected[2].step(-3.0 * scale, 0.01, config, false);  // a norm does not decay
  }
  const at::Tensor matrix = all.begin()->second, norm = all.rbegin()->second;
  EXPECT_NEAR(matrix[0].item<double>(), expected[0].value, 1e-5);
  EXPECT_NEAR(matrix[1].item<double>(), expected[1].value, 1e-5);
  EXPECT_NEAR(norm[0].item<double>(), expected[2].value, 1e-5);
  EXPECT_NEAR(optimizer.averages().begin()->second[1].item<double>(), expected[1].average, 1e-5);
}

TEST(Optimizer, ClipsTheWholeGradient) {
  TrainingConfig config;
  config.clip = 1, config.beta1 = 0, config.beta2 = 0, config.weight_decay = 0;
  config.epsilon = 1;  // so that the step shows the gradient's size: g / (|g| + 1)
  TensorMap all = leaves();
  Optimizer optimizer(all, config);
  // 3, 3 and -9: norm sqrt(99)
  EXPECT_NEAR(optimizer.step(gradients(3), 1), std::sqrt(99.0), 1e-5);
  const double g = 3 / std::sqrt(99.0);
  EXPECT_NEAR(all.begin()->second[0].item<double>(), 1 - g / (g + 1), 1e-5);
}

TEST(Optimizer, AGradientThatIsNotFiniteChangesNothing) {
  TensorMap all = leaves();
  Optimizer optimizer(all, {});
  EXPECT_FALSE(std::isfinite(optimizer.step(gradients(std::numeric_limits<float>::quiet_NaN()), 0.1)));
  EXPECT_EQ(all.begin()->second[0].item<float>(), 1.0F);
}

TEST(Optimizer, ItsStateIsAllThereIs) {
  TensorMap one = leaves(), two = leaves();
  Optimizer first(one, {});
  for (int step = 0; step < 3; ++step) first.step(gradients(0.2F), 0.01);
  TensorMap kept;
  for (const auto& [name, tensor] : first.state()) kept[name] = tensor.clone();
  Optimizer second(two, {});
  second.load(kept);
  first.step(gradients(0.7F), 0.01);
  second.step(gradients(0.7F), 0.01);
  const TensorMap a = first.state(), b = second.state();
  for (const auto& [name, tensor] : a) EXPECT_TRUE(tensor.equal(b.at(name))) << name;
}

TEST(LearningRate, RisesLinearlyThenFallsAsAHalfCosine) {
  TrainingConfig config;
  config.learning_rate = 2, config.warmup_steps = 4, config.steps = 12;
  EXPECT_DOUBLE_EQ(learning_rate(config, 0), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(config, 3), 2);
  EXPECT_DOUBLE_EQ(learning_rate(config, 7), 1);  // half way down
  EXPECT_NEAR(learning_rate(config, 11), 0, 1e-12);
  config.rate_schedule = RateSchedule::kConstant;
  EXPECT_DOUBLE_EQ(learning_rate(config, 11), 2);
  config.warmup_steps = 0;
  EXPECT_DOUBLE_EQ(learning_rate(config, 0), 2);
}

}  // namespace
}  // namespace canvaslab
