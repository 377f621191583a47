#include "samplers/row.h"

#include <algorithm>
#include <numeric>

namespace canvaslab {
namespace {

bool contains(const std::vector<TokenId>& ids, TokenId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Ids that are not committed unless they were given: noise only, or suppressed by the configuration.
std::vector<TokenId> never_committed(const Rules& rules, const SamplerConfig& config) {
  std::vector<TokenId> ids = rules.noise.suppressed(rules.vocabulary);
  ids.insert(ids.end(), config.suppress.begin(), config.suppress.end());
  return ids;
}

// A row's own stream, step by step.
class RowDraws : public SelectionDraws {
 public:
  RowDraws(Random& random, const StreamKey& key) : random_(random), key_(key) {}

  double uniform(int position, int number) override {
    return random_.selection(key_, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(number));
  }

 private:
  Random& random_;
  StreamKey key_;
};

}  // namespace

Row::Row(const SampleRequest& request, int max_canvases)
    : request_(&request), max_canvases_(max_canvases), started_(std::chrono::steady_clock::now()) {}

void Row::next_canvas() {
  ++canvas_index_;
  step_ = canvas_steps_ = 0;
}

void Row::begin_canvas(std::vector<TokenId> canvas, const Rules& rules, const SamplerConfig& config) {
  canvas_ = std::move(canvas);
  committed_.clear();
  history_.clear();
  stopped_ = false;
  denoise_seconds_ = 0;
  accepted_.assign(canvas_.size(), 0);
  never_committed_ = never_committed(rules, config);
  refresh_undecided(rules, config);
}

void Row::refresh_undecided(const Rules& rules, const SamplerConfig& config) {
  undecided_.resize(canvas_.size());
  editable_.assign(canvas_.size(), 0);
  const bool edits = rules.selection.needs().edits;
  for (size_t i = 0; i < canvas_.size(); ++i) {
    const bool locked =
        fixed(i) || (config.lock_committed && accepted_[i] != 0 && !contains(never_committed_, canvas_[i]));
    undecided_[i] = !locked && rules.noise.undecided(canvas_[i], rules.vocabulary) ? 1 : 0;
    editable_[i] = edits && undecided_[i] == 0 && !fixed(i) ? 1 : 0;
  }
}

// What cannot change any more is known: its entropy is 0, and it is its own prediction.
void Row::make_locked_positions_certain(Prediction& p) const {
  for (size_t i = 0; i < canvas_.size(); ++i) {
    if (undecided_[i] != 0 || editable_[i] != 0) continue;
    p.argmax[i] = p.sampled[i] = canvas_[i];
    p.entropy[i] = 0;
    p.confidence[i] = p.margin[i] = p.sampled_probability[i] = p.current_probability[i] = 1;
    if (!p.raw_sampled_probability.empty()) p.raw_sampled_probability[i] = 1;
  }
}

SelectionInput Row::input(const StepRecord& record, const Rules& rules, SelectionDraws& draws) const {
  const StepTime& time = record.time;
  const auto survival = [&](int step) {
    return rules.noise_schedule.survival(static_cast<double>(time.count - step) / time.count);
  };
  return {.canvas = canvas_,
          .prediction = record.prediction,
          .undecided = undecided_,
          .time = time,
          .history = history_,
          .editable = editable_,
          .temperature = record.temperature,
          .survival = {survival(time.index), survival(std::min(time.index + 1, time.count))},
          .noise = &rules.noise,
          .vocabulary = &rules.vocabulary,
          .draws = &draws};
}

void Row::decide(StepRecord& record, const Rules& rules, SelectionDraws& draws) const {
  record.decision.assign(canvas_.size(), Decision::kKeep);
  rules.selection.decide(input(record, rules, draws), record.decision);
  for (size_t i = 0; i < canvas_.size(); ++i) {
    if (undecided_[i] == 0 && editable_[i] == 0) record.decision[i] = Decision::kKeep;
  }
}

void Row::apply(StepRecord& record) {
  record.next_canvas = canvas_;
  for (size_t i = 0; i < canvas_.size(); ++i) {
    switch (record.decision[i]) {
      case Decision::kKeep:
        break;
      case Decision::kCommitSampled:
        record.next_canvas[i] = record.prediction.sampled[i];
        break;
      case Decision::kCommitArgmax:
        record.next_canvas[i] = record.prediction.argmax[i];
        break;
      case Decision::kRenoise:
        record.next_canvas[i] = record.noise[i];
        break;
    }
    // Keeping a token says nothing new of it.
    if (record.decision[i] != Decision::kKeep)
      accepted_[i] = record.decision[i] == Decision::kRenoise ? 0 : 1;
  }
}

bool Row::finish_step(StepMaterial material, const Rules& rules, const SamplerConfig& config, Random& random,
                      SampleObserver& observer) {
  make_locked_positions_certain(material.prediction);
  StepRecord record{.time = time(config),
                    .temperature = material.temperature,
                    .mean_entropy = 0,
                    .canvas = canvas_,
                    .prediction = std::move(material.prediction),
                    .decision = {},
                    .noise = std::move(material.noise),
                    .next_canvas = {}};
  const std::vector<float>& entropy = record.prediction.entropy;
  record.mean_entropy = static_cast<float>(std::accumulate(entropy.begin(), entropy.end(), 0.0) /
                                           static_cast<double>(entropy.size()));
  RowDraws draws(random, key());
  decide(record, rules, draws);
  const float slack = rules.selection.slack(input(record, rules, draws), record.decision);
  apply(record);
  const StreamKey step_key = key();
  history_.push_back(std::move(record));
  const StopSignal signal = rules.stopping.check(history_);
  observer.step(step_key, history_.back(), signal, slack, material.seconds);

  const bool changed = history_.back().next_canvas != canvas_;
  canvas_ = history_.back().next_canvas;
  refresh_undecided(rules, config);
  canvas_steps_ = ++step_;
  if (!ended_) ++passes_;
  denoise_seconds_ += material.seconds;
  const auto kept = static_cast<size_t>(rules.stopping.lookback()) + 1;
  while (history_.size() > kept) history_.pop_front();

  // An editing rule is done with a canvas that has nothing left to decide when it no longer changes it.
  const bool complete =
      std::none_of(undecided_.begin(), undecided_.end(), [](std::uint8_t flag) { return flag != 0; }) &&
      !(rules.selection.needs().edits && changed);
  stopped_ = signal.stop || complete || step_ >= config.steps;
  if (stopped_) stop_reason_ = signal.stop ? "stopped" : complete ? "complete" : "steps";
  return stopped_;
}

void Row::attend_step(StepMaterial material, const Rules& rules, Random& random, SampleObserver& observer) {
  StepRecord shown = history_.back();  // its mean entropy and argmax are those at which the row stopped
  shown.time.index = step_;
  shown.temperature = material.temperature;
  shown.canvas = canvas_;
  material.prediction.argmax = shown.prediction.argmax;
  shown.prediction = std::move(material.prediction);
  RowDraws draws(random, key());
  decide(shown, rules, draws);
  const std::vector<std::uint8_t> accepted = accepted_;
  shown.noise = std::move(material.noise);
  apply(shown);
  accepted_ = accepted;
  shown.next_canvas = canvas_;
  observer.step(key(), shown, {.stop = true, .stable = true, .confident = true}, 0, 0);
  ++step_;
}

// The last prediction; what is locked stays, and what may never be predicted is never committed.
std::vector<TokenId> Row::final_tokens(const SamplerConfig& config) const {
  const Prediction& last = history_.back().prediction;
  std::vector<TokenId> tokens = canvas_;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool from_prediction =
        config.committed == Committed::kArgmax || contains(never_committed_, tokens[i]);
    if (undecided_[i] != 0 && from_prediction) tokens[i] = last.argmax[i];
  }
  return tokens;
}

void Row::commit_canvas(const Rules& rules, const SamplerConfig& config, SampleObserver& observer) {
  committed_ = final_tokens(config);
  const bool had_ended = ended_;
  size_t kept = had_ended ? 0 : committed_.size();
  for (size_t i = 0; i < committed_.size() && !ended_; ++i) {
    const bool end = rules.vocabulary.ends(committed_[i]) || contains(config.stop_tokens, committed_[i]);
    if (end) ended_ = true, kept = i + 1;
  }
  if (config.after_end == AfterEnd::kPad && rules.vocabulary.padding) {
    std::fill(committed_.begin() + static_cast<std::ptrdiff_t>(kept), committed_.end(),
              *rules.vocabulary.padding);
  }
  generated_.insert(generated_.end(), committed_.begin(), committed_.end());
  generated_until_end_ += static_cast<std::int64_t>(kept);
  if (!had_ended) ++canvases_;
  observer.canvas({request_->sample, static_cast<std::uint32_t>(canvas_index_), canvas_steps_, stop_reason_,
                   committed_, prefill_seconds_, denoise_seconds_});
}

SampleResult Row::result(const SamplerConfig& config, std::int64_t max_new_tokens) const {
  SampleResult out;
  out.sample = request_->sample;
  out.tokens = generated_;
  out.generated = generated_until_end_;
  bool end_cut_off = false;
  if (config.length == Length::kExact && static_cast<std::int64_t>(out.tokens.size()) > max_new_tokens) {
    end_cut_off = out.generated > max_new_tokens;
    out.tokens.resize(static_cast<size_t>(max_new_tokens));
    out.generated = std::min(out.generated, max_new_tokens);
  }
  out.canvases = canvases_;
  out.forward_passes = passes_;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  out.stop_reason = ended_ && !end_cut_off ? "end" : "length";
  return out;
}

}  // namespace canvaslab
