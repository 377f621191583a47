#include "models/checkpoint/json_file.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw ConfigurationError(fmt::format("{}: expected a readable file that is not empty", path.string()));
  }
  return text.str();
}

Json parse_json(std::string_view text, const std::string& where) {
  // The parser itself keeps one of several equal keys without a word.
  std::vector<std::set<std::string>> open_objects;
  const auto refuse_repeated_keys = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) {
      open_objects.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_objects.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_objects.back().insert(key).second) {
        throw ConfigurationError(
            fmt::format("{}: expected every key once, found '{}' twice in one object", where, key));
      }
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), refuse_repeated_keys);
  } catch (const nlohmann::json::exception& error) {
    throw ConfigurationError(fmt::format("{}: expected valid JSON, found: {}", where, error.what()));
  }
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

JsonFields::JsonFields(std::string file, std::string path, const Json& object)
    : file_(std::move(file)), path_(std::move(path)), object_(object) {
  if (!object_.is_object()) {
    throw ConfigurationError(fmt::format("{}: {}: expected an object, found {}", file_,
                                         path_.empty() ? "the whole file" : path_, describe(object_)));
  }
}

const Json* JsonFields::find(const std::string& key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool JsonFields::absent_or_null(const std::string& key) const {
  const Json* value = find(key);
  return value == nullptr || value->is_null();
}

void JsonFields::refuse(const std::string& key, const std::string& expected, const std::string& found) const {
  const std::string place = path_.empty() ? key : path_ + "." + key;
  throw ConfigurationError(fmt::format("{}: {}: expected {}, found {}", file_, place, expected, found));
}

const Json& JsonFields::require(const std::string& key, const std::string& expected) const {
  if (const Json* value = find(key)) return *value;
  std::vector<std::string> present;
  for (const auto& [name, value] : object_.items()) present.push_back(name);
  const std::string similar = nearest(key, present);
  refuse(key, expected, similar.empty() ? "no such key" : fmt::format("no such key, but '{}'", similar));
}

std::int64_t JsonFields::as_integer(const std::string& key, const Json& value, IntegerRange range) const {
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || too_large || value.get<std::int64_t>() < range.least ||
      value.get<std::int64_t>() > range.most) {
    refuse(key, fmt::format("an integer from {} to {}", range.least, range.most), describe(value));
  }
  return value.get<std::int64_t>();
}

double JsonFields::as_number(const std::string& key, const Json& value) const {
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, "a number", describe(value));
  return value.get<double>();
}

std::int64_t JsonFields::integer(const std::string& key, IntegerRange range) const {
  return as_integer(key, require(key, "an integer"), range);
}

std::int64_t JsonFields::integer_or(const std::string& key, std::int64_t fallback, IntegerRange range) const {
  const Json* value = find(key);
  return value == nullptr ? fallback : as_integer(key, *value, range);
}

std::optional<std::int64_t> JsonFields::optional_integer(const std::string& key, IntegerRange range) const {
  if (absent_or_null(key)) return std::nullopt;
  return as_integer(key, *find(key), range);
}

double JsonFields::number(const std::string& key) const {
  return as_number(key, require(key, "a number"));
}

double JsonFields::number_or(const std::string& key, double fallback) const {
  const Json* value = find(key);
  return value == nullptr ? fallback : as_number(key, *value);
}

std::optional<double> JsonFields::optional_number(const std::string& key) const {
  if (absent_or_null(key)) return std::nullopt;
  return as_number(key, *find(key));
}

bool JsonFields::boolean_or(const std::string& key, bool fallback) const {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) refuse(key, "true or false", describe(*value));
  return value->get<bool>();
}

std::optional<std::string> JsonFields::optional_text(const std::string& key) const {
  if (absent_or_null(key)) return std::nullopt;
  if (!find(key)->is_string()) refuse(key, "a string", describe(*find(key)));
  return find(key)->get<std::string>();
}

std::optional<std::vector<std::string>> JsonFields::optional_texts(const std::string& key) const {
  if (absent_or_null(key)) return std::nullopt;
  const Json& list = *find(key);
  if (!list.is_array()) refuse(key, "a list of strings", describe(list));
  std::vector<std::string> texts;
  for (const Json& element : list) {
    if (!element.is_string()) refuse(key, "a list of strings", "an element " + describe(element));
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

std::vector<std::int64_t> JsonFields::integers(const std::string& key, IntegerRange range) const {
  if (absent_or_null(key)) return {};
  const Json& value = *find(key);
  if (!value.is_array()) return {as_integer(key, value, range)};
  std::vector<std::int64_t> numbers;
  for (const Json& element : value) numbers.push_back(as_integer(key, element, range));
  return numbers;
}

JsonFields JsonFields::object(const std::string& key) const {
  return {file_, path_.empty() ? key : path_ + "." + key, require(key, "an object")};
}

}  // namespace canvaslab
