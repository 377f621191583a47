// A checkpoint whose causal mode nothing vouches for is warned of, and only where it is asked to predict; one
// that was trained for it judges answers.
#include "experiments/causal_mode.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/project.h"
#include "models/checkpoint/huggingface.h"
#include "models/gemma4/denoiser.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class CausalMode : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(project_root() / "models/pretrained/sudoku6-uniform", checkpoint_);
    std::filesystem::remove(checkpoint_ / "training.yaml");
  }

  std::string warning(const std::string& sampler, const std::string& record) const {
    if (!record.empty()) std::ofstream(checkpoint_ / "training.yaml") << record;
    Session session({}, {"sampler=" + sampler, "model.checkpoint=" + checkpoint_.string()});
    session.load();
    return causal_mode_warning(session);
  }

  const TemporaryFolder folder_;
  const std::filesystem::path checkpoint_ = folder_ / "checkpoint";
};

TEST_F(CausalMode, ATrainingThatWeighedItVouchesForIt) {
  EXPECT_EQ(warning("autoregressive", "training: {causal_weight: 0.5}\n"), "");
  EXPECT_EQ(warning("autoregressive", "training: {causal_weight: 1}\n"), "");
}

TEST_F(CausalMode, NothingElseDoes) {
  EXPECT_THAT(warning("autoregressive", ""), HasSubstr(checkpoint_.string()));
  EXPECT_THAT(warning("autoregressive", "training: {causal_weight: 0.0}\n"),
              HasSubstr("training.causal_weight"));
  EXPECT_THAT(warning("autoregressive", "training: {steps: 3}\n"), HasSubstr("warning"));
}

TEST_F(CausalMode, IsNoMatterWhereCanvasesAreDenoised) {
  EXPECT_EQ(warning("block", ""), "");
}

// Against the whole of prompt and answer in one pass, its logits turned into probabilities here.
TEST_F(CausalMode, JudgesAnswersByTheNextTokenCrossEntropy) {
  std::ofstream(checkpoint_ / "training.yaml") << "training: {causal_weight: 1}\n";
  Session session({}, {"model.checkpoint=" + checkpoint_.string()});
  session.load();
  const CausalJudge judge(session);
  const gemma4::Gemma4Denoiser denoiser(load_checkpoint(checkpoint_), {});
  const std::vector<TokenId> prompt = session.model().tokenizer->encode("12..56", true);
  for (const char* text : {"123456", "666", "1"}) {
    const std::vector<TokenId> answer = session.model().tokenizer->encode(text, false);
    std::vector<TokenId> whole = prompt;
    whole.insert(whole.end(), answer.begin(), answer.end());
    gemma4::Gemma4Row row;
    row.cache.layers.resize(denoiser.backbone().config().layers.size());
    gemma4::Gemma4Row* const rows[] = {&row};
    const std::span<const TokenId> tokens[] = {whole};
    const c10::InferenceMode inference;
    const at::Tensor p =
        at::log_softmax(denoiser.head().logits(denoiser.prefill_pass(rows, tokens, nullptr)), -1);
    double sum = 0;
    for (size_t i = 0; i < answer.size(); ++i)
      sum -= p[static_cast<std::int64_t>(prompt.size() + i) - 1][answer[i]].item<double>();
    EXPECT_NEAR(judge.nats(prompt, answer).value(), sum / static_cast<double>(answer.size()), 1e-4) << text;
  }
  EXPECT_FALSE(judge.nats({}, prompt));
  EXPECT_FALSE(judge.nats(prompt, {}));
}

TEST_F(CausalMode, JudgesNothingWhereItWasNotTrained) {
  Session session({}, {"model.checkpoint=" + checkpoint_.string()});
  session.load();
  const std::vector<TokenId> tokens = session.model().tokenizer->encode("12", true);
  EXPECT_FALSE(CausalJudge(session).nats(tokens, tokens));
}

}  // namespace
}  // namespace canvaslab
