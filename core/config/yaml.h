// YAML text to a configuration tree and back. Files are YAML 1.1 as Hydra reads them; every input is bounded
// in size, depth and number of nodes, so that a hostile file ends in an error, quickly.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/config/value.h"

namespace canvaslab::config {

// What one YAML text may hold at most.
struct YamlLimits {
  std::size_t bytes = 1 << 20;
  std::size_t nodes = 100'000;  // aliases count as often as they are used
  int depth = 64;               // lists and maps inside one another
};

// Parses one YAML document; `name` stands for the file in sources and errors. An empty text is null.
// ConfigurationError: a syntax error, a duplicate key, an unknown tag or alias, a key that is no scalar, an
// integer beyond 64 bits, or more than the limits allow.
Node parse_yaml(std::string_view text, const std::string& name, const YamlLimits& limits = {});

// Reads and parses a file. ConfigurationError also when it cannot be read.
Node read_yaml(const std::filesystem::path& file, const YamlLimits& limits = {});

// A file's text. ConfigurationError when it cannot be read or is longer than `most_bytes`.
std::string read_text(const std::filesystem::path& file, std::size_t most_bytes);

// Writes a tree as YAML in block style, ending in a newline; reading it gives an equal tree.
std::string to_yaml(const Node& node);

}  // namespace canvaslab::config
