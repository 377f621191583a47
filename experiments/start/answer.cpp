// `start: answer`: the right answer with some tokens wrong, to see whether the sampler repairs it. Which
// positions are wrong is drawn, each set of them equally likely; a wrong token is drawn from those that the
// answers of the run hold at all, the right one left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "core/error.h"
#include "core/random/counter_random.h"
#include "core/registry.h"
#include "experiments/start/start.h"
#include "experiments/tasks/encode_example.h"

namespace canvaslab {
namespace {

// `count` numbers of [0, bound), drawn for this sample; `what` tells the two uses apart.
std::vector<TokenId> draw(std::uint64_t seed, std::uint64_t sample, std::uint32_t what, std::int64_t bound,
                          size_t count) {
  const std::array<StreamKey, 1> key{{{.sample = sample, .canvas = 0, .step = what}}};
  std::vector<TokenId> drawn(count);
  CounterRandom(seed).tokens(key, Purpose::kStart, bound, static_cast<std::int64_t>(count), drawn);
  return drawn;
}

class AnswerStart : public Start {
 public:
  struct Config {
    int wrong = 4;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("wrong", wrong,
            {.unit = "tokens", .meaning = "how many of them are wrong", .minimum = 0, .maximum = 1e6});
    }
  };

  explicit AnswerStart(const Config& config) : config_(config) {}

  std::vector<std::vector<TokenId>> canvases(const std::vector<TaskItem>& items, const Tokenizer& tokenizer,
                                             const Vocabulary& vocabulary, std::int64_t length,
                                             std::uint64_t seed) const override {
    std::vector<std::vector<TokenId>> all;
    std::set<TokenId> used;
    for (const TaskItem& item : items) {
      all.push_back(answer(item, tokenizer, length));
      used.insert(all.back().begin(), all.back().end());
    }
    const std::vector<TokenId> tokens(used.begin(), used.end());
    if (config_.wrong > 0 && tokens.size() < 2)
      throw ConfigurationError("start=answer: all answers are made of one token; none can be wrong");
    for (size_t i = 0; i < all.size(); ++i) {
      make_wrong(all[i], tokens, seed, i);
      all[i] = answer_on_canvas(all[i], vocabulary, length);
    }
    return all;
  }

 private:
  std::vector<TokenId> answer(const TaskItem& item, const Tokenizer& tokenizer, std::int64_t length) const {
    if (item.target.empty()) {
      throw ConfigurationError(fmt::format(
          "start=answer: example {} has no known answer to start from; use start=noise", item.id));
    }
    std::vector<TokenId> tokens = encode_example(item, tokenizer, length).target;
    if (static_cast<size_t>(config_.wrong) > tokens.size()) {
      throw ConfigurationError(fmt::format("start.wrong is {}, and the answer of example {} has {} tokens",
                                           config_.wrong, item.id, tokens.size()));
    }
    return tokens;
  }

  void make_wrong(std::vector<TokenId>& answer, const std::vector<TokenId>& tokens, std::uint64_t seed,
                  std::uint64_t sample) const {
    const std::vector<TokenId> order = draw(seed, sample, 0, std::int64_t{1} << 31, answer.size());
    std::vector<size_t> positions(answer.size());
    std::iota(positions.begin(), positions.end(), size_t{0});
    std::stable_sort(positions.begin(), positions.end(),
                     [&](size_t a, size_t b) { return order[a] < order[b]; });
    const auto others = static_cast<std::int64_t>(tokens.size()) - 1;
    const std::vector<TokenId> chosen =
        draw(seed, sample, 1, std::max<std::int64_t>(others, 1), answer.size());
    for (int k = 0; k < config_.wrong; ++k) {
      TokenId& token = answer[positions[static_cast<size_t>(k)]];
      const auto right = std::lower_bound(tokens.begin(), tokens.end(), token) - tokens.begin();
      const TokenId other = chosen[static_cast<size_t>(k)];
      token = tokens[static_cast<size_t>(other < right ? other : other + 1)];
    }
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Start, AnswerStart, "answer",
                   "the first canvas is the right answer with some tokens wrong", "");

}  // namespace canvaslab
