#include "experiments/forward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "experiments/tensor_inputs.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/shipped.h"
#include "models/gemma4/padded_batch.h"

namespace canvaslab {
namespace {

void add(TensorMap& to, const std::string& prefix, const TensorMap& from) {
  for (const auto& [name, tensor] : from) to[prefix + name] = tensor.contiguous();
}

void check_canvas(const at::Tensor& canvas, const at::Tensor& conditioning, std::int64_t rows,
                  std::int64_t vocabulary) {
  if (canvas.size(0) != rows || canvas.size(1) == 0) {
    throw ConfigurationError(
        fmt::format("canvas has shape [{}], expected {} rows as input_ids has, and at least one position",
                    fmt::join(canvas.sizes(), ", "), rows));
  }
  const std::vector<std::int64_t> expected{canvas.size(0), canvas.size(1), vocabulary};
  if (conditioning.defined() && conditioning.sizes() != expected) {
    throw ConfigurationError(fmt::format("self_conditioning_logits: expected shape [{}], found [{}]",
                                         fmt::join(expected, ", "), fmt::join(conditioning.sizes(), ", ")));
  }
}

TensorMap passes(const TensorInputs& inputs, const gemma4::Gemma4Denoiser& denoiser, bool hidden) {
  const at::Tensor ids = inputs.integers("input_ids");
  gemma4::PaddedBatch batch(
      denoiser, gemma4::left_padding(inputs.optional_integers("attention_mask"), ids.size(0), ids.size(1)));
  TensorMap output;
  add(output, "encoder.", batch.prefill(ids, hidden));
  add(output, "", batch.cache());
  if (inputs.has("canvas")) {
    const at::Tensor canvas = inputs.integers("canvas");
    const at::Tensor conditioning = inputs.optional_reals("self_conditioning_logits");
    check_canvas(canvas, conditioning, ids.size(0), denoiser.vocabulary());
    add(output, "decoder.", batch.denoise(canvas, conditioning, hidden));
  }
  return output;
}

// What is not finite is written, so that one can look for its origin, but it is no success.
void check_finite(const TensorMap& output, const std::filesystem::path& file) {
  for (const char* name : {"encoder.last_hidden_state", "decoder.logits"}) {
    const auto found = output.find(name);
    if (found == output.end()) continue;
    const at::Tensor bad = at::isfinite(found->second).logical_not().nonzero();
    if (bad.size(0) == 0) continue;
    throw Error(fmt::format(
        "{}: '{}' holds {} values that are not finite, the first in row {} at position {}", file.string(),
        name, bad.size(0), bad[0][0].item<std::int64_t>(), bad[0][1].item<std::int64_t>()));
  }
}

}  // namespace

int forward(const ForwardArguments& arguments) {
  const TensorInputs inputs(arguments.inputs);
  inputs.warn_of_unknown({"input_ids", "attention_mask", "canvas", "self_conditioning_logits"});
  inputs.integers("input_ids");  // before the checkpoint is loaded
  if (inputs.has("self_conditioning_logits") && !inputs.has("canvas")) {
    throw ConfigurationError(arguments.inputs.string() + ": self_conditioning_logits without a canvas");
  }
  check_output_file(arguments.output);
  const Checkpoint checkpoint = load_checkpoint(checkpoint_folder(arguments.checkpoint, "--checkpoint"));
  const gemma4::Gemma4Denoiser denoiser(checkpoint, {.precision = arguments.precision});
  const TensorMap output = inputs.checked([&] { return passes(inputs, denoiser, arguments.hidden); });
  write_safetensors(arguments.output, output);
  check_finite(output, arguments.output);
  return 0;
}

}  // namespace canvaslab
