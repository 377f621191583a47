#include "experiments/generate.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "experiments/tensor_inputs.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/shipped.h"
#include "models/gemma4/padded_batch.h"
#include "samplers/sampler.h"

namespace canvaslab {
namespace {

struct RecordedStep {
  StepRecord record;
  bool stopped = false;
};

// Keeps every step of every row: steps_[canvas][row][step].
class Recorder : public SampleObserver {
 public:
  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float /*slack*/,
            double /*seconds*/) override {
    steps_[key.canvas][key.sample].push_back({record, signal.stop});
  }

  // The tensors of every canvas; a row that took fewer steps than another stands still after its last one.
  TensorMap tensors(std::int64_t rows) const {
    TensorMap out;
    for (const auto& [canvas, by_row] : steps_) {
      size_t steps = 0;
      for (const auto& [row, list] : by_row) steps = std::max(steps, list.size());
      add_canvas(out, fmt::format("canvas{}.", canvas), by_row, static_cast<std::int64_t>(steps), rows);
    }
    return out;
  }

 private:
  using ByRow = std::map<std::uint64_t, std::vector<RecordedStep>>;

  static void add_canvas(TensorMap& out, const std::string& prefix, const ByRow& by_row, std::int64_t steps,
                         std::int64_t rows) {
    const auto length = static_cast<std::int64_t>(by_row.begin()->second[0].record.canvas.size());
    const auto ids = [&](const char* name, auto column) {
      add(out, prefix + name, by_row, steps, rows, length, at::kLong,
          [&](const RecordedStep& s, std::int64_t i) {
            return static_cast<std::int64_t>(column(s.record)[i]);
          });
    };
    ids(
        "canvas_in", [](const StepRecord& r) -> auto& { return r.canvas; });
    ids(
        "sampled_canvas", [](const StepRecord& r) -> auto& { return r.prediction.sampled; });
    ids(
        "renoise_canvas", [](const StepRecord& r) -> auto& { return r.noise; });
    ids(
        "argmax_canvas", [](const StepRecord& r) -> auto& { return r.prediction.argmax; });
    ids(
        "next_canvas", [](const StepRecord& r) -> auto& { return r.next_canvas; });
    add(out, prefix + "token_entropy", by_row, steps, rows, length, at::kFloat,
        [](const RecordedStep& s, std::int64_t i) { return s.record.prediction.entropy[i]; });
    add(out, prefix + "accept_mask", by_row, steps, rows, length, at::kByte,
        [](const RecordedStep& s, std::int64_t i) {
          return static_cast<std::uint8_t>(s.record.decision[i] != Decision::kRenoise);
        });
    add(out, prefix + "mean_entropy", by_row, steps, rows, 1, at::kFloat,
        [](const RecordedStep& s, std::int64_t) { return s.record.mean_entropy; });
    out[prefix + "mean_entropy"].squeeze_(-1);
    add_stopped(out, prefix, by_row, steps, rows);
    add_temperature(out, prefix, by_row, steps);
  }

  // One value for each step, row and position; `value` gives it from the row's step at hand.
  template <class Value>
  static void add(TensorMap& out, const std::string& name, const ByRow& by_row, std::int64_t steps,
                  std::int64_t rows, std::int64_t length, at::ScalarType type, Value value) {
    using Element = decltype(value(std::declval<RecordedStep>(), 0));
    at::Tensor all = at::zeros({steps, rows, length}, type);
    auto* to = all.mutable_data_ptr<Element>();
    for (const auto& [row, list] : by_row) {
      for (std::int64_t t = 0; t < steps; ++t) {
        const RecordedStep& step = list[std::min<size_t>(static_cast<size_t>(t), list.size() - 1)];
        for (std::int64_t i = 0; i < length; ++i)
          to[(t * rows + static_cast<std::int64_t>(row)) * length + i] = value(step, i);
      }
    }
    out[name] = all;
  }

  static void add_stopped(TensorMap& out, const std::string& prefix, const ByRow& by_row, std::int64_t steps,
                          std::int64_t rows) {
    at::Tensor stopped = at::ones({steps, rows}, at::kByte);
    for (const auto& [row, list] : by_row) {
      for (size_t t = 0; t < list.size() && !list[t].stopped; ++t)
        stopped[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(row)] = 0;
    }
    out[prefix + "stopped"] = stopped;
  }

  static void add_temperature(TensorMap& out, const std::string& prefix, const ByRow& by_row,
                              std::int64_t steps) {
    const auto longest = std::max_element(by_row.begin(), by_row.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    at::Tensor temperature = at::zeros({steps}, at::kFloat);
    for (std::int64_t t = 0; t < steps; ++t)
      temperature[t] = longest->second[static_cast<size_t>(t)].record.temperature;
    out[prefix + "temperature"] = temperature;
  }

  std::map<std::uint32_t, ByRow> steps_;
};

std::vector<SampleRequest> requests_of(const TensorInputs& inputs, const Model& model) {
  const at::Tensor ids = inputs.integers("input_ids");
  const std::vector<std::int64_t> padding =
      gemma4::left_padding(inputs.optional_integers("attention_mask"), ids.size(0), ids.size(1));
  const auto prompts = gemma4::rows_of(ids, padding, model.vocabulary.size, "input_ids");
  std::vector<std::vector<TokenId>> canvases(prompts.size());
  if (inputs.has("decoder_input_ids")) {
    const at::Tensor given = inputs.integers("decoder_input_ids");
    if (given.size(0) != ids.size(0)) {
      throw ConfigurationError(
          fmt::format("decoder_input_ids has {} rows, input_ids has {}", given.size(0), ids.size(0)));
    }
    canvases = gemma4::rows_of(given, std::vector<std::int64_t>(prompts.size(), 0), model.vocabulary.size,
                               "decoder_input_ids");
  }
  std::vector<SampleRequest> requests;
  for (size_t r = 0; r < prompts.size(); ++r) requests.push_back({r, prompts[r], padding[r], canvases[r]});
  return requests;
}

// prompt and generated tokens [B, S + n], int64; shorter rows end in padding.
at::Tensor sequences(const at::Tensor& ids, const std::vector<SampleResult>& results,
                     const Vocabulary& vocabulary) {
  size_t longest = 0;
  for (const SampleResult& result : results) longest = std::max(longest, result.tokens.size());
  at::Tensor generated =
      at::full({ids.size(0), static_cast<std::int64_t>(longest)}, vocabulary.padding.value_or(0), at::kLong);
  for (size_t r = 0; r < results.size(); ++r) {
    for (size_t i = 0; i < results[r].tokens.size(); ++i) {
      generated[static_cast<std::int64_t>(r)][static_cast<std::int64_t>(i)] = results[r].tokens[i];
    }
  }
  return at::cat({ids, generated}, 1);
}

}  // namespace

int generate(const GenerateArguments& arguments) {
  const TensorInputs inputs(arguments.inputs);
  inputs.warn_of_unknown({"input_ids", "attention_mask", "decoder_input_ids"});
  check_output_file(arguments.output);
  const std::filesystem::path folder = checkpoint_folder(arguments.checkpoint, "--checkpoint");
  const GenerationConfig generation = read_generation_config(folder / "generation_config.json");
  Session session(arguments.location,
                  with_generation_settings(arguments.overrides, generation, arguments.location));
  session.set("model", "checkpoint", config::Node(folder.string() + "/"));
  session.load();

  const std::vector<SampleRequest> requests =
      inputs.checked([&] { return requests_of(inputs, session.model()); });
  const Rules rules = session.rules();
  const std::unique_ptr<Random> random = session.config().random->make(session.config().seed);
  const std::unique_ptr<Sampler> sampler =
      session.config().sampler->make(*session.model().denoiser, rules, *random, session.max_new_tokens());
  inputs.checked([&] { sampler->check(requests); });
  Recorder recorder;
  const std::vector<SampleResult> results = sampler->run(requests, recorder);

  TensorMap output = recorder.tensors(static_cast<std::int64_t>(requests.size()));
  output["sequences"] = sequences(inputs.integers("input_ids"), results, rules.vocabulary);
  at::Tensor passes = at::zeros({static_cast<std::int64_t>(results.size())}, at::kInt);
  for (size_t r = 0; r < results.size(); ++r)
    passes[static_cast<std::int64_t>(r)] = results[r].forward_passes;
  output["decoder_forward_passes"] = passes;
  write_safetensors(arguments.output, output);
  return 0;
}

}  // namespace canvaslab
