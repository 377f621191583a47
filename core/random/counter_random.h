// The default generator: Philox keyed by (seed, sample, purpose), counted by (position, step, canvas,
// number).
#pragma once

#include "core/random/philox.h"
#include "core/random/random.h"

namespace canvaslab {

class CounterRandom : public Random {
 public:
  explicit CounterRandom(std::uint64_t seed) : seed_(seed) {}

  void tokens(std::span<const StreamKey> rows, Purpose purpose, std::int64_t vocabulary, std::int64_t length,
              std::span<TokenId> out) override;
  CandidateDraws candidates(std::span<const StreamKey> rows, std::int64_t length) override;

  double selection(const StreamKey& row, std::uint32_t position, std::uint32_t number) override;

  // The uniform number in [0, 1) of one position.
  double uniform(const StreamKey& row, Purpose purpose, std::uint32_t position) const;

 private:
  PhiloxKey row_key(const StreamKey& row, Purpose purpose) const;

  std::uint64_t seed_;
};

}  // namespace canvaslab
