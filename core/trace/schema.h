// Schema 1 of the trace: the one list of its columns. A column knows its place, its meaning, and how it is
// taken from a record and given back; files, merging and reading follow the list.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace_records.h"

namespace canvaslab {

inline constexpr int kTraceSchema = 1;

enum class ElementType : std::uint8_t { kInt8, kUint8, kInt32, kUint32, kUint64, kFloat32, kText };

// The named axes of the datasets. Rows are appended along all but kPosition, whose length is L.
enum class Dimension : std::uint8_t { kSample, kPromptToken, kToken, kCanvas, kStep, kPosition };
inline constexpr size_t kDimensionCount = 6;
const char* dimension_name(Dimension dimension);

// How long each dimension is; as a place: where each dimension's rows begin.
struct Extents {
  std::array<size_t, kDimensionCount> rows{};
  size_t& operator[](Dimension dimension) { return rows[static_cast<size_t>(dimension)]; }
  size_t operator[](Dimension dimension) const { return rows[static_cast<size_t>(dimension)]; }
};

// Values of one column, row after row: numbers as they are in memory, or texts.
struct ColumnData {
  std::vector<std::byte> bytes;
  std::vector<std::string> texts;

  template <class T>
  void push(const T* values, size_t count) {
    const size_t size = bytes.size();
    bytes.resize(size + count * sizeof(T));
    if (count > 0) std::memcpy(bytes.data() + size, values, count * sizeof(T));
  }
  template <class T>
  void read(size_t first, T* values, size_t count) const {
    if (count > 0) std::memcpy(values, bytes.data() + first * sizeof(T), count * sizeof(T));
  }
};

struct Column {
  template <class Record>
  using Save = std::function<void(const Record&, const Extents& at, ColumnData&)>;
  template <class Record>
  using Load = std::function<void(Record&, const Extents& at, const ColumnData&)>;

  std::string group;
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<Dimension> dimensions;
  std::string units;  // "1": a plain number; "": not a quantity
  std::string description;
  std::string meanings = "";  // of the codes 0, 1, ..., separated by blanks, when they are codes
  TraceLevel level = TraceLevel::kSummary;         // recorded from this level on
  std::optional<Dimension> counts = std::nullopt;  // its values are row numbers of this dimension
  bool scale = false;                              // it is the coordinate of its dimension
  Save<CanvasTrace> save_canvas = nullptr;         // appends the record's values; `at`: rows stored before it
  Load<CanvasTrace> load_canvas = nullptr;         // gives them back; `at`: where the record's rows begin
  Save<SampleTrace> save_sample = nullptr;
  Load<SampleTrace> load_sample = nullptr;

  std::string path() const { return "/" + group + "/" + name; }
};

// In the order of the file. Counts come before what they count.
std::span<const Column> trace_columns();

size_t element_size(ElementType type);  // bytes; kText: 0

// Records turned into columns, and back.
struct TraceBlock {
  TraceLevel level = TraceLevel::kSteps;
  Extents extents;
  std::vector<ColumnData> columns;  // as trace_columns()

  explicit TraceBlock(TraceLevel recorded) : level(recorded), columns(trace_columns().size()) {}
  void append(const CanvasTrace& canvas);
  void append(const SampleTrace& sample);
  std::vector<CanvasTrace> canvases() const;
  std::vector<SampleTrace> samples() const;
};

}  // namespace canvaslab
