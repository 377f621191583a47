#include "experiments/output_folder.h"

#include <fmt/format.h>

#include <fstream>

#include "core/config/interpolate.h"
#include "core/config/yaml.h"
#include "core/error.h"

namespace canvaslab {
namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

std::filesystem::path wanted_folder(const config::Composition& composition) {
  const config::Node* dir = config::select(composition.hydra, "run.dir");
  if (dir == nullptr || !dir->is_string())
    throw ConfigurationError("hydra.run.dir: expected a folder's name");
  return config::resolve_text(dir->as_string(), composition.config, {.hydra = &composition.hydra})
      .as_string();
}

// Creating the last folder is what decides between two runs that start in the same second.
std::filesystem::path create_fresh(const std::filesystem::path& wanted) {
  std::error_code failed;
  if (wanted.has_parent_path()) std::filesystem::create_directories(wanted.parent_path(), failed);
  if (failed)
    throw ConfigurationError(
        fmt::format("{}: cannot be created: {}", wanted.parent_path().string(), failed.message()));
  for (int attempt = 1; attempt < 1000; ++attempt) {
    const std::filesystem::path folder =
        attempt == 1 ? wanted : std::filesystem::path(wanted.string() + fmt::format("-{}", attempt));
    if (std::filesystem::create_directory(folder, failed)) return folder;
    if (failed)
      throw ConfigurationError(fmt::format("{}: cannot be created: {}", folder.string(), failed.message()));
  }
  throw ConfigurationError(fmt::format("{}: a thousand runs have this folder already", wanted.string()));
}

void write_configuration(const std::filesystem::path& folder, const config::Composition& composition,
                         const config::Node& effective, const std::vector<std::string>& overrides) {
  std::filesystem::create_directory(folder / ".hydra");
  config::Node words = config::Node::list();
  for (const std::string& word : overrides) words.items().emplace_back(word);
  write_file(folder / ".hydra" / "config.yaml", config::to_yaml(composition.config));
  config::Node hydra = config::Node::map();
  hydra.set("hydra", composition.hydra);
  write_file(folder / ".hydra" / "hydra.yaml", config::to_yaml(hydra));
  write_file(folder / ".hydra" / "overrides.yaml", config::to_yaml(words));
  write_file(folder / "resolved.yaml", config::to_yaml(effective));
}

}  // namespace

std::filesystem::path make_output_folder(const config::Composition& composition,
                                         const config::Node& effective,
                                         const std::vector<std::string>& overrides) {
  const std::filesystem::path folder = create_fresh(wanted_folder(composition));
  try {
    write_configuration(folder, composition, effective, overrides);
  } catch (const std::exception&) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    throw;
  }
  return folder;
}

}  // namespace canvaslab
