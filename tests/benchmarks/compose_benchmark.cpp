// What composing costs: our largest experiment, as run does it up to the typed configuration.
#include <benchmark/benchmark.h>

#include "core/config/compose.h"
#include "core/config/config_folders.h"
#include "core/config/interpolate.h"
#include "experiments/run_config.h"

namespace canvaslab {
namespace {

const std::filesystem::path kConfigs = CANVASLAB_SOURCE_DIR "/configs";

// The experiment that composes to the most values.
std::string largest_experiment() {
  std::string largest;
  std::size_t most = 0;
  for (const std::string& name : config::ConfigFolders({kConfigs}).options("experiment")) {
    const std::size_t values =
        config::count_nodes(config::compose({{kConfigs}, "config", {"experiment=" + name}}));
    if (values > most) most = values, largest = name;
  }
  return largest;
}

void BM_ComposeLargestExperiment(benchmark::State& state) {
  const std::string experiment = largest_experiment();
  for (auto unused : state)
    benchmark::DoNotOptimize(
        config::compose_all({{kConfigs}, "config", {"experiment=" + experiment, "seed=2"}}));
  state.SetLabel(experiment);
}
BENCHMARK(BM_ComposeLargestExperiment)->Unit(benchmark::kMillisecond);

void BM_ComposeResolveAndBindLargestExperiment(benchmark::State& state) {
  const std::string experiment = largest_experiment();
  for (auto unused : state) {
    const config::Composition composition =
        config::compose_all({{kConfigs}, "config", {"experiment=" + experiment, "seed=2"}});
    benchmark::DoNotOptimize(
        config::bind<RunConfig>(config::resolve(composition.config, {.hydra = &composition.hydra})));
  }
  state.SetLabel(experiment);
}
BENCHMARK(BM_ComposeResolveAndBindLargestExperiment)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace canvaslab
