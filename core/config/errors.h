// Collects the errors of one binding, so that all of them are reported together.
#pragma once

#include <string>
#include <vector>

#include "core/config/value.h"

namespace canvaslab::config {

class Errors {
 public:
  // An error about the value at a dotted path, e.g. "configs/config.yaml:3: selection.bound: expected ...".
  void add(const Node& where, const std::string& path, const std::string& what);
  void add(std::string message) { messages_.push_back(std::move(message)); }

  bool empty() const { return messages_.empty(); }
  std::size_t size() const { return messages_.size(); }
  const std::vector<std::string>& messages() const { return messages_; }

  // Throws one ConfigurationError with every message, one a line, when there is any.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
};

// "outer.inner", or "inner" when `outer` is empty.
std::string join_path(const std::string& outer, const std::string& inner);

}  // namespace canvaslab::config
