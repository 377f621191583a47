#include "experiments/training/training_log.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "core/trace/column_file.h"

namespace canvaslab {
namespace {

struct ColumnText {
  const char* name;
  const char* unit;
  const char* description;
};

constexpr const char* kLost =
    "lost/validations";  // how many have no weights any more; kept with the state alone

// Before the names of the task's metrics.
constexpr std::string_view kMetrics = "validation/metrics/";

constexpr ColumnText kColumns[] = {
    {"training/step", "steps", "updates made, this one included"},
    {"training/loss", "nats", "what was minimised: the weighted sum of the three that follow"},
    {"training/denoising_loss", "nats",
     "cross-entropy of the clean tokens at noisy positions, or the negative ELBO"},
    {"training/causal_loss", "nats", "next-token cross-entropy on prompt and answer"},
    {"training/balance_loss", "1", "load balancing of the routers; 1 is even"},
    {"training/gradient_norm", "1", "before clipping"},
    {"training/learning_rate", "1", "of this update"},
    {"training/tokens_per_second", "tokens/s", "through the layers with gradients"},
    {"validation/step", "steps", "updates made before this validation"},
    {"validation/quality", "1", "share of the graded answers that are right"},
    {"validation/samples", "samples", "prompts answered"},
    {"validation/graded", "samples", "answers that the task could grade"},
    {"validation/steps_per_canvas", "steps", "mean denoising steps of a canvas"},
    {"validation/denoising_loss", "nats", "held-out denoising loss of the averaged weights"},
    {"validation/causal_loss", "nats", "held-out next-token cross-entropy of the averaged weights"},
    {"validation/seconds", "s", "time the validation took"},
};

}  // namespace

void TrainingLog::add(const StepReport& report, double tokens_per_second) {
  columns_["training/step"].push_back(static_cast<double>(report.step));
  columns_["training/loss"].push_back(report.loss);
  columns_["training/denoising_loss"].push_back(report.denoising);
  columns_["training/causal_loss"].push_back(report.causal);
  columns_["training/balance_loss"].push_back(report.balance);
  columns_["training/gradient_norm"].push_back(report.gradient_norm);
  columns_["training/learning_rate"].push_back(report.learning_rate);
  columns_["training/tokens_per_second"].push_back(tokens_per_second);
}

void TrainingLog::add(std::int64_t step, const ValidationReport& report) {
  const size_t before = validations();
  const auto put = [&](const std::string& name, double value) {
    std::vector<double>& column = columns_[name];
    column.resize(before, std::nan(""));  // of a metric that no earlier answer had
    column.push_back(value);
  };
  for (const Metric& metric : report.metrics) put(fmt::format("{}{}", kMetrics, metric.name), metric.value);
  for (auto& [name, column] : columns_) {
    if (name.starts_with(kMetrics)) column.resize(before + 1, std::nan(""));  // that no answer has now
  }
  put("validation/quality", report.quality());
  put("validation/graded", static_cast<double>(report.graded));
  put("validation/samples", static_cast<double>(report.samples));
  put("validation/steps_per_canvas", report.steps_per_canvas);
  put("validation/denoising_loss", report.held_out.denoising);
  put("validation/causal_loss", report.held_out.causal);
  put("validation/seconds", report.seconds);
  put("validation/step", static_cast<double>(step));
}

size_t TrainingLog::validations() const {
  const auto found = columns_.find("validation/step");
  return found == columns_.end() ? 0 : found->second.size();
}

std::optional<TrainingLog::Kept> TrainingLog::kept() const {
  const auto lost = columns_.find(kLost);
  const auto first = lost == columns_.end() ? 0 : static_cast<size_t>(lost->second.back());
  std::optional<Kept> best;
  for (size_t i = first; i < validations(); ++i) {
    const auto value = [&](const char* name) {
      const auto column = columns_.find(name);  // earlier versions held no loss out
      return column == columns_.end() ? std::nan("") : column->second[i];
    };
    const Kept next{value("validation/graded") > 0, value("validation/quality"),
                    value("validation/denoising_loss")};
    if (!best || next.at_least_as_good_as(*best)) best = next;
  }
  return best;
}

bool TrainingLog::Kept::at_least_as_good_as(const Kept& other) const {
  if (graded) return quality >= other.quality;
  return !(denoising > other.denoising);  // where nothing was held out, the newest
}

void TrainingLog::lose_kept_weights() {
  columns_[kLost] = {static_cast<double>(validations())};
}

TensorMap TrainingLog::state() const {
  TensorMap out;
  for (const auto& [name, values] : columns_) out["log/" + name] = at::tensor(values, at::kDouble);
  return out;
}

void TrainingLog::load(const TensorMap& state) {
  columns_.clear();
  for (const auto& [name, tensor] : state) {
    if (!name.starts_with("log/")) continue;
    const at::Tensor values = tensor.to(at::kDouble).contiguous();
    columns_[name.substr(4)].assign(values.const_data_ptr<double>(),
                                    values.const_data_ptr<double>() + values.numel());
  }
}

void TrainingLog::write(const std::filesystem::path& file) const {
  std::vector<NumberColumn> columns;
  for (const ColumnText& text : kColumns) {
    const auto found = columns_.find(text.name);
    if (found != columns_.end()) columns.push_back({text.name, text.unit, text.description, found->second});
  }
  for (const auto& [name, values] : columns_) {
    if (!name.starts_with(kMetrics)) continue;
    columns.push_back({name, "", "the task's metric, averaged over the answers that have it", values});
  }
  write_columns(file, columns);
}

}  // namespace canvaslab
