// Checked HDF5 calls and attributes.
#include "core/trace/hdf5.h"

#include <fmt/format.h>

#include "core/error.h"

namespace canvaslab::hdf5 {
namespace {

// Errors become exceptions, so HDF5 needn't print them as well. Per thread, because HDF5 keeps it so.
void silence_error_printing() {
  thread_local const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static_cast<void>(done);
}

// The innermost entry of HDF5's error stack, walked first, says what really happened ("No space left on
// device").
herr_t keep_first(unsigned depth, const H5E_error2_t* entry, void* message) {
  if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(message) = entry->desc;
  return 0;
}

// No lock of HDF5's own: a trace has its own lock, and readers must never block a run.
Handle file_access() {
  silence_error_printing();
  Handle access(check(H5Pcreate(H5P_FILE_ACCESS), "create", "an HDF5 access list"), H5Pclose);
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "configure",
        "HDF5 file access");
  check(H5Pset_file_locking(access.get(), false, true), "configure", "HDF5 file access");
  return access;
}

Handle attribute_space(hsize_t count, const std::string& where) {
  const hid_t id = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
  return {check(id, "create an attribute of", where), H5Sclose};
}

Handle open_attribute(hid_t object, const char* name, const std::string& where) {
  return {check(H5Aopen(object, name, H5P_DEFAULT), fmt::format("read attribute '{}' of", name), where),
          H5Aclose};
}

}  // namespace

std::recursive_mutex& library_mutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

void fail(std::string_view action, const std::string& where) {
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  throw Error(
      fmt::format("cannot {} {}: {}", action, where, message.empty() ? "HDF5 gives no reason" : message));
}

Handle create_file(const std::string& path, OutputStatus& status) {
  const Handle access = file_access();
  use_output_driver(access.get(), status);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
  check_output(status, path);
  return {check(id, "create", path), H5Fclose};
}

Handle open_file(const std::string& path) {
  const Handle access = file_access();
  return {check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "open", path), H5Fclose};
}

void flush_file(hid_t file, const std::string& where) {
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write", where);
}

void close_file(Handle file, const std::string& where) {
  check(H5Fclose(file.release()), "close", where);
}

Handle text_type() {
  Handle type(check(H5Tcopy(H5T_C_S1), "create", "an HDF5 text type"), H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE), "configure", "an HDF5 text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "configure", "an HDF5 text type");
  return type;
}

Handle select_rows(hid_t dataset, size_t first, size_t count, std::vector<hsize_t>& shape,
                   const std::string& where) {
  Handle space(check(H5Dget_space(dataset), "read the shape of", where), H5Sclose);
  const int rank = check(H5Sget_simple_extent_ndims(space.get()), "read the shape of", where);
  shape.resize(static_cast<size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), "read the shape of", where);
  std::vector<hsize_t> start(shape.size(), 0);
  start[0] = first;
  shape[0] = count;
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr),
        "select rows of", where);
  return space;
}

Handle memory_space(const std::vector<hsize_t>& shape, const std::string& where) {
  const hid_t id = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  return {check(id, "describe rows of", where), H5Sclose};
}

void write_attribute(hid_t object, const char* name, hid_t type, const void* values, hsize_t count,
                     const std::string& where) {
  const std::string action = fmt::format("write attribute '{}' of", name);
  const Handle space = attribute_space(count, where);
  const Handle attribute(
      check(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), action, where), H5Aclose);
  check(H5Awrite(attribute.get(), type, values), action, where);
}

void write_attribute(hid_t object, const char* name, const std::string& text, const std::string& where) {
  const char* const characters = text.c_str();
  write_attribute(object, name, text_type().get(), &characters, 0, where);
}

void write_attribute(hid_t object, const char* name, const std::vector<std::string>& texts,
                     const std::string& where) {
  const std::string action = fmt::format("write attribute '{}' of", name);
  const hsize_t count = texts.size();
  const Handle type = text_type();
  const Handle space(check(H5Screate_simple(1, &count, nullptr), action, where), H5Sclose);
  const Handle attribute(
      check(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), action, where),
      H5Aclose);
  std::vector<const char*> characters;
  for (const std::string& text : texts) characters.push_back(text.c_str());
  if (!characters.empty()) check(H5Awrite(attribute.get(), type.get(), characters.data()), action, where);
}

std::vector<std::string> read_texts_attribute(hid_t object, const char* name, const std::string& where) {
  const std::string action = fmt::format("read attribute '{}' of", name);
  const Handle attribute = open_attribute(object, name, where);
  const Handle space(check(H5Aget_space(attribute.get()), action, where), H5Sclose);
  const auto count = static_cast<size_t>(check(H5Sget_simple_extent_npoints(space.get()), action, where));
  const Handle type = text_type();
  std::vector<char*> characters(count, nullptr);
  if (count > 0) check(H5Aread(attribute.get(), type.get(), characters.data()), action, where);
  std::vector<std::string> texts;
  for (const char* text : characters) texts.emplace_back(text == nullptr ? "" : text);
  if (count > 0) H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, characters.data());
  return texts;
}

std::string read_text_attribute(hid_t object, const char* name, const std::string& where) {
  std::vector<std::string> texts = read_texts_attribute(object, name, where);
  return texts.empty() ? "" : std::move(texts.front());
}

std::uint64_t read_integer_attribute(hid_t object, const char* name, const std::string& where) {
  const Handle attribute = open_attribute(object, name, where);
  std::uint64_t value = 0;
  check(H5Aread(attribute.get(), H5T_NATIVE_UINT64, &value), fmt::format("read attribute '{}' of", name),
        where);
  return value;
}

}  // namespace canvaslab::hdf5
