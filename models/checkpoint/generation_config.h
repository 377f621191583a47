// How a checkpoint wants to be sampled: its generation_config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab {

struct GenerationConfig {
  std::int64_t max_new_tokens = 256;         // tokens behind the prompt
  std::int64_t max_denoising_steps = 48;     // N, per canvas
  double entropy_bound = 0.1;                // nats
  double t_min = 0.4;                        // temperature towards which the schedule falls
  double t_max = 0.8;                        // temperature of the first step
  std::int64_t stability_threshold = 1;      // equal predictions before the last one; 0: every step is stable
  double confidence_threshold = 0.005;       // nats, of the mean entropy of a canvas
  std::vector<std::int64_t> eos_token_ids;   // any of them ends a sequence; none: only max_new_tokens does
  std::optional<std::int64_t> pad_token_id;  // written behind an end of sequence; none: nothing is replaced
  std::optional<std::int64_t> bos_token_id;

  std::string source;  // the text this was read from; its other keys are carried over by to_json
};

// Reads the text of a generation_config.json; `file` names it in errors. An absent or null setting has the
// default above. As in the reference, an absent or null id means that there is no such token, whatever
// config.json says. Throws ConfigurationError naming file, key, expected and found for wrong types and
// impossible values.
GenerationConfig parse_generation_config(std::string_view text, const std::string& file);

// The same of a file; a file that is not there gives the defaults.
GenerationConfig read_generation_config(const std::filesystem::path& file);

nlohmann::ordered_json to_json(const GenerationConfig& config);

}  // namespace canvaslab
