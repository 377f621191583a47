// `canvaslab forward`: one prefill and one denoising pass, written out for comparison with other
// implementations.
#pragma once

#include <filesystem>

#include "models/gemma4/denoiser.h"

namespace canvaslab {

struct ForwardArguments {
  std::string checkpoint;  // a folder, or the name of a shipped one
  std::filesystem::path inputs, output;
  gemma4::Precision precision = gemma4::Precision::kAuto;
  bool hidden = false;  // also the hidden states of every layer
};

// Reads input_ids [B,S], optional attention_mask [B,S], optional canvas [B,L], optional
// self_conditioning_logits [B,L,V]; writes encoder.*, cache.* and, when there is a canvas, decoder.*. Returns
// the exit status.
int forward(const ForwardArguments& arguments);

}  // namespace canvaslab
