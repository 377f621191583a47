// Which tensors a checkpoint must hold, as its configuration tells: names, shapes and element types.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/checkpoint/safetensors.h"
#include "models/gemma4/config.h"

namespace canvaslab {

using Shape = std::vector<std::int64_t>;

// Every text weight that a checkpoint of this configuration stores. The encoder has the decoder's weights,
// except for one layer_scalar a layer; lm_head.weight is only there when it is not tied to the embedding.
std::map<std::string, Shape> expected_weights(const Gemma4Config& config);

// Tensors of the vision tower, which text-only use carries along but does not look at.
bool is_vision_weight(const std::string& name);

// The name under which a checkpoint may hold the encoder's own copy of a decoder weight, or "" when there is
// none. The reference needs the copies where tie_word_embeddings is false: that flag unties the encoder as
// well.
std::string encoder_copy_name(const std::string& decoder_name);

// Compares the tensors of a checkpoint with the expected ones. `where(name)` is the file that holds a tensor,
// `origin` the checkpoint as a whole. Copies of tied weights are accepted when `equal` says so. Throws Error:
// missing, surplus or misshapen tensors (the first few, with the nearest names), element types other than
// F32, BF16 and F16, and a separate lm_head.weight or encoder copy that differs from what it is tied to.
struct WeightCheck {
  std::string origin;
  std::function<std::string(const std::string&)> where;
  std::function<bool(const std::string&, const std::string&)> equal;
};
void check_weights(const Gemma4Config& config, const std::map<std::string, TensorPlace>& found,
                   const WeightCheck& check);

}  // namespace canvaslab
