// Planning sweeps: words to keys with values, keys to jobs.
#include "core/config/sweep.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "core/config/decimal.h"
#include "core/config/errors.h"
#include "core/config/interpolate.h"
#include "core/config/scalar.h"
#include "core/config/shuffle.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

constexpr std::size_t kMost = 100'000;        // values of a key
constexpr std::size_t kMostJobs = 1'000'000;  // of a grid

[[noreturn]] void fail(const std::string& word, const std::string& what) {
  throw ConfigurationError(fmt::format("command line '{}': {}", word, what));
}

double real(const Node& value) {
  return value.is_integer() ? static_cast<double>(value.as_integer()) : value.as_real();
}

std::vector<std::string> integer_range(const Sweep& range) {
  std::vector<std::string> values;
  const std::int64_t stop = range.stop.as_integer(), step = range.step.as_integer();
  std::int64_t value = range.start.as_integer();
  while (step > 0 ? value < stop : value > stop) {
    values.push_back(std::to_string(value));
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return values;
}

std::vector<std::string> real_range(const Sweep& range) {
  std::vector<std::string> values;
  const Decimal stop(real(range.stop)), step(real(range.step));
  Decimal value(real(range.start));
  const bool ascending = real(range.step) > 0;
  while (ascending ? value < stop : stop < value) {
    values.push_back(real_text(value.to_double()));
    value = value + step;
    if (values.size() > kMost) break;  // a step too small to move the value
  }
  return values;
}

std::vector<std::string> range_values(const Sweep& range, const std::string& word) {
  const double start = real(range.start), stop = real(range.stop), step = real(range.step);
  if (!std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step) || step == 0)
    fail(word, fmt::format("Invalid range values (start:{}, stop:{}, step:{})", bare_text(range.start),
                           bare_text(range.stop), bare_text(range.step)));
  if ((stop - start) / step > static_cast<double>(kMost))
    fail(word, fmt::format("the range has more than {} values", kMost));
  const bool integers = range.start.is_integer() && range.stop.is_integer() && range.step.is_integer();
  std::vector<std::string> values = integers ? integer_range(range) : real_range(range);
  if (values.size() > kMost) fail(word, fmt::format("the range has more than {} values", kMost));
  return values;
}

// The group's options that a pattern matches, sorted.
std::vector<std::string> glob_values(const Sweep& glob, const std::string& group,
                                     const ConfigFolders& folders) {
  const auto matches = [](const std::string& name, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
    });
  };
  std::vector<std::string> values;
  for (const std::string& option : folders.options(group))
    if (matches(option, glob.include) && !matches(option, glob.exclude))
      values.push_back(override_text(Node(option)));
  return values;
}

std::vector<std::string> values_of(const Override& override, const ConfigFolders& folders) {
  const Sweep& sweep = *override.sweep;
  std::vector<std::string> values;
  if (sweep.kind == Sweep::Kind::kChoice)
    for (const WrittenValue& choice : sweep.choices) values.push_back(choice.text);
  if (sweep.kind == Sweep::Kind::kRange) values = range_values(sweep, override.word);
  if (sweep.kind == Sweep::Kind::kGlob) values = glob_values(sweep, override.key, folders);
  if (values.empty()) fail(override.word, "is a sweep without any value");
  if (sweep.shuffled) shuffle_values(values);
  return values;
}

SweepInterval interval_of(const Override& override) {
  const Sweep& sweep = *override.sweep;
  const SweepInterval interval{real(sweep.start), real(sweep.stop), sweep.start.is_integer(),
                               sweep.tags.contains("log")};
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high) || !(interval.low < interval.high))
    fail(override.word, "an interval goes from a finite number to a larger one");
  if (interval.is_logarithmic && interval.low <= 0)
    fail(override.word, "a logarithmic interval starts above 0");
  return interval;
}

SweepKey key_of(const Override& override, const ConfigFolders& folders) {
  SweepKey result{.key = override.marked_key(), .values = {}, .interval = {}, .word = override.word};
  if (!override.sweep) {
    result.values = {override.text};
  } else if (override.sweep->kind == Sweep::Kind::kInterval) {
    result.interval = interval_of(override);
  } else {
    result.values = values_of(override, folders);
  }
  return result;
}

// `hydra.sweeper.params`, as words.
std::vector<std::string> words_of_params(const Composition& composition) {
  const Node* params = select(composition.hydra, "sweeper.params");
  std::vector<std::string> words;
  if (!params || params->is_null()) return words;
  const auto refuse = [](const Node& found, const std::string& path, const std::string& expected) {
    Errors errors;
    errors.add(found, path, "expected " + expected + ", found " + brief(found));
    errors.throw_if_any();
  };
  if (!params->is_map()) refuse(*params, "hydra.sweeper.params", "a map of keys to sweeps");
  for (const Entry& entry : params->entries()) {
    const Node value = entry.value.is_string() ? resolve_text(entry.value.as_string(), composition.config,
                                                              {.hydra = &composition.hydra})
                                               : entry.value;
    if (value.is_list() || value.is_map() || value.is_null() || value.is_mandatory())
      refuse(value, "hydra.sweeper.params." + entry.key, "a sweep such as '1,2'");
    words.push_back(
        fmt::format("{}={}", entry.key, value.is_string() ? value.as_string() : override_text(value)));
    try {
      parse_override(words.back());
    } catch (const ConfigurationError& error) {
      refuse(entry.value, fmt::format("hydra.sweeper.params.{}", entry.key),
             fmt::format("a sweep ({})", error.what()));
    }
  }
  return words;
}

}  // namespace

ComposeRequest SweepPlan::job(const std::vector<std::string>& words, int number) const {
  ComposeRequest result = request;
  result.multirun = false;
  result.job_number = number;
  result.overrides.insert(result.overrides.end(), words.begin(), words.end());
  return result;
}

SweepPlan plan_sweep(const ComposeRequest& request) {
  SweepPlan plan{request, {}, {}};
  plan.request.multirun = true;
  plan.composition = compose_all(plan.request);
  plan.request.overrides.clear();
  std::vector<std::string> words = words_of_params(plan.composition);
  const std::vector<Override> given = parse_overrides(request.overrides);
  for (const Override& override : given)
    (is_hydra_override(override) ? plan.request.overrides : words).push_back(override.word);
  const ConfigFolders folders = open_folders(request, given);
  Errors errors;
  for (const Override& override : parse_overrides(words)) {
    try {
      SweepKey key = key_of(override, folders);
      const auto same = std::find_if(plan.keys.begin(), plan.keys.end(),
                                     [&](const SweepKey& other) { return other.key == key.key; });
      if (same != plan.keys.end())
        *same = std::move(key);
      else
        plan.keys.push_back(std::move(key));
    } catch (const ConfigurationError& error) {
      errors.add(error.what());
    }
  }
  errors.throw_if_any();
  return plan;
}

SweepGrid::SweepGrid(const SweepPlan& plan) : keys_(plan.keys) {
  for (const SweepKey& key : keys_) {
    if (key.interval)
      fail(key.word,
           "the basic sweeper does not support sweep type : INTERVAL_SWEEP; give values, or choose a sweeper "
           "that draws from intervals (hydra/sweeper=...)");
    if (key.values.size() > kMostJobs / size_)
      fail(key.word, fmt::format("the sweep has more than {} jobs", kMostJobs));
    size_ *= key.values.size();
  }
}

std::vector<std::string> SweepGrid::words(std::size_t index) const {
  std::vector<std::string> result(keys_.size());
  for (std::size_t i = keys_.size(); i-- > 0;) {
    const SweepKey& key = keys_[i];
    result[i] = key.key + "=" + key.values[index % key.values.size()];
    index /= key.values.size();
  }
  return result;
}

}  // namespace canvaslab::config
