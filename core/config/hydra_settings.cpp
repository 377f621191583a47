// The built-in files of the `hydra` group: the settings that exist before any configuration names them, with
// Hydra's names and defaults. Configuration folders may add options (hydra/launcher/x.yaml) or replace these.
#include "core/config/config_folders.h"

namespace canvaslab::config {
namespace {

constexpr const char* kSettings = R"(
defaults:
  - output: default
  - launcher: basic
  - sweeper: basic
  - help: default
  - hydra_help: default
  - hydra_logging: default
  - job_logging: default
  - callbacks: null
  - env: default
mode: null
searchpath: []
callbacks: {}
output_subdir: .hydra
overrides:
  hydra: []
  task: []
job:
  name: canvaslab
  chdir: null
  override_dirname: ''
  id: ???
  num: ???
  config_name: null
  env_set: {}
  env_copy: []
  config:
    override_dirname:
      kv_sep: '='
      item_sep: ','
      exclude_keys: []
runtime:
  version: 1.3.8
  version_base: '1.3'
  cwd: ???
  config_sources: ???
  output_dir: ???
  choices: {}
verbose: false
)";

constexpr const char* kOutput = R"(# @package hydra
run:
  dir: outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}
sweep:
  dir: multirun/${now:%Y-%m-%d}/${now:%H-%M-%S}
  subdir: ${hydra.job.num}
)";

constexpr const char* kHelp = R"(
app_name: ${hydra.job.name}
)";

// hydra-core has files of these two names itself and would refuse ours in a folder.
constexpr const char* kBasicSweeper = R"(# Every combination of the values, the last key fastest.
name: basic
params: null
)";

constexpr const char* kBasicLauncher = R"(# One cell after the other, in this process.
name: basic
on_failure: continue
stale_after: 60.0
prompt_memory: 1.0
)";

}  // namespace

const std::map<std::string, const char*>& built_in_files() {
  static const auto* files = new std::map<std::string, const char*>{
      {"hydra/config", kSettings},
      {"hydra/output/default", kOutput},
      {"hydra/launcher/basic", kBasicLauncher},
      {"hydra/sweeper/basic", kBasicSweeper},
      {"hydra/help/default", kHelp},
      {"hydra/hydra_help/default", ""},
      {"hydra/hydra_logging/default", ""},
      {"hydra/hydra_logging/disabled", ""},
      {"hydra/hydra_logging/none", ""},
      {"hydra/job_logging/default", ""},
      {"hydra/job_logging/disabled", ""},
      {"hydra/job_logging/none", ""},
      {"hydra/job_logging/stdout", ""},
      {"hydra/env/default", ""},
  };
  return *files;
}

}  // namespace canvaslab::config
