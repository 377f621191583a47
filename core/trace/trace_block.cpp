// Turns records into columns and columns into records.
#include "core/trace/schema.h"

namespace canvaslab {
namespace {

void advance(Extents& at, const CanvasTrace& canvas) {
  at[Dimension::kCanvas] += 1;
  at[Dimension::kStep] += canvas.steps.size();
}

void advance(Extents& at, const SampleTrace& sample) {
  at[Dimension::kSample] += 1;
  at[Dimension::kPromptToken] += sample.prompt_tokens.size();
  at[Dimension::kToken] += sample.tokens.size();
}

}  // namespace

void TraceBlock::append(const CanvasTrace& canvas) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = trace_columns()[i];
    if (column.level <= level && column.save_canvas) column.save_canvas(canvas, extents, columns[i]);
  }
  extents[Dimension::kPosition] = canvas.committed.size();
  advance(extents, canvas);
}

void TraceBlock::append(const SampleTrace& sample) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = trace_columns()[i];
    if (column.level <= level && column.save_sample) column.save_sample(sample, extents, columns[i]);
  }
  advance(extents, sample);
}

std::vector<CanvasTrace> TraceBlock::canvases() const {
  std::vector<CanvasTrace> records(extents[Dimension::kCanvas]);
  Extents at;
  at[Dimension::kPosition] = extents[Dimension::kPosition];
  for (CanvasTrace& record : records) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const Column& column = trace_columns()[i];
      if (column.level <= level && column.load_canvas) column.load_canvas(record, at, columns[i]);
    }
    advance(at, record);
  }
  return records;
}

std::vector<SampleTrace> TraceBlock::samples() const {
  std::vector<SampleTrace> records(extents[Dimension::kSample]);
  Extents at;
  for (SampleTrace& record : records) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const Column& column = trace_columns()[i];
      if (column.level <= level && column.load_sample) column.load_sample(record, at, columns[i]);
    }
    advance(at, record);
  }
  return records;
}

}  // namespace canvaslab
