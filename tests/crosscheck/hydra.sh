#!/usr/bin/env bash
# Runs hydra-core on the recorded cases and on configs/, and compares canvaslab's composition with it. hydra-core lives
# in a pinned Python environment of its own, under .deps/crosscheck-hydra.
# Usage: hydra.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
environment="$root/.deps/crosscheck-hydra"
python="$environment/bin/python"

install_pins() {
  /usr/bin/python3 -m pip --python "$python" install --quiet --disable-pip-version-check --no-deps --require-hashes "$@"
}

provide_environment() {
  local stamp="$environment/complete" wanted
  wanted=$(cat "$here"/requirements-hydra*.txt | sha256sum)
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return
  printf 'crosscheck: creating the Python environment in .deps/crosscheck-hydra (3 MB to download, once)\n' >&2
  rm -rf "$environment"
  /usr/bin/python3 -m venv --without-pip "$environment"
  install_pins --only-binary=:all: -r "$here/requirements-hydra.txt"
  install_pins --no-build-isolation --use-pep517 -r "$here/requirements-hydra-source.txt"
  "$python" -c 'import hydra'
  printf '%s\n' "$wanted" >"$stamp"
}

provide_environment
exec "$python" "$here/hydra_compare.py" --program "$build/canvaslab" --root "$root" --work "$root/build/crosscheck/hydra"
