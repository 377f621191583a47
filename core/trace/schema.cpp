// The columns of schema 1.
#include "core/trace/schema.h"

#include "core/trace/column_builders.h"

namespace canvaslab {
namespace {

using D = Dimension;

void add_samples(std::vector<Column>& columns) {
  columns.push_back(
      sample_value("sample", "1", "number of the sample; keys its random streams", &SampleTrace::sample));
  columns.back().scale = true;
  columns.push_back(token_rows("prompt_token", D::kPromptToken, &SampleTrace::prompt_tokens));
  columns.push_back(token_rows("token", D::kToken, &SampleTrace::tokens));
  columns.push_back(sample_value("id", "", "the task's name of the sample", &SampleTrace::id));
  columns.push_back(sample_value("prompt", "", "text of the prompt", &SampleTrace::prompt));
  columns.push_back(
      sample_value("target", "", "text of the right answer, if the task has one", &SampleTrace::target));
  columns.push_back(sample_value("text", "", "text that came back", &SampleTrace::text));
  columns.push_back(sample_value("correct", "", "1 right, 0 wrong, -1 not graded", &SampleTrace::correct));
  add_sample_tokens(columns, "prompt_token", D::kPromptToken, "token ids of the prompts",
                    &SampleTrace::prompt_tokens);
  add_sample_tokens(columns, "token", D::kToken, "token ids that came back", &SampleTrace::tokens);
  columns.push_back(sample_value("canvases", "1", "canvases of the sample", &SampleTrace::canvases));
  columns.push_back(sample_value("steps", "1", "steps of all its canvases", &SampleTrace::steps));
  columns.push_back(sample_value("seconds", "s", "wall time of the sample", &SampleTrace::seconds));
  columns.push_back(sample_value("stop_reason", "", "why the sample ended", &SampleTrace::stop_reason));
}

Column step_count() {
  Column column{"canvases", "steps", ElementType::kUint32, {D::kCanvas}, "1", "steps that the canvas took"};
  column.save_canvas = [](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    push_value(data, static_cast<std::uint32_t>(canvas.steps.size()));
  };
  column.load_canvas = [](CanvasTrace& canvas, const Extents& at, const ColumnData& data) {
    std::uint32_t count = 0;
    read_value(data, at[D::kCanvas], count);
    canvas.steps.resize(count);
  };
  return column;
}

Column committed_tokens() {
  Column column{"canvases",
                "committed",
                ElementType::kInt32,
                {D::kCanvas, D::kPosition},
                "",
                "token ids that the canvas ended with"};
  column.save_canvas = [](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    data.push(canvas.committed.data(), canvas.committed.size());
  };
  column.load_canvas = [](CanvasTrace& canvas, const Extents& at, const ColumnData& data) {
    canvas.committed.resize(at[D::kPosition]);
    data.read(at[D::kCanvas] * at[D::kPosition], canvas.committed.data(), canvas.committed.size());
  };
  return column;
}

void add_canvases(std::vector<Column>& columns) {
  constexpr TraceLevel summary = TraceLevel::kSummary;
  columns.push_back(
      canvas_rows("canvases", "canvas", D::kCanvas, D::kCanvas, summary, "row number of the canvas"));
  columns.push_back(position_scale("canvases", summary));
  columns.push_back(canvas_value("sample", "1", "number of the sample it belongs to", &CanvasTrace::sample));
  columns.push_back(canvas_value("index", "1", "which canvas of the sample, from 0", &CanvasTrace::index));
  columns.push_back(canvas_rows("canvases", "first_step", D::kCanvas, D::kStep, TraceLevel::kSteps,
                                "row number, in steps and positions, of its first step"));
  columns.push_back(step_count());
  columns.push_back(canvas_value("stop_reason", "", "why the canvas stopped", &CanvasTrace::stop_reason));
  columns.push_back(canvas_value("prefill_seconds", "s", "wall time to prefill what stands before the canvas",
                                 &CanvasTrace::prefill_seconds));
  columns.push_back(
      canvas_value("denoise_seconds", "s", "wall time of its steps", &CanvasTrace::denoise_seconds));
  columns.push_back(committed_tokens());
}

Column step_index() {
  Column column{"steps", "index", ElementType::kUint32, {D::kStep}, "1", "which step of the canvas, from 0"};
  column.level = TraceLevel::kSteps;
  column.save_canvas = [](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    for (std::uint32_t i = 0; i < canvas.steps.size(); ++i) push_value(data, i);
  };
  return column;
}

void add_steps(std::vector<Column>& columns) {
  constexpr TraceLevel steps = TraceLevel::kSteps;
  columns.push_back(canvas_rows("steps", "step", D::kStep, D::kStep, steps, "row number of the step"));
  columns.push_back(
      canvas_rows("steps", "canvas", D::kStep, D::kCanvas, steps, "row number, in canvases, of its canvas"));
  columns.push_back(step_index());
  columns.push_back(step_value("temperature", "1", "divides the logits", &StepTrace::temperature));
  columns.push_back(step_value("mean_entropy", "nat",
                               "mean entropy of the positions that the stopping rule counts",
                               &StepTrace::mean_entropy));
  columns.push_back(step_value("bound_slack", "nat",
                               "left below the selection rule's entropy bound; NaN: it has none",
                               &StepTrace::bound_slack));
  columns.push_back(
      step_value("accepted", "1", "positions that were committed or kept", &StepTrace::accepted));
  columns.push_back(
      step_value("changed", "1", "positions whose token differs after the step", &StepTrace::changed));
  columns.push_back(
      step_value("stable", "", "1 if the stability condition of stopping held", &StepTrace::stable));
  columns.push_back(
      step_value("confident", "", "1 if the confidence condition of stopping held", &StepTrace::confident));
  columns.push_back(step_value("seconds", "s", "wall time of the step", &StepTrace::seconds));
}

void add_positions(std::vector<Column>& columns) {
  constexpr TraceLevel steps = TraceLevel::kSteps;
  const auto add = [&columns](const char* name, const char* units, const char* description, auto of) {
    columns.push_back(position_values(name, units, description, of));
  };
  columns.push_back(canvas_rows("positions", "step", D::kStep, D::kStep, steps, "row number of the step"));
  columns.push_back(position_scale("positions", steps));
  add(
      "entropy", "nat", "of the tempered distribution",
      [](auto& s) -> auto& { return s.prediction.entropy; });
  add(
      "confidence", "1", "largest probability, tempered",
      [](auto& s) -> auto& { return s.prediction.confidence; });
  add(
      "margin", "1", "largest less second largest probability, tempered",
      [](auto& s) -> auto& { return s.prediction.margin; });
  add(
      "sampled_probability", "1", "of the sampled token, tempered",
      [](auto& s) -> auto& { return s.prediction.sampled_probability; });
  add(
      "current_probability", "1", "of the token on the canvas, tempered",
      [](auto& s) -> auto& { return s.prediction.current_probability; });
  add(
      "raw_sampled_probability", "1", "of the sampled token, at temperature 1",
      [](auto& s) -> auto& { return s.prediction.raw_sampled_probability; });
  add(
      "argmax", "", "id of the most probable token", [](auto& s) -> auto& { return s.prediction.argmax; });
  add(
      "sampled", "", "id of the token drawn from the tempered distribution",
      [](auto& s) -> auto& { return s.prediction.sampled; });
  add(
      "decision", "", "what happened to the position", [](auto& s) -> auto& { return s.decision; });
  columns.back().meanings = "keep commit_sampled commit_argmax renoise";
  add(
      "canvas", "", "token ids before the step", [](auto& s) -> auto& { return s.canvas; });
}

std::vector<Column> make_columns() {
  std::vector<Column> columns;
  add_samples(columns);
  add_canvases(columns);
  add_steps(columns);
  add_positions(columns);
  return columns;
}

}  // namespace

const char* dimension_name(Dimension dimension) {
  static constexpr std::array names{"sample", "prompt_token", "token", "canvas", "step", "position"};
  return names[static_cast<size_t>(dimension)];
}

std::span<const Column> trace_columns() {
  static const auto* const columns = new std::vector<Column>(make_columns());
  return *columns;
}

size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUint8:
      return 1;
    case ElementType::kInt32:
    case ElementType::kUint32:
    case ElementType::kFloat32:
      return 4;
    case ElementType::kUint64:
      return 8;
    case ElementType::kText:
      return 0;
  }
  return 0;
}

}  // namespace canvaslab
