#!/usr/bin/env bash
# clang-format and clang-tidy over the project's own C++. Usage: lint.sh BUILD_FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$1
cd "$root"
for tool in clang-format clang-tidy; do
  command -v "$tool" >/dev/null || { echo "lab: $tool is not installed (apt-get install $tool)" >&2; exit 1; }
done
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${sources[@]}"
# Precompiled headers are g++'s: clang reads the headers themselves.
mkdir -p "$build/lint"
sed -E 's/-include [^ ]*cmake_pch\.hxx//g; s/-Winvalid-pch//g; s/-Wno-restrict//g' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
git ls-files '*.cpp' | grep -v '^tests/' | xargs -P 2 -n 4 clang-tidy --quiet -p "$build/lint"
echo "lint: nothing found"
