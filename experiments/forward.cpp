#include "experiments/forward.h"

#include <fmt/format.h>

#include "core/error.h"
#include "experiments/tensor_inputs.h"
#include "models/checkpoint/huggingface.h"
#include "models/gemma4/padded_batch.h"

namespace canvaslab {
namespace {

void add(TensorMap& to, const std::string& prefix, const TensorMap& from) {
  for (const auto& [name, tensor] : from) to[prefix + name] = tensor.contiguous();
}

}  // namespace

int forward(const ForwardArguments& arguments) {
  const TensorInputs inputs(arguments.inputs);
  inputs.warn_of_unknown({"input_ids", "attention_mask", "canvas", "self_conditioning_logits"});
  const at::Tensor ids = inputs.integers("input_ids");
  const Checkpoint checkpoint = load_checkpoint(arguments.checkpoint);
  const gemma4::Gemma4Denoiser denoiser(checkpoint, {.precision = arguments.precision});
  gemma4::PaddedBatch batch(
      denoiser, gemma4::left_padding(inputs.optional_integers("attention_mask"), ids.size(0), ids.size(1)));

  TensorMap output;
  add(output, "encoder.", batch.prefill(ids, arguments.hidden));
  add(output, "", batch.cache());
  if (inputs.has("canvas")) {
    const at::Tensor canvas = inputs.integers("canvas");
    const at::Tensor conditioning = inputs.optional_reals("self_conditioning_logits");
    if (canvas.size(0) != ids.size(0)) {
      throw ConfigurationError(fmt::format("{}: canvas has {} rows, input_ids has {}",
                                           arguments.inputs.string(), canvas.size(0), ids.size(0)));
    }
    const std::vector<std::int64_t> expected{canvas.size(0), canvas.size(1), denoiser.vocabulary()};
    if (conditioning.defined() && conditioning.sizes() != expected) {
      throw ConfigurationError(fmt::format("{}: self_conditioning_logits: expected shape [{}, {}, {}]",
                                           arguments.inputs.string(), expected[0], expected[1], expected[2]));
    }
    add(output, "decoder.", batch.denoise(canvas, conditioning, arguments.hidden));
  } else if (inputs.has("self_conditioning_logits")) {
    throw ConfigurationError(arguments.inputs.string() + ": self_conditioning_logits without a canvas");
  }
  write_safetensors(arguments.output, output);
  return 0;
}

}  // namespace canvaslab
