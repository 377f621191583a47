// Training low-rank updates: only they change, the adapter is what is kept, and merged it is the trained
// model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "experiments/resave.h"
#include "experiments/training/train.h"
#include "experiments/training/trainer.h"
#include "models/checkpoint/huggingface.h"
#include "models/gemma4/initial_weights.h"
#include "tests/complaint.h"
#include "tests/experiments/training/small_training.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using gemma4::Gemma4Denoiser;
using gemma4::Gemma4Row;
using ::testing::HasSubstr;

const ConfigLocation kTrain{{}, "train"};

// Logits of a canvas after a prompt.
at::Tensor logits(const Gemma4Denoiser& denoiser) {
  const c10::InferenceMode inference;
  Gemma4Row row;
  row.cache.layers.resize(denoiser.backbone().config().layers.size());
  Gemma4Row* rows[] = {&row};
  const std::vector<TokenId> prompt{2, 4, 8, 5, 8}, canvas{4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4};
  const std::span<const TokenId> prompts[] = {prompt}, canvases[] = {canvas};
  denoiser.prefill_pass(rows, prompts, nullptr);
  return denoiser.head().logits(denoiser.denoise_pass(rows, canvases, nullptr));
}

class Lora : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ostringstream out;
    std::vector<std::string> words = small_training();
    words.push_back("hydra.run.dir=" + (folder_ / "base").string());
    ASSERT_EQ(train(kTrain, words, out), 0);
  }

  std::filesystem::path base() const { return folder_ / "base" / "checkpoint"; }

  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all =
        small_training({"initial=checkpoint", "initial.folder=" + base().string()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(Lora, OnlyTheUpdatesChange) {
  const TrainConfig config = train_config(words({"training.lora={rank: 2}"}));
  Trainer trainer(config);
  TensorMap before;
  for (const auto& [name, tensor] : trainer.parts().weights) before[name] = tensor.detach().clone();
  for (int step = 0; step < 3; ++step) trainer.step();
  int changed = 0;
  for (const auto& [name, tensor] : trainer.parts().weights) {
    if (!is_adapter_weight(name)) {
      EXPECT_TRUE(tensor.equal(before.at(name))) << name;
    } else {
      EXPECT_FALSE(tensor.equal(before.at(name))) << name;
      ++changed;
    }
  }
  EXPECT_EQ(changed,
            2 * 17);  // q, k, o (twice), v (not of the full layer), three of the MLP, two of the experts
}

TEST_F(Lora, TheFirstStepSeesTheBaseModel) {
  const TrainConfig plain = train_config(words({})),
                    low_rank = train_config(words({"training.lora={rank: 3}"}));
  Trainer one(plain), two(low_rank);
  EXPECT_NEAR(one.step().loss, two.step().loss, 1e-5);
}

TEST_F(Lora, MergedItIsTheTrainedModel) {
  std::ostringstream out;
  std::vector<std::string> all =
      words({"training.lora={rank: 2, alpha: 8}", "training.learning_rate=0.05", "training.average=0"});
  all.push_back("hydra.run.dir=" + (folder_ / "tuned").string());
  ASSERT_EQ(train(kTrain, all, out), 0);
  const std::filesystem::path adapter = folder_ / "tuned" / "checkpoint";
  EXPECT_FALSE(std::filesystem::exists(adapter / "model.safetensors"));
  const Adapter loaded = load_adapter(adapter);
  EXPECT_EQ(loaded.base, base().string());

  ASSERT_EQ(resave(base().string(), folder_ / "merged", adapter), 0);
  const Checkpoint checkpoint = load_checkpoint(base());
  Checkpoint with_updates = checkpoint;
  for (const auto& [name, tensor] : loaded.tensors) with_updates.tensors[name] = tensor;
  const at::Tensor unmerged = logits(Gemma4Denoiser(
      with_updates, {.precision = gemma4::Precision::kFloat32, .update_scale = loaded.scale()}));
  const gemma4::DenoiserOptions plain{.precision = gemma4::Precision::kFloat32};
  const at::Tensor merged_logits = logits(Gemma4Denoiser(load_checkpoint(folder_ / "merged"), plain)),
                   base_logits = logits(Gemma4Denoiser(checkpoint, plain));
  EXPECT_LE((unmerged - merged_logits).abs().max().item<float>(), 1e-4F);
  EXPECT_GE((unmerged - base_logits).abs().max().item<float>(), 1e-2F);
}

TEST_F(Lora, ResumesExactly) {
  const TrainConfig config = train_config(words({"training.lora={rank: 2}"}));
  Trainer whole(config), first(config), second(config);
  for (int step = 0; step < 4; ++step) whole.step();
  for (int step = 0; step < 2; ++step) first.step();
  TensorMap state;
  for (const auto& [name, tensor] : first.state()) state[name] = tensor.clone();
  second.load(state);
  for (int step = 0; step < 2; ++step) second.step();
  const TensorMap a = whole.state(), b = second.state();
  for (const auto& [name, tensor] : a) EXPECT_TRUE(tensor.equal(b.at(name))) << name;
}

TEST_F(Lora, WhatMakesNoSenseIsRefused) {
  const auto complaint_of = [&](const std::vector<std::string>& all) {
    return complaint([&] {
      const TrainConfig config = train_config(all);
      const Trainer trainer(config);
    });
  };
  EXPECT_THAT(complaint_of(small_training({"training.lora={rank: 2}"})), HasSubstr("initial=checkpoint"));
  EXPECT_THAT(complaint_of(words({"training.lora={targets: [atention]}"})),
              HasSubstr("did you mean 'attention'"));
  EXPECT_THAT(complaint_of(words({"training.lora={targets: []}"})), HasSubstr("nothing is left to train"));
  EXPECT_THAT(complaint_of(words({"training.lora={rank: 0}"})), HasSubstr("rank"));
}

}  // namespace
}  // namespace canvaslab
