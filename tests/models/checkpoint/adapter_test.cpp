// Adapters: their names and shapes, the way to a folder and back, and merging against the definition.
#include "models/checkpoint/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/complaint.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

TensorMap weights() {
  at::manual_seed(1);
  return {{"model.decoder.layers.0.self_attn.q_proj.weight", at::randn({6, 4})},
          {"model.decoder.layers.0.mlp.down_proj.weight", at::randn({4, 5})},
          {"model.decoder.layers.0.experts.gate_up_proj", at::randn({3, 8, 4})},
          {"model.decoder.layers.0.router.proj.weight", at::randn({3, 4})},
          {"model.decoder.self_conditioning.up_proj.weight", at::randn({5, 4})}};
}

Adapter adapter(const std::vector<std::string>& targets) {
  Adapter made{.rank = 2, .alpha = 6, .targets = targets, .base = "base", .tensors = {}};
  made.tensors = initial_adapter(weights(), 2, targets, 9);
  return made;
}

TEST(Adapter, HasAnUpdateOfEveryWeightOfItsTargets) {
  const TensorMap all = adapter({"attention", "mlp", "experts"}).tensors;
  ASSERT_EQ(all.size(), 6U);
  const std::string experts = "model.decoder.layers.0.experts.gate_up_proj.lora_";
  EXPECT_EQ(all.at(experts + "A.weight").sizes(), at::IntArrayRef({3, 2, 4}));
  EXPECT_EQ(all.at(experts + "B.weight").sizes(), at::IntArrayRef({3, 8, 2}));
  EXPECT_EQ(all.at("model.decoder.layers.0.mlp.down_proj.lora_A.weight").sizes(), at::IntArrayRef({2, 5}));
  EXPECT_EQ(adapter({"mlp"}).tensors.size(), 2U);
  for (const auto& [name, tensor] : all)
    EXPECT_EQ(tensor.abs().max().item<float>() == 0, name.ends_with("lora_B.weight")) << name;
}

TEST(Adapter, AFreshOneChangesNothing) {
  for (const auto& [name, tensor] : merged(weights(), adapter({"attention", "mlp", "experts"})))
    EXPECT_TRUE(tensor.equal(weights().at(name))) << name;
}

TEST(Adapter, MergingAddsTheScaledProduct) {
  Adapter made = adapter({"attention", "experts"});
  for (auto& [name, tensor] : made.tensors) tensor = at::randn(tensor.sizes());
  const TensorMap all = merged(weights(), made);
  for (const std::string module : {"self_attn.q_proj", "experts.gate_up_proj"}) {
    const std::string name = "model.decoder.layers.0." + module;
    const std::string weight = all.contains(name) ? name : name + ".weight";
    const at::Tensor a = made.tensors.at(name + ".lora_A.weight"),
                     b = made.tensors.at(name + ".lora_B.weight");
    const at::Tensor expected = weights().at(weight) + 3 * at::einsum("...or,...ri->...oi", {b, a});
    EXPECT_LE((all.at(weight) - expected).abs().max().item<float>(), 1e-5F) << weight;
  }
  EXPECT_TRUE(all.at("model.decoder.layers.0.mlp.down_proj.weight")
                  .equal(weights().at("model.decoder.layers.0.mlp.down_proj.weight")));
}

TEST(Adapter, ComesBackFromItsFolder) {
  const TemporaryFolder folder;
  const Adapter made = adapter({"mlp"});
  save_adapter(folder / "adapter", made);
  const Adapter read = load_adapter(folder / "adapter");
  EXPECT_EQ(read.rank, 2);
  EXPECT_EQ(read.alpha, 6);
  EXPECT_EQ(read.targets, made.targets);
  EXPECT_EQ(read.base, "base");
  ASSERT_EQ(read.tensors.size(), made.tensors.size());
  for (const auto& [name, tensor] : made.tensors) EXPECT_TRUE(tensor.equal(read.tensors.at(name))) << name;
  const TensorMap file = read_safetensors(folder / "adapter" / "adapter_model.safetensors");
  EXPECT_TRUE(file.contains("base_model.model.model.decoder.layers.0.mlp.down_proj.lora_A.weight"));
}

TEST(Adapter, OneThatDoesNotFitIsRefused) {
  Adapter made = adapter({"mlp"});
  made.rank = 3;
  EXPECT_THAT(complaint([&] { merged(weights(), made); }), HasSubstr("expected shape [3, 5], found [2, 5]"));
  made = adapter({"mlp"});
  made.tensors.erase("model.decoder.layers.0.mlp.down_proj.lora_B.weight");
  EXPECT_THAT(complaint([&] { merged(weights(), made); }), HasSubstr("lora_B.weight' is missing"));
  made = adapter({"mlp"});
  TensorMap other = weights();
  other.erase("model.decoder.layers.0.mlp.down_proj.weight");
  EXPECT_THAT(complaint([&] { merged(other, made); }),
              HasSubstr("no weight 'model.decoder.layers.0.mlp.down_proj'"));
  const TemporaryFolder folder;
  EXPECT_THAT(complaint([&] { load_adapter(folder / "nothing"); }), HasSubstr("holds no adapter"));
  save_adapter(folder / "adapter", adapter({"mlp"}));
  std::ofstream(folder / "adapter" / "adapter_config.json") << "{\"r\": 0, \"lora_alpha\": 1}";
  EXPECT_THAT(complaint([&] { load_adapter(folder / "adapter"); }), HasSubstr("adapter_config.json: r"));
}

}  // namespace
}  // namespace canvaslab
