// One sample on its way through the loop: its canvas, its history, and what it has generated.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/step.h"
#include "models/denoiser.h"
#include "samplers/rules.h"
#include "samplers/sample.h"
#include "samplers/sampler_config.h"

namespace canvaslab {

// What the loop brings to one step of a row.
struct StepMaterial {
  Prediction prediction;       // as the denoiser made it
  std::vector<TokenId> noise;  // [L] what rejected positions become
  float temperature = 1;
  double seconds = 0;  // this row's share of the pass
};

class Row {
 public:
  Row(const SampleRequest& request, int max_canvases);

  // Moves on to the next canvas (the first one is number 0); its key() is then that of its first step.
  void next_canvas();

  // Puts a fresh canvas [L] on the row and forgets the last one's history.
  void begin_canvas(std::vector<TokenId> canvas, const Rules& rules, const SamplerConfig& config);

  // Ends a step: asks the rules, moves the canvas on, tells the observer, and returns whether the canvas is
  // done.
  bool finish_step(StepMaterial material, const Rules& rules, const SamplerConfig& config, Random& random,
                   SampleObserver& observer);

  // Parity modes only: a step of the batch that this row, already stopped, merely attends. Shows it, changes
  // nothing.
  void attend_step(StepMaterial material, const Rules& rules, Random& random, SampleObserver& observer);

  // Commits the canvas: cleans up after the end of the sequence, keeps the tokens, tells the observer.
  void commit_canvas(const Rules& rules, const SamplerConfig& config, SampleObserver& observer);

  // The sample's result; to be asked once `done()`.
  SampleResult result(const SamplerConfig& config, std::int64_t max_new_tokens) const;

  bool done() const { return ended_ || canvas_index_ + 1 >= max_canvases_; }  // after commit_canvas
  bool ended() const { return ended_; }
  bool stopped() const { return stopped_; }
  StreamKey key() const {
    return {request_->sample, static_cast<std::uint32_t>(canvas_index_), static_cast<std::uint32_t>(step_)};
  }
  StepTime time(const SamplerConfig& config) const { return {step_, config.steps}; }
  bool fixed(size_t position) const {
    return !request_->fixed.empty() && request_->fixed[position] != 0 && canvas_index_ == 0;
  }
  const SampleRequest& request() const { return *request_; }
  const std::vector<TokenId>& canvas() const { return canvas_; }
  const std::vector<TokenId>& last_canvas() const { return committed_; }  // [L] what commit_canvas kept
  const History& history() const { return history_; }
  int forward_passes() const { return passes_; }
  void count_prefill(double seconds) { prefill_seconds_ = seconds; }
  std::unique_ptr<RowContext> context;

 private:
  void make_locked_positions_certain(Prediction& prediction) const;
  SelectionInput input(const StepRecord& record, const Rules& rules, SelectionDraws& draws) const;
  void decide(StepRecord& record, const Rules& rules, SelectionDraws& draws) const;
  void apply(StepRecord& record);
  void refresh_undecided(const Rules& rules, const SamplerConfig& config);
  std::vector<TokenId> final_tokens(const SamplerConfig& config) const;

  const SampleRequest* request_;
  int max_canvases_;
  int canvas_index_ = -1;
  int step_ = 0;          // the step to come
  int canvas_steps_ = 0;  // steps that this canvas took until it stopped
  int passes_ = 0, canvases_ = 0;
  bool stopped_ = false, ended_ = false;
  std::string stop_reason_;
  std::vector<TokenId> canvas_, committed_, generated_;
  std::int64_t generated_until_end_ = 0;
  std::vector<std::uint8_t> undecided_, editable_, accepted_;  // [L]
  std::vector<TokenId> never_committed_;                       // unless given: noise only, or suppressed
  History history_;
  double prefill_seconds_ = 0, denoise_seconds_ = 0;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace canvaslab
