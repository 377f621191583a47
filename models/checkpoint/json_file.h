// Reading JSON files that other programs wrote: strict parsing (repeated keys are refused) and typed access
// to the fields of an object, with errors that name the file, the key, what was expected and what was found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab {

using Json = nlohmann::ordered_json;

// The whole file as text. Throws ConfigurationError when it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

// Parses `text`; `where` names it in errors. Throws ConfigurationError for invalid JSON and for repeated
// keys.
Json parse_json(std::string_view text, const std::string& where);

// A value in short, for error messages: `64.0`, `"silu"`, `a list of 3`, `an object`.
std::string describe(const Json& value);

struct IntegerRange {
  std::int64_t least = 1;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

// Typed view of one object in a file. It refers to the object, which must outlive it.
class JsonFields {
 public:
  // `path` is the place of the object in the file ("text_config.rope_parameters"), empty for the outermost
  // one.
  JsonFields(std::string file, std::string path, const Json& object);

  const Json* find(const std::string& key) const;  // nullptr when absent
  bool absent_or_null(const std::string& key) const;

  // A value of another type or outside the range is refused. `integer` and `object` also refuse an absent
  // key; the optional_ forms take null for absent, the _or forms do not.
  std::int64_t integer(const std::string& key, IntegerRange range = {}) const;
  std::int64_t integer_or(const std::string& key, std::int64_t fallback, IntegerRange range = {}) const;
  std::optional<std::int64_t> optional_integer(const std::string& key, IntegerRange range = {}) const;
  double number(const std::string& key) const;
  double number_or(const std::string& key, double fallback) const;
  std::optional<double> optional_number(const std::string& key) const;
  bool boolean_or(const std::string& key, bool fallback) const;
  std::optional<std::string> optional_text(const std::string& key) const;
  std::optional<std::vector<std::string>> optional_texts(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key,
                                     IntegerRange range) const;  // one, a list, or none
  JsonFields object(const std::string& key) const;

  // Throws ConfigurationError: "FILE: KEY: expected E, found F".
  [[noreturn]] void refuse(const std::string& key, const std::string& expected,
                           const std::string& found) const;

 private:
  const Json& require(const std::string& key, const std::string& expected) const;
  std::int64_t as_integer(const std::string& key, const Json& value, IntegerRange range) const;
  double as_number(const std::string& key, const Json& value) const;

  std::string file_;
  std::string path_;
  const Json& object_;
};

}  // namespace canvaslab
