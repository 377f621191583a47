// The bound of uniform noise against what it must be: the data's entropy where predictions are exact, more
// where they are not, the limit of the bound in discrete time; and the tiled form with its gradient against
// the definition.
#include "models/uniform_elbo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/exact/exact_denoiser.h"
#include "models/exact/probabilities.h"
#include "models/exact/quadrature.h"
#include "tests/models/exact/random_models.h"

namespace canvaslab {
namespace {

// p(z | x) is this much larger for x = z than for any other x; the shift takes it out.
double shift_of(double alpha, double ids) {
  return -std::log((alpha + (1 - alpha) / ids) * ids / (1 - alpha));
}

using Function = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const UniformElboPositions&,
                                const VocabularyLossOptions&);

at::Tensor whole(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

// The linear schedule: alpha = 1 - t, -alpha' = 1. Full posteriors [L, K] of one canvas.
double bound_of(Function bound, const std::vector<double>& full, const std::vector<TokenId>& clean,
                const std::vector<TokenId>& noisy, double t, int symbols) {
  const auto length = static_cast<std::int64_t>(clean.size());
  const at::Tensor logits = at::log(whole(full)).reshape({length, symbols});
  const auto ids = [](const std::vector<TokenId>& tokens) {
    return at::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end()), at::kLong);
  };
  const at::Tensor ones = at::ones({length}, at::kDouble);
  const bool narrow = bound == uniform_elbo;
  return bound(narrow ? logits.to(at::kFloat) : logits, at::eye(symbols, narrow ? at::kFloat : at::kDouble),
               {.clean = ids(clean),
                .noisy = ids(noisy),
                .survival = ones * (1 - t),
                .rate = ones,
                .current_shift = ones * shift_of(1 - t, symbols)},
               {.softcap = {}, .suppressed = {}, .tile = 2})
      .sum()
      .to(at::kDouble)
      .item<double>();
}

// p(z | x) of whole canvases.
double noise_law(const std::vector<TokenId>& z, const std::vector<TokenId>& x, double alpha, double ids) {
  double p = 1;
  for (size_t i = 0; i < x.size(); ++i) p *= (z[i] == x[i] ? alpha : 0) + (1 - alpha) / ids;
  return p;
}

// Scales every `symbols` values to sum to 1.
std::vector<double> normalised(std::vector<double> values, int symbols) {
  normalise_rows(values, static_cast<size_t>(symbols), "the test");
  return values;
}

// A toy: every clean and noisy canvas, every time. Predictions are the exact ones with a share of `wrong` of
// another fixed leave-one-out prediction.
struct Toy {
  Toy(int symbols_, int length, unsigned seed, double wrong_ = 0)
      : random(seed),
        symbols(symbols_),
        table(std::make_shared<TableModel>(random_table(symbols_, length, random))),
        denoiser(table, {.corruption = Corruption::kUniform, .noise_level = NoiseLevel::kSchedule}),
        wrong(wrong_),
        other(normalised(random_values(static_cast<size_t>(symbols_), random), symbols_)) {}

  // p(x_i | z without z_i), [L, K].
  std::vector<double> leave_one_out(const std::vector<TokenId>& z, double alpha) const {
    std::vector<double> p =
        normalised(with_shift(denoiser.distribution(z, alpha), z, shift_of(alpha, symbols)), symbols);
    for (size_t i = 0; i < p.size(); ++i) p[i] = (1 - wrong) * p[i] + wrong * other[i % other.size()];
    return p;
  }

  // p(x_i | z), [L, K].
  std::vector<double> full(const std::vector<TokenId>& z, double alpha) const {
    return normalised(with_shift(leave_one_out(z, alpha), z, -shift_of(alpha, symbols)), symbols);
  }

  std::vector<double> with_shift(std::vector<double> p, const std::vector<TokenId>& z, double shift) const {
    for (size_t i = 0; i < z.size(); ++i)
      p[i * static_cast<size_t>(symbols) + static_cast<size_t>(z[i])] *= std::exp(shift);
    return p;
  }

  // E over clean and noisy canvases of the integrand at t.
  double integrand(Function bound, double t) const {
    double sum = 0;
    for (const std::vector<TokenId>& z : all_sequences(symbols, table->length())) {
      const std::vector<double> predicted = full(z, 1 - t);
      for (const TableModel::Row& row : table->rows())
        sum += row.weight * noise_law(z, row.sequence, 1 - t, symbols) *
               bound_of(bound, predicted, row.sequence, z, t, symbols);
    }
    return sum;
  }

  // Over t in (0, 1), with t = u^3: the integrand has a logarithm at 0.
  double integral(Function bound, int nodes) const {
    double sum = 0;
    for (const QuadratureNode& node : gauss_legendre(nodes))
      sum += node.weight * 3 * node.place * node.place * integrand(bound, std::pow(node.place, 3));
    return sum;
  }

  std::mt19937 random;
  int symbols;
  std::shared_ptr<TableModel> table;
  ExactDenoiser denoiser;
  double wrong;
  std::vector<double> other;
};

TEST(UniformElbo, WithExactPredictionsItIsTheEntropyOfTheData) {
  for (const int length : {1, 2}) {
    const Toy toy(3, length, 1);
    EXPECT_NEAR(toy.integral(uniform_elbo_reference, 40), *toy.table->entropy(), 1e-6) << length;
    EXPECT_NEAR(toy.integral(uniform_elbo, 40), *toy.table->entropy(), 1e-5) << length;
  }
}

TEST(UniformElbo, WithWrongPredictionsItIsMore) {
  double before = *Toy(3, 2, 1).table->entropy();
  for (const double wrong : {0.1, 0.4, 0.8}) {
    const double bound = Toy(3, 2, 1, wrong).integral(uniform_elbo_reference, 40);
    EXPECT_GT(bound, before + 1e-3) << wrong;
    before = bound;
  }
}

// One step from t to s in discrete time, D3PM (arXiv 2107.03006): the divergence of the law of z_s given the
// clean token from the law that the prediction p gives. p(z_t | z_s) has the survival ratio alpha_t /
// alpha_s.
double step_divergence(const std::vector<double>& p, size_t x, size_t z, double t, double s) {
  const auto ids = static_cast<double>(p.size());
  const double ratio = (1 - t) / (1 - s);
  std::vector<double> truth, model;
  double truth_sum = 0, model_sum = 0;
  for (size_t v = 0; v < p.size(); ++v) {
    const double forward = (v == z ? ratio : 0) + (1 - ratio) / ids;
    truth.push_back(forward * ((v == x ? 1 - s : 0) + s / ids));
    model.push_back(forward * (p[v] * (1 - s) + s / ids));
    truth_sum += truth.back(), model_sum += model.back();
  }
  double divergence = 0;
  for (size_t v = 0; v < p.size(); ++v)
    divergence += truth[v] / truth_sum * std::log(truth[v] / truth_sum / (model[v] / model_sum));
  return divergence;
}

// A random leave-one-out prediction and the full posterior that belongs to it.
struct RandomPrediction {
  std::vector<double> leave_one_out, full;

  RandomPrediction(size_t symbols, size_t z, double alpha, std::mt19937& random)
      : leave_one_out(random_values(symbols, random)) {
    double sum = 0;
    for (const double p : leave_one_out) sum += p;
    for (double& p : leave_one_out) p /= sum;
    full = leave_one_out;
    full[z] *= std::exp(-shift_of(alpha, static_cast<double>(symbols)));
  }
};

TEST(UniformElbo, IsTheLimitOfTheBoundInDiscreteTime) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0.05, 0.95);
  for (int trial = 0; trial < 60; ++trial) {
    const auto symbols = static_cast<size_t>(2 + trial % 4);
    const double t = unit(random), step = 1e-4;
    const size_t x = random() % symbols, z = trial % 3 == 0 ? x : random() % symbols;
    const RandomPrediction made(symbols, z, 1 - t, random);
    // The error of a step of d is of order d: twice the rate at d / 2 less the rate at d leaves order d^2.
    const double fine = step_divergence(made.leave_one_out, x, z, t, t - step / 2) / (step / 2),
                 coarse = step_divergence(made.leave_one_out, x, z, t, t - step) / step;
    const double limit = 2 * fine - coarse;
    for (const Function bound : {uniform_elbo, uniform_elbo_reference}) {
      const double mine = bound_of(bound, made.full, {static_cast<TokenId>(x)}, {static_cast<TokenId>(z)}, t,
                                   static_cast<int>(symbols));
      EXPECT_NEAR(mine, limit, 1e-5 * std::max(1.0, limit)) << symbols << " " << t << " " << x << " " << z;
      EXPECT_GT(mine, 0);
    }
  }
}

// The bound of N steps in discrete time, over every clean and noisy canvas. The last step ends in clean
// tokens: what it costs is -log p(x | z).
double discrete_bound(const Toy& toy, int steps) {
  const auto width = static_cast<size_t>(toy.symbols);
  double sum = 0;
  for (int i = 1; i <= steps; ++i) {
    // alpha = 0 leaves nothing to predict from, and no shift: just before it.
    const double t = std::min(static_cast<double>(i) / steps, 1 - 1e-12);
    const double s = static_cast<double>(i - 1) / steps;
    for (const std::vector<TokenId>& canvas : all_sequences(toy.symbols, toy.table->length())) {
      const std::vector<double> p = toy.leave_one_out(canvas, 1 - t), full = toy.full(canvas, 1 - t);
      for (const TableModel::Row& row : toy.table->rows()) {
        double cost = 0;
        for (size_t place = 0; place < canvas.size(); ++place) {
          const auto x = static_cast<size_t>(row.sequence[place]), z = static_cast<size_t>(canvas[place]);
          const auto first = p.begin() + static_cast<std::ptrdiff_t>(place * width);
          cost += i == 1 ? -std::log(full[place * width + x])
                         : step_divergence({first, first + toy.symbols}, x, z, t, s);
        }
        sum += row.weight * noise_law(canvas, row.sequence, 1 - t, toy.symbols) * cost;
      }
    }
  }
  return sum;
}

// A single position's sum is the same for every number of steps: the model's jumps are those of a process
// that starts from its prediction.
TEST(UniformElbo, TheSumOverManyStepsComesToTheIntegral) {
  const Toy one(3, 1, 4, 0.3), two(3, 2, 4, 0.3);
  EXPECT_NEAR(discrete_bound(one, 50), one.integral(uniform_elbo_reference, 60), 1e-8);
  const double integral = two.integral(uniform_elbo_reference, 40);
  const double coarse = discrete_bound(two, 20), fine = discrete_bound(two, 1000);
  EXPECT_GT(coarse, fine);
  EXPECT_GT(fine, integral);
  EXPECT_LT(fine - integral, (coarse - integral) / 20);
  EXPECT_NEAR(fine, integral, 1e-3);
}

TEST(UniformElbo, IsNothingWhereThePredictionIsCertainAndRight) {
  for (const TokenId z : {0, 1}) {
    const std::vector<double> full{1, 1e-30, 1e-30};
    EXPECT_NEAR(bound_of(uniform_elbo, full, {0}, {z}, 0.3, 3), 0, 1e-6);
    EXPECT_NEAR(bound_of(uniform_elbo_reference, full, {0}, {z}, 0.3, 3), 0, 1e-12);
  }
}

struct Gradients {
  at::Tensor loss, hidden, output;
};

Gradients differentiate(Function bound, const at::Tensor& hidden, const at::Tensor& output,
                        const UniformElboPositions& positions, const at::Tensor& weights,
                        const VocabularyLossOptions& options) {
  const at::Tensor h = hidden.clone().set_requires_grad(true), o = output.clone().set_requires_grad(true);
  const at::Tensor values = bound(h, o, positions, options);
  (values * weights.to(values.scalar_type())).sum().backward();
  return {values.detach(), h.grad(), o.grad()};
}

UniformElboPositions random_positions(std::int64_t count, std::int64_t vocabulary) {
  const at::Tensor clean = at::randint(0, vocabulary, {count}, at::kLong);
  const at::Tensor kept = at::rand({count}) < 0.5;
  // Levels from nearly clean to nearly pure noise.
  const at::Tensor t = at::cat({at::tensor({1e-5, 1e-3, 0.999, 0.99999}, at::kDouble),
                                at::rand({count - 4}, at::kDouble) * 0.98 + 0.01});
  const double ids = static_cast<double>(vocabulary);
  return {.clean = clean,
          .noisy = at::where(kept, clean, at::randint(0, vocabulary, {count}, at::kLong)),
          .survival = 1 - t,
          .rate = at::rand({count}, at::kDouble) + 0.5,
          .current_shift = -at::log((1 - t + t / ids) * ids / t)};
}

void expect_same(std::int64_t vocabulary, double sharpness, const VocabularyLossOptions& options) {
  at::manual_seed(vocabulary);
  const std::int64_t count = 12;
  const at::Tensor hidden = at::randn({count, 6}) * sharpness, output = at::randn({vocabulary, 6});
  const UniformElboPositions positions = random_positions(count, vocabulary);
  // Near t = 0 the integrand is as large as 1 / t.
  const at::Tensor weights = at::rand({count}, at::kDouble) * (1 - positions.survival);
  const Gradients mine = differentiate(uniform_elbo, hidden, output, positions, weights, options);
  const Gradients theirs = differentiate(uniform_elbo_reference, hidden, output, positions, weights, options);
  EXPECT_LE(((mine.loss - theirs.loss) * weights).abs().max().item<double>(), 2e-5);
  const auto expect_close = [](const at::Tensor& a, const at::Tensor& b) {
    EXPECT_LE((a - b).abs().max().item<double>(), 2e-5 * std::max(1.0, b.abs().max().item<double>()));
  };
  expect_close(mine.hidden, theirs.hidden);
  expect_close(mine.output, theirs.output);
}

TEST(UniformElbo, TilesAgreeWithTheDefinitionAtOddSizes) {
  for (const std::int64_t vocabulary : {2, 7, 65, 1000}) {
    for (const std::int64_t tile : {1, 7, 64, 4096}) {
      if (vocabulary / tile > 200) continue;
      for (const std::optional<double> cap : {std::optional<double>(), std::optional<double>(30.0)}) {
        for (const double sharpness : {0.1, 2.0}) {
          SCOPED_TRACE(testing::Message() << vocabulary << " by " << tile << " at " << sharpness);
          expect_same(vocabulary, sharpness, {.softcap = cap, .suppressed = {}, .tile = tile});
        }
      }
    }
  }
}

TEST(UniformElbo, TheGradientIsThatOfFiniteDifferences) {
  at::manual_seed(8);
  const at::Tensor hidden = at::randn({8, 4}), output = at::randn({6, 4});
  UniformElboPositions positions = random_positions(8, 6);
  const at::Tensor weights = 1 - positions.survival;
  const VocabularyLossOptions options{.softcap = 3.0, .suppressed = {}, .tile = 4};
  const Gradients mine = differentiate(uniform_elbo, hidden, output, positions, weights, options);
  const auto loss = [&](const at::Tensor& h, const at::Tensor& o) {
    return (uniform_elbo_reference(h, o, positions, options) * weights).sum().item<double>();
  };
  const double step = 1e-5;
  const auto expect_slopes = [&](const at::Tensor& x, const at::Tensor& gradient, const auto& at_place) {
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      for (std::int64_t j = 0; j < x.size(1); ++j) {
        at::Tensor up = x.to(at::kDouble, false, true), down = up.clone();
        up[i][j] += step, down[i][j] -= step;
        const double slope = (at_place(up) - at_place(down)) / (2 * step);
        EXPECT_NEAR(gradient[i][j].item<double>(), slope, 1e-5 * std::max(1.0, std::abs(slope)));
      }
    }
  };
  expect_slopes(hidden, mine.hidden, [&](const at::Tensor& h) { return loss(h, output); });
  expect_slopes(output, mine.output, [&](const at::Tensor& o) { return loss(hidden, o); });
}

}  // namespace
}  // namespace canvaslab
