#include "samplers/block_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "samplers/current_shift.h"
#include "samplers/request_check.h"
#include "samplers/suppressed_ids.h"

namespace canvaslab {
namespace {

// Logits divided by less overflow float32; the distribution is a single token long before.
constexpr float kLeastTemperature = 1e-30F;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<StreamKey> keys_of(std::span<Row* const> rows) {
  std::vector<StreamKey> keys;
  for (const Row* row : rows) keys.push_back(row->key());
  return keys;
}

}  // namespace

BlockSampler::BlockSampler(const Denoiser& denoiser, const Rules& rules, Random& random,
                           const SamplerConfig& config, std::int64_t max_new_tokens)
    : denoiser_(denoiser),
      rules_(rules),
      random_(random),
      config_(config),
      max_new_tokens_(max_new_tokens),
      length_(denoiser.canvas_length()),
      canvases_(static_cast<int>((max_new_tokens + length_ - 1) / length_)),
      suppressed_(suppressed_ids(rules.noise, rules.vocabulary, config.suppress)) {
  check_ids(config.stop_tokens, rules.vocabulary, "sampler.stop_tokens");
  denoiser.check_noise(rules.noise.prior(rules.vocabulary));
  check_prediction_kind(denoiser, rules);
}

std::vector<SampleResult> BlockSampler::run(std::span<const SampleRequest> requests,
                                            SampleObserver& observer) {
  check(requests);
  return random_.lockstep() ? run_lockstep(requests, observer) : run_independent(requests, observer);
}

void BlockSampler::check(std::span<const SampleRequest> requests) const {
  const AnswerRoom room{canvases_ * length_, fmt::format("{} canvases of {}", canvases_, length_),
                        max_new_tokens_};
  for (const SampleRequest& request : requests) {
    check_request(request, denoiser_, rules_.vocabulary, room);
    if (!request.initial_canvas.empty() &&
        static_cast<std::int64_t>(request.initial_canvas.size()) != length_) {
      throw ConfigurationError(fmt::format("sample {}: the initial canvas has {} tokens, expected {}",
                                           request.sample, request.initial_canvas.size(), length_));
    }
    if (!request.fixed.empty() && request.fixed.size() != request.initial_canvas.size()) {
      throw ConfigurationError(fmt::format(
          "sample {}: {} positions are marked as fixed or not, and the initial canvas has {} tokens",
          request.sample, request.fixed.size(), request.initial_canvas.size()));
    }
  }
}

std::vector<SampleResult> BlockSampler::run_independent(std::span<const SampleRequest> requests,
                                                        SampleObserver& observer) {
  std::vector<SampleResult> results(requests.size());
  Rows rows;
  size_t next = 0;
  const bool synchronous = config_.batching == Batching::kSynchronous;
  while (next < requests.size() || !rows.empty()) {
    const bool between_canvases =
        std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row->stopped(); });
    if (!synchronous || between_canvases) {
      std::vector<Row*> starting;
      for (const auto& row : rows) {
        if (row->stopped()) starting.push_back(row.get());
      }
      extend(starting);
      const size_t free = static_cast<size_t>(config_.batch) - rows.size();
      const size_t admitted = std::min(free, requests.size() - next);
      admit(requests.subspan(next, admitted), rows);
      next += admitted;
      for (size_t i = rows.size() - admitted; i < rows.size(); ++i) starting.push_back(rows[i].get());
      begin_canvases(starting);
    }
    std::vector<Row*> running;
    for (const auto& row : rows) {
      if (!row->stopped()) running.push_back(row.get());
    }
    step(running, observer, /*freeze_stopped=*/false);
    for (Row* row : running) {
      if (row->stopped()) row->commit_canvas(rules_, config_, observer);
    }
    std::erase_if(rows, [&](const auto& row) {
      if (!row->stopped() || !row->done()) return false;
      SampleResult& result = results[&row->request() - requests.data()];
      result = row->result(config_, max_new_tokens_);
      observer.sample(result);
      return true;
    });
  }
  return results;
}

// The reference's bookkeeping, for the random generators whose draws depend on the batch: all rows stay until
// the last one stops; stopped rows keep their canvas but consume draws; ended rows are denoised against their
// padding.
std::vector<SampleResult> BlockSampler::run_lockstep(std::span<const SampleRequest> requests,
                                                     SampleObserver& observer) {
  Rows rows;
  admit(requests, rows);
  std::vector<Row*> all;
  for (const auto& row : rows) all.push_back(row.get());
  for (int canvas = 0; canvas < canvases_; ++canvas) {
    if (canvas > 0) extend(all);
    begin_canvases(all);
    while (!std::all_of(all.begin(), all.end(), [](const Row* row) { return row->stopped(); })) {
      step(all, observer, /*freeze_stopped=*/true);
    }
    for (Row* row : all) row->commit_canvas(rules_, config_, observer);
    if (std::all_of(all.begin(), all.end(), [](const Row* row) { return row->ended(); })) break;
  }
  std::vector<SampleResult> results;
  for (Row* row : all) {
    results.push_back(row->result(config_, max_new_tokens_));
    observer.sample(results.back());
  }
  return results;
}

void BlockSampler::admit(std::span<const SampleRequest> requests, Rows& rows) {
  if (requests.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  std::vector<Prompt> prompts;
  for (const SampleRequest& request : requests) prompts.push_back({request.prompt, request.padding_before});
  std::vector<std::unique_ptr<RowContext>> contexts = denoiser_.prefill(prompts);
  const double share = seconds_since(start) / static_cast<double>(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    rows.push_back(std::make_unique<Row>(requests[i], canvases_));
    rows.back()->context = std::move(contexts[i]);
    rows.back()->count_prefill(share);
  }
}

void BlockSampler::extend(std::span<Row* const> rows) {
  if (rows.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  std::vector<RowContext*> contexts;
  std::vector<std::span<const TokenId>> canvases;
  for (const Row* row : rows) {
    contexts.push_back(row->context.get());
    canvases.emplace_back(row->last_canvas());
  }
  denoiser_.extend(contexts, canvases);
  for (Row* row : rows) row->count_prefill(seconds_since(start) / static_cast<double>(rows.size()));
}

void BlockSampler::begin_canvases(std::span<Row* const> rows) {
  if (rows.empty()) return;
  std::vector<StreamKey> keys;
  for (Row* row : rows) {
    row->next_canvas();
    keys.push_back(row->key());
  }
  std::vector<TokenId> noise(rows.size() * static_cast<size_t>(length_));
  rules_.noise.draw(keys, Purpose::kInitialCanvas, rules_.vocabulary, length_, random_, noise);
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::vector<TokenId>& given = rows[r]->request().initial_canvas;
    const auto drawn = noise.begin() + static_cast<std::ptrdiff_t>(r) * length_;
    rows[r]->begin_canvas(
        !given.empty() && keys[r].canvas == 0 ? given : std::vector<TokenId>(drawn, drawn + length_), rules_,
        config_);
  }
}

std::vector<Prediction> BlockSampler::predict(std::span<Row* const> rows, std::span<const StreamKey> keys,
                                              std::span<const float> temperature, bool freeze_stopped) {
  const CandidateDraws draws = random_.candidates(keys, length_);
  if (const TokenId* id = first_outside(draws.given, rules_.vocabulary)) {
    throw Error(fmt::format(
        "a given draw, token id {}, is outside the vocabulary of {} entries: step {} of canvas {}", *id,
        rules_.vocabulary.size, keys[0].step, keys[0].canvas));
  }
  std::vector<RowQuery> queries;
  for (size_t r = 0; r < rows.size(); ++r) {
    const double survival = rules_.noise_schedule.survival(rows[r]->time(config_).remaining());
    RowQuery query{.context = rows[r]->context.get(),
                   .canvas = rows[r]->canvas(),
                   .temperature = temperature[r],
                   .uniforms = {},
                   .given = {},
                   .current_shift = current_shift(denoiser_, rules_, survival),
                   .survival = survival,
                   .frozen = freeze_stopped && rows[r]->stopped()};
    const size_t begin = r * static_cast<size_t>(length_);
    if (!draws.uniforms.empty()) query.uniforms = std::span(draws.uniforms).subspan(begin, length_);
    if (!draws.given.empty()) query.given = std::span(draws.given).subspan(begin, length_);
    queries.push_back(query);
  }
  try {
    return denoiser_.predict(queries, {.suppressed = suppressed_,
                                       .self_conditioning = config_.self_conditioning,
                                       .joint_draw = draws.joint,
                                       .filter = {config_.top_k, config_.top_p},
                                       .raw_probability = rules_.selection.needs().raw_probability});
  } catch (const NonFinitePrediction& bad) {
    throw Error(
        fmt::format("the model returned a non-finite logit: sample {}, canvas {}, step {}, position {}",
                    keys[bad.row].sample, keys[bad.row].canvas, keys[bad.row].step, bad.position));
  }
}

void BlockSampler::step(std::span<Row* const> rows, SampleObserver& observer, bool freeze_stopped) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<StreamKey> keys = keys_of(rows);
  std::vector<float> temperature;
  for (const Row* row : rows) {
    const float t = rules_.temperature.at(row->time(config_));
    temperature.push_back(t < kLeastTemperature ? 0 : t);
  }
  std::vector<Prediction> predictions = predict(rows, keys, temperature, freeze_stopped);
  std::vector<TokenId> noise(rows.size() * static_cast<size_t>(length_));
  rules_.noise.draw(keys, Purpose::kNoise, rules_.vocabulary, length_, random_, noise);
  const double share = seconds_since(start) / static_cast<double>(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto from = noise.begin() + static_cast<std::ptrdiff_t>(r) * length_;
    std::vector<TokenId> fresh(from, from + length_);
    StepMaterial material{std::move(predictions[r]), std::move(fresh), temperature[r], share};
    if (rows[r]->stopped()) {
      rows[r]->attend_step(std::move(material), rules_, random_, observer);
    } else {
      rows[r]->finish_step(std::move(material), rules_, config_, random_, observer);
    }
  }
}

}  // namespace canvaslab
