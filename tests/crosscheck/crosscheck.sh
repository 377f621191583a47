#!/usr/bin/env bash
# Compares canvaslab with the Python reference implementation on three further models, and loads in the reference what
# canvaslab writes. The reference lives in a pinned Python environment of its own, under .deps/crosscheck; the models and
# the values recorded from them are kept in build/crosscheck.
# Usage: crosscheck.sh BUILD_FOLDER [PROFILE...]
#    or: crosscheck.sh BUILD_FOLDER hydra       (hydra.sh)
#    or: crosscheck.sh BUILD_FOLDER training    (training_speed.py: training steps a second of both)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
shift
[[ ${1:-} == hydra ]] && exec "$here/hydra.sh" "$build"
profiles=("$@")
[[ ${#profiles[@]} -gt 0 ]] || profiles=(wide deep many_experts)
environment="$root/.deps/crosscheck"
work="$root/build/crosscheck"
python="$environment/bin/python"
say() { printf 'crosscheck: %s\n' "$*" >&2; }

install_pins() {
  /usr/bin/python3 -m pip --python "$python" install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary=:all: -r "$1"
}

# Of the CUDA libraries, `import torch` needs every one that libtorch_cuda.so is linked to, on any machine. Most come
# from an installed CUDA Toolkit where there is one; the large wheels are only fetched where there is none.
provide_environment() {
  local stamp="$environment/complete" wanted
  wanted=$(cat "$here"/requirements*.txt | sha256sum)
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return
  say "creating the Python environment in .deps/crosscheck (about 1 GB to download, once)"
  rm -rf "$environment"
  /usr/bin/python3 -m venv --without-pip "$environment"
  install_pins "$here/requirements.txt"
  if ! "$python" -c 'import torch' 2>"$environment/import.log"; then
    grep -q 'cannot open shared object file' "$environment/import.log" || { cat "$environment/import.log" >&2; exit 1; }
    say "no CUDA Toolkit is installed: downloading its libraries, which the reference's torch is linked to"
    install_pins "$here/requirements-cuda.txt"
    "$python" -c 'import torch'
  fi
  printf '%s\n' "$wanted" >"$stamp"
}

# The cases that a profile describes: its top-level keys.
cases_of() { "$python" -c 'import json, sys; print(*json.load(open(sys.argv[1])))' "$here/$1_profile.json"; }

record() {
  local name=$1 folder="$work/$1" wanted
  wanted=$(cat "$here/$1_profile.json" "$root/tests/data/golden/make_golden.py" "$here/requirements.txt" | sha256sum)
  [[ -f $folder/complete && $(<"$folder/complete") == "$wanted" ]] && return
  say "recording the reference's values for '$name' (up to 3 minutes)"
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$root/tests/data/golden/make_golden.py" "$here/$1_profile.json" "$work/"
  # Some seeds give a toy model without a run in which every decision is clear, which ones depends on the machine's
  # rounding: then the next seed is tried.
  local seed
  for seed in 7 8 9 10; do
    # shellcheck disable=SC2046 # one word a case is meant
    (cd "$work" && nice "$python" make_golden.py --out "$folder" --seed "$seed" --profile "$name" --tokenizer none \
      --only $(cases_of "$name")) >"$work/$name.log" 2>&1 && break
    if [[ $seed == 10 ]] || ! grep -q 'no clean run found' "$work/$name.log"; then
      cat "$work/$name.log" >&2
      exit 1
    fi
  done
  printf '%s\n' "$wanted" >"$folder/complete"
}

provide_environment
mkdir -p "$work"
if [[ ${profiles[0]} == training ]]; then
  exec "$python" "$here/training_speed.py" --program "$build/canvaslab" --work "$work/speed" \
    --checkpoint "$root/models/pretrained/sudoku6-uniform" "${profiles[@]:1}"
fi
for profile in "${profiles[@]}"; do record "$profile"; done
say "comparing"
exec env PYTHONPATH="$work" "$python" "$here/compare.py" --program "$build/canvaslab" --work "$work/runs" \
  "${profiles[@]/#/$work/}"
