#include "models/prompt_cache.h"

#include <gtest/gtest.h>

#include "tests/samplers/stub_denoiser.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kVocabulary = 4, kLength = 3;

// Logits that depend on everything a row has seen.
StubDenoiser::Logits logits(const StubDenoiser::View& view) {
  StubDenoiser::Logits all(kVocabulary, 0.0);
  for (size_t i = 0; i < view.before.size(); ++i)
    all[view.before[i]] += 0.1 * static_cast<double>(i + 1) + view.pass;
  all[view.position % kVocabulary] += 0.3;
  return all;
}

class Prompts : public testing::Test {
 protected:
  // Reads prompts, through the cache that holds `bytes`, or straight.
  std::unique_ptr<PromptCache> cache(std::size_t bytes) {
    auto stub = std::make_unique<StubDenoiser>(kVocabulary, kLength, logits);
    stub_ = stub.get();
    return std::make_unique<PromptCache>(std::move(stub), bytes);
  }

  static std::vector<std::unique_ptr<RowContext>> read(const Denoiser& denoiser,
                                                       const std::vector<std::vector<TokenId>>& prompts) {
    std::vector<Prompt> given;
    for (const std::vector<TokenId>& prompt : prompts) given.push_back({prompt, 0});
    return denoiser.prefill(given);
  }

  // The entropies of two passes, a finished canvas, and one more pass.
  static std::vector<float> life_of(const Denoiser& denoiser, RowContext& context) {
    std::vector<float> all;
    const std::vector<TokenId> canvas{1, 2, 3};
    const std::vector<double> uniforms{0.1, 0.5, 0.9};
    for (int pass = 0; pass < 3; ++pass) {
      RowQuery query;
      query.context = &context, query.canvas = canvas, query.uniforms = uniforms;
      const Prediction prediction = denoiser.predict(std::span(&query, 1), {}).front();
      all.insert(all.end(), prediction.entropy.begin(), prediction.entropy.end());
      if (pass != 1) continue;
      RowContext* const row = &context;
      const std::span<const TokenId> finished(canvas);
      denoiser.extend(std::span(&row, 1), std::span(&finished, 1));
    }
    return all;
  }

  int read_so_far() const {
    int rows = 0;
    for (const int count : stub_->prefilled) rows += count;
    return rows;
  }

  StubDenoiser* stub_ = nullptr;
};

TEST_F(Prompts, AreReadOnce) {
  const auto cached = cache(1000);
  read(*cached, {{1}, {2}, {3, 1}});
  EXPECT_EQ(read_so_far(), 3);
  EXPECT_EQ(read(*cached, {{3, 1}, {2}, {1}}).size(), 3U);
  EXPECT_EQ(read_so_far(), 3);
  read(*cached, {{2}, {1, 3}});
  EXPECT_EQ(read_so_far(), 4);
}

TEST_F(Prompts, ThatDifferInTheirPaddingAreTwo) {
  const auto cached = cache(1000);
  const std::vector<TokenId> tokens{1, 2};
  const std::vector<Prompt> both{{tokens, 0}, {tokens, 4}};
  cached->prefill(both);
  EXPECT_EQ(read_so_far(), 2);
}

// Each row goes its own way: what one does to its context is not seen by the next that starts from it.
TEST_F(Prompts, GiveRowsThatLiveAsIfTheyHadReadThemselves) {
  const StubDenoiser plain(kVocabulary, kLength, logits);
  const std::vector<float> expected = life_of(plain, *read(plain, {{3, 1, 2}}).front());
  const auto cached = cache(1000);
  for (int repetition = 0; repetition < 3; ++repetition)
    EXPECT_EQ(life_of(*cached, *read(*cached, {{3, 1, 2}}).front()), expected) << repetition;
  EXPECT_EQ(read_so_far(), 1);
}

TEST_F(Prompts, ThatWereNotAskedForLongestGoFirst) {
  const auto cached = cache(2 * sizeof(TokenId));  // room for two prompts of one token
  read(*cached, {{1}, {2}});
  read(*cached, {{1}});  // now 2 is the older
  read(*cached, {{3}});
  EXPECT_EQ(read_so_far(), 3);
  read(*cached, {{1}, {3}});
  EXPECT_EQ(read_so_far(), 3);
  read(*cached, {{2}});
  EXPECT_EQ(read_so_far(), 4);
}

TEST_F(Prompts, LargerThanTheMemoryAreNotKept) {
  const auto cached = cache(sizeof(TokenId));
  read(*cached, {{1, 2}});
  read(*cached, {{1, 2}});
  EXPECT_EQ(read_so_far(), 2);
}

}  // namespace
}  // namespace canvaslab
