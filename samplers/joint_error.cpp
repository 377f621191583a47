#include "samplers/joint_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "models/exact/probabilities.h"
#include "models/exact/statistics.h"
#include "samplers/current_shift.h"
#include "samplers/suppressed_ids.h"

namespace canvaslab {
namespace {

class KeyedDraws : public SelectionDraws {
 public:
  KeyedDraws(Random& random, const StreamKey& key) : random_(random), key_(key) {}
  double uniform(int position, int number) override {
    used = true;
    return random_.selection(key_, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(number));
  }

  bool used = false;

 private:
  Random& random_;
  StreamKey key_;
};

// The loop of one canvas, with the true sequence in place of what is drawn.
class TruePath {
 public:
  TruePath(const ExactDenoiser& denoiser, const Rules& rules, int steps, std::span<const TokenId> truth)
      : denoiser_(denoiser),
        rules_(rules),
        steps_(steps),
        truth_(truth),
        suppressed_(suppressed_ids(rules.noise, rules.vocabulary, {})),
        canvas_(truth.size(), *rules.vocabulary.mask),
        log_visible_(evidence_of(canvas_)) {}

  JointErrorStep step(int index, SelectionDraws& draws) {
    const std::vector<std::uint8_t> undecided = open();
    const StepTime time{index, steps_};
    const double now = survival(index);
    const RowQuery query{.context = nullptr,
                         .canvas = canvas_,
                         .temperature = rules_.temperature.at(time),
                         .uniforms = {},
                         .given = truth_,
                         .current_shift = current_shift(denoiser_, rules_, now),
                         .survival = now};
    const PassOptions options{
        .suppressed = suppressed_, .filter = {}, .raw_probability = rules_.selection.needs().raw_probability};
    const std::vector<double> distribution = denoiser_.distribution(canvas_, now);
    StepRecord record;
    record.time = time, record.canvas = canvas_, record.temperature = query.temperature;
    record.prediction = statistics_of(distribution, query, options);
    record.decision.assign(canvas_.size(), Decision::kKeep);
    const SelectionInput input{
        .canvas = record.canvas,
        .prediction = record.prediction,
        .undecided = undecided,
        .time = time,
        .history = history_,
        .editable = {},
        .temperature = query.temperature,
        .survival = {now, survival(std::min(index + 1, steps_))},
        .noise = &rules_.noise,
        .vocabulary = &rules_.vocabulary,
        .draws = &draws,
    };
    rules_.selection.decide(input, record.decision);
    JointErrorStep result = reveal(record, undecided, distribution, query, options);
    record.next_canvas = canvas_;
    history_.push_back(std::move(record));
    const std::vector<std::uint8_t> left = open();
    const bool complete = std::find(left.begin(), left.end(), 1) == left.end();
    stopped_ = complete || index + 1 == steps_ || rules_.stopping.check(history_).stop;
    if (stopped_ && !complete) result.error += take_most_probable(left);
    return result;
  }

  bool stopped() const { return stopped_; }

 private:
  std::vector<std::uint8_t> open() const {
    std::vector<std::uint8_t> flags;
    for (const TokenId token : canvas_)
      flags.push_back(rules_.noise.undecided(token, rules_.vocabulary) ? 1 : 0);
    return flags;
  }

  double survival(int index) const {
    return rules_.noise_schedule.survival(StepTime{index, steps_}.remaining());
  }

  double evidence_of(const std::vector<TokenId>& canvas) const {
    const JointModel& model = denoiser_.model();
    return model.posterior(seen_evidence(canvas, static_cast<size_t>(model.symbols()))).log_evidence;
  }

  JointErrorStep reveal(const StepRecord& record, const std::vector<std::uint8_t>& undecided,
                        const std::vector<double>& distribution, const RowQuery& query,
                        const PassOptions& options) {
    const size_t width = distribution.size() / record.canvas.size();
    JointErrorStep result;
    double apart = 0, largest = 0;
    for (size_t i = 0; i < record.canvas.size(); ++i) {
      const Decision decision = record.decision[i];
      if (undecided[i] == 0 || decision == Decision::kKeep || decision == Decision::kRenoise) continue;
      const std::vector<double> drawn_from =
          tempered(std::span(distribution).subspan(i * width, width), record.canvas[i], query.temperature,
                   query.current_shift, options);
      const bool certain = decision == Decision::kCommitArgmax;
      const double q = certain ? (record.prediction.argmax[i] == truth_[i] ? 1 : 0)
                               : drawn_from[static_cast<size_t>(truth_[i])];
      apart += std::log(q);
      const double entropy = certain ? 0 : entropy_of(drawn_from);
      result.bound += entropy;
      largest = std::max(largest, entropy);
      canvas_[i] = truth_[i];
      ++result.revealed;
    }
    result.bound -= largest;
    if (result.revealed == 0) return result;
    const double visible = evidence_of(canvas_);
    result.error = visible - log_visible_ - apart;
    log_visible_ = visible;
    return result;
  }

  // What is open at the end is not drawn: right or wrong for certain.
  double take_most_probable(const std::vector<std::uint8_t>& left) {
    bool right = true;
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] == 0) continue;
      right = right && history_.back().prediction.argmax[i] == truth_[i];
      canvas_[i] = truth_[i];
    }
    return right ? evidence_of(canvas_) - log_visible_ : std::numeric_limits<double>::infinity();
  }

  const ExactDenoiser& denoiser_;
  const Rules& rules_;
  int steps_;
  std::span<const TokenId> truth_;
  std::vector<TokenId> suppressed_, canvas_;
  double log_visible_;  // log p of what is visible
  History history_;
  bool stopped_ = false;
};

}  // namespace

double JointError::total() const {
  double sum = 0;
  for (const JointErrorStep& step : steps) sum += step.error;
  return sum;
}

double JointError::bound() const {
  double sum = 0;
  for (const JointErrorStep& step : steps) sum += step.bound;
  return sum;
}

bool has_joint_error(const ExactDenoiser& denoiser, const Rules& rules) {
  return denoiser.settings().corruption == Corruption::kMasked && !rules.selection.needs().edits &&
         !rules.selection.looks_at_draw(rules.noise);
}

JointError joint_error(const ExactDenoiser& denoiser, const Rules& rules, int steps,
                       std::span<const TokenId> truth, Random& random, std::uint64_t sample) {
  denoiser.check_noise(rules.noise.prior(rules.vocabulary));
  check_prediction_kind(denoiser, rules);
  if (!has_joint_error(denoiser, rules)) {
    throw ConfigurationError(
        "the divergence from the truth is known for samplers that only reveal: use noise=masked and a rule "
        "that neither edits nor looks at what was sampled");
  }
  TruePath path(denoiser, rules, steps, truth);
  JointError result;
  for (int step = 0; step < steps && !path.stopped(); ++step) {
    KeyedDraws draws(random, {sample, 0, static_cast<std::uint32_t>(step)});
    result.steps.push_back(path.step(step, draws));
    result.random = result.random || draws.used;
  }
  return result;
}

std::vector<TokenId> draw_sequence(const JointModel& model, std::span<const double> uniforms) {
  const auto symbols = static_cast<size_t>(model.symbols());
  std::vector<double> evidence(uniforms.size() * symbols, 1.0);
  std::vector<TokenId> sequence;
  for (size_t i = 0; i < uniforms.size(); ++i) {
    const Posterior posterior = model.posterior(evidence);
    double cumulative = 0;
    size_t drawn = 0;
    for (size_t v = 0; v < symbols; ++v) {
      const double p = posterior.marginals[i * symbols + v];
      if (p == 0) continue;
      drawn = v;
      cumulative += p;
      if (cumulative > uniforms[i]) break;
    }
    sequence.push_back(static_cast<TokenId>(drawn));
    const auto row = evidence.begin() + static_cast<std::ptrdiff_t>(i * symbols);
    std::fill_n(row, symbols, 0.0);
    row[static_cast<std::ptrdiff_t>(drawn)] = 1;
  }
  return sequence;
}

}  // namespace canvaslab
