// `canvaslab generate`: runs the loop on token ids and writes every intermediate value, for comparison with
// other implementations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/session.h"
#include "models/checkpoint/generation_config.h"

namespace canvaslab {

struct GenerateArguments {
  std::string checkpoint;  // a folder, or the name of a shipped one
  std::filesystem::path inputs, output;
  ConfigLocation location;
  std::vector<std::string> overrides;
};

// Settings come from the checkpoint's generation_config.json; overrides win, under the configuration's names
// or under that file's own (generation.max_new_tokens ...). Reads input_ids [B,S], optional attention_mask
// [B,S] and decoder_input_ids [B,L]; writes sequences, decoder_forward_passes and, per canvas c, canvasC.*
// with a step axis. Returns the exit status.
int generate(const GenerateArguments& arguments);

// The overrides with those of generation_config.json put in front and the generation.* words translated, as
// far as the chosen options have the settings. ConfigurationError for an unknown generation.* word or one
// that does not apply.
std::vector<std::string> with_generation_settings(const std::vector<std::string>& overrides,
                                                  const GenerationConfig& generation,
                                                  const ConfigLocation& location);

}  // namespace canvaslab
