// The command line of canvaslab. Exit status: 0 done; 1 failed while running; 2 wrong configuration or
// arguments; 130 or 143 stopped by SIGINT or SIGTERM.
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "core/error.h"
#include "core/nearest.h"
#include "core/standard_streams.h"
#include "experiments/completion.h"
#include "experiments/compose.h"
#include "experiments/configuration_flags.h"
#include "experiments/forward.h"
#include "experiments/generate.h"
#include "experiments/interruption.h"
#include "experiments/list.h"
#include "experiments/report.h"
#include "experiments/resave.h"
#include "experiments/run.h"
#include "experiments/run_mode.h"
#include "experiments/sweep/sweep_commands.h"
#include "experiments/tokenize.h"
#include "experiments/training/train.h"

namespace canvaslab {
namespace {

using Action = std::function<int()>;

// What the sub-commands' flags fill in.
struct Arguments {
  ConfigurationFlags configuration;
  std::filesystem::path inputs, output, tokenizer, resaved, adapter;
  std::string checkpoint, precision = "auto", group, shell;
  std::filesystem::path resumed, sweep;
  std::vector<std::filesystem::path> reported;
  std::string baseline;
  std::optional<int> threads;
  bool work = false, json = false;
  bool hidden = false, special_tokens = false, skip_special_tokens = false;
};

gemma4::Precision precision_of(const std::string& name) {
  return name == "float32"    ? gemma4::Precision::kFloat32
         : name == "bfloat16" ? gemma4::Precision::kBfloat16
                              : gemma4::Precision::kAuto;
}

void add_tensor_files(CLI::App& command, Arguments& given) {
  command
      .add_option("--checkpoint", given.checkpoint,
                  "checkpoint folder in the Hugging Face layout, or the name of a shipped one")
      ->required();
  command.add_option("--inputs", given.inputs, "safetensors file to read")->required();
  command.add_option("--output", given.output, "safetensors file to write")->required();
}

void add_sweep_command(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* sweep = app.add_subcommand("sweep", "show the table of a sweep, or help to run it");
  sweep->add_option("folder", given.sweep, "the sweep's folder")->required();
  CLI::Option* json = sweep->add_flag("--json", given.json, "the table as JSON");
  CLI::Option* work = sweep->add_flag("--work", given.work,
                                      "take cells until none is open; on any machine that sees the folder");
  work->excludes(json);
  sweep
      ->add_option("--baseline", given.baseline,
                   "compare with this cell (its number), or each cell with the one that has KEY=VALUE "
                   "instead (default: the first)")
      ->excludes(work);
  sweep->add_option("--threads", given.threads, "CPU threads of cells that leave it open")
      ->needs(work)
      ->check(CLI::Range(1, 4096));
  sweep->callback([&] {
    action = [&] {
      if (given.work) return work_on_sweep(given.sweep, given.threads);
      return show_sweep(given.sweep, given.json, given.baseline, std::cout);
    };
  });
}

void add_sampling_commands(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* run_command = app.add_subcommand("run", "denoise a task's prompts: the main job");
  add_configuration_flags(*run_command, given.configuration);
  run_command
      ->add_option(
          "--resume", given.resumed,
          "finish the run or sweep in this folder; repeat nothing that is done (with --cfg: show the "
          "run's configuration)")
      ->excludes("--multirun");
  run_command->callback([&, run_command] {
    action = [&, run_command] {
      const ConfigurationFlags& flags = given.configuration;
      if (show_configuration(flags, run_command->help("canvaslab"), given.resumed, std::cout)) return 0;
      if (!given.resumed.empty()) return resume(given.resumed, flags.overrides, std::cout);
      if (asks_for_sweep(flags, configured_mode(flags)))
        return run_sweep(flags.location, flags.overrides, std::cout);
      return run(flags.location, flags.overrides, std::cout);
    };
  });
  add_sweep_command(app, given, action);

  CLI::App* generate_command =
      app.add_subcommand("generate", "run the loop on token ids and write every intermediate value");
  add_tensor_files(*generate_command, given);
  add_location_flags(*generate_command, given.configuration);
  generate_command->callback([&] {
    action = [&] {
      return generate({given.checkpoint, given.inputs, given.output, given.configuration.location,
                       given.configuration.overrides});
    };
  });

  CLI::App* forward_command =
      app.add_subcommand("forward", "one prefill and one denoising pass, written out");
  add_tensor_files(*forward_command, given);
  forward_command->add_flag("--hidden", given.hidden, "also the hidden states of every layer");
  forward_command->add_option("--precision", given.precision, "auto, float32 or bfloat16")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16"}));
  forward_command->callback([&] {
    action = [&] {
      return forward(
          {given.checkpoint, given.inputs, given.output, precision_of(given.precision), given.hidden});
    };
  });
}

void add_training_command(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* command = app.add_subcommand("train", "train a model on a task, or fine-tune a checkpoint");
  add_configuration_flags(*command, given.configuration);
  command->get_option("--config-name")->description("primary configuration (default: train)");
  command->remove_option(command->get_option("--multirun"));
  command->add_option("--resume", given.resumed,
                      "go on with the training in this folder, exactly (with --cfg: show its configuration)");
  command->callback([&, command] {
    action = [&, command] {
      ConfigurationFlags& flags = given.configuration;
      if (command->count("--config-name") == 0) flags.location.name = "train";
      if (show_configuration(flags, command->help("canvaslab"), given.resumed, std::cout)) return 0;
      if (!given.resumed.empty()) return resume_training(given.resumed, flags.overrides, std::cout);
      if (asks_for_sweep(flags, configured_mode(flags)))
        throw ConfigurationError("hydra.mode=MULTIRUN: train does one training at a time");
      return train(flags.location, flags.overrides, std::cout);
    };
  });
}

void add_report_command(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* command = app.add_subcommand("report", "learning curves and validations of trainings, overlaid");
  command->add_option("folders", given.reported, "the trainings' folders, going on or ended")->required();
  command->add_flag("--json", given.json, "every number, as JSON");
  command->callback([&] { action = [&] { return report(given.reported, given.json, std::cout); }; });
}

void add_configuration_commands(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* compose =
      app.add_subcommand("compose", "print the composed configuration, as a Hydra application would");
  add_configuration_flags(*compose, given.configuration);
  compose->callback([&, compose] {
    action = [&, compose] {
      const ConfigurationFlags& flags = given.configuration;
      if (show_configuration(flags, compose->help("canvaslab"), /*resumed=*/{}, std::cout)) return 0;
      return compose_application(flags, std::cout);
    };
  });

  CLI::App* list = app.add_subcommand("list", "configuration groups, their options and settings");
  list->add_option("group", given.group, "show this group's settings");
  list->callback([&] {
    action = [&] {
      list_options(given.group, std::cout);
      return 0;
    };
  });
}

void add_completion_command(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* completion = app.add_subcommand("completion", "print the script that completes words in a shell");
  completion->add_option("shell", given.shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([&] {
    action = [&] {
      fmt::print(std::cout, "{}", completion_script(given.shell));
      return 0;
    };
  });
}

// `canvaslab complete WORDS`, which the scripts run: no command of its own, since its words are another
// command line.
bool complete(const CLI::App& app, int count, char** words) {
  if (count < 2 || std::string_view(words[1]) != "complete") return false;
  for (const std::string& candidate : completions(app, {words + 2, words + count}))
    fmt::print(std::cout, "{}\n", candidate);
  return true;
}

void add_file_commands(CLI::App& app, Arguments& given, Action& action) {
  CLI::App* tokenize_command =
      app.add_subcommand("tokenize", "JSON strings on stdin, one a line -> JSON lists of ids");
  tokenize_command->add_option("--tokenizer", given.tokenizer, "tokenizer.json")->required();
  tokenize_command->add_flag("--special-tokens", given.special_tokens,
                             "add the special tokens that the tokenizer adds");
  tokenize_command->callback(
      [&] { action = [&] { return tokenize(given.tokenizer, given.special_tokens, std::cin, std::cout); }; });

  CLI::App* detokenize_command =
      app.add_subcommand("detokenize", "JSON lists of ids on stdin, one a line -> JSON strings");
  detokenize_command->add_option("--tokenizer", given.tokenizer, "tokenizer.json")->required();
  detokenize_command->add_flag("--skip-special-tokens", given.skip_special_tokens,
                               "leave special tokens out");
  detokenize_command->callback([&] {
    action = [&] { return detokenize(given.tokenizer, given.skip_special_tokens, std::cin, std::cout); };
  });

  CLI::App* resave_command = app.add_subcommand("resave", "load a checkpoint and write it again");
  resave_command
      ->add_option("--checkpoint", given.checkpoint,
                   "checkpoint to read: a folder, or the name of a shipped one")
      ->required();
  resave_command->add_option("--adapter", given.adapter, "LoRA adapter to merge into its weights: a folder");
  resave_command->add_option("--output", given.resaved, "folder to write")->required();
  resave_command->callback(
      [&] { action = [&] { return resave(given.checkpoint, given.resaved, given.adapter); }; });
}

// The numerical libraries read their settings when they are loaded, before main; so the program starts itself
// once more when they are not set.
//   MKL_CBWR=AUTO,STRICT    a matrix product's rows do not depend on how many other rows it has: a sample
//                           gives the same tokens in every batch (costs about 4 %)
//   OMP_WAIT_POLICY=passive idle threads sleep; spinning ones make a run on a busy machine up to 30 times
//                           slower
void settle_numerical_libraries(char** words) {
  if (std::getenv("MKL_CBWR") != nullptr && std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("MKL_CBWR", "AUTO,STRICT", 0);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  execv("/proc/self/exe", words);  // on failure: go on as we are
}

// A first word that is no command is worth more than "a subcommand is required".
void refuse_unknown_command(const CLI::App& app, int count, char** words) {
  if (count < 2 || *words[1] == '-' || *words[1] == '\0') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), words[1]) != known.end()) return;
  throw ConfigurationError(fmt::format("unknown command '{}'{}; there are {}", words[1],
                                       did_you_mean(words[1], known), fmt::join(known, ", ")));
}

// Results that could not be written must not pass for success.
int checked_output(int status) {
  if (status != 0 || std::cout.flush()) return status;
  throw Error("the results could not be written to the standard output");
}

int run_command(int count, char** words) {
  CLI::App app("Experiments on how text-diffusion models are sampled.", "canvaslab");
  app.require_subcommand(1);
  app.set_version_flag("--version", CANVASLAB_VERSION);
  Arguments given;
  Action action;
  add_sampling_commands(app, given, action);
  add_training_command(app, given, action);
  add_report_command(app, given, action);
  add_configuration_commands(app, given, action);
  add_file_commands(app, given, action);
  add_completion_command(app, given, action);
  if (complete(app, count, words)) return 0;
  refuse_unknown_command(app, count, words);
  try {
    // CLI11 takes the words from last to first.
    std::vector<std::string> arguments = spelled_out({words + 1, words + count});
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return action();
}

int main_function(int count, char** words) {
  try {
    return checked_output(run_command(count, words));
  } catch (const ConfigurationError& error) {
    tell(fmt::format("error: {}\n", error.what()));
    return 2;
  } catch (const Interrupted& interrupted) {
    tell(fmt::format("{}\n", interrupted.what()));
    return 128 + interrupted.signal;
  } catch (const c10::Error& error) {  // its what() carries a stack trace
    tell(fmt::format("failed: {}\n", error.what_without_backtrace()));
    return 1;
  } catch (const std::exception& error) {
    tell(fmt::format("failed: {}\n", error.what()));
    return 1;
  }
}

}  // namespace
}  // namespace canvaslab

int main(int count, char** words) {
  canvaslab::open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  const bool completes =
      count > 1 && std::string_view(words[1]) == "complete";  // computes nothing, and a person waits
  if (!completes) canvaslab::settle_numerical_libraries(words);
  return canvaslab::main_function(count, words);
}
