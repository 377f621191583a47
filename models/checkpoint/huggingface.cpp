#include "models/checkpoint/huggingface.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "core/error.h"
#include "core/nearest.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/weights.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;

const std::string kSingleFile = "model.safetensors";
const std::string kIndexFile = "model.safetensors.index.json";

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void check_folder(const fs::path& folder) {
  if (!fs::exists(folder)) {
    const fs::path normal = fs::absolute(folder / "").lexically_normal().parent_path();
    throw ConfigurationError(
        fmt::format("{}: expected a checkpoint folder, found nothing there{}", folder.string(),
                    did_you_mean(normal.filename().string(), names_in(normal.parent_path()))));
  }
  if (!fs::is_directory(folder)) {
    throw ConfigurationError(fmt::format("{}: expected a checkpoint folder, found a file", folder.string()));
  }
  const std::vector<std::string> names = names_in(folder);
  if (names.empty()) {
    throw ConfigurationError(
        fmt::format("{}: expected a checkpoint folder, found an empty folder", folder.string()));
  }
  if (!fs::exists(folder / "config.json")) {
    throw ConfigurationError(fmt::format("{}: expected a checkpoint folder, found no config.json in it{}",
                                         folder.string(), did_you_mean("config.json", names)));
  }
}

[[noreturn]] void disagree(const fs::path& index, const std::string& detail) {
  throw Error(fmt::format("{}: index and files disagree: {}", index.string(), detail));
}

// The files of weights that lie in the folder: model.safetensors and model-*.safetensors.
std::set<std::string> weight_files(const fs::path& folder) {
  std::set<std::string> files;
  for (const std::string& name : names_in(folder)) {
    if (name == kSingleFile || (name.starts_with("model-") && name.ends_with(".safetensors")))
      files.insert(name);
  }
  return files;
}

// Tensor name -> file name.
std::map<std::string, std::string> read_index(const fs::path& path) {
  const Json json = parse_json(read_text_file(path), path.string());
  const JsonFields index(path.string(), "", json);
  index.object("weight_map");
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : index.find("weight_map")->items()) {
    if (!file.is_string() || fs::path(file.get<std::string>()).filename() != file.get<std::string>() ||
        !file.get<std::string>().ends_with(".safetensors")) {
      throw Error(fmt::format(
          "{}: weight_map: {}: expected the name of a .safetensors file beside the index, found {}",
          path.string(), tensor, describe(file)));
    }
    files[tensor] = file.get<std::string>();
  }
  return files;
}

using Files = std::map<std::string, SafetensorsFile>;  // by file name

Files open_indexed_files(const fs::path& folder) {
  const fs::path index = folder / kIndexFile;
  const std::map<std::string, std::string> map = read_index(index);
  const std::set<std::string> present = weight_files(folder);
  std::set<std::string> named;
  for (const auto& [tensor, file] : map) named.insert(file);
  for (const auto& [tensor, file] : map) {
    if (!fs::exists(folder / file)) {
      disagree(index,
               fmt::format("{}: expected in {}, found no such file{}", tensor, file,
                           did_you_mean(file, std::vector<std::string>(present.begin(), present.end()))));
    }
  }
  for (const std::string& file : present) {
    if (!named.contains(file))
      disagree(index, fmt::format("{} is in the folder, but the index does not name it", file));
  }
  Files files;
  for (const std::string& file : named) {
    const SafetensorsFile& opened = files.emplace(file, SafetensorsFile(folder / file)).first->second;
    for (const auto& [tensor, place] : opened.header().tensors) {
      const auto listed = map.find(tensor);
      if (listed == map.end()) {
        disagree(index,
                 fmt::format("{}: expected in no file (the index lacks it), found in {}", tensor, file));
      }
      if (listed->second != file) {
        disagree(index, fmt::format("{}: expected in {}, found in {}", tensor, listed->second, file));
      }
    }
  }
  for (const auto& [tensor, file] : map) {
    if (!files.at(file).header().tensors.contains(tensor)) {
      disagree(index, fmt::format("{}: expected in {}, found no such tensor in it", tensor, file));
    }
  }
  return files;
}

Files open_files(const fs::path& folder) {
  if (fs::exists(folder / kIndexFile)) return open_indexed_files(folder);
  const std::set<std::string> present = weight_files(folder);
  if (!present.contains(kSingleFile)) {
    const std::vector<std::string> names = names_in(folder);
    const std::string hint = present.empty()
                                 ? did_you_mean(kSingleFile, names)
                                 : fmt::format(" beside {} (the index is missing)", *present.begin());
    throw Error(fmt::format("{}: expected {} or {}, found neither{}", folder.string(), kSingleFile,
                            kIndexFile, hint));
  }
  if (present.size() > 1) {
    throw Error(
        fmt::format("{}: index and files disagree: expected {} alone (there is no index), found {} beside it",
                    folder.string(), kSingleFile, *present.begin()));
  }
  Files files;
  files.emplace(kSingleFile, SafetensorsFile(folder / kSingleFile));
  return files;
}

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

enum class Weights { kLoad, kHeadersOnly };

Checkpoint load(const fs::path& folder, Weights weights) {
  check_folder(folder);
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  checkpoint.config = read_gemma4_config(folder / "config.json");
  checkpoint.generation = read_generation_config(folder / "generation_config.json");

  const Files files = open_files(folder);
  std::map<std::string, TensorPlace> places;
  std::map<std::string, const SafetensorsFile*> holder;
  for (const auto& [file_name, file] : files) {
    for (const auto& [name, place] : file.header().tensors) {
      places.emplace(name, place);
      holder.emplace(name, &file);
    }
  }
  const auto tensor = [&](const std::string& name) { return holder.at(name)->tensor(name); };
  check_weights(checkpoint.config, places,
                {folder.string(), [&](const std::string& name) { return holder.at(name)->path().string(); },
                 [&](const std::string& a, const std::string& b) {
                   return weights == Weights::kHeadersOnly || same_bytes(tensor(a), tensor(b));
                 }});
  if (weights == Weights::kHeadersOnly) return checkpoint;
  const std::map<std::string, Shape> wanted = expected_weights(checkpoint.config);
  for (const auto& [name, place] : places) {
    if (wanted.contains(name) || is_vision_weight(name)) checkpoint.tensors.emplace(name, tensor(name));
  }
  return checkpoint;
}

}  // namespace

Checkpoint load_checkpoint(const fs::path& folder) {
  return as_wrong_input([&] { return load(folder, Weights::kLoad); });
}

Checkpoint inspect_checkpoint(const fs::path& folder) {
  return as_wrong_input([&] { return load(folder, Weights::kHeadersOnly); });
}

}  // namespace canvaslab
