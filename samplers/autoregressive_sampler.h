// Token after token in the model's causal mode: the baseline of every diffusion sampler.
//
// It is recorded like any other run, one step a token: a canvas is the next L tokens. At step i, position i
// is predicted and committed; what comes later holds padding, and its statistics are NaN: nothing was
// predicted there. At temperature 0 the most probable token is taken, and the statistics are those at
// temperature 1: of a distribution with a single token they would say nothing.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "samplers/autoregressive_config.h"
#include "samplers/sampler.h"

namespace canvaslab {

class AutoregressiveSampler : public Sampler {
 public:
  // Refuses settings that vocabulary or random generator cannot serve (ConfigurationError).
  AutoregressiveSampler(const Denoiser& denoiser, const Rules& rules, Random& random,
                        const AutoregressiveConfig& config, std::int64_t max_new_tokens);

  void check(std::span<const SampleRequest> requests) const override;
  std::vector<SampleResult> run(std::span<const SampleRequest> requests, SampleObserver& observer) override;

 private:
  // One sample on its way: what it has written, and the last token, which the model has not read yet.
  struct Row {
    const SampleRequest* request = nullptr;
    std::unique_ptr<RowContext> context;
    TokenId unread = 0;
    std::vector<TokenId> written;
    bool ended = false;
    double prefill_seconds = 0, canvas_seconds = 0;
    std::chrono::steady_clock::time_point started;
  };

  bool greedy() const;
  bool done(const Row& row) const;
  StreamKey key_of(const Row& row) const;
  void admit(std::span<const SampleRequest> requests, std::vector<Row>& rows) const;
  void step(std::vector<Row>& rows, SampleObserver& observer);
  std::vector<Prediction> predict(std::vector<Row>& rows, const std::vector<StreamKey>& keys);
  std::vector<TokenId> canvas_of(const Row& row, std::uint32_t canvas) const;
  StepRecord record_of(const Row& row, const StreamKey& key, const Prediction& next) const;
  std::vector<float> column(float decided, size_t at, float now) const;
  void end_canvas(Row& row, const StreamKey& key, SampleObserver& observer) const;
  SampleResult result_of(const Row& row) const;

  const Denoiser& denoiser_;
  const Vocabulary& vocabulary_;
  Random& random_;
  AutoregressiveConfig config_;
  std::int64_t max_new_tokens_;
  std::int64_t length_;  // L
  std::vector<TokenId> suppressed_;
};

}  // namespace canvaslab
