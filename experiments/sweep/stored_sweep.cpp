#include "experiments/sweep/stored_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/config/bind.h"
#include "core/config/override.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "core/registry.h"
#include "core/standard_streams.h"
#include "experiments/output_folder.h"
#include "experiments/sweep/hydra_option.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

constexpr int kSchema = 3;

// Whether a word names "hydra" + `rest`, behind "+", "++" or "~".
bool names_hydra(const std::string& word, const char* rest) {
  return word.find(fmt::format("hydra{}", rest)) < 3;
}

bool chooses_launcher(const std::string& word) {
  return names_hydra(word, "/launcher");
}

// The words that hold from now on: another launcher starts from its own values, and the last word on a key
// counts.
std::vector<std::string> renewed(std::vector<std::string> before, const std::vector<std::string>& words) {
  if (std::any_of(words.begin(), words.end(), chooses_launcher)) before.clear();
  for (const std::string& word : words) {
    const std::string key = config::parse_override(word).key;
    std::erase_if(before, [&](const std::string& old) { return config::parse_override(old).key == key; });
  }
  before.insert(before.end(), words.begin(), words.end());
  return before;
}

}  // namespace

bool names_launcher(const std::string& word) {
  return chooses_launcher(word) || names_hydra(word, ".launcher");
}

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
      sweep.cells_.push_back({cell.at("number"), cell.at("folder"), cell.at("overrides"), cell.at("seed"),
                              cell.at("model"), cell.at("digest")});
    }
  } catch (const nlohmann::json::exception& error) {
    throw ConfigurationError(fmt::format("{} cannot be read: {}", file.string(), error.what()));
  }
  sweep.read_launcher();
  return sweep;
}

void StoredSweep::write_plan() const {
  nlohmann::json cells = nlohmann::json::array();
  for (const PlannedCell& cell : cells_) {
    cells.push_back({{"number", cell.number},
                     {"folder", cell.folder},
                     {"overrides", cell.overrides},
                     {"seed", cell.seed},
                     {"model", cell.model},
                     {"digest", cell.digest}});
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
  write_launcher();
  write_atomically(own("plan.json"), plan.dump(1) + "\n");
}

void StoredSweep::read_launcher() {
  const config::Node stored = config::read_yaml(own("launcher.yaml"));
  const config::Node *words = stored.find("words"), *launcher = stored.find("launcher");
  if (words == nullptr || launcher == nullptr) {
    throw ConfigurationError(
        fmt::format("{}: expected a map of `words` and `launcher`", own("launcher.yaml").string()));
  }
  config::Errors errors;
  config::bind_value(*words, "words", {}, launcher_words_, errors, config::Parts::kConstruct);
  errors.throw_if_any();
  set_launcher(*launcher);
}

void StoredSweep::write_launcher() const {
  config::Node stored = config::Node::map(), words = config::Node::list();
  for (const std::string& word : launcher_words_) words.items().emplace_back(word);
  stored.set("words", words);
  stored.set("launcher", launcher_node_);
  write_atomically(own("launcher.yaml"), config::to_yaml(stored));
}

void StoredSweep::set_launcher(const config::Node& node) {
  config::Errors errors;
  launcher_ = Registry<Launcher>::build(node, errors, "hydra.launcher");
  errors.throw_if_any();
  launcher_node_ = node;
}

void StoredSweep::choose_launcher(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!names_launcher(word)) {
      throw ConfigurationError(
          fmt::format("command line '{}': a sweep is resumed as it was planned; only its launcher may change "
                      "(hydra/launcher=... and hydra.launcher....)",
                      word));
    }
  }
  const std::vector<std::string> chosen = renewed(launcher_words_, words);
  std::vector<std::string> all = words_;
  all.insert(all.end(), chosen.begin(), chosen.end());
  const config::Composition composition = config::compose_all({.config_folders = config_folders_,
                                                               .config_name = config_name_,
                                                               .overrides = all,
                                                               .multirun = true,
                                                               .job_number = {}});
  const double before = launcher_->policy().stale_after;
  set_launcher(option_node(composition.hydra, "launcher"));
  launcher_words_ = chosen;
  if (!stale_after_before_) stale_after_before_ = before;
}

void StoredSweep::enter_working_folder() const {
  std::error_code gone;  // a file that is missed then is named by whoever looks for it
  fs::current_path(working_folder_, gone);
}

CellFolder StoredSweep::cell(const PlannedCell& planned) const {
  return CellFolder(folder_ / planned.folder, std::chrono::duration<double>(launcher_->policy().stale_after));
}

void StoredSweep::open_log() const {
  log_messages_to(folder_ / "canvaslab.log", "canvaslab");
}

void StoredSweep::open_worker_log() const {
  const ProcessIdentity worker = this_process();
  log_messages_to(own(fmt::format("worker-{}-{}.log", worker.host, worker.process)), "canvaslab");
}

ClaimFolder StoredSweep::sessions(double stale_after) const {
  return ClaimFolder(own("sessions"), std::chrono::duration<double>(stale_after));
}

Claim StoredSweep::begin_session() const {
  // A session that is going on gives its signs as its own launcher says, not as the next one's does.
  const double stale_after = launcher_->policy().stale_after;
  const double stale_before = stale_after_before_.value_or(stale_after);
  const ClaimState state = sessions(stale_before).state();
  std::optional<Claim> claim;
  if (state.free()) claim = sessions(stale_after).take(state, state.attempt + 1);
  if (!claim) {
    throw ConfigurationError(fmt::format(
        "{} is being run by process {} on {}. To help it: canvaslab sweep {} --work. If that "
        "machine is gone: "
        "try again in {:.0f} seconds",
        folder_.string(), state.holder.process, state.holder.host, folder_.string(), stale_before));
  }
  write_launcher();
  return std::move(*claim);
}

int StoredSweep::session() const {
  return sessions(launcher_->policy().stale_after).state().attempt;
}

void StoredSweep::stop_after_failure() const {
  if (launcher_->policy().on_failure == OnFailure::kStop)
    std::ofstream(own(fmt::format("stop-{}", session())));
}

bool StoredSweep::stopped() const {
  return fs::exists(own(fmt::format("stop-{}", session())));
}

}  // namespace canvaslab
