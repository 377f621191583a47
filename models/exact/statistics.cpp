#include "models/exact/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/exact/probabilities.h"

namespace canvaslab {
namespace {

size_t first_of_best(std::span<const double> p) {
  return static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

// Keeps the k most probable, and of these the fewest that reach p together; equal ones by id.
void filter(std::vector<double>& p, const VocabularyFilter& wanted) {
  if (!wanted.active()) return;
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  size_t kept = p.size();
  if (wanted.top_k) kept = std::min(kept, static_cast<size_t>(*wanted.top_k));
  if (wanted.top_p) {
    double reached = 0;
    size_t needed = 0;
    while (needed < kept && (needed == 0 || reached < *wanted.top_p)) reached += p[order[needed++]];
    kept = needed;
  }
  for (size_t rank = kept; rank < order.size(); ++rank) p[order[rank]] = 0;
  normalise(p);
}

size_t draw(std::span<const double> p, double u) {
  double cumulative = 0;
  size_t last = 0;
  for (size_t v = 0; v < p.size(); ++v) {
    if (p[v] == 0) continue;
    last = v;
    cumulative += p[v];
    if (cumulative > u) break;
  }
  return last;
}

}  // namespace

std::vector<double> tempered(std::span<const double> probabilities, TokenId current, float temperature,
                             float current_shift, const PassOptions& options) {
  std::vector<double> p(probabilities.begin(), probabilities.end());
  for (const TokenId id : options.suppressed) p[static_cast<size_t>(id)] = 0;
  p[static_cast<size_t>(current)] *= std::exp(static_cast<double>(current_shift));
  const size_t best = first_of_best(p);
  if (temperature == 0) {
    std::fill(p.begin(), p.end(), 0.0);
    p[best] = 1;
  } else if (temperature != 1) {
    const double most = p[best];
    for (double& value : p) value = std::pow(value / most, 1 / static_cast<double>(temperature));
  }
  normalise(p);
  filter(p, options.filter);
  return p;
}

Prediction statistics_of(std::span<const double> distribution, const RowQuery& query,
                         const PassOptions& options) {
  const size_t length = query.canvas.size(), width = distribution.size() / length;
  Prediction out;
  for (size_t i = 0; i < length; ++i) {
    const std::span raw = distribution.subspan(i * width, width);
    const std::vector<double> p =
        tempered(raw, query.canvas[i], query.temperature, query.current_shift, options);
    const size_t best = first_of_best(p);
    const size_t drawn =
        query.given.empty() ? draw(p, query.uniforms[i]) : static_cast<size_t>(query.given[i]);
    double second = 0;
    for (size_t v = 0; v < width; ++v)
      if (v != best) second = std::max(second, p[v]);
    out.argmax.push_back(static_cast<TokenId>(best));
    out.sampled.push_back(static_cast<TokenId>(drawn));
    out.entropy.push_back(static_cast<float>(entropy_of(p)));
    out.confidence.push_back(static_cast<float>(p[best]));
    out.margin.push_back(static_cast<float>(p[best] - second));
    out.sampled_probability.push_back(static_cast<float>(p[drawn]));
    out.current_probability.push_back(static_cast<float>(p[static_cast<size_t>(query.canvas[i])]));
    if (options.raw_probability) {
      PassOptions plain = options;
      plain.filter = {};
      out.raw_sampled_probability.push_back(
          static_cast<float>(tempered(raw, query.canvas[i], 1, query.current_shift, plain)[drawn]));
    }
  }
  return out;
}

}  // namespace canvaslab
