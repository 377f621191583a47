// The values that pass between the parts of one denoising step, for one row (one sample's canvas of L
// positions).
//
// Everything a decision needs is a per-position statistic; no [L, V] array appears here. Rows never see each
// other, so what a rule decides for a row cannot depend on the batch around it.
//
// Shapes: L canvas positions, V vocabulary. Entropies and divergences are in nats.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace canvaslab {

using TokenId = std::int32_t;

// What happens to one position at the end of a step.
enum class Decision : std::uint8_t {
  kKeep,           // the token now on the canvas stays
  kCommitSampled,  // the token drawn from the tempered distribution is written
  kCommitArgmax,   // the most probable token is written
  kRenoise,        // the noise process writes fresh noise
};

// Which step a row is at. Rows of a batch need not be at the same step.
struct StepTime {
  int index = 0;  // steps of this canvas already done: 0 .. count - 1
  int count = 1;  // N, the most steps this canvas may take

  // The share of the way that is still to go before this step: 1 at the first step, 1/N at the last.
  double remaining() const { return static_cast<double>(count - index) / count; }
};

// The probability that a token of the canvas is clean, alpha, before and after a step.
struct Survival {
  double now = 0;   // alpha_t
  double next = 1;  // alpha_s >= alpha_t
};

// Whose random numbers are drawn: the key of a random stream.
struct StreamKey {
  std::uint64_t sample = 0;
  std::uint32_t canvas = 0;  // which canvas of the sample
  std::uint32_t step = 0;    // step index within the canvas
};

// One denoising pass over a row, reduced to what decisions need; every vector is [L].
struct Prediction {
  std::vector<TokenId> argmax;                 // the most probable token (the first, among equals)
  std::vector<TokenId> sampled;                // one draw from the tempered distribution
  std::vector<float> entropy;                  // nats, of the tempered distribution
  std::vector<float> confidence;               // max p, tempered
  std::vector<float> margin;                   // max p - second p, tempered
  std::vector<float> sampled_probability;      // p(sampled), tempered
  std::vector<float> current_probability;      // p(token now on the canvas), tempered
  std::vector<float> raw_sampled_probability;  // p(sampled) at temperature 1, unfiltered; empty unless asked

  int length() const { return static_cast<int>(argmax.size()); }
};

// Cuts the prediction of a packed batch into its rows, of these lengths.
std::vector<Prediction> split(const Prediction& packed, std::span<const std::int64_t> lengths);

// One step of one row, complete. The loop keeps the last few of them as the row's history.
struct StepRecord {
  StepTime time;
  float temperature = 1;
  float mean_entropy = 0;       // nats, over the positions that the stopping rule counts
  std::vector<TokenId> canvas;  // [L] before the step
  Prediction prediction;
  std::vector<Decision> decision;    // [L]
  std::vector<TokenId> noise;        // [L] what each position becomes if it is re-noised
  std::vector<TokenId> next_canvas;  // [L] after the step
};

// The last steps of one canvas of one row, the newest at the back; cleared when the row starts its next
// canvas.
using History = std::deque<StepRecord>;

}  // namespace canvaslab
