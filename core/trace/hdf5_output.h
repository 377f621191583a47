// Where HDF5 puts the bytes of a file that we create.
//
// After one failed write ("No space left on device") HDF5 1.10 can neither close the file nor end the process
// without crashing. So HDF5 never sees a failure: this driver remembers the first one and drops what comes
// after, and whoever created the file asks for it.
#pragma once

#include <hdf5.h>

#include <string>

namespace canvaslab::hdf5 {

// Outlives the file.
struct OutputStatus {
  int error_number = 0;  // errno of the first failure; 0: none
};

// Throws Error("cannot write WHERE: reason") if a write has failed.
void check_output(const OutputStatus& status, const std::string& where);

// Makes files that are created with this access list report to `status`.
void use_output_driver(hid_t access, OutputStatus& status);

}  // namespace canvaslab::hdf5
