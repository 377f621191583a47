#include "experiments/report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "experiments/line_plot.h"
#include "experiments/training/training_record.h"

namespace canvaslab {
namespace {

constexpr std::string_view kMarks = "*o+x#@%&";  // one a training

// What is shown of each validation, besides the task's metrics.
struct Shown {
  const char* column;
  const char* title;    // of the plot; "" where there is none
  const char* heading;  // of the table
  double factor;        // from the stored value to the shown one
  int digits;
};

constexpr Shown kLoss = {"training/loss", "loss that was minimised, nats (mean of nearby updates)", "", 1, 4};

constexpr Shown kValidation[] = {
    {"validation/quality", "right, % of the graded answers", "right %", 100, 1},
    {"validation/graded", "", "graded", 1, 0},
    {"validation/samples", "", "answers", 1, 0},
    {"validation/steps_per_canvas", "steps a canvas", "steps/canvas", 1, 2},
    {"validation/denoising_loss", "held-out denoising loss, nats a token", "denoising", 1, 4},
    {"validation/causal_loss", "held-out causal loss, nats a token", "causal", 1, 4},
    {"validation/seconds", "", "seconds", 1, 1},
};

constexpr std::string_view kMetrics = "validation/metrics/";

// A share of nothing is no result.
std::vector<std::pair<double, double>> curve(const TrainingRecord& record, const Shown& shown) {
  std::vector<std::pair<double, double>> points = record.curve(shown.column);
  const std::vector<double>& graded = record.column("validation/graded");
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].second *= shown.factor;
    if (std::string_view(shown.column) == "validation/quality" && !(graded.at(i) > 0))
      points[i].second = std::nan("");
  }
  return points;
}

void print_heading(const TrainingRecord& record, char mark, std::ostream& out) {
  const auto setting = [&](const char* name) { return record.in_words(fmt::format("training.{}", name)); };
  const auto part = [&](const char* name) { fmt::print(out, "  {:<9} {}\n", name, record.in_words(name)); };
  fmt::print(out, "{} {}\n", mark, record.folder.string());
  part("noise"), part("task"), part("initial");
  fmt::print(out, "  {:<9} batch={} weighting={} causal_weight={} self_conditioning={} learning_rate={}\n",
             "training", setting("batch"), setting("weighting"), setting("causal_weight"),
             setting("self_conditioning"), setting("learning_rate"));
  fmt::print(out, "  {:<9} {} of {}{}\n", "updates", record.updates(), record.planned(),
             record.columns.empty() ? "; nothing is saved yet" : "");
}

void print_plot(const std::vector<TrainingRecord>& records, const Shown& shown, std::ostream& out) {
  std::vector<PlotSeries> series;
  for (size_t i = 0; i < records.size(); ++i) series.push_back({kMarks[i], curve(records[i], shown)});
  if (const std::string plot = line_plot(shown.title, "updates", series); !plot.empty())
    fmt::print(out, "\n{}", plot);
}

using Column = std::vector<std::string>;

Column table_column(const std::string& heading, const std::vector<std::pair<double, double>>& points,
                    int digits) {
  Column column{heading};
  for (const auto& [step, value] : points)
    column.push_back(std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits));
  return column;
}

// One line a validation; columns without any value are left out.
void print_table(const TrainingRecord& record, char mark, std::ostream& out) {
  const std::vector<double>& steps = record.column("validation/step");
  fmt::print(out, "\n{} {}: ", mark, record.folder.string());
  if (steps.empty()) return fmt::print(out, "no validation yet\n");
  fmt::print(out, "validations\n");
  std::vector<Column> columns{{"updates"}};
  for (const double step : steps) columns[0].push_back(fmt::format("{:.0f}", step));
  const auto add = [&](Column column) {
    if (std::any_of(column.begin() + 1, column.end(), [](const std::string& text) { return text != "-"; }))
      columns.push_back(std::move(column));
  };
  for (const Shown& shown : kValidation) add(table_column(shown.heading, curve(record, shown), shown.digits));
  for (const NumberColumn& column : record.columns) {
    if (column.name.starts_with(kMetrics))
      add(table_column(column.name.substr(kMetrics.size()), record.curve(column.name), 4));
  }
  for (size_t row = 0; row <= steps.size(); ++row) {
    for (const Column& column : columns) {
      const auto widest = std::max_element(column.begin(), column.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
      fmt::print(out, "  {:>{}}", column[row], widest->size());
    }
    fmt::print(out, "\n");
  }
}

nlohmann::json json_of(const TrainingRecord& record) {
  nlohmann::json curves = nlohmann::json::object();
  for (const NumberColumn& column : record.columns) {
    curves[column.name] = {
        {"unit", column.unit}, {"description", column.description}, {"values", column.values}};  // NaN: null
  }
  nlohmann::json json = {{"folder", record.folder.string()},
                         {"updates", record.updates()},
                         {"planned_updates", record.planned()},
                         {"curves", curves}};
  for (const char* part : {"noise", "task", "initial", "training"}) json[part] = record.in_words(part);
  return json;
}

}  // namespace

int report(const std::vector<std::filesystem::path>& folders, bool json, std::ostream& out) {
  if (folders.size() > kMarks.size()) {
    throw ConfigurationError(fmt::format("report: expected at most {} folders in one picture, got {}",
                                         kMarks.size(), folders.size()));
  }
  std::vector<TrainingRecord> records;
  for (const std::filesystem::path& folder : folders) records.push_back(TrainingRecord::read(folder));
  if (json) {
    nlohmann::json all = nlohmann::json::array();
    for (const TrainingRecord& record : records) all.push_back(json_of(record));
    fmt::print(out, "{}\n", all.dump(1));
    return 0;
  }
  for (size_t i = 0; i < records.size(); ++i) print_heading(records[i], kMarks[i], out);
  print_plot(records, kLoss, out);
  for (const Shown& shown : kValidation)
    if (*shown.title != '\0') print_plot(records, shown, out);
  for (size_t i = 0; i < records.size(); ++i) print_table(records[i], kMarks[i], out);
  return 0;
}

}  // namespace canvaslab
