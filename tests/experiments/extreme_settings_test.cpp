// Whole runs of the small recorded model at the edges of its settings: temperature 0 and nearly 0, a
// suppressed token, a model that returns no numbers, more tokens than a canvas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "experiments/generate.h"
#include "models/checkpoint/safetensors.h"
#include "tests/temporary_folder.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

const std::filesystem::path kModel = test_data("golden/generation");

// What `generate` writes for two rows of prompts, with one thread.
TensorMap run(std::vector<std::string> overrides, const std::filesystem::path& model = kModel) {
  const TemporaryFolder folder;
  const at::Tensor ids = read_safetensors(kModel / "expected.safetensors").at("batch2.input_ids");
  write_safetensors(folder / "inputs.safetensors", {{"input_ids", ids}});
  overrides.insert(overrides.begin(), {"threads=1", "seed=3"});
  generate({model, folder / "inputs.safetensors", folder / "output.safetensors", {}, overrides});
  return read_safetensors(folder / "output.safetensors");
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && (a == b).all().item<bool>();
}

TEST(ExtremeSettings, TemperatureZeroIsGreedyEverywhere) {
  for (const std::string schedule :
       {"temperature=constant temperature.value=0", "temperature.minimum=0 temperature.maximum=0",
        "generation.t_min=0 generation.t_max=0"}) {
    const size_t space = schedule.find(' ');
    const TensorMap out =
        run({schedule.substr(0, space), schedule.substr(space + 1), "sampler.max_new_tokens=16"});
    EXPECT_TRUE(same(out.at("canvas0.sampled_canvas"), out.at("canvas0.argmax_canvas"))) << schedule;
    EXPECT_EQ(out.at("canvas0.token_entropy").abs().max().item<float>(), 0) << schedule;
    EXPECT_TRUE(same(out.at("canvas0.next_canvas"), out.at("canvas0.argmax_canvas"))) << schedule;
    EXPECT_EQ(out.at("canvas0.temperature").abs().max().item<float>(), 0) << schedule;
  }
}

TEST(ExtremeSettings, NearlyZeroIsNearlyGreedy) {
  const auto at_temperature = [](const char* value) {
    return run(
        {"temperature=constant", fmt::format("temperature.value={}", value), "sampler.max_new_tokens=16"});
  };
  const TensorMap greedy = at_temperature("0");
  for (const char* value : {"1e-4", "1e-6", "1e-20", "1e-38", "1e-44"}) {
    const TensorMap out = at_temperature(value);
    EXPECT_TRUE(at::isfinite(out.at("canvas0.token_entropy")).all().item<bool>()) << value;
    EXPECT_TRUE(same(out.at("sequences"), greedy.at("sequences"))) << value;
  }
}

TEST(ExtremeSettings, ASuppressedTokenNeverAppears) {
  const TensorMap free = run({"sampler.max_new_tokens=16"});
  const at::Tensor generated = free.at("canvas0.argmax_canvas").flatten();
  const auto often = static_cast<int>(std::get<0>(at::mode(generated)).item<std::int64_t>());
  const TensorMap banned = run({"sampler.max_new_tokens=16", fmt::format("sampler.suppress=[{}]", often)});
  for (const char* name : {"canvas0.argmax_canvas", "canvas0.sampled_canvas"}) {
    EXPECT_TRUE((free.at(name) == often).any().item<bool>()) << "the test bans a token that never came";
    EXPECT_FALSE((banned.at(name) == often).any().item<bool>()) << name;
  }
}

TEST(ExtremeSettings, AModelThatReturnsNoNumbersEndsTheRun) {
  const TemporaryFolder folder;
  for (const char* file : {"config.json", "generation_config.json"})
    std::filesystem::copy(kModel / file, folder / file);
  TensorMap weights = read_safetensors(kModel / "model.safetensors");
  at::Tensor& norm = weights.at("model.decoder.norm.weight");
  norm = norm.clone();
  norm[0] = NAN;
  write_safetensors(folder / "model.safetensors", weights, {{"format", "pt"}});
  try {
    run({}, folder.path());
    FAIL() << "the run was reported as done";
  } catch (const ConfigurationError& error) {
    FAIL() << "not the configuration's fault: " << error.what();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("non-finite logit: sample 0, canvas 0, step 0, position 0"));
  }
}

TEST(ExtremeSettings, TheUsersNumberOfTokensWinsOverTheCheckpoints) {
  const auto tokens = [](const std::vector<std::string>& overrides) {
    Session session({}, overrides);
    session.set("model", "checkpoint", config::Node(kModel.string() + "/"));
    session.load();
    EXPECT_EQ(session.effective().find("sampler")->find("max_new_tokens")->as_integer(),
              session.max_new_tokens());
    return session.max_new_tokens();
  };
  EXPECT_EQ(tokens({"sampler.max_new_tokens=600"}), 600);
  EXPECT_EQ(tokens({"sampler.max_new_tokens=1"}), 1);
  EXPECT_EQ(tokens({}), read_generation_config(kModel / "generation_config.json").max_new_tokens);
}

}  // namespace
}  // namespace canvaslab
