// Plots against pictures drawn by hand.
#include "experiments/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace canvaslab {
namespace {

constexpr PlotSize kSmall{.width = 10, .height = 3};

TEST(LinePlot, PutsPointsWhereTheyBelong) {
  EXPECT_EQ(line_plot("title", "updates", {{'*', {{0, 4}, {5, 2}, {10, 0}}}}, kSmall),
            "title\n"
            "        4 |*\n"
            "          |     *\n"
            "        0 |         *\n"
            "          +----------\n"
            "           0       10 updates\n");
}

TEST(LinePlot, LaterSeriesLieAboveEarlierOnes) {
  EXPECT_EQ(line_plot("two", "x", {{'*', {{0, 1}, {9, 3}}}, {'o', {{0, 1}, {3, 2}}}}, kSmall),
            "two\n"
            "        3 |         *\n"
            "          |   o\n"
            "        1 |o\n"
            "          +----------\n"
            "           0        9 x\n");
}

TEST(LinePlot, ShowsTheMeanOfPointsInOneColumn) {
  EXPECT_EQ(line_plot("mean", "x", {{'*', {{0, 1}, {0.1, 3}, {90, 6}}}}, kSmall),
            "mean\n"
            "        6 |         *\n"
            "          |\n"
            "        2 |*\n"
            "          +----------\n"
            "           0       90 x\n");
}

TEST(LinePlot, AFlatCurveIsOneLine) {
  EXPECT_EQ(line_plot("flat", "x", {{'*', {{1, 0.5}, {9, 0.5}}}}, kSmall),
            "flat\n"
            "      0.5 | *       *\n"
            "          +----------\n"
            "           0        9 x\n");
}

TEST(LinePlot, LeavesOutWhatIsNotFinite) {
  EXPECT_EQ(line_plot("none", "x", {{'*', {{1, std::nan("")}}}, {'o', {}}}, kSmall), "");
  EXPECT_EQ(line_plot("some", "x", {{'*', {{0, 1}, {99, std::nan("")}, {5, INFINITY}, {9, 3}}}}, kSmall),
            "some\n"
            "        3 |         *\n"
            "          |\n"
            "        1 |*\n"
            "          +----------\n"
            "           0        9 x\n");
}

}  // namespace
}  // namespace canvaslab
