#include "models/checkpoint/adapter.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/nearest.h"
#include "models/checkpoint/atomic_file.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/seed_of.h"

namespace canvaslab {
namespace {

const std::string kPrefix = "base_model.model.";
const std::string kFirst = ".lora_A.weight", kSecond = ".lora_B.weight";

const std::vector<std::pair<std::string, std::vector<std::string>>>& modules_of_targets() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {"attention", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"}},
      {"mlp", {"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}},
      {"experts", {"experts.gate_up_proj", "experts.down_proj"}}};
  return all;
}

std::vector<std::string> modules_of(const std::vector<std::string>& targets) {
  std::vector<std::string> modules;
  for (const auto& [target, its] : modules_of_targets())
    if (std::find(targets.begin(), targets.end(), target) != targets.end())
      modules.insert(modules.end(), its.begin(), its.end());
  return modules;
}

// "model.decoder.layers.3.mlp.up_proj.weight" -> "model.decoder.layers.3.mlp.up_proj".
std::string module_name(const std::string& weight) {
  return weight.ends_with(".weight") ? weight.substr(0, weight.size() - 7) : weight;
}

bool ends_with_any(const std::string& name, const std::vector<std::string>& ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const std::string& end) { return name.ends_with(end); });
}

// Of a weight [out, in] or [experts, out, in].
std::vector<std::int64_t> shape_with(const at::Tensor& weight, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int64_t> shape = weight.sizes().vec();
  shape[shape.size() - 2] = rows, shape[shape.size() - 1] = columns;
  return shape;
}

void check_shape(const at::Tensor& tensor, const std::vector<std::int64_t>& expected,
                 const std::string& name) {
  if (tensor.sizes() == at::IntArrayRef(expected)) return;
  throw ConfigurationError(fmt::format("adapter: '{}': expected shape [{}], found [{}]", name,
                                       fmt::join(expected, ", "), fmt::join(tensor.sizes(), ", ")));
}

}  // namespace

const std::vector<std::string>& adapter_targets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [target, modules] : modules_of_targets()) all.push_back(target);
    return all;
  }();
  return names;
}

bool is_adapter_weight(const std::string& name) {
  return name.ends_with(kFirst) || name.ends_with(kSecond);
}

TensorMap initial_adapter(const TensorMap& weights, std::int64_t rank,
                          const std::vector<std::string>& targets, std::uint64_t seed) {
  const std::vector<std::string> modules = modules_of(targets);
  TensorMap out;
  for (const auto& [name, weight] : weights) {
    const std::string module = module_name(name);
    if (!name.starts_with("model.decoder.layers.") || !ends_with_any(module, modules)) continue;
    const std::int64_t in = weight.size(-1), rows = weight.size(-2);
    at::Generator generator = at::detail::createCPUGenerator(seed_of(module + kFirst, seed));
    out[module + kFirst] = at::empty(shape_with(weight, rank, in), at::kFloat)
                               .normal_(0, 1 / std::sqrt(static_cast<double>(in)), generator);
    out[module + kSecond] = at::zeros(shape_with(weight, rows, rank), at::kFloat);
  }
  return out;
}

void save_adapter(const std::filesystem::path& folder, const Adapter& adapter) {
  std::filesystem::create_directories(folder);
  TensorMap named;
  for (const auto& [name, tensor] : adapter.tensors) named[kPrefix + name] = tensor.detach();
  write_safetensors(folder / "adapter_model.safetensors", named, {{"format", "pt"}});
  const Json config = {{"peft_type", "LORA"},
                       {"r", adapter.rank},
                       {"lora_alpha", adapter.alpha},
                       {"target_modules", modules_of(adapter.targets)},
                       {"base_model_name_or_path", adapter.base},
                       {"bias", "none"},
                       {"canvaslab_targets", adapter.targets}};
  write_atomically(folder / "adapter_config.json", config.dump(2) + "\n");
}

Adapter load_adapter(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "adapter_config.json",
                              weights = folder / "adapter_model.safetensors";
  for (const std::filesystem::path& file : {config, weights}) {
    if (!std::filesystem::exists(file))
      throw ConfigurationError(
          fmt::format("{} holds no adapter: expected {}", folder.string(), file.string()));
  }
  const Json parsed = parse_json(read_text_file(config), config.string());
  const JsonFields fields(config.string(), "", parsed);
  Adapter adapter;
  adapter.rank = fields.integer("r");
  adapter.alpha = fields.number("lora_alpha");
  adapter.base = fields.optional_text("base_model_name_or_path").value_or("");
  adapter.targets = fields.optional_texts("canvaslab_targets").value_or(std::vector<std::string>{});
  for (const auto& [name, tensor] : read_safetensors(weights)) {
    if (!name.starts_with(kPrefix) || !is_adapter_weight(name)) {
      throw ConfigurationError(fmt::format("{}: '{}': expected names {}...{} or {}", weights.string(), name,
                                           kPrefix, kFirst, kSecond));
    }
    adapter.tensors[name.substr(kPrefix.size())] = tensor;
  }
  return adapter;
}

TensorMap merged(const TensorMap& weights, const Adapter& adapter) {
  TensorMap out = weights;
  std::vector<std::string> modules;
  for (const auto& [name, weight] : weights) modules.push_back(module_name(name));
  for (const auto& [name, a] : adapter.tensors) {
    if (!name.ends_with(kFirst)) continue;
    const std::string module = name.substr(0, name.size() - kFirst.size());
    const auto found = out.contains(module) ? out.find(module) : out.find(module + ".weight");
    if (found == out.end() || found->second.dim() < 2) {
      throw ConfigurationError(
          fmt::format("adapter: the checkpoint has no weight '{}'{}", module, did_you_mean(module, modules)));
    }
    const auto second = adapter.tensors.find(module + kSecond);
    if (second == adapter.tensors.end())
      throw ConfigurationError(fmt::format("adapter: '{}{}' is missing", module, kSecond));
    at::Tensor& weight = found->second;
    check_shape(a, shape_with(weight, adapter.rank, weight.size(-1)), name);
    check_shape(second->second, shape_with(weight, weight.size(-2), adapter.rank), second->first);
    const at::Tensor update = at::matmul(second->second.to(at::kFloat), a.to(at::kFloat)) * adapter.scale();
    weight = (weight.to(at::kFloat) + update).to(weight.scalar_type());
  }
  return out;
}

}  // namespace canvaslab
