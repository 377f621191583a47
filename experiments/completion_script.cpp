// The scripts. Both hand the words typed so far to `canvaslab complete`, which prints one candidate a line.
#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "experiments/completion.h"

namespace canvaslab {
namespace {

// Bash splits words at '=', ':' and '@' and replaces only the last piece, so candidates are cut there.
constexpr const char* kBash = R"sh(# Completion of canvaslab for bash:  eval "$(canvaslab completion bash)"
_canvaslab() {
  local line="${COMP_LINE:0:COMP_POINT}" words candidate
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  local word="${words[-1]}" breaks="${COMP_WORDBREAKS//[^=:@]/}"
  local kept=""
  [[ -n $breaks ]] && kept="${word%"${word##*[$breaks]}"}"
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ $candidate == *[=./] ]] || candidate+=" "
    COMPREPLY+=("${candidate#"$kept"}")
  done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
}
complete -o nospace -o default -F _canvaslab canvaslab ./canvaslab lab ./lab
)sh";

constexpr const char* kZsh = R"sh(#compdef canvaslab lab
# Completion of canvaslab for zsh:  eval "$(canvaslab completion zsh)"   (after compinit)
_canvaslab() {
  local -a candidates open closed
  candidates=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("${(@)candidates:#}")
  if (( ${#candidates} == 0 )); then
    _files
    return
  fi
  open=("${(@M)candidates:#*[=./]}")
  closed=("${(@)candidates:#*[=./]}")
  (( ${#open} )) && compadd -S '' -- "${open[@]}"
  (( ${#closed} )) && compadd -- "${closed[@]}"
}
compdef _canvaslab canvaslab ./canvaslab lab ./lab
)sh";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  const std::vector<std::string> known{"bash", "zsh"};
  throw ConfigurationError(
      fmt::format("no completion for '{}'{}; there is bash and zsh", shell, did_you_mean(shell, known)));
}

}  // namespace canvaslab
