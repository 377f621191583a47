// The settings of `sampler: autoregressive`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/step.h"

namespace canvaslab {

struct AutoregressiveConfig {
  double temperature = 0;
  std::optional<std::int64_t> max_new_tokens;
  int batch = 32;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::vector<TokenId> suppress;
  std::vector<TokenId> stop_tokens;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("temperature", temperature,
          {.meaning = "the logits are divided by it; 0: the most probable token", .minimum = 0});
    visit("max_new_tokens", max_new_tokens,
          {.unit = "tokens",
           .meaning = "tokens to generate; null: what the checkpoint's generation_config.json says",
           .minimum = 1,
           .maximum = 1e9});
    visit("batch", batch,
          {.unit = "rows", .meaning = "samples decoded side by side", .minimum = 1, .maximum = 65536});
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
          {.unit = "token ids", .meaning = "tokens that are never predicted or sampled", .minimum = 0});
    visit("stop_tokens", stop_tokens,
          {.unit = "token ids",
           .meaning = "ids that end a sequence besides the checkpoint's own",
           .minimum = 0});
  }
};

}  // namespace canvaslab
