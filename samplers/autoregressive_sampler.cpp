#include "samplers/autoregressive_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "samplers/request_check.h"
#include "samplers/suppressed_ids.h"

namespace canvaslab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

AutoregressiveSampler::AutoregressiveSampler(const Denoiser& denoiser, const Rules& rules, Random& random,
                                             const AutoregressiveConfig& config, std::int64_t max_new_tokens)
    : denoiser_(denoiser),
      vocabulary_(rules.vocabulary),
      random_(random),
      config_(config),
      max_new_tokens_(max_new_tokens),
      length_(denoiser.canvas_length()),
      suppressed_(suppressed_ids(rules.noise, rules.vocabulary, config.suppress)) {
  check_ids(config.stop_tokens, vocabulary_, "sampler.stop_tokens");
  if (random.lockstep()) {
    throw ConfigurationError(
        "sampler=autoregressive draws token by token, which this generator cannot: use random=counter");
  }
}

void AutoregressiveSampler::check(std::span<const SampleRequest> requests) const {
  const AnswerRoom room{max_new_tokens_, fmt::format("{} new ones", max_new_tokens_), max_new_tokens_};
  for (const SampleRequest& request : requests) {
    check_request(request, denoiser_, vocabulary_, room);
    if (request.prompt.empty()) {
      throw ConfigurationError(
          fmt::format("sample {}: the prompt is empty; sampler=autoregressive needs a token to go on from",
                      request.sample));
    }
    if (!request.initial_canvas.empty()) {
      throw ConfigurationError(fmt::format(
          "sample {}: sampler=autoregressive begins with nothing, not with a given canvas; use start=noise",
          request.sample));
    }
  }
}

std::vector<SampleResult> AutoregressiveSampler::run(std::span<const SampleRequest> requests,
                                                     SampleObserver& observer) {
  check(requests);
  std::vector<SampleResult> results(requests.size());
  std::vector<Row> rows;
  size_t next = 0;
  while (next < requests.size() || !rows.empty()) {
    const size_t admitted =
        std::min(static_cast<size_t>(config_.batch) - rows.size(), requests.size() - next);
    admit(requests.subspan(next, admitted), rows);
    next += admitted;
    step(rows, observer);
    std::erase_if(rows, [&](const Row& row) {
      if (!done(row)) return false;
      SampleResult& result = results[static_cast<size_t>(row.request - requests.data())];
      result = result_of(row);
      observer.sample(result);
      return true;
    });
  }
  return results;
}

// Logits divided by less overflow float32; the distribution is a single token long before.
bool AutoregressiveSampler::greedy() const {
  return config_.temperature < 1e-30;
}

bool AutoregressiveSampler::done(const Row& row) const {
  return row.ended || static_cast<std::int64_t>(row.written.size()) >= max_new_tokens_;
}

// The prompt's last token is read with the first step, which predicts from it.
void AutoregressiveSampler::admit(std::span<const SampleRequest> requests, std::vector<Row>& rows) const {
  if (requests.empty()) return;
  const auto start = Clock::now();
  std::vector<Prompt> prompts;
  for (const SampleRequest& request : requests) {
    const std::span tokens(request.prompt);
    prompts.push_back({tokens.first(tokens.size() - 1), request.padding_before});
  }
  std::vector<std::unique_ptr<RowContext>> contexts = denoiser_.prefill(prompts);
  const double share = seconds_since(start) / static_cast<double>(requests.size());
  for (size_t r = 0; r < requests.size(); ++r) {
    Row row;
    row.request = &requests[r], row.context = std::move(contexts[r]);
    row.unread = requests[r].prompt.back();
    row.prefill_seconds = share, row.started = start;
    rows.push_back(std::move(row));
  }
}

void AutoregressiveSampler::step(std::vector<Row>& rows, SampleObserver& observer) {
  const auto start = Clock::now();
  std::vector<StreamKey> keys;
  for (const Row& row : rows) keys.push_back(key_of(row));
  const std::vector<Prediction> predictions = predict(rows, keys);
  const double share = seconds_since(start) / static_cast<double>(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    Row& row = rows[r];
    const StepRecord record = record_of(row, keys[r], predictions[r]);
    row.unread = greedy() ? predictions[r].argmax[0] : predictions[r].sampled[0];
    row.written.push_back(row.unread);
    row.ended = vocabulary_.ends(row.unread) || std::ranges::count(config_.stop_tokens, row.unread) > 0;
    row.canvas_seconds += share;
    observer.step(keys[r], record, {.stop = row.ended}, std::nanf(""), share);
    if (done(row) || record.time.index + 1 == record.time.count) end_canvas(row, keys[r], observer);
  }
}

// The token to come: which canvas it is in, and where.
StreamKey AutoregressiveSampler::key_of(const Row& row) const {
  const auto at = static_cast<std::int64_t>(row.written.size());
  return {row.request->sample, static_cast<std::uint32_t>(at / length_),
          static_cast<std::uint32_t>(at % length_)};
}

std::vector<Prediction> AutoregressiveSampler::predict(std::vector<Row>& rows,
                                                       const std::vector<StreamKey>& keys) {
  const CandidateDraws draws = random_.candidates(keys, 1);
  std::vector<RowQuery> queries;
  for (size_t r = 0; r < rows.size(); ++r) {
    queries.push_back({.context = rows[r].context.get(),
                       .canvas = {&rows[r].unread, 1},
                       .temperature = greedy() ? 1 : static_cast<float>(config_.temperature),
                       .uniforms = std::span(draws.uniforms).subspan(r, 1),
                       .given = {}});
  }
  try {
    return denoiser_.predict_next(queries, {.suppressed = suppressed_,
                                            .self_conditioning = SelfConditioning::kOff,
                                            .filter = {config_.top_k, config_.top_p}});
  } catch (const NonFinitePrediction& bad) {
    const StreamKey& key = keys[static_cast<size_t>(bad.row)];
    throw Error(
        fmt::format("the model returned a non-finite logit: sample {}, canvas {}, step {}, position {}",
                    key.sample, key.canvas, key.step, key.step));
  }
}

// The tokens of a canvas as far as they are written, padding behind them.
std::vector<TokenId> AutoregressiveSampler::canvas_of(const Row& row, std::uint32_t canvas) const {
  std::vector<TokenId> tokens(static_cast<size_t>(length_), vocabulary_.padding.value_or(0));
  const auto first = static_cast<size_t>(canvas) * tokens.size();
  for (size_t i = 0; i < tokens.size() && first + i < row.written.size(); ++i)
    tokens[i] = row.written[first + i];
  return tokens;
}

StepRecord AutoregressiveSampler::record_of(const Row& row, const StreamKey& key,
                                            const Prediction& next) const {
  const auto length = static_cast<size_t>(length_);
  const size_t at = key.step;
  StepRecord record;
  record.time = {static_cast<int>(at), static_cast<int>(length_)};
  record.temperature = static_cast<float>(config_.temperature);
  record.mean_entropy = next.entropy[0];
  record.canvas = record.next_canvas = canvas_of(row, key.canvas);
  record.noise.assign(length, vocabulary_.padding.value_or(0));
  record.next_canvas[at] = greedy() ? next.argmax[0] : next.sampled[0];
  record.decision.assign(length, Decision::kRenoise);
  std::fill_n(record.decision.begin(), at, Decision::kKeep);
  record.decision[at] = greedy() ? Decision::kCommitArgmax : Decision::kCommitSampled;
  Prediction& shown = record.prediction;
  shown.argmax = shown.sampled = record.canvas;
  shown.argmax[at] = next.argmax[0], shown.sampled[at] = next.sampled[0];
  shown.entropy = column(0, at, next.entropy[0]);
  shown.confidence = column(1, at, next.confidence[0]);
  shown.margin = column(1, at, next.margin[0]);
  shown.sampled_probability = column(1, at, next.sampled_probability[0]);
  shown.current_probability = column(1, at, std::nanf(""));
  return record;
}

// [L]: `decided` where tokens are written, `now` at the step's position, NaN behind it.
std::vector<float> AutoregressiveSampler::column(float decided, size_t at, float now) const {
  std::vector<float> values(static_cast<size_t>(length_), std::nanf(""));
  std::fill_n(values.begin(), at, decided);
  values[at] = now;
  return values;
}

void AutoregressiveSampler::end_canvas(Row& row, const StreamKey& key, SampleObserver& observer) const {
  CanvasResult canvas;
  canvas.sample = key.sample, canvas.index = key.canvas;
  canvas.steps = static_cast<int>(key.step) + 1;
  canvas.stop_reason = row.ended ? "stopped" : canvas.steps == length_ ? "complete" : "steps";
  canvas.tokens = canvas_of(row, key.canvas);
  canvas.prefill_seconds = row.prefill_seconds, canvas.denoise_seconds = row.canvas_seconds;
  row.prefill_seconds = row.canvas_seconds = 0;
  observer.canvas(canvas);
}

SampleResult AutoregressiveSampler::result_of(const Row& row) const {
  SampleResult result;
  result.sample = row.request->sample;
  result.tokens = row.written;
  result.generated = static_cast<std::int64_t>(row.written.size());
  result.canvases = static_cast<int>((result.generated + length_ - 1) / length_);
  result.forward_passes = static_cast<int>(result.generated);
  result.seconds = seconds_since(row.started);
  result.stop_reason = row.ended ? "end" : "length";
  return result;
}

}  // namespace canvaslab
