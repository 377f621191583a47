#include "core/trace/column_file.h"

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

}  // namespace

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
