"""Kills `canvaslab run` at random moments and checks what it left behind, with plain h5py.

Usage: kill_run.py PROGRAM RUNS FOLDER

The run's progress lines say how many samples are done; the time at which each line arrives is noted. After the kill, every
part file must open and together they must hold at least the samples of the last line that is more than a second old, each
once, with a canvas and all its steps.
"""

import random
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py

program, runs, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
random.seed(4)


def kill_one(number):
    output = folder / f"run{number}"
    words = ["run", "experiment=recommended", "stopping=max_steps", "task.samples=null", "sampler.batch=2", "threads=1",
             "sampler.steps=24", f"hydra.run.dir={output}"]
    process = subprocess.Popen([program, *words],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = []

    def listen():
        for line in process.stderr:
            if match := re.match(r"(\d+)/\d+ samples", line):
                lines.append((time.monotonic(), int(match[1])))

    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(random.uniform(1.5, 6))
    killed = time.monotonic()
    process.send_signal(signal.SIGKILL)
    process.wait()
    listener.join()
    return check(output, killed, lines)


def check(output, killed, lines):
    due = max([count for when, count in lines if when < killed - 1], default=0)
    parts = sorted((output / "trace").glob("part-*.h5")) + sorted(output.glob("trace.h5"))
    canvases, samples = [], []
    for part in parts:
        with h5py.File(part, "r") as file:
            # The merged file of a run that was killed after its end is complete; parts never are.
            assert bool(file.attrs["complete"]) == (part.name == "trace.h5"), part
            canvases += [(int(s), int(i)) for s, i in zip(file["canvases/sample"][:], file["canvases/index"][:])]
            samples += [int(s) for s in file["samples/sample"][:]]
            steps, first = file["canvases/steps"][:], file["canvases/first_step"][:]
            rows = len(file["steps/temperature"])
            assert all(f + n <= rows for f, n in zip(first, steps)), f"{part}: steps are missing"
            assert len(file["positions/entropy"]) == rows, part
    assert len(set(canvases)) == len(canvases), "a canvas twice"
    assert len(set(samples)) == len(samples), "a sample twice"
    assert set(samples) <= {sample for sample, _ in canvases}, "a sample without its canvas"
    assert len(samples) >= due, f"{output}: {due} samples were done a second before the kill, {len(samples)} are there"
    return due, len(samples), len(parts)


with ThreadPoolExecutor(4) as pool:
    results = list(pool.map(kill_one, range(runs)))
told = sum(due for due, _, _ in results)
print(f"{runs} runs killed; {told} samples were due, {sum(kept for _, kept, _ in results)} are there, "
      f"in {sum(parts for _, _, parts in results)} files")
assert told > 0, "nothing was due: the kills came too early to show anything"
