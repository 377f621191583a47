#include "experiments/output_folder.h"

#include <fmt/format.h>

#include <fstream>

#include "core/config/bind.h"
#include "core/config/interpolate.h"
#include "core/config/scalar.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "core/standard_streams.h"

namespace canvaslab {
namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

void create(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw ConfigurationError(fmt::format("{}: cannot be created: {}", folder.string(), failed.message()));
}

// What this process put into a folder that it could not finish; the folder itself where that leaves it empty.
void take_back(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder / ".hydra", ignored);
  std::filesystem::remove(folder / "resolved.yaml", ignored);
  std::filesystem::remove(folder, ignored);
}

void open_log(const std::filesystem::path& folder, const config::Composition& composition) {
  const LogPlace place = log_place(folder, composition);
  log_messages_to(place.file, place.name);
}

}  // namespace

LogPlace log_place(const std::filesystem::path& folder, const config::Composition& composition) {
  const std::string name =
      config::bare_text(config::resolve_hydra(composition.config, composition.hydra, "job.name"));
  return {folder / fmt::format("{}.log", name), name};
}

NamedFolder named_folder(const config::Composition& composition, const char* setting) {
  const config::Node* dir = config::select(composition.hydra, setting);
  if (dir == nullptr || !dir->is_string())
    throw ConfigurationError(fmt::format("hydra.{}: expected a folder's name", setting));
  const config::Node path = config::resolve_hydra(composition.config, composition.hydra, setting);
  return {config::bare_text(path), dir->as_string().find("${now:") != std::string::npos};
}

bool write_composition(const std::filesystem::path& folder, const config::Composition& composition,
                       const std::vector<std::string>& overrides) {
  std::error_code failed;
  if (!std::filesystem::create_directory(folder / ".hydra", failed)) {
    if (failed)
      throw ConfigurationError(
          fmt::format("{}: cannot be created: {}", (folder / ".hydra").string(), failed.message()));
    return false;
  }
  write_composition_files(folder / ".hydra", composition, overrides);
  return true;
}

void write_composition_files(const std::filesystem::path& folder, const config::Composition& composition,
                             const std::vector<std::string>& overrides) {
  config::Node words = config::Node::list();
  for (const std::string& word : overrides) words.items().emplace_back(word);
  config::Node hydra = config::Node::map();
  hydra.set("hydra", composition.hydra);
  if (config::Node* runtime = hydra.find("hydra")->find("runtime"))
    runtime->set("output_dir",
                 config::Node(std::filesystem::absolute(folder).parent_path().lexically_normal().string()));
  write_file(folder / "config.yaml", config::to_yaml(composition.config));
  write_file(folder / "hydra.yaml", config::to_yaml(hydra));
  write_file(folder / "overrides.yaml", config::to_yaml(words));
}

bool holds_composition(const std::filesystem::path& folder) {
  for (const char* name : {"config.yaml", "hydra.yaml", "overrides.yaml"}) {
    std::error_code absent;
    const auto size = std::filesystem::file_size(folder / ".hydra" / name, absent);
    if (absent || size == 0) return false;
  }
  return true;
}

void write_resolved(const std::filesystem::path& folder, const config::Node& effective) {
  write_file(folder / "resolved.yaml", config::to_yaml(effective));
}

std::filesystem::path make_output_folder(const config::Composition& composition,
                                         const config::Node& effective,
                                         const std::vector<std::string>& overrides) {
  const NamedFolder wanted = named_folder(composition, "run.dir");
  for (int attempt = 1; attempt < 1000; ++attempt) {
    const std::filesystem::path folder =
        attempt == 1 ? wanted.path
                     : std::filesystem::path(fmt::format("{}-{}", wanted.path.string(), attempt));
    if (!wanted.names_time && is_sweep(folder)) {
      throw ConfigurationError(
          fmt::format("{} holds a sweep already; choose another hydra.run.dir", folder.string()));
    }
    create(folder);
    try {
      if (write_composition(folder, composition, overrides)) {
        write_resolved(folder, effective);
        open_log(folder, composition);
        return folder;
      }
    } catch (const std::exception&) {
      take_back(folder);
      throw;
    }
    if (!wanted.names_time) {
      throw ConfigurationError(fmt::format(
          "{} holds a run already. Choose another hydra.run.dir, or finish that one with --resume {}",
          folder.string(), folder.string()));
    }
  }
  throw ConfigurationError(fmt::format("{}: a thousand runs have this folder already", wanted.path.string()));
}

StoredRun read_output_folder(const std::filesystem::path& folder) {
  const std::filesystem::path stored = folder / ".hydra";
  if (!std::filesystem::exists(stored / "config.yaml")) {
    throw ConfigurationError(
        fmt::format("{} holds no run: expected {}", folder.string(), (stored / "config.yaml").string()));
  }
  StoredRun run;
  run.composition.config = config::read_yaml(stored / "config.yaml");
  const config::Node hydra = config::read_yaml(stored / "hydra.yaml");
  const config::Node* settings = hydra.find("hydra");
  if (settings == nullptr)
    throw ConfigurationError(fmt::format("{}: expected a map `hydra`", (stored / "hydra.yaml").string()));
  run.composition.hydra = *settings;
  const config::Node words = config::read_yaml(stored / "overrides.yaml");
  config::Errors errors;
  config::bind_value(words, "overrides", {}, run.overrides, errors, config::Parts::kConstruct);
  errors.throw_if_any();
  return run;
}

void take_up(const StoredRun& run, const std::filesystem::path& folder) {
  open_log(folder, run.composition);
  const config::Node* working = config::select(run.composition.hydra, "runtime.cwd");
  std::error_code gone;  // a file that is missed then is named by whoever looks for it
  if (working != nullptr && working->is_string()) std::filesystem::current_path(working->as_string(), gone);
}

}  // namespace canvaslab
