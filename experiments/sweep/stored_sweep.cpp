#include "experiments/sweep/stored_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/registry.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

constexpr int kSchema = 1;

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

StoredSweep StoredSweep::open(const fs::path& folder) {
  StoredSweep sweep(fs::absolute(folder));
  const fs::path file = sweep.own("plan.json");
  if (!fs::exists(file)) {
    throw ConfigurationError(fmt::format(
        "{} holds no sweep: expected {}{}", folder.string(), file.string(),
        is_sweep(folder) ? ". Its planning was cut short, or is going on; no cell was run yet" : ""));
  }
  try {
    const nlohmann::json plan = nlohmann::json::parse(std::ifstream(file));
    if (plan.at("schema") != kSchema) {
      throw ConfigurationError(
          fmt::format("{}: schema {}, expected {}", file.string(), plan.at("schema").dump(), kSchema));
    }
    for (const nlohmann::json& searched : plan.at("config_folders"))
      sweep.config_folders_.emplace_back(searched.get<std::string>());
    plan.at("config_name").get_to(sweep.config_name_);
    sweep.working_folder_ = plan.at("working_folder").get<std::string>();
    plan.at("words").get_to(sweep.words_);
    for (const nlohmann::json& cell : plan.at("cells")) {
      sweep.cells_.push_back(
          {cell.at("number"), cell.at("folder"), cell.at("overrides"), cell.at("seed"), cell.at("model")});
    }
  } catch (const nlohmann::json::exception& error) {
    throw ConfigurationError(fmt::format("{} cannot be read: {}", file.string(), error.what()));
  }
  sweep.set_launcher(config::read_yaml(sweep.own("launcher.yaml")));
  return sweep;
}

void StoredSweep::write_plan(const config::Node& launcher) const {
  nlohmann::json cells = nlohmann::json::array();
  for (const PlannedCell& cell : cells_) {
    cells.push_back({{"number", cell.number},
                     {"folder", cell.folder},
                     {"overrides", cell.overrides},
                     {"seed", cell.seed},
                     {"model", cell.model}});
  }
  nlohmann::json folders = nlohmann::json::array();
  for (const fs::path& name : config_folders_) folders.push_back(name.string());
  const nlohmann::json plan = {{"schema", kSchema},
                               {"program_version", CANVASLAB_VERSION},
                               {"config_folders", folders},
                               {"config_name", config_name_},
                               {"working_folder", working_folder_.string()},
                               {"words", words_},
                               {"cells", cells}};
  write_file(own("launcher.yaml"), config::to_yaml(launcher));
  write_file(own("plan.json"), plan.dump(1) + "\n");
}

void StoredSweep::set_launcher(const config::Node& node) {
  config::Errors errors;
  launcher_ = Registry<Launcher>::build(node, errors, "hydra.launcher");
  errors.throw_if_any();
}

void StoredSweep::choose_launcher(const std::vector<std::string>& words) {
  const auto names_launcher = [](const std::string& word) {
    return word.find("hydra/launcher") < 3 || word.find("hydra.launcher") < 3;  // behind "+", "++" or "~"
  };
  for (const std::string& word : words) {
    if (!names_launcher(word)) {
      throw ConfigurationError(
          fmt::format("command line '{}': a sweep is resumed as it was planned; only its launcher may change "
                      "(hydra/launcher=... and hydra.launcher....)",
                      word));
    }
  }
  std::vector<std::string> all = words_;
  std::erase_if(all, names_launcher);
  all.insert(all.end(), words.begin(), words.end());
  const config::Composition composition = config::compose_all({.config_folders = config_folders_,
                                                               .config_name = config_name_,
                                                               .overrides = all,
                                                               .multirun = true,
                                                               .job_number = {}});
  const config::Node launcher = option_node(composition.hydra, "launcher");
  set_launcher(launcher);
  write_file(own("launcher.yaml"), config::to_yaml(launcher));
}

void StoredSweep::enter_working_folder() const {
  std::error_code gone;  // a file that is missed then is named by whoever looks for it
  fs::current_path(working_folder_, gone);
}

CellFolder StoredSweep::cell(const PlannedCell& planned) const {
  return CellFolder(folder_ / planned.folder, std::chrono::duration<double>(launcher_->policy().stale_after));
}

ClaimFolder StoredSweep::sessions() const {
  return ClaimFolder(own("sessions"), std::chrono::duration<double>(launcher_->policy().stale_after));
}

Claim StoredSweep::begin_session() const {
  const ClaimState state = sessions().state();
  std::optional<Claim> claim;
  if (state.free()) claim = sessions().take(state, state.attempt + 1);
  if (!claim) {
    throw ConfigurationError(
        fmt::format("{} is being run by process {} on {}. To help it: canvaslab sweep {} --work. If that "
                    "machine is gone: "
                    "try again in {:.0f} seconds",
                    folder_.string(), state.holder.process, state.holder.host, folder_.string(),
                    launcher_->policy().stale_after));
  }
  return std::move(*claim);
}

int StoredSweep::session() const {
  return sessions().state().attempt;
}

void StoredSweep::stop_after_failure() const {
  if (launcher_->policy().on_failure == OnFailure::kStop) std::ofstream(own(fmt::format("stop-{}", session())));
}

bool StoredSweep::stopped() const {
  return fs::exists(own(fmt::format("stop-{}", session())));
}

}  // namespace canvaslab
