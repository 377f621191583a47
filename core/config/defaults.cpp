// The expansion of defaults lists. A list is expanded from its last entry to its first, so that an `override`
// entry of an experiment is known before the groups above it are chosen; interpolated entries come after all
// others.
#include "core/config/defaults.h"

#include <algorithm>
#include <set>

#include "core/config/choices.h"
#include "core/config/interpolate.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

using Rows = std::vector<DefaultsRow>;

// An entry of a list: the rows that it adds, and itself in the tree.
struct Branch {
  Rows rows;
  DefaultsTree tree;
};
using Branches = std::vector<Branch>;

constexpr int kDeepest = 64;           // files that include one another
constexpr std::size_t kMost = 10'000;  // files of one composition

class Expansion {
 public:
  Expansion(ConfigFolders& folders, Choices& choices, std::vector<std::string>& warnings, bool of_sweep)
      : folders_(folders), choices_(choices), warnings_(warnings), of_sweep_(of_sweep) {}

  // The rows of a file and of everything that its list names. `parent` is null for the primary.
  Branch expand(DefaultEntry entry, const DefaultEntry* parent, bool interpolated, int depth) {
    if (depth > kDeepest)
      fail(entry, "'" + entry.file() + "' includes itself, or files are nested more than " +
                      std::to_string(kDeepest) + " deep");
    const ConfigFile* header_file =
        entry.name() && !entry.is_missing() ? folders_.load(entry.file()) : nullptr;
    if (header_file) entry.set_header(header_file->package);
    Branch branch{{}, {tree_text(entry), {}}};
    if (choices_.removes(entry)) return branch;
    choices_.note(entry);
    if (!entry.name()) return branch;
    if (entry.is_missing()) {
      if (of_sweep_ && entry.is_group) return branch;
      must_choose(entry);
    }
    if (!header_file) {
      if (entry.is_optional) return branch;
      not_found(entry, parent);
    }
    std::vector<DefaultEntry> list = header_file->defaults;
    const bool appends = entry.is_primary && !choices_.appended.empty();
    const bool self_added = (!list.empty() || appends) && add_self(entry, list, header_file->content);
    if (entry.is_primary) list.insert(list.end(), choices_.appended.begin(), choices_.appended.end());
    note_overrides(entry, list, interpolated);
    for (Branch& item : expand_list(entry, parent, list, self_added, interpolated, depth)) {
      branch.rows.insert(branch.rows.end(), item.rows.begin(), item.rows.end());
      branch.tree.entries.push_back(std::move(item.tree));
    }
    if (list.empty() ||
        std::all_of(list.begin(), list.end(), [](const auto& item) { return item.is_override; }))
      branch.rows.push_back(row(entry, parent, false));
    rows_ += branch.rows.size();
    if (rows_ > kMost) fail(entry, "more than " + std::to_string(kMost) + " files are included");
    return branch;
  }

 private:
  [[noreturn]] static void fail(const DefaultEntry& entry, const std::string& what) {
    const std::string place = entry.source.text();
    throw ConfigurationError(place.empty() ? what : place + ": " + what);
  }

  static std::string tree_text(const DefaultEntry& entry) {
    if (!entry.is_group) return entry.file();
    return entry.key() + ": " + entry.option.value_or("null");
  }

  static DefaultsRow row(const DefaultEntry& entry, const DefaultEntry* parent, bool is_self) {
    return {.file = entry.file(),
            .package = entry.final_package(),
            .parent = parent ? parent->file() : "<root>",
            .is_self = is_self,
            .is_primary = entry.is_primary,
            .key = entry.is_group && !is_self ? entry.key() : ""};
  }

  std::string options_text(const std::string& group) const {
    std::string text;
    for (const std::string& option : folders_.options(group)) text += "\n\t" + option;
    return text;
  }

  [[noreturn]] void must_choose(const DefaultEntry& entry) const {
    if (!entry.is_group) fail(entry, "an included file cannot be ???");
    fail(entry, "You must specify '" + entry.key() + "', e.g, " + entry.key() +
                    "=<OPTION>\nAvailable options:" + options_text(entry.group()));
  }

  [[noreturn]] void not_found(const DefaultEntry& entry, const DefaultEntry* parent) const {
    if (entry.is_primary)
      fail(entry, "Cannot find primary config '" + entry.file() + "'" +
                      did_you_mean(entry.file(), folders_.options("")) + "\n" + folders_.describe());
    std::string message = parent ? "In '" + parent->file() + "': " : "";
    const std::vector<std::string> options = folders_.options(entry.group());
    message += entry.is_group ? "Could not find '" : "Could not load '";
    message += entry.file() + "'" + did_you_mean(entry.name().value_or(""), options);
    if (!options.empty())
      message += "\n\nAvailable options in '" + entry.group() + "':" + options_text(entry.group());
    fail(entry, message + "\n" + folders_.describe());
  }

  // Own values come last when the list does not say. True when `_self_` was added.
  bool add_self(const DefaultEntry& entry, std::vector<DefaultEntry>& list, const Node& content) {
    const auto selves =
        std::count_if(list.begin(), list.end(), [](const auto& item) { return item.is_self(); });
    if (selves > 1) fail(entry, "Duplicate _self_ defined in " + entry.file());
    const bool plain =
        std::any_of(list.begin(), list.end(), [](const auto& item) { return !item.is_override; });
    if (selves == 1 || (!plain && !list.empty())) return false;
    const bool has_values =
        content.is_map() && std::any_of(content.entries().begin(), content.entries().end(),
                                        [](const Entry& e) { return !e.value.is_mandatory(); });
    if (entry.is_primary && has_values && plain)
      warnings_.push_back("In '" + entry.file() +
                          "': Defaults list is missing `_self_`; its own values come last");
    DefaultEntry self;
    self.path = "_self_";
    list.push_back(self);
    return true;
  }

  void note_overrides(const DefaultEntry& entry, std::vector<DefaultEntry>& list, bool interpolated) {
    const DefaultEntry* last = nullptr;
    for (DefaultEntry& item : list) {
      if (item.is_self()) continue;
      item.place(entry.group(), entry.final_package());
      if (last && !item.is_override && !item.is_appended)
        fail(item, "In " + entry.file() + ": Override '" + last->key() + " : " +
                       last->option.value_or("null") + "' is defined before '" +
                       (item.is_group ? item.key() : item.path) + ": " + item.name().value_or("null") +
                       "'.\nOverrides must be at the end of the defaults list");
      if (!item.is_override) continue;
      last = &item;
      if (interpolated)
        fail(item, entry.file() + ": an override cannot stand below an interpolated choice (override " +
                       item.key() + ")");
      choices_.add(entry.file(), item);
    }
  }

  Branches expand_list(const DefaultEntry& entry, const DefaultEntry* parent, std::vector<DefaultEntry>& list,
                       bool self_added, bool interpolated, int depth) {
    std::vector<Branches> slots(list.size());
    std::vector<std::size_t> deferred;
    for (std::size_t i = list.size(); i-- > 0;) {
      DefaultEntry& item = list[i];
      if (item.is_self()) {
        slots[i] = {{{row(entry, parent, true)}, {"_self_", {}}}};
        continue;
      }
      if (item.is_override) continue;
      item.place(entry.group(), entry.final_package());
      choices_.apply(item);
      if (item.options) {
        slots[i] = expand_options(item, entry, interpolated, depth);
      } else if ((item.is_group ? item.option.value_or("") : item.path).find("${") != std::string::npos) {
        deferred.push_back(i);
      } else {
        slots[i].push_back(expand(item, &entry, interpolated, depth + 1));
      }
    }
    for (const std::size_t i : deferred) {
      resolve_choice(list[i], list, self_added);
      list[i].place(entry.group(), entry.final_package());
      slots[i].push_back(expand(list[i], &entry, true, depth + 1));
    }
    Branches branches;
    for (Branches& slot : slots) std::move(slot.begin(), slot.end(), std::back_inserter(branches));
    return branches;
  }

  // `group: [a, b]`: each is included as a file, the last first, since overrides inside must be met in that
  // order.
  Branches expand_options(const DefaultEntry& item, const DefaultEntry& entry, bool interpolated, int depth) {
    Branches slots(item.options->size());
    for (std::size_t i = slots.size(); i-- > 0;) {
      const std::string& option = (*item.options)[i];
      if (option.find("${") != std::string::npos)
        fail(item,
             "In '" + entry.file() + "': an option inside a list cannot be interpolated: '" + option + "'");
      DefaultEntry single;
      single.path = item.path + "/" + option;
      single.package = item.package;
      single.is_optional = item.is_optional;
      single.source = item.source;
      single.place(entry.group(), entry.final_package());
      slots[i] = expand(single, &entry, interpolated, depth + 1);
    }
    return slots;
  }

  // `group: x_${other}`: from the choices made so far.
  void resolve_choice(DefaultEntry& item, const std::vector<DefaultEntry>& list, bool self_added) const {
    Node known = Node::map();
    for (const auto& [key, option] : choices_.known) known.set(key, option ? Node(*option) : Node());
    Node defaults = Node::list();
    for (const DefaultEntry& other : list) {
      if (self_added && other.is_self()) continue;
      Node shown(other.file());
      if (other.is_group) {
        shown = Node::map();
        shown.set(other.key(), other.option ? Node(*other.option) : Node());
      }
      defaults.items().push_back(std::move(shown));
    }
    known.set("defaults", std::move(defaults));
    std::string& text = item.is_group ? *item.option : item.path;
    try {
      const Node value = resolve_text(text, known);
      if (!value.is_string()) throw ConfigurationError("it gives " + brief(value) + ", not text");
      text = value.as_string();
    } catch (const ConfigurationError& error) {
      std::string keys;
      for (const auto& [key, option] : choices_.known)
        if (!key.starts_with("hydra/")) keys += (keys.empty() ? "" : ", ") + key;
      fail(item,
           "Error resolving interpolation '" + text + "': " + error.what() + "; possible keys: " + keys);
    }
  }

  ConfigFolders& folders_;
  Choices& choices_;
  std::vector<std::string>& warnings_;
  bool of_sweep_;
  std::size_t rows_ = 0;
};

void refuse_duplicates(const Rows& rows) {
  std::set<std::string> keys;
  for (const DefaultsRow& row : rows)
    if (!row.key.empty() && !keys.insert(row.key).second)
      throw ConfigurationError("In '" + row.parent + "': " + row.key +
                               " appears more than once in the final defaults list");
}

}  // namespace

Defaults expand_defaults(ConfigFolders& folders, const std::string& primary,
                         const std::vector<Override>& overrides, bool of_sweep) {
  Defaults result;
  Choices choices(folders, overrides);
  Expansion expansion(folders, choices, result.warnings, of_sweep);
  DefaultEntry main, settings;
  main.path = primary;
  main.is_primary = true;
  settings.path = "hydra/config";
  // The primary is expanded first: its overrides of hydra/... must be known.
  Branch own = expansion.expand(main, nullptr, false, 0);
  Branch hydra = expansion.expand(settings, nullptr, false, 0);
  result.rows = std::move(hydra.rows);
  result.rows.insert(result.rows.end(), own.rows.begin(), own.rows.end());
  result.tree = {"<root>", {std::move(hydra.tree), std::move(own.tree)}};
  refuse_duplicates(result.rows);
  choices.check_all_used();
  result.choices = std::move(choices.known);
  result.values = std::move(choices.values);
  return result;
}

}  // namespace canvaslab::config
