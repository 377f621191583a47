"""Adds up GoogleTest's JSON results; a test program that left none counts as one failure. Usage: count_results.py BUILD"""

import json
import subprocess
import sys
from pathlib import Path

build = Path(sys.argv[1])
listed = json.loads(subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=build))
passed = failed = skipped = 0
for test in listed["tests"]:
    name, result = test["name"], build / "test-results" / f"{test['name']}.json"
    if not result.exists():
        print(f"no result: {name} crashed, timed out or was filtered out")
        failed += 1
        continue
    for suite in json.loads(result.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case["result"] == "SKIPPED":
                skipped += 1
                print(f"skipped: {suite['name']}.{case['name']}")
            elif case.get("failures"):
                failed += 1
                print(f"failed: {suite['name']}.{case['name']}")
            else:
                passed += 1
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
