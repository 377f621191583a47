// The option `start: answer`: so many tokens are wrong, where and which is drawn evenly, and the rest is the
// answer as a training puts it on a canvas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "experiments/start/start.h"
#include "experiments/tasks/character_tokenizer.h"
#include "tests/complaint.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Canvases = std::vector<std::vector<TokenId>>;

// Ids 0 <pad>, 1 <eos>, 2 <bos>, 3 <mask>, then "1" to "6" as 4 to 9.
class AnswerStart : public testing::Test {
 protected:
  Canvases start(int wrong, const std::vector<TaskItem>& items, std::int64_t length,
                 std::uint64_t seed = 1) const {
    return build<Start>(fmt::format("{{name: answer, wrong: {}}}", wrong))
        ->canvases(items, tokenizer_, vocabulary_, length, seed);
  }

  const Tokenizer tokenizer_ = Tokenizer::parse(character_tokenizer({"1", "2", "3", "4", "5", "6"}), "test");
  const Vocabulary vocabulary_{.size = 10, .mask = 3, .padding = 0, .end = {1}};
};

std::vector<TaskItem> items(const std::vector<std::string>& answers) {
  std::vector<TaskItem> all;
  for (const std::string& answer : answers) all.push_back({fmt::format("{}", all.size()), "1", answer});
  return all;
}

TEST_F(AnswerStart, NothingWrongIsTheAnswerAsTrainingPlacesIt) {
  EXPECT_THAT(start(0, items({"123", "1234"}), 4),
              ElementsAre(ElementsAre(4, 5, 6, 1), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(start(0, items({"12"}), 5), ElementsAre(ElementsAre(4, 5, 1, 0, 0)));
}

TEST_F(AnswerStart, SoManyPositionsAreWrongAndOnlyInTheAnswer) {
  const std::vector<TaskItem> some(50, items({"121343"})[0]);
  for (const int wrong : {1, 2, 4, 6}) {
    for (const std::vector<TokenId>& canvas : start(wrong, some, 8)) {
      const std::vector<TokenId> right{4, 5, 4, 6, 7, 6, 1, 0};
      int differing = 0;
      for (size_t i = 0; i < right.size(); ++i) {
        differing += canvas[i] != right[i] ? 1 : 0;
        if (i < 6) {
          EXPECT_TRUE(canvas[i] >= 4 && canvas[i] <= 7) << "a token that no answer holds";
        } else {
          EXPECT_EQ(canvas[i], right[i]);
        }
      }
      EXPECT_EQ(differing, wrong);
    }
  }
}

// 6 positions of which 2 are wrong, 3 other tokens each: 6 * 3 * (5 * 3) / 2 = 135 canvases, equally likely.
TEST_F(AnswerStart, EveryWayOfBeingWrongIsEquallyLikely) {
  constexpr int kDraws = 27000;
  const std::vector<TaskItem> some(kDraws, items({"121343"})[0]);
  std::map<std::vector<TokenId>, int> seen;
  for (const std::vector<TokenId>& canvas : start(2, some, 6)) ++seen[canvas];
  EXPECT_EQ(seen.size(), 135U);
  double chi = 0;
  for (const auto& [canvas, count] : seen) chi += (count - 200.0) * (count - 200.0) / 200;
  EXPECT_LT(chi, 134 + 5 * std::sqrt(2 * 134.0));  // five standard deviations
}

TEST_F(AnswerStart, FollowsFromTheSeedAndThePlaceInTheList) {
  const std::vector<TaskItem> some = items({"123456", "123456", "654321"});
  EXPECT_EQ(start(3, some, 6), start(3, some, 6));
  EXPECT_NE(start(3, some, 6), start(3, some, 6, 2));
  EXPECT_NE(start(3, some, 6)[0], start(3, some, 6)[1]);
  EXPECT_EQ(start(3, items({"123456"}), 6)[0], start(3, some, 6)[0]);
}

TEST_F(AnswerStart, WhatCannotBeIsRefused) {
  EXPECT_THAT(complaint([&] { start(1, items({""}), 4); }),
              AllOf(HasSubstr("example 0"), HasSubstr("start=noise")));
  EXPECT_THAT(complaint([&] {
                start(4, items({"1234", "123"}), 4);
              }),
              AllOf(HasSubstr("start.wrong is 4"), HasSubstr("example 1"), HasSubstr("3 tokens")));
  EXPECT_THAT(complaint([&] { start(1, items({"11", "111"}), 4); }), HasSubstr("one token"));
  EXPECT_THAT(complaint([&] { start(1, items({"12345"}), 4); }), HasSubstr("canvas 4"));
}

}  // namespace
}  // namespace canvaslab
