// THE loop: canvas after canvas outside, denoising steps inside. One step:
//
//   prediction = denoiser.predict(canvas, temperature)   statistics and one draw a position
//   decision   = selection.decide(canvas, prediction)    commit, keep or re-noise
//   canvas     = decision applied                        noise.draw() where a position is re-noised
//   stop?      = stopping.check(history)                 then the canvas is committed, joins the cache
//
// Rows advance independently: each is at its own canvas and step, and a row that is finished costs nothing
// more.
#pragma once

#include <span>
#include <vector>

#include "samplers/row.h"
#include "samplers/sampler.h"
#include "samplers/sampler_config.h"

namespace canvaslab {

class BlockSampler : public Sampler {
 public:
  // Refuses settings that the denoiser or vocabulary cannot serve (ConfigurationError).
  BlockSampler(const Denoiser& denoiser, const Rules& rules, Random& random, const SamplerConfig& config,
               std::int64_t max_new_tokens);

  void check(std::span<const SampleRequest> requests) const override;
  std::vector<SampleResult> run(std::span<const SampleRequest> requests, SampleObserver& observer) override;

 private:
  using Rows = std::vector<std::unique_ptr<Row>>;

  std::vector<SampleResult> run_independent(std::span<const SampleRequest> requests,
                                            SampleObserver& observer);
  std::vector<SampleResult> run_lockstep(std::span<const SampleRequest> requests, SampleObserver& observer);
  void admit(std::span<const SampleRequest> requests, Rows& rows);
  void begin_canvases(std::span<Row* const> rows);
  void extend(std::span<Row* const> rows);
  void step(std::span<Row* const> rows, SampleObserver& observer, bool freeze_stopped);
  std::vector<Prediction> predict(std::span<Row* const> rows, std::span<const StreamKey> keys,
                                  std::span<const float> temperature, bool freeze_stopped);

  const Denoiser& denoiser_;
  const Rules& rules_;
  Random& random_;
  SamplerConfig config_;
  std::int64_t max_new_tokens_;
  std::int64_t length_;  // L
  int canvases_;
  std::vector<TokenId> suppressed_;
};

}  // namespace canvaslab
