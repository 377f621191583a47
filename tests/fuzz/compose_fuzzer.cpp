// Fuzzes the composer: any primary file, group file and words give a configuration or a ConfigurationError,
// and the configuration reads back as it was written. The input is those three parts, with a line `%%`
// between them.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "core/config/compose.h"
#include "core/config/interpolate.h"
#include "core/config/yaml.h"
#include "core/error.h"

namespace {

namespace fs = std::filesystem;

// In memory where the machine has such a place; one per process.
const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path base = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    fs::path made = base / ("canvaslab-fuzz-" + std::to_string(getpid()));
    fs::create_directories(made / "g");
    std::ofstream(made / "g/b.yaml") << "x: 1\ny: ${z}\n";
    std::atexit([] { fs::remove_all(folder()); });
    return made;
  }();
  return path;
}

std::string take_part(std::string& text) {
  constexpr std::string_view kMark = "\n%%\n";
  const std::size_t end = text.find(kMark);
  std::string part = text.substr(0, end);
  text = end == std::string::npos ? "" : text.substr(end + kMark.size());
  return part;
}

void check(const canvaslab::config::Node& config) {
  const std::string text = canvaslab::config::to_yaml(config);
  try {
    if (canvaslab::config::to_yaml(canvaslab::config::parse_yaml(text, "written")) == text) return;
  } catch (const canvaslab::ConfigurationError& error) {
    std::cerr << error.what() << "\n";
  }
  std::cerr << "does not read back as it was written:\n" << text;
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::ofstream(folder() / "config.yaml", std::ios::binary) << take_part(text);
  std::ofstream(folder() / "g/a.yaml", std::ios::binary) << take_part(text);
  canvaslab::config::ComposeRequest request{.config_folders = {folder()}};
  std::istringstream words(text);
  for (std::string word; std::getline(words, word);) request.overrides.push_back(word);
  try {
    const canvaslab::config::Composition composition = canvaslab::config::compose_all(request);
    check(composition.config);
    check(canvaslab::config::resolve(composition.config, {.hydra = &composition.hydra}));
  } catch (const canvaslab::ConfigurationError&) {
  }
  return 0;
}
