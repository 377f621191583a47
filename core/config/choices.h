// The choices that the command line and `override` entries make among groups, while a defaults list is
// expanded.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config_folders.h"
#include "core/config/override.h"

namespace canvaslab::config {

class Choices {
 public:
  // Sorts the overrides into choices and values: a choice is one whose group exists and whose value is no
  // dict.
  Choices(const ConfigFolders& folders, const std::vector<Override>& overrides);

  // Notes an `override` entry; the first one met wins, and the command line wins over all.
  void add(const std::string& file, const DefaultEntry& entry);
  // Applies the choice for the entry's group, if any.
  void apply(DefaultEntry& entry);
  // Whether ~group removes the entry.
  bool removes(const DefaultEntry& entry);
  // Notes what a group's choice came to be. ConfigurationError when it was another before.
  void note(const DefaultEntry& entry);
  // ConfigurationError when a choice or removal matched nothing.
  void check_all_used() const;

  std::vector<DefaultEntry> appended;  // by +group=option
  std::vector<Override> values;
  std::vector<std::pair<std::string, std::optional<std::string>>> known;

 private:
  struct Choice {
    std::optional<std::string> option;
    std::optional<std::vector<std::string>> options;
    std::string word;  // the command-line word, or ""
    std::string file;  // the file of the override entry
    Source source;
    bool used = false;
  };
  struct Removal {
    std::optional<std::string> option;
    std::string word;
    bool used = false;
  };

  void add_word(const ConfigFolders& folders, const Override& override);

  std::vector<std::pair<std::string, Choice>> choices_;
  std::map<std::string, Removal> removals_;
  std::map<std::string, std::set<std::string>> keys_of_group_;
};

}  // namespace canvaslab::config
