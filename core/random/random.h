// Where every random number of the sampling loop comes from.
//
// The default generator is counter-based: a draw is a function of (seed, sample, canvas, step, position,
// purpose) alone, so it does not depend on what else is in the batch, on the number of threads or on what ran
// before, and changing one rule does not shift the draws of another. The parity modes draw from somewhere
// else, in another implementation's order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// What a draw is for: separate streams, so that one use never shifts another.
enum class Purpose : std::uint32_t {
  kInitialCanvas = 1,
  kCandidate = 2,  // the token drawn from the prediction
  kNoise = 3,      // re-noising
  kSelection = 4,  // random choices of a selection rule
  kTrainingTime = 5,
  kTrainingConditioning = 6,
  kTrainingCorruption = 7,
  kTrainingNoise = 8,
  kStart = 9,   // what a first canvas has wrong
  kTruth = 10,  // true sequences
};

// Draws the candidates of all rows at once from their probabilities. Only parity modes need it.
class JointDraw {
 public:
  virtual ~JointDraw() = default;
  // probabilities [rows, V], row-major; out [rows].
  virtual void operator()(std::span<const float> probabilities, std::int64_t vocabulary,
                          std::span<TokenId> out) = 0;
};

// How the candidates of a step are to be drawn: exactly one of the three is set. [B * L].
struct CandidateDraws {
  std::vector<double> uniforms;  // in [0, 1)
  std::vector<TokenId> given;
  JointDraw* joint = nullptr;
};

// The random choices of a selection rule about one row's step.
class SelectionDraws {
 public:
  virtual ~SelectionDraws() = default;
  // In [0, 1). `number` (0, 1, ...) tells several choices at one position apart.
  virtual double uniform(int position, int number) = 0;
};

class Random {
 public:
  virtual ~Random() = default;

  // Uniform tokens of 0 .. vocabulary - 1 for each row's canvas: out [B * L].
  virtual void tokens(std::span<const StreamKey> rows, Purpose purpose, std::int64_t vocabulary,
                      std::int64_t length, std::span<TokenId> out) = 0;

  // The candidates of one step of these rows.
  virtual CandidateDraws candidates(std::span<const StreamKey> rows, std::int64_t length) = 0;

  // What a row's SelectionDraws hand out.
  virtual double selection(const StreamKey& row, std::uint32_t position, std::uint32_t number) = 0;

  // Whether draws depend on which rows are in the batch, so that no row may leave before the last one has
  // stopped.
  virtual bool lockstep() const { return false; }
};

}  // namespace canvaslab
