// Intervals against published and simulated values; averages against sums by hand.
#include "experiments/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

namespace canvaslab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
TEST(Metrics, WilsonGivesThePublishedIntervals) {
  struct Case {
    int successes, count;
    double low, high;
  };
  for (const Case& known : {Case{81, 263, 0.2553, 0.3662},
                            {15, 148, 0.0624, 0.1605},
                            {0, 20, 0, 0.1611},
                            {1, 29, 0.0061, 0.1718}}) {
    const Interval interval = wilson(known.successes, known.count);
    EXPECT_NEAR(interval.low, known.low, 5e-5) << known.successes << " of " << known.count;
    EXPECT_NEAR(interval.high, known.high, 5e-5) << known.successes << " of " << known.count;
  }
  EXPECT_DOUBLE_EQ(wilson(20, 20).high, 1);
}

// For many values the bootstrap and the normal approximation agree.
TEST(Metrics, BootstrapIsNearTheNormalIntervalForManyValues) {
  std::mt19937 random(3);
  std::exponential_distribution<double> draw(0.5);
  std::vector<double> values(2000);
  for (double& value : values) value = draw(random);
  double mean = 0, square = 0;
  for (const double value : values) mean += value / 2000, square += value * value / 2000;
  const double reach = 1.96 * std::sqrt((square - mean * mean) / 2000);
  const Interval interval = bootstrap(values);
  EXPECT_NEAR(interval.low, mean - reach, 0.15 * reach);
  EXPECT_NEAR(interval.high, mean + reach, 0.15 * reach);
}

TEST(Metrics, BootstrapDoesNotDependOnTheOrder) {
  std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6};
  const Interval first = bootstrap(values);
  std::reverse(values.begin(), values.end());
  const Interval second = bootstrap(values);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LT(first.low, first.high);
}

TEST(Metrics, AveragesCountTheAnswersThatHaveTheMetric) {
  MetricTable table;
  table.add(1, {{"right", 1, MetricKind::kShare}, {"length", 4}});
  table.add(2, {{"right", 0, MetricKind::kShare}});
  table.add(std::nullopt, {{"right", 0, MetricKind::kShare}, {"length", 6}});
  const auto all = table.overall();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "right");
  EXPECT_DOUBLE_EQ(all[0].mean, 1.0 / 3);
  EXPECT_EQ(all[0].count, 3);
  EXPECT_DOUBLE_EQ(all[0].interval.low, wilson(1, 3).low);
  EXPECT_EQ(all[1].name, "length");
  EXPECT_DOUBLE_EQ(all[1].mean, 5);
  EXPECT_EQ(all[1].count, 2);
}

// Difficulties 0 to 19, four answers each; easy ones are right.
TEST(Metrics, GroupsOfDifficultyCoverEveryAnswerOnce) {
  MetricTable table;
  for (int i = 79; i >= 0; --i) table.add(i / 4, {{"right", i / 4 < 10 ? 1.0 : 0.0, MetricKind::kShare}});
  const auto groups = table.by_difficulty("right", 4);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].name, "0-4");
  EXPECT_EQ(groups[3].name, "15-19");
  for (const MetricSummary& group : groups) EXPECT_EQ(group.count, 20);
  EXPECT_EQ(groups[1].mean, 1);
  EXPECT_EQ(groups[2].mean, 0);
}

TEST(Metrics, EqualDifficultiesStayTogether) {
  MetricTable table;
  for (const int difficulty : {1, 1, 1, 1, 1, 1, 1, 2}) table.add(difficulty, {{"right", 1}});
  const auto groups = table.by_difficulty("right", 4);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "1");
  EXPECT_EQ(groups[0].count, 7);
  EXPECT_TRUE(table.by_difficulty("other").empty());
  MetricTable none;
  none.add(std::nullopt, {{"right", 1}});
  EXPECT_TRUE(none.by_difficulty("right").empty());
}

TEST(Metrics, PrintsAveragesAndGroups) {
  MetricTable table;
  std::ostringstream empty, out;
  print_metrics(empty, table, "blanks", {});
  EXPECT_EQ(empty.str(), "");
  table.add(1, {{"right", 1, MetricKind::kShare}, {"violations", 0}});
  table.add(9, {{"right", 0, MetricKind::kShare}, {"violations", 3}});
  print_metrics(out, table, "blanks", {{"distinct", 7}});
  EXPECT_THAT(out.str(), HasSubstr("right                   0.5  [0.09453, 0.9055]  2"));
  EXPECT_THAT(out.str(), HasSubstr("violations              1.5  [0, 3]  2"));
  EXPECT_THAT(out.str(), HasSubstr("right, by blanks\n  1 "));
  EXPECT_THAT(out.str(), HasSubstr("of all answers together\n  distinct                  7\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("violations, by")));
}

}  // namespace
}  // namespace canvaslab
