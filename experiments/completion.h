// Shell completion: the script that a shell reads once, and the candidates that it asks the program for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace canvaslab {

// The script for "bash" or "zsh". ConfigurationError for another shell.
std::string completion_script(const std::string& shell);

// What the last of a command line's words (behind the program's name) could become: sub-commands, flags and
// their values, groups ("noise="), options ("noise=masked"), dotted keys ("selection.", "selection.bound="),
// values. Empty where files are meant, or nothing fits. A candidate that ends in '=', '.' or '/' goes on.
// Never throws: a configuration that cannot be composed has no keys to offer.
std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace canvaslab
