// Candidates, from the command line's own definition and from the configuration folders.
#include "experiments/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/config/compose.h"
#include "core/config/scalar.h"
#include "core/error.h"
#include "experiments/configuration_flags.h"

namespace canvaslab {
namespace {

using Words = std::vector<std::string>;

// Candidates that start as the word does.
class Candidates {
 public:
  explicit Candidates(std::string word) : word_(std::move(word)) {}

  void add(const std::string& candidate) {
    if (candidate.starts_with(word_)) found_.insert(candidate);
  }
  Words take() const { return {found_.begin(), found_.end()}; }

 private:
  std::string word_;
  std::set<std::string> found_;
};

std::vector<const CLI::App*> commands(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

// Values that a flag may take, of "TEXT:{job,hydra,all}".
Words values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  Words values;
  if (open == std::string::npos || close == std::string::npos) return values;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    values.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

void add_flags(const CLI::App& command, Candidates& candidates) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) candidates.add(fmt::format("--{}", name));
    for (const std::string& name : option->get_snames()) candidates.add(fmt::format("-{}", name));
  }
}

// What the flags and words before the last one say about the configuration.
config::ComposeRequest request_of(const CLI::App& command, const Words& words) {
  ConfigurationFlags flags;
  flags.location.name = command.get_option("--config-name")->get_default_str();
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--config-dir") flags.location.folder = words[++i];
    if (word == "--config-path") flags.location.main_folder = words[++i];
    if (word == "--config-name") flags.location.name = words[++i];
    if (!word.starts_with('-') && word.find('=') != std::string::npos) flags.overrides.push_back(word);
  }
  config::ComposeRequest request = flags.request();
  request.multirun = true;  // words may be sweeps
  return request;
}

// The overrides that a word could become. Marks (+, ++, ~) stay in front.
class OverrideCandidates {
 public:
  OverrideCandidates(const config::ComposeRequest& request, const std::string& word)
      : folders_(config::open_folders(request, {})), word_(word), found_(word) {
    try {
      const config::Composition composition = config::compose_all(request);
      root_ = composition.config;
      root_.set("hydra", composition.hydra);
    } catch (const ConfigurationError&) {
    }
  }

  Words find() {
    const std::size_t mark_end = std::min(word_.find_first_not_of("+~"), word_.size());
    mark_ = word_.substr(0, mark_end);
    const std::string rest = word_.substr(mark_end);
    const std::size_t equal = rest.find('=');
    if (equal == std::string::npos) {
      add_groups();
      add_keys(rest);
    } else {
      add_values(rest.substr(0, equal), rest.substr(equal + 1));
    }
    return found_.take();
  }

 private:
  void add(const std::string& text) { found_.add(mark_ + text); }

  void add_groups() {
    for (const std::string& group : folders_.all_groups()) add(mark_ == "~" ? group : group + "=");
  }

  // The keys at the place that the dots lead to. A map goes on with a dot.
  void add_keys(const std::string& typed) {
    const std::size_t dot = typed.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : typed.substr(0, dot);
    const config::Node* node = config::select(root_, parent);
    if (!node || !node->is_map()) return;
    for (const config::Entry& entry : node->entries()) {
      const std::string key = parent.empty() ? entry.key : parent + "." + entry.key;
      if (entry.value.is_map() && !entry.value.entries().empty())
        add(key + ".");
      else
        add(mark_ == "~" ? key : key + "=");
    }
  }

  // Options of a group, after the last comma; else the value that the key has.
  void add_values(const std::string& key, const std::string& typed) {
    const std::string group = key.substr(0, key.find('@'));
    if (folders_.is_group(group)) {
      const std::size_t comma = typed.rfind(',');
      const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
      for (const std::string& option : folders_.options(group)) add(key + "=" + before + option);
      return;
    }
    const config::Node* node = config::select(root_, key);
    if (!node || node->is_map() || node->is_list() || node->is_mandatory()) return;
    if (node->is_bool()) {
      add(key + "=true");
      add(key + "=false");
    } else {
      add(key + "=" + (node->is_string() ? config::override_text(*node) : config::bare_text(*node)));
    }
  }

  config::ConfigFolders folders_;
  std::string word_, mark_;
  Candidates found_;
  config::Node root_ = config::Node::map();
};

Words complete_in(const CLI::App& command, const Words& words) {
  const std::string& word = words.back();
  Candidates candidates(word);
  const CLI::Option* waiting =
      words.size() > 2 ? command.get_option_no_throw(words[words.size() - 2]) : nullptr;
  if (waiting && !is_flag(*waiting)) {
    for (const std::string& value : values_of(*waiting)) candidates.add(value);
    return candidates.take();
  }
  if (word.starts_with('-')) {
    add_flags(command, candidates);
    return candidates.take();
  }
  if (command.get_option_no_throw("overrides"))
    return OverrideCandidates(request_of(command, words), word).find();
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      for (const std::string& value : values_of(*option)) candidates.add(value);
  if (command.get_option_no_throw("group")) {
    const config::ConfigFolders folders(config_folders({}));
    for (const std::string& group : folders.all_groups()) candidates.add(group);
  }
  return candidates.take();
}

}  // namespace

Words completions(const CLI::App& program, const Words& given) {
  if (given.empty()) return {};
  const Words words = spelled_out(given);
  try {
    if (words.size() > 1) {
      for (const CLI::App* command : commands(program))
        if (command->get_name() == words[0]) return complete_in(*command, words);
      return {};
    }
    Candidates candidates(words[0]);
    for (const CLI::App* command : commands(program)) candidates.add(command->get_name());
    if (words[0].starts_with('-')) add_flags(program, candidates);
    return candidates.take();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace canvaslab
