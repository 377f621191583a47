// Writes checkpoint folders in the Hugging Face layout.
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "models/checkpoint/atomic_file.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/weights.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;

// A folder beside the final one, which takes its place at the end; removed if that never happens.
class FreshFolder {
 public:
  explicit FreshFolder(fs::path final_path) : final_(std::move(final_path)) {
    // A trailing slash would put the temporary folder inside the final one.
    if (!final_.has_filename()) final_ = final_.parent_path();
    std::error_code failed;
    if (fs::exists(final_, failed) && !(fs::is_directory(final_) && fs::is_empty(final_, failed))) {
      throw ConfigurationError(fmt::format(
          "{}: expected a new or an empty folder, found something in its place", final_.string()));
    }
    temporary_ = final_;
    temporary_ += fmt::format(".partial-{}", getpid());
    fs::remove_all(temporary_, failed);
    fs::create_directories(temporary_, failed);
    if (failed) {
      throw ConfigurationError(fmt::format("{}: expected a place where a folder can be made, found: {}",
                                           final_.string(), failed.message()));
    }
  }
  ~FreshFolder() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  }
  FreshFolder(const FreshFolder&) = delete;
  FreshFolder& operator=(const FreshFolder&) = delete;

  const fs::path& path() const { return temporary_; }

  void commit() {
    flush_folder(temporary_);
    fs::rename(temporary_, final_);
    temporary_.clear();
    flush_folder(final_.parent_path());
  }

 private:
  fs::path final_, temporary_;
};

void check_tensors(const fs::path& folder, const Gemma4Config& config, const TensorMap& tensors) {
  std::map<std::string, TensorPlace> places;
  for (const auto& [name, tensor] : tensors)
    places[name] = {tensor.scalar_type(), tensor.sizes().vec(), 0, 0};
  check_weights(
      config, places,
      {folder.string(), [&](const std::string&) { return folder.string(); },
       [&](const std::string& a, const std::string& b) { return tensors.at(a).equal(tensors.at(b)); }});
}

// Consecutive tensors of each file, in the order of their names.
std::vector<TensorMap> split(const TensorMap& tensors, std::uint64_t max_shard_bytes) {
  std::vector<TensorMap> shards(1);
  std::uint64_t size = 0;
  for (const auto& [name, tensor] : tensors) {
    if (size > 0 && size + tensor.nbytes() > max_shard_bytes) {
      shards.emplace_back();
      size = 0;
    }
    shards.back().emplace(name, tensor);
    size += tensor.nbytes();
  }
  return shards;
}

void write_weights(const fs::path& folder, const TensorMap& tensors, std::uint64_t max_shard_bytes) {
  const std::map<std::string, std::string> metadata = {{"format", "pt"}};
  const std::vector<TensorMap> shards = split(tensors, max_shard_bytes);
  if (shards.size() == 1) {
    write_safetensors(folder / "model.safetensors", tensors, metadata);
    return;
  }
  Json weight_map = Json::object();
  std::uint64_t total = 0;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string file = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_safetensors(folder / file, shards[i], metadata);
    for (const auto& [name, tensor] : shards[i]) {
      weight_map[name] = file;
      total += tensor.nbytes();
    }
  }
  const Json index = {{"metadata", {{"total_size", total}}}, {"weight_map", weight_map}};
  write_atomically(folder / "model.safetensors.index.json", index.dump(2) + "\n");
}

}  // namespace

void save_checkpoint(const fs::path& folder, const Gemma4Config& config, const GenerationConfig& generation,
                     const TensorMap& tensors, const std::optional<std::string>& tokenizer_json,
                     std::uint64_t max_shard_bytes) {
  check_gemma4_config(config, folder.string());
  check_tensors(folder, config, tensors);
  TensorMap written = tensors;
  if (!config.tie_word_embeddings) {
    for (const auto& [name, shape] : expected_weights(config)) {
      if (const std::string copy = encoder_copy_name(name); !copy.empty())
        written.emplace(copy, tensors.at(name));
    }
  }
  FreshFolder fresh(folder);
  write_atomically(fresh.path() / "config.json", to_json(config).dump(2) + "\n");
  write_atomically(fresh.path() / "generation_config.json", to_json(generation).dump(2) + "\n");
  if (tokenizer_json) write_atomically(fresh.path() / "tokenizer.json", *tokenizer_json);
  write_weights(fresh.path(), written, max_shard_bytes);
  fresh.commit();
}

}  // namespace canvaslab
