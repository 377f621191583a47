// The option `start: noise`: nothing is given, so that the noise process draws every canvas.
#include <gtest/gtest.h>

#include "experiments/start/start.h"
#include "experiments/tasks/character_tokenizer.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(NoiseStart, GivesNoCanvas) {
  const std::vector<TaskItem> items{{"a", "1+1=", "2"}, {"b", "1+2=", "3"}};
  const Tokenizer tokenizer = Tokenizer::parse(character_tokenizer({"1", "2", "3", "+", "="}), "test");
  const auto canvases = build<Start>("{name: noise}")->canvases(items, tokenizer, Vocabulary{}, 4, 1);
  EXPECT_EQ(canvases, std::vector<std::vector<TokenId>>(2));
}

}  // namespace
}  // namespace canvaslab
