// Lays a trace file out: chunked, shuffled and deflated datasets with dimension scales, units and
// descriptions.
#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <numeric>

#include "core/trace/trace_file.h"
#include "core/trace/utf8.h"

namespace canvaslab {
namespace {

using hdf5::check;
using hdf5::Handle;

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr unsigned kDeflateLevel = 1;  // higher levels cost time and save little: mantissas are noise

Handle column_type(const Column& column, const std::string& where) {
  if (column.type == ElementType::kText) return hdf5::text_type();
  return {check(H5Tcopy(hdf5_type(column.type)), "create a type for", where), H5Tclose};
}

Handle column_space(const Column& column, const Extents& extents, const std::string& where) {
  std::vector<hsize_t> shape;
  std::vector<hsize_t> most;
  for (const Dimension dimension : column.dimensions) {
    shape.push_back(extents[dimension]);
    // A part without canvases doesn't know L yet, and HDF5 wants chunks no longer than a fixed dimension.
    const bool fixed = dimension == Dimension::kPosition && extents[dimension] > 0;
    most.push_back(fixed ? extents[dimension] : H5S_UNLIMITED);
  }
  const hid_t id = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data());
  return {check(id, "describe", where), H5Sclose};
}

Handle creation_list(const Column& column, const Extents& extents, const std::string& where) {
  Handle list(check(H5Pcreate(H5P_DATASET_CREATE), "create a list for", where), H5Pclose);
  std::vector<hsize_t> chunk;
  for (const Dimension dimension : column.dimensions)
    chunk.push_back(std::max<hsize_t>(extents[dimension], 1));
  const size_t most_rows = std::max<size_t>(1, kChunkBytes / std::max<size_t>(1, row_bytes(column, extents)));
  chunk[0] = std::min<hsize_t>(chunk[0], most_rows);
  check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "set the chunks of", where);
  check(H5Pset_shuffle(list.get()), "set the filters of", where);
  check(H5Pset_deflate(list.get(), kDeflateLevel), "set the filters of", where);
  return list;
}

void write_integer(hid_t object, const char* name, hid_t type, std::uint64_t value,
                   const std::string& where) {
  // HDF5 converts between integer types only on transfer, so the value is narrowed here (little-endian).
  hdf5::write_attribute(object, name, type, &value, 0, where);
}

void describe(hid_t dataset, const Column& column, const std::string& where) {
  hdf5::write_attribute(dataset, "units", column.units, where);
  hdf5::write_attribute(dataset, "description", column.description, where);
  if (column.meanings.empty()) return;
  const auto count = static_cast<size_t>(std::count(column.meanings.begin(), column.meanings.end(), ' ') + 1);
  std::vector<std::uint8_t> codes(count);
  std::iota(codes.begin(), codes.end(), std::uint8_t{0});
  hdf5::write_attribute(dataset, "flag_values", H5T_NATIVE_UINT8, codes.data(), count, where);
  hdf5::write_attribute(dataset, "flag_meanings", column.meanings, where);
}

}  // namespace

TraceFileWriter::TraceFileWriter(const std::filesystem::path& path, const TraceHeader& header,
                                 const Extents& extents)
    : path_(path.string()),
      extents_(extents),
      file_(hdf5::create_file(path_, status_)),
      datasets_(trace_columns().size()) {
  write_header(header);
  for (size_t i = 0; i < datasets_.size(); ++i) {
    if (trace_columns()[i].level <= header.level) create_dataset(i);
  }
  for (size_t i = 0; i < datasets_.size(); ++i) {
    if (datasets_[i].get() < 0) continue;
    const auto axes = static_cast<int>(trace_columns()[i].dimensions.size());
    for (int axis = 0; axis < axes; ++axis) attach_scale(i, axis);
    if (trace_columns()[i].dimensions[0] == Dimension::kPosition) fill_positions(i);
  }
}

void TraceFileWriter::write_header(const TraceHeader& header) {
  const hid_t root = file_.get();
  write_integer(root, "schema", H5T_NATIVE_INT32, kTraceSchema, path_);
  write_integer(root, "complete", H5T_NATIVE_UINT8, header.complete ? 1 : 0, path_);
  write_integer(root, "seed", H5T_NATIVE_UINT64, header.run.seed, path_);
  hdf5::write_attribute(root, "level", trace_level_name(header.level), path_);
  hdf5::write_attribute(root, "created", header.created, path_);
  hdf5::write_attribute(root, "program_version", storable_text(header.run.program_version), path_);
  hdf5::write_attribute(root, "git_commit", storable_text(header.run.git_commit), path_);
  hdf5::write_attribute(root, "config_yaml", storable_text(header.run.config_yaml), path_);
  std::vector<std::string> overrides;
  for (const std::string& text : header.run.overrides) overrides.push_back(storable_text(text));
  hdf5::write_attribute(root, "overrides", overrides, path_);
}

void TraceFileWriter::create_dataset(size_t column) {
  const Column& description = trace_columns()[column];
  const std::string place = where(column);
  if (H5Lexists(file_.get(), description.group.c_str(), H5P_DEFAULT) <= 0) {
    const hid_t group =
        H5Gcreate2(file_.get(), description.group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const Handle closed(check(group, "create the group of", place), H5Gclose);
  }
  const Handle type = column_type(description, place);
  const Handle space = column_space(description, extents_, place);
  const Handle list = creation_list(description, extents_, place);
  const hid_t id = H5Dcreate2(file_.get(), description.path().c_str(), type.get(), space.get(), H5P_DEFAULT,
                              list.get(), H5P_DEFAULT);
  datasets_[column] = {check(id, "create", place), H5Dclose};
  describe(id, description, place);
  if (description.scale) check(H5DSset_scale(id, description.name.c_str()), "make a scale of", place);
}

// Names an axis and ties it to the scale of that name in the same group.
void TraceFileWriter::attach_scale(size_t column, int axis) {
  const Column& description = trace_columns()[column];
  const std::string name = dimension_name(description.dimensions[static_cast<size_t>(axis)]);
  const hid_t dataset = datasets_[column].get();
  const auto index = static_cast<unsigned>(axis);
  check(H5DSset_label(dataset, index, name.c_str()), "label an axis of", where(column));
  if (description.scale) return;
  for (size_t i = 0; i < datasets_.size(); ++i) {
    const Column& scale = trace_columns()[i];
    if (!scale.scale || scale.group != description.group || scale.name != name) continue;
    check(H5DSattach_scale(dataset, datasets_[i].get(), index), "attach a scale to", where(column));
  }
}

void TraceFileWriter::fill_positions(size_t column) {
  std::vector<std::uint64_t> places(extents_[Dimension::kPosition]);
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  ColumnData data;
  data.push(places.data(), places.size());
  write(column, 0, places.size(), data);
}

void TraceFileWriter::write(size_t column, size_t first, size_t rows, const ColumnData& data) {
  if (rows == 0) return;
  const Column& description = trace_columns()[column];
  const hid_t dataset = datasets_[column].get();
  const std::string place = where(column);
  std::vector<hsize_t> shape;
  const Handle selected = hdf5::select_rows(dataset, first, rows, shape, place);
  const Handle memory = hdf5::memory_space(shape, place);
  const Handle type = column_type(description, place);
  std::vector<const char*> characters;
  for (const std::string& text : data.texts) characters.push_back(text.c_str());
  const void* const values = description.type == ElementType::kText
                                 ? static_cast<const void*>(characters.data())
                                 : static_cast<const void*>(data.bytes.data());
  check(H5Dwrite(dataset, type.get(), memory.get(), selected.get(), H5P_DEFAULT, values), "write", place);
  hdf5::check_output(status_, path_);
}

void TraceFileWriter::close() {
  // Flushed first: closing a dataset flushes too, but would hide a failure.
  hdf5::flush_file(file_.get(), path_);
  datasets_.clear();
  hdf5::close_file(std::move(file_), path_);
  hdf5::check_output(status_, path_);
}

void write_trace_file(const std::filesystem::path& path, const TraceHeader& header, const TraceBlock& block) {
  TraceFileWriter file(path, header, block.extents);
  for (size_t i = 0; i < trace_columns().size(); ++i) {
    const Column& column = trace_columns()[i];
    const bool recorded = column.level <= header.level && column.dimensions[0] != Dimension::kPosition;
    if (recorded) file.write(i, 0, block.extents[column.dimensions[0]], block.columns[i]);
  }
  file.close();
}

}  // namespace canvaslab
