#include "core/trace/column_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/trace/hdf5.h"

namespace canvaslab {
namespace {

void write_column(hid_t file, const NumberColumn& column) {
  const hsize_t count = column.values.size();
  const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hdf5::Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  hdf5::check(H5Pset_create_intermediate_group(links.get(), 1), "prepare the dataset", column.name);
  const hdf5::Handle dataset(H5Dcreate2(file, column.name.c_str(), H5T_IEEE_F64LE, space.get(), links.get(),
                                        H5P_DEFAULT, H5P_DEFAULT),
                             H5Dclose);
  hdf5::check(dataset.get(), "create the dataset", column.name);
  hdf5::check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.values.data()),
              "write the dataset", column.name);
  hdf5::write_attribute(dataset.get(), "units", column.unit, column.name);
  hdf5::write_attribute(dataset.get(), "description", column.description, column.name);
}

NumberColumn read_column(hid_t file, const std::string& name) {
  const hdf5::Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  hdf5::check(dataset.get(), "open the dataset", name);
  const hdf5::Handle space(hdf5::check(H5Dget_space(dataset.get()), "look at the dataset", name), H5Sclose);
  hsize_t count = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1)
    throw Error(fmt::format("the dataset {} is no column: expected one dimension", name));
  H5Sget_simple_extent_dims(space.get(), &count, nullptr);
  NumberColumn column{name, hdf5::read_text_attribute(dataset.get(), "units", name),
                      hdf5::read_text_attribute(dataset.get(), "description", name),
                      std::vector<double>(count)};
  hdf5::check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.values.data()),
              "read the dataset", name);
  return column;
}

herr_t note_dataset(hid_t /*group*/, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

std::vector<NumberColumn> read_columns(const std::filesystem::path& file) {
  const std::lock_guard lock(hdf5::library_mutex());
  const hdf5::Handle in = hdf5::open_file(file.string());
  std::vector<std::string> names;
  hdf5::check(H5Ovisit2(in.get(), H5_INDEX_NAME, H5_ITER_INC, note_dataset, &names, H5O_INFO_BASIC),
              "list the datasets of", file.string());
  std::vector<NumberColumn> columns;
  for (const std::string& name : names) columns.push_back(read_column(in.get(), name));
  return columns;
}

void write_columns(const std::filesystem::path& file, const std::vector<NumberColumn>& columns) {
  const std::lock_guard lock(hdf5::library_mutex());
  const std::string aside = file.string() + ".tmp";
  hdf5::OutputStatus status;
  hdf5::Handle out = hdf5::create_file(aside, status);
  for (const NumberColumn& column : columns) write_column(out.get(), column);
  hdf5::close_file(std::move(out), aside);
  hdf5::check_output(status, aside);
  std::filesystem::rename(aside, file);
}

}  // namespace canvaslab
