// Reads the columns of a trace file.
#include <fmt/format.h>

#include "core/error.h"
#include "core/trace/trace_file.h"

namespace canvaslab {

using hdf5::check;
using hdf5::Handle;

hid_t hdf5_type(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return H5T_NATIVE_INT8;
    case ElementType::kUint8:
      return H5T_NATIVE_UINT8;
    case ElementType::kInt32:
      return H5T_NATIVE_INT32;
    case ElementType::kUint32:
      return H5T_NATIVE_UINT32;
    case ElementType::kUint64:
      return H5T_NATIVE_UINT64;
    case ElementType::kFloat32:
      return H5T_NATIVE_FLOAT;
    case ElementType::kText:
      break;
  }
  return -1;
}

size_t row_bytes(const Column& column, const Extents& extents) {
  size_t bytes = column.type == ElementType::kText ? 1024 : element_size(column.type);
  for (size_t i = 1; i < column.dimensions.size(); ++i) bytes *= extents[column.dimensions[i]];
  return bytes;
}

TraceFileReader::TraceFileReader(const std::filesystem::path& path)
    : path_(path.string()), file_(hdf5::open_file(path_)) {
  read_header();
  read_extents();
}

void TraceFileReader::read_header() {
  const hid_t root = file_.get();
  if (H5Aexists(root, "schema") <= 0) {
    throw Error(fmt::format("{} is not a trace: its root has no attribute 'schema'", path_));
  }
  const std::uint64_t schema = hdf5::read_integer_attribute(root, "schema", path_);
  if (schema != kTraceSchema) {
    throw Error(
        fmt::format("{} has trace schema {}; this program reads schema {}", path_, schema, kTraceSchema));
  }
  header_.complete = hdf5::read_integer_attribute(root, "complete", path_) != 0;
  header_.run.seed = hdf5::read_integer_attribute(root, "seed", path_);
  header_.level = parse_trace_level(hdf5::read_text_attribute(root, "level", path_));
  header_.created = hdf5::read_text_attribute(root, "created", path_);
  header_.run.program_version = hdf5::read_text_attribute(root, "program_version", path_);
  header_.run.git_commit = hdf5::read_text_attribute(root, "git_commit", path_);
  header_.run.config_yaml = hdf5::read_text_attribute(root, "config_yaml", path_);
  header_.run.overrides = hdf5::read_texts_attribute(root, "overrides", path_);
}

void TraceFileReader::read_extents() {
  for (size_t i = 0; i < trace_columns().size(); ++i) {
    const Column& column = trace_columns()[i];
    if (!column.scale || !has(i)) continue;
    const std::string where = path_ + " dataset " + column.path();
    const Handle dataset(check(H5Dopen2(file_.get(), column.path().c_str(), H5P_DEFAULT), "open", where),
                         H5Dclose);
    const Handle space(check(H5Dget_space(dataset.get()), "read the shape of", where), H5Sclose);
    const auto rows = check(H5Sget_simple_extent_npoints(space.get()), "read the shape of", where);
    extents_[column.dimensions[0]] = static_cast<size_t>(rows);
  }
}

ColumnData TraceFileReader::read(size_t column, size_t first, size_t rows) const {
  ColumnData data;
  if (rows == 0) return data;
  const Column& description = trace_columns()[column];
  const std::string where = path_ + " dataset " + description.path();
  const Handle dataset(check(H5Dopen2(file_.get(), description.path().c_str(), H5P_DEFAULT), "open", where),
                       H5Dclose);
  if (description.type == ElementType::kText) {
    read_texts(dataset.get(), first, rows, where, data);
    return data;
  }
  std::vector<hsize_t> shape;
  const Handle selected = hdf5::select_rows(dataset.get(), first, rows, shape, where);
  const Handle memory = hdf5::memory_space(shape, where);
  data.bytes.resize(rows * row_bytes(description, extents_));
  check(H5Dread(dataset.get(), hdf5_type(description.type), memory.get(), selected.get(), H5P_DEFAULT,
                data.bytes.data()),
        "read", where);
  return data;
}

void TraceFileReader::read_texts(hid_t dataset, size_t first, size_t rows, const std::string& where,
                                 ColumnData& data) const {
  std::vector<hsize_t> shape;
  const Handle selected = hdf5::select_rows(dataset, first, rows, shape, where);
  const Handle memory = hdf5::memory_space(shape, where);
  const Handle type = hdf5::text_type();
  std::vector<char*> characters(rows, nullptr);
  check(H5Dread(dataset, type.get(), memory.get(), selected.get(), H5P_DEFAULT, characters.data()), "read",
        where);
  for (const char* text : characters) data.texts.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type.get(), memory.get(), H5P_DEFAULT, characters.data());
}

TraceBlock TraceFileReader::read_all() const {
  TraceBlock block(header_.level);
  block.extents = extents_;
  for (size_t i = 0; i < block.columns.size(); ++i) {
    if (has(i)) block.columns[i] = read(i, 0, extents_[trace_columns()[i].dimensions[0]]);
  }
  return block;
}

}  // namespace canvaslab
