// One HDF5 file of the trace: a part or the whole. Its datasets are trace_columns().
// Everything here is called with hdf5::library_mutex() held.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/trace/hdf5.h"
#include "core/trace/schema.h"

namespace canvaslab {

// The attributes of the file's root.
struct TraceHeader {
  RunInfo run;
  TraceLevel level = TraceLevel::kSteps;
  std::string created;  // UTC, ISO 8601
  bool complete = false;
};

// Writes a file whose extents are known beforehand.
class TraceFileWriter {
 public:
  // Makes the datasets, with the coordinate of the positions filled in. An existing file is overwritten.
  TraceFileWriter(const std::filesystem::path& path, const TraceHeader& header, const Extents& extents);

  TraceFileWriter(const TraceFileWriter&) = delete;
  TraceFileWriter& operator=(const TraceFileWriter&) = delete;

  // Writes rows [first, first + rows) of column number `column`.
  void write(size_t column, size_t first, size_t rows, const ColumnData& data);

  void close();  // flushes and closes, once

 private:
  void write_header(const TraceHeader& header);
  void create_dataset(size_t column);
  void attach_scale(size_t column, int axis);
  void fill_positions(size_t column);
  std::string where(size_t column) const { return path_ + " dataset " + trace_columns()[column].path(); }

  std::string path_;
  Extents extents_;
  hdf5::OutputStatus status_;
  hdf5::Handle file_;
  std::vector<hdf5::Handle> datasets_;  // as trace_columns(); empty for columns above the level
};

// Reads a file. The constructor throws Error if it isn't a trace of this schema.
class TraceFileReader {
 public:
  explicit TraceFileReader(const std::filesystem::path& path);

  const TraceHeader& header() const { return header_; }
  const Extents& extents() const { return extents_; }
  bool has(size_t column) const { return trace_columns()[column].level <= header_.level; }
  ColumnData read(size_t column, size_t first, size_t rows) const;
  TraceBlock read_all() const;

 private:
  void read_header();
  void read_extents();
  void read_texts(hid_t dataset, size_t first, size_t rows, const std::string& where, ColumnData& data) const;

  std::string path_;
  hdf5::Handle file_;
  TraceHeader header_;
  Extents extents_;
};

hid_t hdf5_type(ElementType type);  // not kText

// Bytes of one row of a column; a text counts as 1 KiB.
size_t row_bytes(const Column& column, const Extents& extents);

// A whole file of a block.
void write_trace_file(const std::filesystem::path& path, const TraceHeader& header, const TraceBlock& block);

}  // namespace canvaslab
