#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while from its corpus, side by side. A finding is left in
# build/fuzz/findings. Results go where those of the other tests are (tests/count_results.py).
# Usage: run_fuzzers.sh BUILD_FOLDER [SECONDS]     (default: 20)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
results="$1/test-results"
seconds=${2:-20}
build="$root/build/fuzz"
mkdir -p "$build/findings" "$results"
(cd "$root" && cmake --preset fuzz && cmake --build "$build") >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }

declare -A running
for source in "$here"/*_fuzzer.cpp; do
  name=$(basename "$source" .cpp)
  corpus="$build/corpus/$name"
  mkdir -p "$corpus"
  # New inputs go to the first folder; the project's own are only read.
  "$build/$name" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$name-" "$corpus" "$here/corpus/${name%_fuzzer}" >"$build/$name.log" 2>&1 &
  running[$name]=$!
done

cases='' status=0
for name in "${!running[@]}"; do
  if wait "${running[$name]}"; then
    printf '%s: %s executions, no finding\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")"
    failures=''
  else
    status=1
    tail -n 40 "$build/$name.log"
    failures=', "failures": [{"failure": "a finding, see build/fuzz/findings"}]'
  fi
  cases+="${cases:+, }{\"name\": \"$name\", \"result\": \"COMPLETED\"$failures}"
done
printf '{"testsuites": [{"name": "Fuzz", "testsuite": [%s]}]}\n' "$cases" >"$results/fuzz_tests.json"
exit "$status"
