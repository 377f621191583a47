// generation_config.json: values, the reference's defaults, refusals, and writing it again.
#include "models/checkpoint/generation_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

GenerationConfig parse(const std::string& text) {
  return parse_generation_config(text, "generation_config.json");
}

void expect_refused(const std::string& text, std::vector<std::string> parts) {
  parts.push_back("generation_config.json: ");
  expect_error<ConfigurationError>([&] { parse(text); }, parts);
}

void expect_defaults(const GenerationConfig& config) {
  EXPECT_EQ(config.max_new_tokens, 256);
  EXPECT_EQ(config.max_denoising_steps, 48);
  EXPECT_DOUBLE_EQ(config.entropy_bound, 0.1);
  EXPECT_DOUBLE_EQ(config.t_min, 0.4);
  EXPECT_DOUBLE_EQ(config.t_max, 0.8);
  EXPECT_EQ(config.stability_threshold, 1);
  EXPECT_DOUBLE_EQ(config.confidence_threshold, 0.005);
}

TEST(GenerationConfig, ReadsAFile) {
  const GenerationConfig config = read_generation_config(golden("generation/generation_config.json"));
  EXPECT_EQ(config.max_new_tokens, 48);
  EXPECT_EQ(config.eos_token_ids, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(config.pad_token_id, 0);
  EXPECT_EQ(config.bos_token_id, 2);
  const auto other =
      parse(R"({"max_denoising_steps": 3, "sampler_config": {"entropy_bound": 1.5}, "t_min": 0.2,
      "t_max": 1.2, "stability_threshold": 0, "confidence_threshold": 0.25, "eos_token_id": 7})");
  EXPECT_EQ(other.max_denoising_steps, 3);
  EXPECT_EQ(other.entropy_bound, 1.5);
  EXPECT_EQ(other.t_min, 0.2);
  EXPECT_EQ(other.t_max, 1.2);
  EXPECT_EQ(other.stability_threshold, 0);
  EXPECT_EQ(other.confidence_threshold, 0.25);
  EXPECT_EQ(other.eos_token_ids, std::vector<std::int64_t>{7});
}

TEST(GenerationConfig, NullAndAbsentMeanTheDefaults) {
  expect_defaults(parse("{}"));
  expect_defaults(read_generation_config("/nonexistent/generation_config.json"));
  const auto nulls = parse(R"({"max_new_tokens": null, "max_denoising_steps": null, "sampler_config": null,
      "t_min": null, "t_max": null, "stability_threshold": null, "confidence_threshold": null, "eos_token_id": null,
      "pad_token_id": null, "max_length": null})");
  expect_defaults(nulls);
  EXPECT_TRUE(nulls.eos_token_ids.empty());
  EXPECT_FALSE(nulls.pad_token_id);
  expect_defaults(parse(R"({"sampler_config": {"entropy_bound": null}})"));
}

TEST(GenerationConfig, RefusesWrongTypesAndImpossibleValues) {
  expect_refused(R"({"max_new_tokens": "many"})", {"max_new_tokens", "many"});
  expect_refused(R"({"max_new_tokens": 0})", {"max_new_tokens", "0"});
  expect_refused(R"({"max_denoising_steps": 4.5})", {"max_denoising_steps", "4.5"});
  expect_refused(R"({"sampler_config": 0.1})", {"sampler_config", "an object"});
  expect_refused(R"({"sampler_config": {"entropy_bound": "0.1"}})", {"sampler_config.entropy_bound"});
  expect_refused(R"({"sampler_config": {"entropy_bound": -1}})", {"sampler_config.entropy_bound", "-1"});
  expect_refused(R"({"sampler_config": {"_cls_name": "OtherConfig"}})",
                 {"sampler_config._cls_name", "OtherConfig"});
  expect_refused(R"({"t_min": -0.1})", {"t_min", "-0.1"});
  expect_refused(R"({"t_min": 0.9})", {"t_max", "0.9", "0.8"});
  expect_refused(R"({"stability_threshold": -1})", {"stability_threshold", "-1"});
  expect_refused(R"({"confidence_threshold": 0})", {"confidence_threshold", "0"});
  expect_refused(R"({"eos_token_id": [1, null]})", {"eos_token_id", "null"});
  expect_refused(R"({"pad_token_id": true})", {"pad_token_id", "true"});
  expect_refused(R"({"max_length": 20})", {"max_length", "max_new_tokens"});
  expect_refused(R"([])", {"an object"});
}

TEST(GenerationConfig, WritingReadsBackTheSame) {
  GenerationConfig config = read_generation_config(golden("generation/generation_config.json"));
  config.entropy_bound = 0.75;
  config.pad_token_id.reset();
  const auto json = to_json(config);
  EXPECT_EQ(json["return_dict_in_generate"], true);  // a key that is only carried over
  EXPECT_EQ(json["sampler_config"]["_cls_name"], "EntropyBoundSamplerConfig");
  const GenerationConfig again = parse(json.dump());
  EXPECT_EQ(again.entropy_bound, 0.75);
  EXPECT_FALSE(again.pad_token_id);
  EXPECT_EQ(again.eos_token_ids, config.eos_token_ids);
  EXPECT_EQ(again.max_new_tokens, 48);
  expect_defaults(parse(to_json(GenerationConfig{}).dump()));
}

}  // namespace
}  // namespace canvaslab
