#include "core/random/counter_random.h"

namespace canvaslab {
namespace {

double draw(const StreamKey& row, std::uint32_t position, const PhiloxKey& key, std::uint32_t number = 0) {
  const PhiloxCounter words = philox({position, row.step, row.canvas, number}, key);
  return unit_interval(words[0], words[1]);
}

}  // namespace

// A key of its own for each sample and purpose: one more application of the generator.
PhiloxKey CounterRandom::row_key(const StreamKey& row, Purpose purpose) const {
  const PhiloxKey seed{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)};
  const PhiloxCounter words =
      philox({static_cast<std::uint32_t>(row.sample), static_cast<std::uint32_t>(row.sample >> 32),
              static_cast<std::uint32_t>(purpose), 0},
             seed);
  return {words[0], words[1]};
}

double CounterRandom::uniform(const StreamKey& row, Purpose purpose, std::uint32_t position) const {
  return draw(row, position, row_key(row, purpose));
}

double CounterRandom::selection(const StreamKey& row, std::uint32_t position, std::uint32_t number) {
  return draw(row, position, row_key(row, Purpose::kSelection), number);
}

void CounterRandom::tokens(std::span<const StreamKey> rows, Purpose purpose, std::int64_t vocabulary,
                           std::int64_t length, std::span<TokenId> out) {
  size_t next = 0;
  for (const StreamKey& row : rows) {
    const PhiloxKey key = row_key(row, purpose);
    for (std::int64_t i = 0; i < length; ++i) {
      const double u = draw(row, static_cast<std::uint32_t>(i), key);
      out[next++] = static_cast<TokenId>(u * static_cast<double>(vocabulary));
    }
  }
}

CandidateDraws CounterRandom::candidates(std::span<const StreamKey> rows, std::int64_t length) {
  CandidateDraws draws;
  draws.uniforms.reserve(rows.size() * length);
  for (const StreamKey& row : rows) {
    const PhiloxKey key = row_key(row, Purpose::kCandidate);
    for (std::int64_t i = 0; i < length; ++i)
      draws.uniforms.push_back(draw(row, static_cast<std::uint32_t>(i), key));
  }
  return draws;
}

}  // namespace canvaslab
