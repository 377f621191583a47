// `model: markov`: a Markov chain whose posteriors are exact. Its transitions are drawn from a seed, written
// out, or counted in a text; it begins in its stationary distribution.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>

#include "core/error.h"
#include "core/registry.h"
#include "models/exact/markov_model.h"
#include "models/exact/probabilities.h"
#include "models/exact/random_rows.h"
#include "models/exact/source/exact_source.h"

namespace canvaslab {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ConfigurationError(fmt::format("model.file: '{}' cannot be read", file));
  return {std::istreambuf_iterator<char>(in), {}};
}

class Markov : public ModelSource {
 public:
  struct Config : ExactOptions {
    int symbols = 8;
    int order = 2;
    int length = 32;
    std::vector<double> transition;
    std::optional<std::string> file;
    double sharpness = 3;
    double least = 0.1;
    std::uint64_t seed = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("symbols", symbols, {.unit = "symbols", .meaning = "K", .minimum = 1, .maximum = 52});
      visit("order", order,
            {.unit = "symbols",
             .meaning = "how many before it a symbol depends on",
             .minimum = 1,
             .maximum = 3});
      visit("length", length,
            {.unit = "positions", .meaning = "L, of the canvas", .minimum = 1, .maximum = 4096});
      visit("transition", transition,
            {.meaning = "K^order rows of K weights, written out; empty: drawn from the seed", .minimum = 0});
      visit(
          "file", file,
          {.meaning = "a text whose bytes are counted instead: its K most frequent ones are the symbols, the "
                      "others are left out"});
      visit("sharpness", sharpness,
            {.meaning = "how unequal the drawn weights of a row are: e^sharpness, e exponential",
             .above = 0,
             .maximum = 100});
      visit("least", least,
            {.unit = "probability",
             .meaning = "share of equal chances in every row",
             .minimum = 0,
             .maximum = 1});
      visit("seed", seed, {.meaning = "of the drawn rows", .minimum = 0});
      ExactOptions::fields(visit);
    }
  };

  explicit Markov(const Config& config) : config_(config) {
    if (config.file && !config.transition.empty())
      throw ConfigurationError("model: markov takes model.transition or model.file, not both");
  }

  Model load() const override {
    const auto width = static_cast<size_t>(config_.symbols);
    size_t contexts = 1;
    for (int i = 0; i < config_.order; ++i) contexts *= width;
    std::vector<double> rows = transition(contexts, width);
    if (rows.size() != contexts * width) {
      throw ConfigurationError(fmt::format("model.transition has {} weights, expected {} rows of {}",
                                           rows.size(), contexts, width));
    }
    normalise_rows(rows, width, "model.transition");
    std::vector<double> initial = stationary(rows, contexts, width);
    return exact_model(std::make_shared<MarkovModel>(config_.symbols, config_.order, config_.length,
                                                     std::move(initial), std::move(rows)),
                       config_);
  }

  Model inspect() const override { return load(); }

 private:
  std::vector<double> transition(size_t contexts, size_t width) const {
    if (config_.file) return counted(contexts, width);
    if (!config_.transition.empty()) return config_.transition;
    return random_rows(config_.seed, 0, contexts, width, {config_.sharpness, config_.least});
  }

  // Counts with `least` of equal chances mixed in, so that nothing is impossible.
  std::vector<double> counted(size_t contexts, size_t width) const {
    const std::string text = text_of(*config_.file);
    std::map<char, std::int64_t> frequency;
    for (const char byte : text) ++frequency[byte];
    std::vector<std::pair<std::int64_t, char>> ranked;
    for (const auto& [byte, count] : frequency) ranked.emplace_back(-count, byte);
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() < width) {
      throw ConfigurationError(
          fmt::format("model.file: '{}' has {} different bytes, expected at least {} "
                      "(model.symbols)",
                      *config_.file, ranked.size(), width));
    }
    std::map<char, size_t> symbol;
    for (size_t v = 0; v < width; ++v) symbol[ranked[v].second] = v;
    std::vector<double> rows(contexts * width, 0.0);
    size_t context = 0;
    int seen = 0;
    for (const char byte : text) {
      const auto found = symbol.find(byte);
      if (found == symbol.end()) continue;
      if (seen >= config_.order) ++rows[context * width + found->second];
      context = (context * width + found->second) % contexts;
      ++seen;
    }
    for (size_t row = 0; row < contexts; ++row) {
      const std::span one = std::span(rows).subspan(row * width, width);
      const bool any = normalise(one) > 0;
      for (double& value : one) {
        value = any ? (1 - config_.least) * value + config_.least / static_cast<double>(width)
                    : 1 / static_cast<double>(width);
      }
    }
    return rows;
  }

  // By repeated steps of the lazy chain, which settles even where the chain itself goes in circles.
  static std::vector<double> stationary(const std::vector<double>& rows, size_t contexts, size_t width) {
    std::vector<double> law(contexts, 1 / static_cast<double>(contexts));
    for (int iteration = 0; iteration < 100000; ++iteration) {
      std::vector<double> next(contexts, 0.0);
      double moved = 0;
      for (size_t context = 0; context < contexts; ++context)
        for (size_t v = 0; v < width; ++v)
          next[(context * width + v) % contexts] += law[context] * rows[context * width + v];
      for (size_t context = 0; context < contexts; ++context) {
        next[context] = (next[context] + law[context]) / 2;
        moved += std::abs(next[context] - law[context]);
      }
      law = std::move(next);
      if (moved < 1e-15) break;
    }
    return law;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(ModelSource, Markov, "markov", "a Markov chain whose posteriors are exact", "");

}  // namespace canvaslab
