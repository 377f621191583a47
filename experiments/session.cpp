#include "experiments/session.h"

#include <ATen/Parallel.h>

#include "core/config/yaml.h"
#include "experiments/bound_config.h"
#include "experiments/core_count.h"

namespace canvaslab {

Session::Session(const ConfigLocation& location, const std::vector<std::string>& overrides) {
  config::Errors errors;
  composition_ = compose_noting(location, overrides, errors);
  bind(errors);
}

Session::Session(config::Composition composition) : composition_(std::move(composition)) {
  config::Errors errors;
  bind(errors);
}

void Session::bind(config::Errors& errors) {
  resolved_ = resolved_job(composition_, errors);
  bind_whole(resolved_, config_, errors);
}

void Session::set(const std::string& group, const std::string& key, config::Node value) {
  resolved_.find(group)->set(key, std::move(value));
  config::Errors errors;
  config_ = RunConfig();
  bind_whole(resolved_, config_, errors);
}

std::string Session::model_name() const {
  return config::to_yaml(*resolved_.find("model"));
}

void Session::load(ModelLibrary* library, std::optional<int> threads) {
  at::set_num_threads(config_.threads.value_or(threads.value_or(core_count())));
  model_ = library != nullptr ? library->load(model_name(), *config_.model)
                              : std::make_shared<const Model>(config_.model->load());
  config_.noise->check(model_->vocabulary);
}

Rules Session::rules() const {
  return config_.rules(model_->vocabulary);
}

std::int64_t Session::max_new_tokens() const {
  return config_.sampler->max_new_tokens().value_or(model_->generation.max_new_tokens);
}

config::Node Session::effective() const {
  config::Node node = config::to_node(config_, &resolved_);
  node.find("sampler")->set("max_new_tokens", config::Node(max_new_tokens()));
  return node;
}

}  // namespace canvaslab
