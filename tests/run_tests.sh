#!/usr/bin/env bash
# Runs every test program of a build folder, two at a time, and adds their counts up.
# Usage: run_tests.sh BUILD_FOLDER [ctest arguments]. The last line is "N passed, N failed".
set -uo pipefail
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
build=$1
shift
rm -rf "$build/test-results"
mkdir -p "$build/test-results"
(cd "$build" && ctest --output-on-failure -j 2 --timeout 1200 "$@") || true
exec /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/count_results.py" "$build"
