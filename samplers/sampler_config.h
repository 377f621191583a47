// How canvases are run, whatever the rules are: the settings of the loop itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/step.h"
#include "models/self_conditioning_kind.h"

namespace canvaslab {

enum class Batching {
  kContinuous,   // a row that finishes a canvas starts its next one at once, and waiting samples take free
                 // places
  kSynchronous,  // all rows of a batch start their canvases together
};

enum class Length {
  kExact,          // at most max_new_tokens come back
  kWholeCanvases,  // rounded up to whole canvases (the reference)
};

enum class Committed {
  kArgmax,  // the last step's most probable tokens (the reference)
  kCanvas,  // the canvas that the last step left; may still hold noise
};

enum class AfterEnd {
  kPad,   // what follows the end of a sequence becomes padding (the reference)
  kKeep,  // it stays as it was generated
};

struct SamplerConfig {
  int steps = 48;
  std::optional<std::int64_t> max_new_tokens;
  int batch = 32;
  Batching batching = Batching::kContinuous;
  Length length = Length::kExact;
  Committed committed = Committed::kArgmax;
  AfterEnd after_end = AfterEnd::kPad;
  bool lock_committed = false;
  SelfConditioning self_conditioning = SelfConditioning::kTempered;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::vector<TokenId> suppress;
  std::vector<TokenId> stop_tokens;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("steps", steps,
          {.unit = "steps",
           .meaning = "the most denoising steps a canvas takes, N",
           .minimum = 1,
           .maximum = 100000});
    visit("max_new_tokens", max_new_tokens,
          {.unit = "tokens",
           .meaning = "tokens to generate; null: what the checkpoint's generation_config.json says",
           .minimum = 1,
           .maximum = 1e9});
    visit("batch", batch,
          {.unit = "rows", .meaning = "samples denoised side by side", .minimum = 1, .maximum = 65536});
    visit.choice(
        "batching", batching,
        {{"continuous", Batching::kContinuous}, {"synchronous", Batching::kSynchronous}},
        {.meaning =
             "whether a row that finishes a canvas starts its next one at once or waits for the others"});
    visit.choice("length", length, {{"exact", Length::kExact}, {"whole_canvases", Length::kWholeCanvases}},
                 {.meaning = "whether the surplus of the last canvas is cut off or returned"});
    visit.choice("committed", committed, {{"argmax", Committed::kArgmax}, {"canvas", Committed::kCanvas}},
                 {.meaning = "what a finished canvas commits: the last prediction or the last canvas"});
    visit.choice("after_end", after_end, {{"pad", AfterEnd::kPad}, {"keep", AfterEnd::kKeep}},
                 {.meaning = "what becomes of the tokens after the end of a sequence inside a canvas"});
    visit("lock_committed", lock_committed,
          {.meaning = "whether an accepted position is never re-noised, under any noise"});
    visit.choice("self_conditioning", self_conditioning,
                 {{"tempered", SelfConditioning::kTempered},
                  {"raw", SelfConditioning::kRaw},
                  {"off", SelfConditioning::kOff}},
                 {.meaning = "what the next step is conditioned on: probabilities at the step's temperature, "
                             "at 1, or nothing"});
    visit("top_k", top_k,
          {.unit = "tokens",
           .meaning = "only the k most probable tokens may be drawn; null: all",
           .minimum = 1,
           .maximum = 1e9});
    visit("top_p", top_p,
          {.unit = "probability",
           .meaning = "only the most probable tokens that reach p together may be drawn; null: all",
           .minimum = 0,
           .maximum = 1});
    visit("suppress", suppress,
          {.unit = "token ids",
           .meaning = "tokens that are never predicted, sampled or committed",
           .minimum = 0});
    visit("stop_tokens", stop_tokens,
          {.unit = "token ids",
           .meaning = "ids that end a sequence besides the checkpoint's own",
           .minimum = 0});
  }
};

}  // namespace canvaslab
