// What a cell of a sweep costs beyond its model: a denoiser that answers at once, 4 samples of 2 steps.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/project.h"
#include "core/registry.h"
#include "experiments/sweep/stored_sweep.h"
#include "experiments/sweep/worker.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kLength = 16;

struct NoContext : RowContext {
  std::unique_ptr<RowContext> clone() const override { return std::make_unique<NoContext>(); }
  std::size_t bytes() const override { return sizeof(NoContext); }
};

// Certain of token 5 everywhere.
class InstantDenoiser : public Denoiser {
 public:
  explicit InstantDenoiser(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  std::int64_t vocabulary() const override { return vocabulary_; }
  std::int64_t canvas_length() const override { return kLength; }
  std::int64_t max_positions() const override { return 4096; }
  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override {
    std::vector<std::unique_ptr<RowContext>> contexts;
    for (size_t i = 0; i < prompts.size(); ++i) contexts.push_back(std::make_unique<NoContext>());
    return contexts;
  }
  void extend(std::span<RowContext* const> /*rows*/,
              std::span<const std::span<const TokenId>> /*canvases*/) const override {}
  std::vector<Prediction> predict(std::span<const RowQuery> rows,
                                  const PassOptions& /*options*/) const override {
    Prediction certain;
    certain.argmax = certain.sampled = std::vector<TokenId>(kLength, 5);
    certain.entropy = std::vector<float>(kLength, 0);
    certain.confidence = certain.margin = certain.sampled_probability = certain.current_probability =
        std::vector<float>(kLength, 1);
    return std::vector<Prediction>(rows.size(), certain);
  }

 private:
  std::int64_t vocabulary_;
};

class InstantModel : public ModelSource {
 public:
  struct Config {
    std::string checkpoint;
    std::optional<TokenId> mask_token;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("checkpoint", checkpoint, {.meaning = "where the tokenizer and the prompts are"});
      visit("mask_token", mask_token, {.meaning = "as gemma4 has it, to be composed over its file"});
    }
  };
  explicit InstantModel(const Config& config) : config_(config) {}
  Model load() const override {
    Model model = inspect();
    model.denoiser = std::make_unique<InstantDenoiser>(model.vocabulary.size);
    return model;
  }
  Model inspect() const override {
    Model model;
    model.folder = project_root() / "models" / "pretrained" / config_.checkpoint;
    model.tokenizer = Tokenizer::load(model.folder / "tokenizer.json");
    model.vocabulary.size = model.tokenizer->size();
    model.generation.max_new_tokens = kLength;
    return model;
  }

 private:
  Config config_;
};
CANVASLAB_REGISTER(ModelSource, InstantModel, "instant", "answers at once", "");

std::vector<std::string> words(const std::string& folder, const std::string& trace, int cells) {
  return {"model.name=instant",
          "model.checkpoint=sudoku4-uniform",
          "~model.precision",
          "~model.device",
          "~model.canvas_window",

          "task.samples=4",
          "trace=" + trace,
          fmt::format("seed=range({})", cells),
          "hydra.sweep.dir=" + folder};
}

void plan(benchmark::State& state) {
  constexpr int kCells = 100;
  for (auto _ : state) {
    const TemporaryFolder folder;
    benchmark::DoNotOptimize(StoredSweep::plan({}, words((folder / "sweep").string(), "steps", kCells)));
  }
}
BENCHMARK(plan)
    ->Name("sweep/plan/100_cells")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void run(benchmark::State& state, const std::string& trace) {
  const TemporaryFolder folder;
  const auto cells = static_cast<int>(state.max_iterations);
  const StoredSweep sweep = StoredSweep::plan({}, words((folder / "sweep").string(), trace, cells + 1));
  const Claim session = sweep.begin_session();
  Worker worker(sweep);
  worker.run_one();  // loads the model
  for (auto _ : state) {
    if (!worker.run_one()) state.SkipWithError("no cell is left");
  }
  for (const PlannedCell& cell : sweep.cells()) {
    if (sweep.cell(cell).record().state != CellState::kFinished) state.SkipWithError("a cell failed");
  }
}
BENCHMARK_CAPTURE(run, none, "none")
    ->Name("sweep/cell/no_trace")
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(run, steps, "steps")
    ->Name("sweep/cell/trace")
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace canvaslab
