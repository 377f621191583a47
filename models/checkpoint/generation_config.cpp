#include "models/checkpoint/generation_config.h"

#include <fmt/format.h>

#include "models/checkpoint/json_file.h"

namespace canvaslab {
namespace {

constexpr const char* kSamplerClass = "EntropyBoundSamplerConfig";

double at_least(const JsonFields& fields, const std::string& key, double fallback, double least,
                bool or_equal) {
  const double value = fields.optional_number(key).value_or(fallback);
  if (value < least || (!or_equal && value == least)) {
    fields.refuse(key, fmt::format("a number {} {}", or_equal ? "from" : "above", least),
                  fmt::format("{}", value));
  }
  return value;
}

void read_sampler(const JsonFields& fields, GenerationConfig& config) {
  if (fields.absent_or_null("sampler_config")) return;
  const JsonFields sampler = fields.object("sampler_config");
  const std::string kind = sampler.optional_text("_cls_name").value_or(kSamplerClass);
  if (kind != kSamplerClass)
    sampler.refuse("_cls_name", fmt::format("'{}'", kSamplerClass), "'" + kind + "'");
  config.entropy_bound = at_least(sampler, "entropy_bound", config.entropy_bound, 0, false);
}

}  // namespace

GenerationConfig parse_generation_config(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file);
  const JsonFields fields(file, "", json);
  GenerationConfig config;
  config.source = std::string(text);
  config.max_new_tokens = fields.optional_integer("max_new_tokens").value_or(config.max_new_tokens);
  config.max_denoising_steps =
      fields.optional_integer("max_denoising_steps").value_or(config.max_denoising_steps);
  read_sampler(fields, config);
  config.t_min = at_least(fields, "t_min", config.t_min, 0, true);
  config.t_max = at_least(fields, "t_max", config.t_max, 0, true);
  if (config.t_max < config.t_min) {
    fields.refuse("t_max", fmt::format("a number from t_min ({})", config.t_min),
                  fmt::format("{}", config.t_max));
  }
  const IntegerRange from_zero{0, std::numeric_limits<std::int32_t>::max()};
  config.stability_threshold =
      fields.optional_integer("stability_threshold", from_zero).value_or(config.stability_threshold);
  config.confidence_threshold =
      at_least(fields, "confidence_threshold", config.confidence_threshold, 0, false);
  config.eos_token_ids = fields.integers("eos_token_id", from_zero);
  config.pad_token_id = fields.optional_integer("pad_token_id", from_zero);
  config.bos_token_id = fields.optional_integer("bos_token_id", from_zero);
  if (!fields.absent_or_null("max_length")) {
    fields.refuse("max_length", "max_new_tokens instead", describe(*fields.find("max_length")));
  }
  return config;
}

GenerationConfig read_generation_config(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  return parse_generation_config(read_text_file(file), file.string());
}

Json to_json(const GenerationConfig& config) {
  Json json = config.source.empty() ? Json::object() : parse_json(config.source, "generation_config.json");
  json["max_new_tokens"] = config.max_new_tokens;
  json["max_denoising_steps"] = config.max_denoising_steps;
  json["sampler_config"] = {{"_cls_name", kSamplerClass}, {"entropy_bound", config.entropy_bound}};
  json["t_min"] = config.t_min;
  json["t_max"] = config.t_max;
  json["stability_threshold"] = config.stability_threshold;
  json["confidence_threshold"] = config.confidence_threshold;
  json["eos_token_id"] = config.eos_token_ids.empty()       ? Json(nullptr)
                         : config.eos_token_ids.size() == 1 ? Json(config.eos_token_ids[0])
                                                            : Json(config.eos_token_ids);
  json["pad_token_id"] = config.pad_token_id ? Json(*config.pad_token_id) : Json(nullptr);
  json["bos_token_id"] = config.bos_token_id ? Json(*config.bos_token_id) : Json(nullptr);
  return json;
}

}  // namespace canvaslab
