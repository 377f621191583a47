// The causal mode's predictions, token by token and many at once, against the reference's hidden states with
// the output projection applied by definition.
#include <gtest/gtest.h>

#include "models/checkpoint/huggingface.h"
#include "models/gemma4/denoiser.h"
#include "models/gemma4/padded_batch.h"
#include "tests/test_data.h"

namespace canvaslab::gemma4 {
namespace {

// What is asked about one row's tokens: [n] of each.
struct Answers {
  std::vector<float> entropy, confidence, given_probability;
  std::vector<TokenId> argmax;

  void add(const Prediction& some) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(entropy, some.entropy), append(confidence, some.confidence), append(argmax, some.argmax);
    append(given_probability, some.sampled_probability);
  }
};

class PredictNext : public testing::Test {
 protected:
  // Reads `tokens` in pieces of `piece`; the token that is asked about is always the next one (the last has
  // none: itself).
  Answers read(const std::vector<TokenId>& tokens, std::int64_t padding, size_t piece) const {
    const std::vector<Prompt> nothing{{.tokens = {}, .padding_before = padding}};
    const auto context = std::move(denoiser_.prefill(nothing)[0]);
    std::vector<TokenId> next(tokens.begin() + 1, tokens.end());
    next.push_back(tokens.back());
    Answers answers;
    for (size_t begin = 0; begin < tokens.size(); begin += piece) {
      const size_t count = std::min(piece, tokens.size() - begin);
      const std::vector<RowQuery> query{{.context = context.get(),
                                         .canvas = std::span(tokens).subspan(begin, count),
                                         .temperature = 1,
                                         .uniforms = {},
                                         .given = std::span(next).subspan(begin, count)}};
      answers.add(denoiser_.predict_next(query, {})[0]);
    }
    return answers;
  }

  // hidden [n, H] of the reference -> log p [n, V], float64.
  at::Tensor log_probabilities(const at::Tensor& hidden) const {
    at::Tensor logits =
        hidden.to(at::kDouble)
            .matmul(checkpoint_.tensors.at("model.decoder.embed_tokens.weight").to(at::kDouble).t());
    if (const auto cap = checkpoint_.config.final_logit_softcapping) logits = (logits / *cap).tanh() * *cap;
    return logits.log_softmax(-1);
  }

  const std::filesystem::path folder_ = test_data("golden/text_fp32");
  const Checkpoint checkpoint_ = load_checkpoint(folder_);
  const Gemma4Denoiser denoiser_{checkpoint_, {}};
};

TEST_F(PredictNext, AgreesWithTheReferenceHoweverTheTokensArePassed) {
  ASSERT_TRUE(checkpoint_.config.tie_word_embeddings);
  const TensorMap recorded = read_safetensors(folder_ / "expected.safetensors");
  const auto cases = read_json(folder_ / "cases.json");
  int compared = 0;
  for (const auto& [name, lengths] : cases["cases"].items()) {
    const at::Tensor ids = recorded.at(name + ".input_ids"), mask = recorded.at(name + ".attention_mask");
    const std::vector<std::int64_t> padding = left_padding(mask, ids.size(0), ids.size(1));
    const auto rows = rows_of(ids, padding, denoiser_.vocabulary(), "input_ids");
    for (size_t r = 0; r < rows.size(); ++r) {
      SCOPED_TRACE(name + " row " + std::to_string(r));
      const auto n = static_cast<std::int64_t>(rows[r].size());
      const at::Tensor expected = log_probabilities(
          recorded.at(name + ".encoder.last_hidden_state")[static_cast<std::int64_t>(r)].narrow(0, padding[r],
                                                                                                n));
      for (const size_t piece : {size_t{1}, size_t{3}, rows[r].size()}) {
        const Answers answers = read(rows[r], padding[r], piece);
        for (std::int64_t i = 0; i < n; ++i, ++compared) {
          const auto at = static_cast<size_t>(i);
          const at::Tensor row = expected[i];
          const double best = row.max().item<double>();
          EXPECT_NEAR(answers.entropy[at], -(row.exp() * row).sum().item<double>(), 2e-3)
              << piece << " " << i;
          EXPECT_NEAR(std::log(answers.confidence[at]), best, 2e-3) << piece << " " << i;
          EXPECT_NEAR(row[answers.argmax[at]].item<double>(), best, 2e-3) << piece << " " << i;
          const TokenId next = rows[r][std::min(at + 1, rows[r].size() - 1)];
          EXPECT_NEAR(std::log(answers.given_probability[at]), row[next].item<double>(), 2e-3)
              << piece << " " << i;
        }
      }
    }
  }
  EXPECT_GT(compared, 100);
}

// Rows that have read different numbers of tokens, together and alone.
TEST_F(PredictNext, RowsOfDifferentLengthsStandSideBySide) {
  const std::vector<std::vector<TokenId>> tokens{{2, 9, 31}, {5}, {17, 3, 44, 8, 21}};
  const std::vector<Prompt> nothing(tokens.size(), Prompt{});
  const auto contexts = denoiser_.prefill(nothing);
  std::vector<RowQuery> queries;
  for (size_t r = 0; r < tokens.size(); ++r)
    queries.push_back({.context = contexts[r].get(),
                       .canvas = tokens[r],
                       .temperature = 1,
                       .uniforms = {},
                       .given = tokens[r]});
  const std::vector<Prediction> together = denoiser_.predict_next(queries, {});
  for (size_t r = 0; r < tokens.size(); ++r) {
    const auto alone = std::move(denoiser_.prefill(std::span(nothing).first(1))[0]);
    queries[r].context = alone.get();
    const Prediction single = denoiser_.predict_next(std::span(queries).subspan(r, 1), {})[0];
    ASSERT_EQ(together[r].length(), static_cast<int>(tokens[r].size()));
    EXPECT_EQ(together[r].argmax, single.argmax);
    for (size_t i = 0; i < tokens[r].size(); ++i)
      EXPECT_NEAR(together[r].sampled_probability[i], single.sampled_probability[i], 1e-6);
  }
}

}  // namespace
}  // namespace canvaslab::gemma4
