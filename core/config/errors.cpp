// How configuration errors are worded together.
#include "core/config/errors.h"

#include "core/error.h"

namespace canvaslab::config {

void Errors::add(const Node& where, const std::string& path, const std::string& what) {
  std::string message = where.source().text();
  if (!message.empty()) message += ": ";
  if (!path.empty()) message += path + ": ";
  messages_.push_back(message + what);
}

void Errors::throw_if_any() const {
  if (messages_.empty()) return;
  if (messages_.size() == 1) throw ConfigurationError(messages_[0]);
  std::string text = std::to_string(messages_.size()) + " errors in the configuration:";
  for (const std::string& message : messages_) text += "\n  " + message;
  throw ConfigurationError(text);
}

std::string join_path(const std::string& outer, const std::string& inner) {
  return outer.empty() ? inner : outer + "." + inner;
}

}  // namespace canvaslab::config
