// A fixed number of steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

TEST(MaxSteps, StopsAfterThatManySteps) {
  const std::vector<Step> steps(5, Step{{1, 2}, 0, {}});
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: max_steps, steps: 1}"), steps), "11111");
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: max_steps, steps: 3}"), steps), "00111");
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: max_steps, steps: 9}"), steps), "00000");
}

TEST(MaxSteps, WithoutANumberItNeverStops) {
  const std::vector<Step> certain(5, Step{{1, 2}, 0, {}});
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: max_steps}"), certain), "00000");
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: max_steps, steps: null}"), certain), "00000");
}

TEST(MaxSteps, RefusesBadSettings) {
  for (const char* bad : {"steps: 0", "steps: -3", "steps: 2.5", "steps: many", "step: 3"}) {
    EXPECT_NE(refusal<StoppingCriterion>(fmt::format("{{name: max_steps, {}}}", bad)), "accepted") << bad;
  }
}

}  // namespace
}  // namespace canvaslab
