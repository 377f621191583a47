// The walk over inputs, columns and rows behind TraceMerge.
#include "core/trace/trace_merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace canvaslab {
namespace {

// A multiple of what a chunk holds, so that no chunk is inflated twice.
constexpr size_t kSliceBytes = size_t{1} << 20;

// Row numbers count from the start of their own file.
void shift_row_numbers(const Column& column, const Extents& base, ColumnData& data) {
  if (!column.counts) return;
  const std::uint64_t shift = base[*column.counts];
  for (size_t at = 0; at < data.bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t row = 0;
    std::memcpy(&row, data.bytes.data() + at, sizeof(row));
    row += shift;
    std::memcpy(data.bytes.data() + at, &row, sizeof(row));
  }
}

}  // namespace

TraceMerge::TraceMerge(std::vector<std::filesystem::path> inputs, const std::filesystem::path& output,
                       const TraceHeader& header)
    : inputs_(std::move(inputs)), header_(header) {
  Extents total;
  for (const std::filesystem::path& input : inputs_) add_extents(input, total);
  output_ = std::make_unique<TraceFileWriter>(output, header, total);
}

void TraceMerge::add_extents(const std::filesystem::path& input, Extents& total) {
  const TraceFileReader reader(input);
  if (reader.header().level != header_.level) {
    throw Error(fmt::format("cannot join {}: its level is '{}', the run's is '{}'", input.string(),
                            trace_level_name(reader.header().level), trace_level_name(header_.level)));
  }
  const size_t length = reader.extents()[Dimension::kPosition];
  size_t& common = total[Dimension::kPosition];
  if (length != 0 && common != 0 && length != common) {
    throw Error(fmt::format("cannot join {}: its canvases have {} positions, the others {}", input.string(),
                            length, common));
  }
  const size_t longest = std::max(common, length);
  for (size_t i = 0; i < kDimensionCount; ++i) total.rows[i] += reader.extents().rows[i];
  common = longest;
}

bool TraceMerge::advance() {
  if (input_ == nullptr) {
    if (next_input_ == inputs_.size()) {
      if (output_ != nullptr) output_->close();
      output_ = nullptr;
      return false;
    }
    input_ = std::make_unique<TraceFileReader>(inputs_[next_input_++]);
    column_ = 0;
    row_ = 0;
  }
  copy_slice();
  return true;
}

void TraceMerge::copy_slice() {
  size_t budget = kSliceBytes;
  for (; column_ < trace_columns().size(); ++column_, row_ = 0) {
    const Column& column = trace_columns()[column_];
    if (!input_->has(column_) || column.dimensions[0] == Dimension::kPosition) continue;
    const size_t bytes = std::max<size_t>(1, row_bytes(column, input_->extents()));
    const size_t rows = input_->extents()[column.dimensions[0]];
    while (row_ < rows) {
      if (budget == 0) return;
      const size_t count = std::min(rows - row_, std::max<size_t>(1, kSliceBytes / bytes));
      ColumnData data = input_->read(column_, row_, count);
      shift_row_numbers(column, base_, data);
      output_->write(column_, base_[column.dimensions[0]] + row_, count, data);
      row_ += count;
      budget -= std::min(budget, count * bytes);
    }
  }
  for (size_t i = 0; i < kDimensionCount; ++i) base_.rows[i] += input_->extents().rows[i];
  input_ = nullptr;
}

}  // namespace canvaslab
