// The two kinds of error that the program knows, told apart by its exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace canvaslab {

// Something failed while running; what was done so far is kept. Exit status 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The configuration, an argument or an input file is wrong; nothing was started. Exit status 2.
class ConfigurationError : public Error {
 public:
  using Error::Error;
};

// Runs `read` and gives what it gives. An input that cannot be read is a wrong argument: nothing was started.
template <class Read>
auto as_wrong_input(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw ConfigurationError(error.what());
  }
}

}  // namespace canvaslab
