// The driver: HDF5's table of file operations over POSIX calls.
#include "core/trace/hdf5_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/trace/hdf5.h"

namespace canvaslab::hdf5 {
namespace {

// HDF5 fills its own part of the struct and passes pointers to it.
struct Output {
  H5FD_t common;
  int descriptor;
  haddr_t allocated;  // bytes that HDF5 has given out
  haddr_t written;    // the file's end
  OutputStatus* status;
};

Output& output(H5FD_t* file) {
  return *reinterpret_cast<Output*>(file);
}
const Output& output(const H5FD_t* file) {
  return *reinterpret_cast<const Output*>(file);
}

void note_failure(Output& file) {
  if (file.status->error_number == 0) file.status->error_number = errno;
}

H5FD_t* open_output(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* const status = static_cast<OutputStatus* const*>(H5Pget_driver_info(access));
  if (status == nullptr || (flags & H5F_ACC_TRUNC) == 0) return nullptr;
  const int descriptor = ::open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    (*status)->error_number = errno;
    return nullptr;
  }
  auto* const file = new Output{};
  file->descriptor = descriptor;
  file->status = *status;
  return &file->common;
}

herr_t close_output(H5FD_t* file) {
  if (::close(output(file).descriptor) != 0) note_failure(output(file));
  delete &output(file);
  return 0;
}

herr_t query_output(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t) {
  return output(file).allocated;
}

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  output(file).allocated = end;
  return 0;
}

haddr_t file_end(const H5FD_t* file, H5FD_mem_t) {
  return output(file).written;
}

// What lies beyond the end of the file reads as zeros.
herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = ::pread(output(file).descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    bytes += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<size_t>(count);
  }
  std::memset(bytes, 0, size);
  return 0;
}

herr_t write_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  Output& out = output(file);
  const auto* bytes = static_cast<const char*>(buffer);
  while (size > 0 && out.status->error_number == 0) {
    const ssize_t count = ::pwrite(out.descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      note_failure(out);
      break;
    }
    bytes += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<size_t>(count);
  }
  out.written = std::max(out.written, address + size);
  return 0;
}

// Makes the file as long as what was given out.
herr_t truncate_output(H5FD_t* file, hid_t, hbool_t) {
  Output& out = output(file);
  if (out.allocated == out.written) return 0;
  if (out.status->error_number == 0 && ::ftruncate(out.descriptor, static_cast<off_t>(out.allocated)) != 0) {
    note_failure(out);
  }
  out.written = out.allocated;
  return 0;
}

H5FD_class_t driver_table() {
  H5FD_class_t table{};
  table.name = "canvaslab_output";
  table.maxaddr = (haddr_t{1} << 62) - 1;
  table.fc_degree = H5F_CLOSE_WEAK;
  table.fapl_size = sizeof(void*);  // an OutputStatus*
  table.open = open_output;
  table.close = close_output;
  table.query = query_output;
  table.get_eoa = allocated_end;
  table.set_eoa = set_allocated_end;
  table.get_eof = file_end;
  table.read = read_output;
  table.write = write_output;
  table.truncate = truncate_output;
  constexpr H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(table.fl_map));
  return table;
}

}  // namespace

void check_output(const OutputStatus& status, const std::string& where) {
  if (status.error_number == 0) return;
  throw Error(fmt::format("cannot write {}: {}", where, std::strerror(status.error_number)));
}

void use_output_driver(hid_t access, OutputStatus& status) {
  static const H5FD_class_t* const table = new H5FD_class_t(driver_table());
  static const hid_t driver = check(H5FDregister(table), "register", "the HDF5 driver of traces");
  const OutputStatus* const pointer = &status;
  check(H5Pset_driver(access, driver, &pointer), "configure", "HDF5 file access");
}

}  // namespace canvaslab::hdf5
