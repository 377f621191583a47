#include "experiments/session.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <thread>

#include "core/config/interpolate.h"
#include "core/config/targets.h"
#include "core/config/yaml.h"
#include "core/project.h"

namespace canvaslab {
namespace {

// Notes the parts that no option was chosen for, as after `~temperature` or `selection: null`.
struct MissingParts {
  const config::Node& where;
  config::Errors& errors;

  template <class T>
  void operator()(const char* name, T& value, const config::Field& /*field*/) {
    if constexpr (config::IsPart<T>::value) {
      if (value == nullptr) {
        errors.add(where, name,
                   "is missing; expected one of " + Registry<typename T::element_type>::names_text());
      }
    }
  }
};

// What Hydra would do and this program does not must not be asked for in vain.
void refuse_unsupported(const config::Node& hydra, config::Errors& errors) {
  for (const char* key : {"job.chdir", "job.env_set", "job.env_copy", "callbacks"}) {
    const config::Node* node = config::select(hydra, key);
    if (node == nullptr || node->is_null()) continue;
    const bool is_default = (node->is_bool() && !node->as_bool()) ||
                            (node->is_map() && node->entries().empty()) ||
                            (node->is_list() && node->items().empty());
    if (!is_default)
      errors.add(*node, fmt::format("hydra.{}", key), "is not supported here; leave it as it is");
  }
}

}  // namespace

Session::Session(const ConfigLocation& location, const std::vector<std::string>& overrides) {
  config::Errors errors;
  auto composition = config::compose_all({config_folders(location), location.name, overrides}, errors);
  if (!composition) errors.throw_if_any();
  take(std::move(*composition), errors);
}

Session::Session(config::Composition composition) {
  config::Errors errors;
  take(std::move(composition), errors);
}

void Session::take(config::Composition composition, config::Errors& errors) {
  composition_ = std::move(composition);
  try {
    resolved_ = config::resolve(composition_.config, {.hydra = &composition_.hydra});
  } catch (const ConfigurationError& error) {
    errors.add(error.what());
    errors.throw_if_any();
  }
  refuse_unsupported(composition_.hydra, errors);
  config::name_targets(resolved_, errors);
  bind(errors);
}

void Session::bind(config::Errors& errors) {
  config_ = RunConfig();
  config::bind(resolved_, config_, errors);
  if (errors.empty()) {
    MissingParts missing{resolved_, errors};
    config_.fields(missing);
  }
  errors.throw_if_any();
}

void Session::set(const std::string& group, const std::string& key, config::Node value) {
  resolved_.find(group)->set(key, std::move(value));
  config::Errors errors;
  bind(errors);
}

std::string Session::model_name() const {
  return config::to_yaml(*resolved_.find("model"));
}

void Session::load(ModelLibrary* library, std::optional<int> threads) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  at::set_num_threads(config_.threads.value_or(threads.value_or(cores)));
  model_ = library != nullptr ? library->load(model_name(), *config_.model)
                              : std::make_shared<const Model>(config_.model->load());
  config_.noise->check(model_->vocabulary);
}

Rules Session::rules() const {
  return {*config_.noise,     *config_.noise_schedule, *config_.temperature,
          *config_.selection, *config_.stopping,       model_->vocabulary};
}

std::int64_t Session::max_new_tokens() const {
  return config_.sampler.max_new_tokens.value_or(model_->generation.max_new_tokens);
}

config::Node Session::effective() const {
  config::Node node = config::to_node(config_, &resolved_);
  node.find("sampler")->set("max_new_tokens", config::Node(max_new_tokens()));
  return node;
}

}  // namespace canvaslab
