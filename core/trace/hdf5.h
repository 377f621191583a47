// A thin layer over the HDF5 C API: handles close themselves, each call is checked once, and errors carry
// HDF5's own message with the file and the object concerned.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/hdf5_output.h"

namespace canvaslab::hdf5 {

// HDF5 has global state and may be built without thread safety: hold this around everything that calls it.
std::recursive_mutex& library_mutex();

// Owns one HDF5 identifier.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const { return id_; }
  // Gives the identifier up, for a close whose result matters.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Throws Error("cannot ACTION WHERE: HDF5's message").
[[noreturn]] void fail(std::string_view action, const std::string& where);

// Passes the result of an HDF5 call through, or throws as fail() does.
template <class Status>
Status check(Status status, std::string_view action, const std::string& where) {
  if (status < 0) fail(action, where);
  return status;
}

// Creates or empties a file. Failures to write go to `status`, and nowhere else.
Handle create_file(const std::string& path, OutputStatus& status);
Handle open_file(const std::string& path);  // read only
void flush_file(hid_t file, const std::string& where);
void close_file(Handle file, const std::string& where);

Handle text_type();  // variable-length UTF-8

// The space of a dataset with rows [first, first + count) selected; `shape` becomes that of the selection.
Handle select_rows(hid_t dataset, size_t first, size_t count, std::vector<hsize_t>& shape,
                   const std::string& where);
Handle memory_space(const std::vector<hsize_t>& shape, const std::string& where);

// Attributes; `where` names the object in errors.
void write_attribute(hid_t object, const char* name, const std::string& text, const std::string& where);
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& texts,
                     const std::string& where);
// Integers, of the HDF5 type given; `count` 0 makes a scalar.
void write_attribute(hid_t object, const char* name, hid_t type, const void* values, hsize_t count,
                     const std::string& where);
std::string read_text_attribute(hid_t object, const char* name, const std::string& where);
std::vector<std::string> read_texts_attribute(hid_t object, const char* name, const std::string& where);
std::uint64_t read_integer_attribute(hid_t object, const char* name, const std::string& where);

}  // namespace canvaslab::hdf5
