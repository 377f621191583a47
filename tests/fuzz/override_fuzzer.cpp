// Fuzzes the override parser: any text is a word or a ConfigurationError, and what a sweep's job is given for
// a word means the same when it is parsed again.
#include <cstdlib>
#include <iostream>

#include "core/config/override.h"
#include "core/config/yaml.h"
#include "core/error.h"

using canvaslab::config::Override;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string word(reinterpret_cast<const char*>(data), size);
  try {
    const Override parsed = canvaslab::config::parse_override(word);
    // Casts make texts of which no unquoted spelling exists: Hydra cannot write those again either.
    if (!parsed.value || word.find('(') != std::string::npos) return 0;
    const Override again = canvaslab::config::parse_override(parsed.marked_key() + "=" + parsed.text);
    const bool same = again.text == parsed.text && again.value &&
                      canvaslab::config::to_yaml(*again.value) == canvaslab::config::to_yaml(*parsed.value);
    if (!same) {
      std::cerr << "'" << word << "' is written as '" << parsed.text << "', which means something else\n";
      std::abort();
    }
  } catch (const canvaslab::ConfigurationError&) {
  }
  return 0;
}
