// What noise is: what a canvas starts from, what a rejected position becomes, and which positions may still
// change.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/random/random.h"
#include "core/step.h"
#include "core/vocabulary.h"

namespace canvaslab {

// How a position gets from its token at noise level t to its token at the lower level s, given a candidate
// for the clean token: probabilities that sum to 1.
struct Routes {
  double commit = 0;   // takes the candidate
  double keep = 0;     // keeps its token
  double renoise = 0;  // becomes fresh noise
};

// What a position's part of the negative ELBO of continuous time, in nats, asks of the prediction. Both weigh
// by the noise schedule's rate.
enum class ElboForm {
  kCleanToken,  // noise absorbs: rate / (1 - alpha) * -log p(clean) where the token is noise, else 0
  kJumpRates,  // noise is every id alike: how far the rates of the jumps back are off (models/uniform_elbo.h)
};

class NoiseProcess {
 public:
  virtual ~NoiseProcess() = default;

  // Refuses a vocabulary that this process cannot work on (ConfigurationError).
  virtual void check(const Vocabulary& /*vocabulary*/) const {}

  // Pure noise for the rows' canvases: out [B * L].
  virtual void draw(std::span<const StreamKey> rows, Purpose purpose, const Vocabulary& vocabulary,
                    std::int64_t length, Random& random, std::span<TokenId> out) const = 0;

  // The law of one token of pure noise, [V].
  virtual std::vector<double> prior(const Vocabulary& vocabulary) const = 0;

  // Ids that the model must never predict, because they are noise only.
  virtual std::vector<TokenId> suppressed(const Vocabulary& /*vocabulary*/) const { return {}; }

  // Whether a position that holds `token` may still be changed.
  virtual bool undecided(TokenId token, const Vocabulary& vocabulary) const = 0;

  // The posterior q(z_s | z_t = token, x = candidate), as routes. The candidate is a draw from the full
  // posterior p(x | z_t).
  virtual Routes routes(TokenId token, TokenId candidate, const Survival& survival,
                        const Vocabulary& vocabulary) const = 0;

  // Whether routes() depends on the candidate.
  virtual bool routes_look_at_candidate() const { return true; }

  // What is to be added to the logit of the token on the canvas to turn the full posterior p(x | z) of a
  // position into the leave-one-out posterior p(x | z without the position), whose factor p(z | x) is taken
  // out. Nothing where the process has no such form: under masked noise a mask says nothing, and a revealed
  // token everything. arXiv 2605.22765.
  virtual std::optional<double> leave_one_out_shift(double /*survival*/,
                                                    const Vocabulary& /*vocabulary*/) const {
    return std::nullopt;
  }

  // Nothing: no bound is known.
  virtual std::optional<ElboForm> elbo_form() const { return std::nullopt; }
};

}  // namespace canvaslab
