"""Kills a sweep at random moments, resumes it each time, and compares what it becomes with an uninterrupted one.

Usage: kill_sweep.py PROGRAM CELLS KILLS FOLDER

A kill is SIGKILL to the parent and both workers, to the parent alone (its workers give their cells back meanwhile), or to
one worker. In the end every cell must be finished once, what was finished at some kill must be untouched, and metrics and
traces must be those of the uninterrupted sweep, bit for bit.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy

program, cells, kills, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
random.seed(cells + kills)
bounds = [0.01, 0.05, 0.1, 0.2]
assert cells % len(bounds) == 0
words = ["hydra/launcher=local", "hydra.launcher.workers=2", "model.checkpoint=sudoku4-uniform", "task.samples=2",
         "sampler.steps=12", f"selection.bound={','.join(map(str, bounds))}", f"seed=range({cells // len(bounds)})"]
not_compared = {"host", "started", "ended", "seconds", "attempts"}


def start(arguments):
    return subprocess.Popen([program, "run", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def workers_of(sweep):
    found = []
    for process in Path("/proc").iterdir():
        try:
            line = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--work" in line and str(sweep).encode() in line:
            found.append(int(process.name))
    return found


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it ended meanwhile


def results(sweep):
    return {path.parent.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sweep.glob("*/result.json")}


def table(sweep):
    database = sqlite3.connect(sweep / "sweep.sqlite")
    database.row_factory = sqlite3.Row
    return [{key: row[key] for key in row.keys() if key not in not_compared}
            for row in database.execute("SELECT * FROM cells ORDER BY cell")]


def columns(trace):
    values = {}

    def note(name, item):
        if isinstance(item, h5py.Dataset) and not name.endswith("seconds"):
            values[name] = item[:]

    with h5py.File(trace, "r") as file:
        assert file.attrs["complete"], trace
        file.visititems(note)
    return values


def same_traces(a, b):
    left, right = columns(a), columns(b)
    assert left.keys() == right.keys()
    for name in left:
        equal_nan = left[name].dtype.kind == "f"
        assert numpy.array_equal(left[name], right[name], equal_nan=equal_nan), f"{b}: {name}"


whole, killed = folder / "whole", folder / "killed"
begin = time.monotonic()
process = start([f"hydra.sweep.dir={whole}", "--multirun", *words])
while process.poll() is None and not results(whole):
    time.sleep(0.01)
first = time.monotonic() - begin  # a start takes so long before it has anything to show
messages = process.communicate()[1]
assert process.returncode == 0, messages
duration = time.monotonic() - begin

kept, done = {}, {"all": 0, "parent": 0, "worker": 0}
process = start([f"hydra.sweep.dir={killed}", "--multirun", *words])
while not (killed / ".sweep/plan.json").exists():
    assert process.poll() is None, process.communicate()[1]
    time.sleep(0.01)
while sum(done.values()) < kills:
    until = time.monotonic() + random.uniform(0, first + (duration - first) / kills)
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    if process.poll() is not None:
        break  # on a machine that is busy at some moments and idle at others it may be done before the last kill
    whom = random.choice(["all", "all", "parent", "worker"])
    workers = workers_of(killed)
    if whom == "worker":
        if workers:
            kill(random.choice(workers))
            done[whom] += 1
        continue
    done[whom] += 1
    kill(process.pid)
    if whom == "all":
        for worker in workers:
            kill(worker)
    process.wait()
    for cell, (content, changed) in results(killed).items():
        assert kept.setdefault(cell, (content, changed)) == (content, changed), f"cell {cell} was done twice"
    process = start(["--resume", str(killed)])

messages = process.communicate()[1]
assert process.returncode == 0, messages
last = results(killed)
assert len(last) == cells
for cell, result in kept.items():
    assert last[cell] == result, f"cell {cell} was done twice"
rows = table(killed)
assert [row["cell"] for row in rows] == list(range(cells))
assert all(row["state"] == "finished" for row in rows)
assert rows == table(whole)
for row in rows:
    same_traces(whole / row["trace"], killed / row["trace"])
assert not list(killed.glob("*/.attempt-*")), "an attempt was left behind"
assert not workers_of(killed), "a worker was left behind"
attempts = sum(int(path.stem) for path in (max(claims.glob("*.claim"), key=lambda p: int(p.stem))
                                           for claims in killed.glob("*/.cell")))
print(f"{cells} cells, killed {sum(done.values())} times ({done}), {len(kept)} were finished at a kill; "
      f"{attempts} attempts; equal to the uninterrupted sweep of {duration:.1f} s")
assert sum(done.values()) > kills / 2, f"it ended after {done} kills"
assert kept, "nothing was finished at any kill: the kills came too early to show anything"
assert attempts > cells, "no cell was ever interrupted: the kills show nothing"
