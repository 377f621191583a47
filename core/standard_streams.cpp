#include "core/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace canvaslab {

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", O_RDWR);  // takes the lowest free number: this one
  }
}

void tell(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace canvaslab
