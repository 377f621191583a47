#include "experiments/training/training_log.h"

#include <algorithm>

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

constexpr ColumnText kColumns[] = {
    {"training/step", "steps", "updates made, this one included"},
    {"training/loss", "nats", "what was minimised: the weighted sum of the three that follow"},
    {"training/denoising_loss", "nats", "cross-entropy of the clean tokens at noisy positions"},
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
  columns_["validation/step"].push_back(static_cast<double>(step));
  columns_["validation/quality"].push_back(report.quality());
  columns_["validation/graded"].push_back(static_cast<double>(report.graded));
  columns_["validation/samples"].push_back(static_cast<double>(report.samples));
  columns_["validation/steps_per_canvas"].push_back(report.steps_per_canvas);
  columns_["validation/seconds"].push_back(report.seconds);
}

double TrainingLog::best_quality() const {
  const auto found = columns_.find("validation/quality"), lost = columns_.find(kLost);
  double best = -1;
  if (found == columns_.end()) return best;
  const auto first = lost == columns_.end() ? 0 : static_cast<size_t>(lost->second.back());
  for (size_t i = first; i < found->second.size(); ++i) best = std::max(best, found->second[i]);
  return best;
}

void TrainingLog::lose_kept_weights() {
  columns_[kLost] = {static_cast<double>(columns_["validation/quality"].size())};
}

bool TrainingLog::graded() const {
  const auto found = columns_.find("validation/graded");
  return found != columns_.end() && *std::max_element(found->second.begin(), found->second.end()) > 0;
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
  write_columns(file, columns);
}

}  // namespace canvaslab
