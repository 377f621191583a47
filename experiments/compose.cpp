// Jobs of `canvaslab compose`: composed, noted in their folders, printed.
#include "experiments/compose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "core/config/errors.h"
#include "core/config/interpolate.h"
#include "core/config/scalar.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "core/standard_streams.h"
#include "experiments/output_folder.h"
#include "experiments/run_mode.h"
#include "experiments/sweep/hydra_option.h"

namespace canvaslab {
namespace {

using config::Composition;
using config::Node;

std::string text_of(const Composition& composition, const std::string& setting) {
  return config::bare_text(config::resolve_hydra(composition.config, composition.hydra, setting));
}

void tell_warnings(const Composition& composition) {
  for (const std::string& warning : composition.warnings) tell(fmt::format("warning: {}\n", warning));
}

std::vector<std::string> task_words(const Composition& composition) {
  std::vector<std::string> words;
  for (const Node& word : config::select(composition.hydra, "overrides.task")->items())
    words.push_back(word.as_string());
  return words;
}

void create(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: cannot be created: {}", folder.string(), failed.message()));
}

void run_job(const Composition& composition, const std::filesystem::path& folder, std::ostream& out) {
  create(folder);
  if (!config::select(composition.hydra, "output_subdir")->is_null()) {
    const std::filesystem::path notes = folder / text_of(composition, "output_subdir");
    create(notes);
    write_composition_files(notes, composition, task_words(composition));
  }
  const std::string name = text_of(composition, "job.name");
  log_messages_to(folder / fmt::format("{}.log", name), name);
  out << config::to_yaml(composition.config);
}

// What is common to the jobs of a sweep, hydra's node first.
void write_sweep(const Composition& composition, const std::filesystem::path& folder) {
  create(folder);
  Node all = Node::map();
  all.set("hydra", composition.hydra);
  for (const config::Entry& entry : composition.config.entries()) all.entries().push_back(entry);
  std::ofstream(folder / "multirun.yaml", std::ios::binary) << config::to_yaml(all);
}

void run_sweep(const config::ComposeRequest& request, std::ostream& out) {
  const config::SweepPlan plan = config::plan_sweep(request);
  const std::vector<std::vector<std::string>> jobs = chosen_sweeper(plan.composition.hydra)->cells(plan);
  tell_warnings(plan.composition);
  const auto job = [&](std::size_t i) { return config::compose_all(plan.job(jobs[i], static_cast<int>(i))); };
  for (std::size_t i = 0; i < jobs.size(); ++i)
    job(i);  // what cannot be composed ends the sweep before its first job
  write_sweep(plan.composition, text_of(plan.composition, "sweep.dir"));
  tell(fmt::format("Launching {} jobs locally\n", jobs.size()));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    tell(fmt::format("\t#{} : {}\n", i, fmt::join(jobs[i], " ")));
    const Composition composition = job(i);
    run_job(composition,
            std::filesystem::path(text_of(composition, "sweep.dir")) / text_of(composition, "sweep.subdir"),
            out);
  }
}

}  // namespace

int compose_application(const ConfigurationFlags& flags, std::ostream& out) {
  config::ComposeRequest request = flags.request();
  if (flags.resolve) {
    const Composition composition = config::compose_all(request);
    tell_warnings(composition);
    out << config::to_yaml(
        config::resolve(composition.config, {.hydra = &composition.hydra, .refuse_mandatory = true}));
    return 0;
  }
  const std::string configured = configured_mode(flags);
  const bool sweeps = asks_for_sweep(flags, configured);
  if (configured != (sweeps ? "MULTIRUN" : "RUN"))
    request.overrides.push_back(sweeps ? "hydra.mode=MULTIRUN" : "hydra.mode=RUN");
  if (sweeps) {
    run_sweep(request, out);
    return 0;
  }
  const Composition composition = config::compose_all(request);
  tell_warnings(composition);
  run_job(composition, text_of(composition, "run.dir"), out);
  return 0;
}

}  // namespace canvaslab
