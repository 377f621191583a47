// The backbone against values recorded from the reference implementation (tests/data/golden/README.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/checkpoint/huggingface.h"
#include "models/gemma4/padded_batch.h"
#include "tests/test_data.h"

namespace canvaslab::gemma4 {
namespace {

constexpr double kHiddenTolerance = 5e-4;  // hidden states and caches, absolute
constexpr double kLogitTolerance = 2e-3;

// Compares what a test computed with what was recorded, and keeps the largest difference of each kind.
class Comparison {
 public:
  explicit Comparison(const TensorMap& recorded) : recorded_(recorded) {}

  ~Comparison() {
    EXPECT_GT(compared_, 10) << "a comparison of nothing proves nothing";
    for (const auto& [kind, difference] : worst_) {
      std::cout << fmt::format("  largest difference, {}: {:.2e}\n", kind, difference);
    }
  }

  // mask [B,S]: compare only where it is 1 (axis `axis` of `mine` is S).
  void close(const at::Tensor& mine, const std::string& name, double tolerance, const std::string& kind,
             const at::Tensor& mask = {}) {
    const at::Tensor& expected = recorded_.at(name);
    ++compared_;
    ASSERT_EQ(mine.sizes(), expected.sizes()) << name;
    at::Tensor difference = (mine.to(at::kDouble) - expected.to(at::kDouble)).abs();
    if (mask.defined()) difference = at::where(mask.to(at::kBool), difference, at::zeros({}, at::kDouble));
    const double largest = difference.max().item<double>();
    EXPECT_LE(largest, tolerance) << name;
    worst_[kind] = std::max(worst_[kind], largest);
  }

  void equal(const at::Tensor& mine, const std::string& name, const at::Tensor& mask = {}) {
    const at::Tensor& expected = recorded_.at(name);
    ++compared_;
    ASSERT_EQ(mine.sizes(), expected.sizes()) << name;
    at::Tensor same = mine == expected;
    if (mask.defined()) same = same | mask.to(at::kBool).logical_not();
    EXPECT_TRUE(same.all().item<bool>()) << name;
  }

 private:
  const TensorMap& recorded_;
  std::map<std::string, double> worst_;
  int compared_ = 0;
};

// Sliding caches hold the last tokens only: the part of the mask that they cover.
at::Tensor cache_mask(const at::Tensor& mask, std::int64_t cached) {
  return mask.narrow(1, mask.size(1) - cached, cached).unsqueeze(1).unsqueeze(-1);
}

void check_encoder(const TensorMap& mine, const std::string& name, Comparison& compare,
                   const TensorMap& recorded, const at::Tensor& mask, int layers) {
  const at::Tensor wide = mask.unsqueeze(-1);
  compare.close(mine.at("last_hidden_state"), name + ".encoder.last_hidden_state", kHiddenTolerance, "hidden",
                wide);
  for (int i = 0; i < layers; ++i) {
    compare.equal(mine.at(fmt::format("router.{}.indices", i)),
                  fmt::format("{}.encoder.router.{}.indices", name, i), wide);
    compare.close(mine.at(fmt::format("router.{}.weights", i)),
                  fmt::format("{}.encoder.router.{}.weights", name, i), kHiddenTolerance, "router", wide);
  }
  for (int j = 0; j <= layers; ++j) {
    const std::string hidden = fmt::format("{}.encoder.hidden.{}", name, j);
    if (recorded.contains(hidden)) {
      compare.close(mine.at(fmt::format("hidden.{}", j)), hidden, kHiddenTolerance, "hidden", wide);
    }
  }
}

void check_cache(const TensorMap& mine, const std::string& name, Comparison& compare,
                 const at::Tensor& mask) {
  for (const auto& [key, tensor] : mine) {
    compare.close(tensor, name + "." + key, kHiddenTolerance, "cache", cache_mask(mask, tensor.size(2)));
  }
}

void check_decoder(const TensorMap& mine, const std::string& name, Comparison& compare,
                   const TensorMap& recorded, int layers) {
  compare.close(mine.at("logits"), name + ".decoder.logits", kLogitTolerance, "logits");
  for (int i = 0; i < layers; ++i) {
    compare.equal(mine.at(fmt::format("router.{}.indices", i)),
                  fmt::format("{}.decoder.router.{}.indices", name, i));
    compare.close(mine.at(fmt::format("router.{}.weights", i)),
                  fmt::format("{}.decoder.router.{}.weights", name, i), kHiddenTolerance, "router");
  }
  for (int j = 0; j <= layers; ++j) {
    const std::string hidden = fmt::format("{}.decoder.hidden.{}", name, j);
    if (recorded.contains(hidden))
      compare.close(mine.at(fmt::format("hidden.{}", j)), hidden, kHiddenTolerance, "hidden");
  }
}

class GoldenText : public testing::TestWithParam<const char*> {};

TEST_P(GoldenText, EveryRecordedTensorAgrees) {
  const auto folder = test_data("golden/text_fp32");
  Checkpoint checkpoint = load_checkpoint(folder);
  checkpoint.config = read_gemma4_config(folder / GetParam());
  const Gemma4Denoiser denoiser(checkpoint, {});
  const TensorMap recorded = read_safetensors(folder / "expected.safetensors");
  const int layers = static_cast<int>(checkpoint.config.num_hidden_layers);
  Comparison compare(recorded);
  const auto cases = read_json(folder / "cases.json");
  for (const auto& [name, lengths] : cases["cases"].items()) {
    SCOPED_TRACE(name);
    const at::Tensor ids = recorded.at(name + ".input_ids"), mask = recorded.at(name + ".attention_mask");
    const at::Tensor canvas = recorded.at(name + ".canvas");
    PaddedBatch batch(denoiser, left_padding(mask, ids.size(0), ids.size(1)));
    check_encoder(batch.prefill(ids, true), name, compare, recorded, mask, layers);
    check_cache(batch.cache(), name, compare, mask);
    check_decoder(batch.denoise(canvas, {}, true), name, compare, recorded, layers);

    const TensorMap conditioned =
        batch.denoise(canvas, recorded.at(name + ".self_conditioning_logits"), true);
    compare.close(conditioned.at("logits"), name + ".decoder_sc.logits", kLogitTolerance, "logits");
    compare.close(conditioned.at("hidden.0"), name + ".decoder_sc.hidden.0", kHiddenTolerance, "hidden");

    const at::Tensor done = conditioned.at("logits").argmax(-1);
    compare.equal(done, name + ".block2.input_ids");
    const TensorMap second = batch.prefill(done, false);
    compare.close(second.at("last_hidden_state"), name + ".block2.encoder.last_hidden_state",
                  kHiddenTolerance, "hidden");
    check_cache(batch.cache(), name + ".block2", compare, at::cat({mask, at::ones_like(done)}, 1));
    compare.close(batch.denoise(recorded.at(name + ".block2.canvas"), {}, false).at("logits"),
                  name + ".block2.decoder.logits", kLogitTolerance, "logits");
  }
}

INSTANTIATE_TEST_SUITE_P(BothKeyStyles, GoldenText, testing::Values("config.json", "config_flat.json"),
                         [](const auto& tested) {
                           return std::string(tested.param) == "config.json" ? "PerLayer" : "Flat";
                         });

TEST(GoldenSharded, Float32AgreesWithTheUpcastReference) {
  const auto folder = test_data("golden/text_bf16_sharded");
  const Gemma4Denoiser denoiser(load_checkpoint(folder), {.precision = Precision::kFloat32});
  const TensorMap recorded = read_safetensors(folder / "expected.safetensors");
  Comparison compare(recorded);
  const auto cases = read_json(folder / "cases.json");
  for (const auto& [name, lengths] : cases["cases"].items()) {
    SCOPED_TRACE(name);
    const at::Tensor ids = recorded.at(name + ".input_ids"), canvas = recorded.at(name + ".canvas");
    PaddedBatch batch(denoiser,
                      left_padding(recorded.at(name + ".attention_mask"), ids.size(0), ids.size(1)));
    const TensorMap read = batch.prefill(ids, false);
    compare.close(read.at("last_hidden_state"), name + ".fp32.encoder.last_hidden_state", kHiddenTolerance,
                  "hidden");
    for (int i = 0; i < static_cast<int>(denoiser.backbone().config().layers.size()); ++i) {
      compare.equal(read.at(fmt::format("router.{}.indices", i)),
                    fmt::format("{}.fp32.encoder.router.{}.indices", name, i));
    }
    compare.close(batch.denoise(canvas, {}, false).at("logits"), name + ".fp32.decoder.logits",
                  kLogitTolerance, "logits");
    compare.close(batch.denoise(canvas, recorded.at(name + ".self_conditioning_logits"), false).at("logits"),
                  name + ".fp32.decoder_sc.logits", kLogitTolerance, "logits");
  }
}

// bfloat16 rounds a router score by about 0.01, so one token's experts may differ: means and argmax agreement
// are judged, against the distance that the reference's own bfloat16 has from its float32.
TEST(GoldenSharded, Bfloat16IsAsCloseAsTheReferenceIsToItself) {
  const auto folder = test_data("golden/text_bf16_sharded");
  const Gemma4Denoiser denoiser(load_checkpoint(folder), {.precision = Precision::kBfloat16});
  const TensorMap recorded = read_safetensors(folder / "expected.safetensors");
  const auto cases = read_json(folder / "cases.json");
  for (const auto& [name, lengths] : cases["cases"].items()) {
    const at::Tensor ids = recorded.at(name + ".input_ids"), canvas = recorded.at(name + ".canvas");
    PaddedBatch batch(denoiser,
                      left_padding(recorded.at(name + ".attention_mask"), ids.size(0), ids.size(1)));
    batch.prefill(ids, false);
    for (const bool conditioned : {false, true}) {
      const std::string pass = conditioned ? ".decoder_sc.logits" : ".decoder.logits";
      const at::Tensor logits =
          batch
              .denoise(canvas, conditioned ? recorded.at(name + ".self_conditioning_logits") : at::Tensor(),
                       false)
              .at("logits");
      const auto& limit = cases["difference_bf16_to_fp32"][name + pass];
      for (const std::string precision : {".bf16", ".fp32"}) {
        const at::Tensor& expected = recorded.at(name + precision + pass);
        const double mean = (logits - expected).abs().mean().item<double>();
        const double agreement =
            (logits.argmax(-1) == expected.argmax(-1)).to(at::kDouble).mean().item<double>();
        std::cout << fmt::format("  {}{}{}: mean difference {:.4f}, argmax agreement {:.3f}\n", name,
                                 precision, pass, mean, agreement);
        EXPECT_LE(mean, 1.5 * limit["mean"].get<double>()) << name << precision << pass;
        EXPECT_GE(agreement, 0.8) << name << precision << pass;
      }
    }
  }
}

}  // namespace
}  // namespace canvaslab::gemma4
