#include "experiments/configuration_flags.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/standard_streams.h"
#include "experiments/output_folder.h"
#include "experiments/show_configuration.h"

namespace canvaslab {
namespace {

void check(const ConfigurationFlags& flags) {
  const int commands = (flags.run ? 1 : 0) + (flags.multirun ? 1 : 0) + (flags.cfg.empty() ? 0 : 1) +
                       (flags.info.empty() ? 0 : 1);
  if (commands > 1)
    throw ConfigurationError("Only one of --run, --multirun, --cfg and --info can be specified");
  if (!flags.package.empty() && flags.cfg.empty())
    throw ConfigurationError("--package says what --cfg prints; add --cfg job, hydra or all");
}

config::Composition stored(const ConfigurationFlags& flags, const std::filesystem::path& folder) {
  if (!flags.overrides.empty()) {
    throw ConfigurationError(fmt::format(
        "command line '{}': --cfg with --resume shows the stored configuration", flags.overrides.front()));
  }
  if (is_sweep(folder)) {
    throw ConfigurationError(fmt::format(
        "{} is a sweep: each of its cells has a configuration of its own. To see one: --resume {} "
        "--cfg {}",
        folder.string(), (folder / "0").string(), flags.cfg));
  }
  return read_output_folder(folder).composition;
}

}  // namespace

void add_location_flags(CLI::App& command, ConfigurationFlags& flags) {
  command.add_option("--config-dir", flags.location.folder,
                     "folder of further configurations; alone when it holds the primary one (-cd)");
  command.add_option("--config-path", flags.location.main_folder,
                     "folder of configurations instead of the project's configs/ (-cp)");
  command.add_option("--config-name", flags.location.name, "primary configuration (-cn)")
      ->default_str("config");
  command.add_option("overrides", flags.overrides,
                     "group=option and key=value words; `canvaslab list` shows them");
}

void add_configuration_flags(CLI::App& command, ConfigurationFlags& flags) {
  add_location_flags(command, flags);
  command.set_help_flag();
  command.add_flag("-h,--help", flags.help, "flags, groups with their options, and the configuration");
  command.add_flag("--hydra-help", flags.hydra_help, "flags and hydra's own groups");
  command.add_option("-c,--cfg", flags.cfg, "print the configuration: job, hydra or all")
      ->check(CLI::IsMember({"job", "hydra", "all"}));
  command.add_flag("--resolve", flags.resolve,
                   "with --cfg or --help: replace interpolations by their values");
  command.add_option("-p,--package", flags.package, "with --cfg: only this node");
  command
      .add_option("-i,--info", flags.info,
                  "print how it is composed: all, config, defaults, defaults-tree or searchpath")
      ->expected(0, 1)
      ->default_str("all")
      ->check(CLI::IsMember({"all", "config", "defaults", "defaults-tree", "searchpath"}));
  command.add_flag("-r,--run", flags.run, "run one job: the default");
  command.add_flag("-m,--multirun", flags.multirun, "run a job for each combination of swept values");
}

std::vector<std::string> spelled_out(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "-cn") word = "--config-name";
    if (word == "-cd") word = "--config-dir";
    if (word == "-cp") word = "--config-path";
  }
  return words;
}

bool show_configuration(const ConfigurationFlags& flags, const std::string& flags_help,
                        const std::filesystem::path& resumed, std::ostream& out) {
  check(flags);
  if (flags.help || flags.hydra_help) {
    show_help(flags.request(), flags_help, flags.hydra_help, flags.resolve, out);
  } else if (!flags.cfg.empty()) {
    const config::Composition shown = resumed.empty() ? composed(flags.request()) : stored(flags, resumed);
    show_cfg(shown, flags.cfg, flags.package, flags.resolve, out);
  } else if (!flags.info.empty() && !resumed.empty()) {
    throw ConfigurationError(
        "--info shows how a configuration is composed; that of --resume is composed already");
  } else if (!flags.info.empty()) {
    show_info(flags.request(), flags.info, out);
  } else {
    return false;
  }
  return true;
}

}  // namespace canvaslab
