// Curves as plain text, for a terminal or a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace canvaslab {

struct PlotSeries {
  char mark = '*';
  std::vector<std::pair<double, double>> points;  // x >= 0, y; points that are not finite are left out
};

struct PlotSize {
  int width = 72, height = 10;  // of the area inside the axes, in characters
};

// The series over one another, with a title above and the ranges at the axes. x begins at 0 and is named
// `x_name`; where several points of a series share a column, their mean is shown. Of two marks in one place
// the later series' is seen. "" when no series has a point.
std::string line_plot(const std::string& title, const std::string& x_name,
                      const std::vector<PlotSeries>& series, const PlotSize& size = {});

}  // namespace canvaslab
