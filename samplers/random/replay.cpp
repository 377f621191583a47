// `random: replay`: draws are read from a safetensors file instead of being drawn. A parity mode: with
// another implementation's draws, every decision can be compared with its own.
//
// Per canvas c: canvasC.random_initial_canvas [B,L], canvasC.sampled_canvas [T,B,L], canvasC.renoise_canvas
// [T,B,L].
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/random/random_source.h"
#include "core/registry.h"
#include "models/checkpoint/safetensors.h"

namespace canvaslab {
namespace {

class ReplayRandom : public Random {
 public:
  ReplayRandom(std::string file, std::string prefix)
      : file_(std::move(file)),
        prefix_(std::move(prefix)),
        tensors_(as_wrong_input([&] { return read_safetensors(file_); })) {}

  bool lockstep() const override { return true; }

  void tokens(std::span<const StreamKey> rows, Purpose purpose, std::int64_t vocabulary, std::int64_t length,
              std::span<TokenId> out) override {
    const bool initial = purpose == Purpose::kInitialCanvas;
    const std::vector<TokenId> recorded =
        initial ? take("random_initial_canvas", rows, length, std::nullopt)
                : take("renoise_canvas", rows, length, static_cast<std::int64_t>(rows[0].step));
    for (const TokenId id : recorded) {
      if (id < 0 || id >= vocabulary) {
        throw Error(
            fmt::format("{}: token id {} is outside the vocabulary of {} entries", file_, id, vocabulary));
      }
    }
    std::copy(recorded.begin(), recorded.end(), out.begin());
  }

  CandidateDraws candidates(std::span<const StreamKey> rows, std::int64_t length) override {
    CandidateDraws draws;
    draws.given = take("sampled_canvas", rows, length, static_cast<std::int64_t>(rows[0].step));
    return draws;
  }

  double selection(const StreamKey& row, std::uint32_t /*position*/, std::uint32_t /*number*/) override {
    throw Error(fmt::format(
        "{}: holds no draws for selection rules, and the rule asks for one at step {} of canvas {}; use a "
        "rule without random choices with random=replay",
        file_, row.step, row.canvas));
  }

 private:
  std::vector<TokenId> take(const char* what, std::span<const StreamKey> rows, std::int64_t length,
                            std::optional<std::int64_t> step) const {
    const std::string name = fmt::format("{}canvas{}.{}", prefix_, rows[0].canvas, what);
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      throw Error(fmt::format("{}: no recorded draws '{}' (random.prefix is '{}')", file_, name, prefix_));
    }
    at::Tensor draws = found->second;
    if (!at::isIntegralType(draws.scalar_type(), /*includeBool=*/false)) {
      throw Error(fmt::format("{}: '{}' holds values of type {}, expected integers", file_, name,
                              at::toString(draws.scalar_type())));
    }
    if (step && draws.dim() == 3 && *step >= draws.size(0)) {
      throw Error(fmt::format("{}: '{}' holds {} steps; the run asks for step {}", file_, name, draws.size(0),
                              *step));
    }
    if (step && draws.dim() == 3) draws = draws[*step];
    draws = draws.to(at::kLong).contiguous();
    const std::vector<std::int64_t> expected{static_cast<std::int64_t>(rows.size()), length};
    if (draws.sizes() != expected) {
      throw Error(fmt::format("{}: '{}' holds draws of another shape than [{}, {}] a step", file_, name,
                              expected[0], expected[1]));
    }
    return token_ids(draws, name);
  }

  std::vector<TokenId> token_ids(const at::Tensor& draws, const std::string& name) const {
    const std::span all(draws.const_data_ptr<std::int64_t>(), static_cast<size_t>(draws.numel()));
    std::vector<TokenId> ids;
    for (const std::int64_t id : all) {
      if (id < 0 || id > std::numeric_limits<TokenId>::max()) {
        throw Error(fmt::format("{}: '{}' holds {}, which is no token id", file_, name, id));
      }
      ids.push_back(static_cast<TokenId>(id));
    }
    return ids;
  }

  std::string file_, prefix_;
  std::map<std::string, at::Tensor> tensors_;
};

class Replay : public RandomSource {
 public:
  struct Config {
    std::string file;
    std::string prefix;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("file", file, {.meaning = "safetensors file with the recorded draws"});
      visit("prefix", prefix, {.meaning = "what stands before 'canvas0.' in its tensor names"});
    }
  };

  explicit Replay(const Config& config) : config_(config) {
    if (config.file.empty())
      throw ConfigurationError("random.file is missing: random=replay reads its draws from a file");
  }

  std::unique_ptr<Random> make(std::uint64_t /*seed*/) const override {
    return std::make_unique<ReplayRandom>(config_.file, config_.prefix);
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(RandomSource, Replay, "replay", "reads its draws from a file (parity)", "");

}  // namespace canvaslab
