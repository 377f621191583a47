// The loop at the end of a sequence: what is padded, what is cut, and what an ended row still costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Sample 0 ends at position 2 of its canvas number 1 (5 5 5 5 | 5 5 END 5 | ...); the others never end.
StubDenoiser::Rule ends_in_its_second_canvas() {
  return [](const StubDenoiser::View& view) {
    return certain(view.sample == 0 && view.canvas == 1 && view.position == 2 ? 1 : 5);
  };
}

Loop three_canvases() {
  Loop loop;
  loop.max_new_tokens = 12;
  return loop;
}

TEST(EndOfSequence, OnlyPaddingFollowsItInItsRow) {
  const StubDenoiser denoiser(12, 4, ends_in_its_second_canvas());
  Loop loop = three_canvases();
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2));
  EXPECT_THAT(results[0].tokens, ElementsAre(5, 5, 5, 5, 5, 5, 1, 0));
  EXPECT_EQ(results[0].generated, 7);
  EXPECT_EQ(results[0].stop_reason, "end");
  EXPECT_THAT(results[1].tokens, ElementsAreArray(std::vector<TokenId>(12, 5)));
  EXPECT_EQ(results[1].generated, 12);
  EXPECT_EQ(results[1].stop_reason, "length");
}

TEST(EndOfSequence, NothingMoreIsDoneForTheRow) {
  const StubDenoiser denoiser(12, 4, ends_in_its_second_canvas());
  Loop loop = three_canvases();
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2));
  EXPECT_EQ(results[0].canvases, 2);
  EXPECT_EQ(results[0].forward_passes, 4);
  EXPECT_EQ(results[1].canvases, 3);
  EXPECT_EQ(results[1].forward_passes, 6);
  EXPECT_TRUE(loop.seen.of(0, 2).empty());
  std::vector<int> sizes;
  for (const auto& pass : denoiser.passes) sizes.push_back(pass.size());
  EXPECT_THAT(sizes, ElementsAre(2, 2, 2, 2, 1, 1));
  EXPECT_EQ(denoiser.extended, 3);  // one canvas of the ended row, two of the other
  EXPECT_DOUBLE_EQ(results[0].tokens_per_forward(), 7.0 / 4);
}

TEST(EndOfSequence, ThePaddedCanvasIsWhatIsShown) {
  const StubDenoiser denoiser(12, 4, ends_in_its_second_canvas());
  Loop loop = three_canvases();
  loop.run(denoiser, numbered(1));
  EXPECT_THAT(loop.seen.canvases.at(1).tokens, ElementsAre(5, 5, 1, 0));
}

TEST(EndOfSequence, WithoutAPaddingIdNothingIsReplaced) {
  const StubDenoiser denoiser(12, 4, ends_in_its_second_canvas());
  Loop loop = three_canvases();
  loop.vocabulary.padding.reset();
  const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_THAT(result.tokens, ElementsAre(5, 5, 5, 5, 5, 5, 1, 5));
  EXPECT_EQ(result.generated, 7);
  EXPECT_EQ(result.canvases, 2);
}

TEST(EndOfSequence, AfterEndKeepLeavesWhatWasGenerated) {
  const StubDenoiser denoiser(12, 4, ends_in_its_second_canvas());
  Loop loop = three_canvases();
  loop.config.after_end = AfterEnd::kKeep;
  const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_THAT(result.tokens, ElementsAre(5, 5, 5, 5, 5, 5, 1, 5));
  EXPECT_EQ(result.generated, 7);
  EXPECT_EQ(result.canvases, 2);  // it is the end all the same
}

TEST(EndOfSequence, TheFirstOfSeveralEndTokensCounts) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View& view) {
    return certain(view.position == 0 ? 5 : view.position == 1 ? 7 : 1);
  });
  Loop loop = three_canvases();
  loop.vocabulary.end = {1, 7};
  EXPECT_THAT(loop.run(denoiser, numbered(1)).at(0).tokens, ElementsAre(5, 7, 0, 0));
}

TEST(EndOfSequence, StopTokensEndASequenceBesidesTheVocabularysOwn) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View& view) {
    return certain(view.position == 2 ? 6 : view.sample == 1 && view.position == 1 ? 1 : 5);
  });
  Loop loop = three_canvases();
  EXPECT_EQ(loop.run(denoiser, numbered(1)).at(0).canvases, 3);
  loop.config.stop_tokens = {6};
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(2));
  EXPECT_THAT(results[0].tokens, ElementsAre(5, 5, 6, 0));
  EXPECT_EQ(results[0].stop_reason, "end");
  EXPECT_THAT(results[1].tokens, ElementsAre(5, 1, 0, 0));  // the vocabulary's end token still ends
}

TEST(Length, ExactNeverGivesMoreThanAskedFor) {
  for (std::int64_t asked = 1; asked <= 13; ++asked) {
    const StubDenoiser denoiser(12, 4, always(5));
    Loop loop;
    loop.max_new_tokens = asked;
    const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
    EXPECT_EQ(static_cast<std::int64_t>(result.tokens.size()), asked);
    EXPECT_EQ(result.generated, asked);
  }
}

TEST(Length, WholeCanvasesGivesTheSurplusToo) {
  for (const auto& [asked, given] : {std::pair{1, 4}, {4, 4}, {5, 8}, {12, 12}}) {
    const StubDenoiser denoiser(12, 4, always(5));
    Loop loop;
    loop.max_new_tokens = asked;
    loop.config.length = Length::kWholeCanvases;
    const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
    EXPECT_EQ(static_cast<int>(result.tokens.size()), given);
    EXPECT_EQ(result.generated, given);
  }
}

// An end token in the surplus that is cut off is not in what comes back.
TEST(Length, AnEndBeyondTheLengthIsNoEnd) {
  const StubDenoiser denoiser(
      12, 4, [](const StubDenoiser::View& view) { return certain(view.position == 2 ? 1 : 5); });
  Loop loop;
  loop.max_new_tokens = 2;
  const SampleResult cut = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_THAT(cut.tokens, ElementsAre(5, 5));
  EXPECT_EQ(cut.generated, 2);
  EXPECT_EQ(cut.stop_reason, "length");
  loop.max_new_tokens = 3;
  const SampleResult just = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_THAT(just.tokens, ElementsAre(5, 5, 1));
  EXPECT_EQ(just.stop_reason, "end");
  loop.max_new_tokens = 2;
  loop.config.length = Length::kWholeCanvases;
  const SampleResult whole = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_THAT(whole.tokens, ElementsAre(5, 5, 1, 0));
  EXPECT_EQ(whole.generated, 3);
  EXPECT_EQ(whole.stop_reason, "end");
}

}  // namespace
}  // namespace canvaslab
