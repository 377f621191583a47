"""Checks traces with plain h5py, independently of the C++ reader.

  check_trace.py schema FILE LEVEL COMPLETE   attributes, columns, scales and every value of one file
  check_trace.py keys RUN...                  every file of each run opens and is right; prints its canvases, one a line
"""
import glob
import os
import sys

import h5py
import numpy as np

SAMPLE, PROMPT, TOKEN = ("sample",), ("prompt_token",), ("token",)
CANVAS, CANVAS_POSITION, STEP, STEP_POSITION = ("canvas",), ("canvas", "position"), ("step",), ("step", "position")
SUMMARY = {
    "samples/sample": ("u8", SAMPLE, "1"), "samples/id": ("O", SAMPLE, ""), "samples/prompt": ("O", SAMPLE, ""),
    "samples/target": ("O", SAMPLE, ""), "samples/text": ("O", SAMPLE, ""), "samples/correct": ("i1", SAMPLE, ""),
    "samples/prompt_token": ("u8", PROMPT, "1"), "samples/prompt_token_count": ("u4", SAMPLE, "1"),
    "samples/prompt_tokens": ("i4", PROMPT, ""), "samples/token": ("u8", TOKEN, "1"),
    "samples/token_count": ("u4", SAMPLE, "1"), "samples/tokens": ("i4", TOKEN, ""),
    "samples/canvases": ("i4", SAMPLE, "1"), "samples/steps": ("i4", SAMPLE, "1"),
    "samples/seconds": ("f4", SAMPLE, "s"), "samples/stop_reason": ("O", SAMPLE, ""),
    "canvases/canvas": ("u8", CANVAS, "1"), "canvases/position": ("u8", ("position",), "1"),
    "canvases/sample": ("u8", CANVAS, "1"), "canvases/index": ("u4", CANVAS, "1"),
    "canvases/steps": ("u4", CANVAS, "1"), "canvases/stop_reason": ("O", CANVAS, ""),
    "canvases/prefill_seconds": ("f4", CANVAS, "s"), "canvases/denoise_seconds": ("f4", CANVAS, "s"),
    "canvases/committed": ("i4", CANVAS_POSITION, ""),
}
STEPS = {
    "canvases/first_step": ("u8", CANVAS, "1"),
    "steps/step": ("u8", STEP, "1"), "steps/canvas": ("u8", STEP, "1"), "steps/index": ("u4", STEP, "1"),
    "steps/temperature": ("f4", STEP, "1"), "steps/mean_entropy": ("f4", STEP, "nat"),
    "steps/bound_slack": ("f4", STEP, "nat"), "steps/accepted": ("i4", STEP, "1"), "steps/changed": ("i4", STEP, "1"),
    "steps/stable": ("u1", STEP, ""), "steps/confident": ("u1", STEP, ""), "steps/seconds": ("f4", STEP, "s"),
    "positions/step": ("u8", STEP, "1"), "positions/position": ("u8", ("position",), "1"),
    "positions/entropy": ("f4", STEP_POSITION, "nat"), "positions/confidence": ("f4", STEP_POSITION, "1"),
    "positions/margin": ("f4", STEP_POSITION, "1"), "positions/sampled_probability": ("f4", STEP_POSITION, "1"),
    "positions/current_probability": ("f4", STEP_POSITION, "1"),
    "positions/argmax": ("i4", STEP_POSITION, ""), "positions/sampled": ("i4", STEP_POSITION, ""),
    "positions/decision": ("u1", STEP_POSITION, ""), "positions/canvas": ("i4", STEP_POSITION, ""),
}
POSITION_QUANTITIES = ["entropy", "confidence", "margin", "sampled_probability", "current_probability",
                       "argmax", "sampled", "decision", "canvas"]


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def number(sample, canvas, step, position, quantity):
    """The rule of trace_fixture.h; arrays broadcast."""
    return (sample * 31 + canvas * 17 + step * 7 + position * 3 + quantity) % 1009


def share(*arguments):
    return number(*arguments).astype(np.float32) / np.float32(1009)


def same(found, expected, name):
    expect(np.array_equal(found, expected, equal_nan=np.asarray(expected).dtype.kind == "f"), name, "differs")


def check_attributes(file, level, complete):
    attributes = dict(file.attrs)
    expect(set(attributes) == {"schema", "complete", "created", "program_version", "git_commit", "seed", "config_yaml",
                               "overrides", "level"}, "attributes", sorted(attributes))
    expect(attributes["schema"] == 1 and bool(attributes["complete"]) == complete, "schema or complete")
    expect(attributes["seed"] == 0xFEDCBA9876543210 and attributes["level"] == level, "seed or level")
    expect(attributes["program_version"] == "0.1.0" and attributes["git_commit"] == "0123abcd", "versions")
    expect(attributes["config_yaml"] == 'seed: 1\nnote: "ü"\n', "config_yaml", attributes["config_yaml"])
    expect(list(attributes["overrides"]) == ["seed=1", "task=sudoku"], "overrides")
    expect(len(attributes["created"]) == len("2026-01-01T00:00:00Z"), "created", attributes["created"])


def check_column(file, path, column):
    kind, dimensions, units = column
    dataset = file[path]
    expect(dataset.dtype == np.dtype(kind), path, "has type", dataset.dtype)
    if kind == "O":
        expect(h5py.check_string_dtype(dataset.dtype).encoding == "utf-8", path, "is not UTF-8")
    expect(dataset.attrs["units"] == units and dataset.attrs["description"], path, "lacks units or description")
    expect(dataset.chunks and dataset.shuffle and dataset.compression == "gzip", path, "is not compressed")
    expect(dataset.maxshape[0] is None or dimensions[0] == "position", path, "is not extendable")
    expect(tuple(dimension.label for dimension in dataset.dims) == dimensions, path, "has other dimensions")
    group = path.split("/")[0]
    for axis, name in enumerate(dimensions):
        scale = file[f"{group}/{name}"]
        expect(h5py.h5ds.is_scale(scale.id) and scale.shape[0] == dataset.shape[axis], path, "does not fit scale", name)
        if scale != dataset:
            expect(dataset.dims[axis][0] == scale and len(dataset.dims[axis]) == 1, path, "lacks scale", name)


def check_samples(group):
    sample = group["sample"][()].astype(np.int64)
    same(group["id"].asstr()[()], np.array([f"puzzle-{s}" for s in sample], object), "id")
    expect(all(prompt == "fill □\n" for prompt in group["prompt"].asstr()), "prompt")
    same(group["target"].asstr()[()], np.array(["" if s % 3 == 0 else "1 2 3 4" for s in sample], object), "target")
    expect(all(text == "1 2 𝟛 4" for text in group["text"].asstr()), "text")
    same(group["correct"][()], sample % 3 - 1, "correct")
    same(group["prompt_token_count"][()], sample % 5, "prompt_token_count")
    same(group["token_count"][()], sample % 4, "token_count")
    for name, factor, counts in (("prompt_token", 10, sample % 5), ("token", 100, sample % 4)):
        expected = np.concatenate([s * factor + np.arange(n) for s, n in zip(sample, counts)] + [np.array([], int)])
        same(group[name + "s"][()], expected, name + "s")
        same(group[name][()], np.arange(len(expected)), name)
    same(group["steps"][()], sample + 5, "steps")
    same(group["seconds"][()], sample.astype(np.float32) / 8, "seconds")
    expect(np.all(group["canvases"][()] == 2) and all(reason == "eos" for reason in group["stop_reason"].asstr()), "end")


def check_canvases(file, level):
    group = file["canvases"]
    sample, index = group["sample"][()].astype(np.int64), group["index"][()].astype(np.int64)
    rows, positions = len(sample), group["committed"].shape[1]
    same(group["canvas"][()], np.arange(rows), "canvas")
    same(group["position"][()], np.arange(positions), "position")
    same(group["committed"][()], number(sample[:, None], index[:, None], 0, np.arange(positions)[None], 32), "committed")
    same(group["prefill_seconds"][()], share(sample, index, 0, 0, 30), "prefill_seconds")
    same(group["denoise_seconds"][()], share(sample, index, 0, 0, 31), "denoise_seconds")
    reasons = np.array(["max_steps" if i % 2 else "stable_and_confident" for i in index], object)
    same(group["stop_reason"].asstr()[()], reasons, "stop_reason")
    counts = group["steps"][()].astype(np.int64)
    if level == "steps":
        same(group["first_step"][()], np.cumsum(counts) - counts, "first_step")
        check_steps(file, sample, index, counts)


def check_steps(file, sample, index, counts):
    steps, positions = file["steps"], file["positions"]
    canvas = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(canvas)) - np.repeat(np.cumsum(counts) - counts, counts)
    same(steps["step"][()], np.arange(len(canvas)), "step")
    same(steps["canvas"][()], canvas, "canvas")
    same(steps["index"][()], step, "index")
    s, c = sample[canvas], index[canvas]
    for name, quantity in (("temperature", 20), ("mean_entropy", 21), ("seconds", 27)):
        same(steps[name][()], share(s, c, step, 0, quantity), name)
    slack = np.where(step % 2 == 0, np.float32(np.nan), share(s, c, step, 0, 22))
    same(steps["bound_slack"][()], slack, "bound_slack")
    same(steps["accepted"][()], number(s, c, step, 0, 23), "accepted")
    same(steps["changed"][()], number(s, c, step, 0, 24), "changed")
    same(steps["stable"][()], (number(s, c, step, 0, 25) % 2 == 0).astype(int), "stable")
    same(steps["confident"][()], (number(s, c, step, 0, 26) % 2 == 0).astype(int), "confident")
    place = np.arange(positions["position"].shape[0])[None]
    for quantity, name in enumerate(POSITION_QUANTITIES):
        expected = number(s[:, None], c[:, None], step[:, None], place, quantity)
        if name == "decision":
            expected = expected % 4
        elif quantity < 5:
            expected = expected.astype(np.float32) / np.float32(1009)
        same(positions[name][()], expected, name)
    expect(positions["decision"].attrs["flag_meanings"] == "keep commit_sampled commit_argmax renoise", "meanings")
    expect(list(positions["decision"].attrs["flag_values"]) == [0, 1, 2, 3], "flag_values")


def check_file(path, level, complete, layout):
    with h5py.File(path, "r") as file:
        check_attributes(file, level, complete)
        columns = dict(SUMMARY, **(STEPS if level == "steps" else {}))
        found = []
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
        expect(set(found) == set(columns), "columns", set(found) ^ set(columns))
        if layout:
            for name, column in columns.items():
                check_column(file, name, column)
        check_samples(file["samples"])
        check_canvases(file, level)
        return list(zip(file["canvases/sample"][()].tolist(), file["canvases/index"][()].tolist()))


def check_run(run):
    whole = os.path.join(run, "trace.h5")
    if os.path.exists(whole):
        keys = check_file(whole, "steps", True, layout=False)
    else:
        parts = sorted(glob.glob(run + "/trace/part-*.h5"))
        keys = [key for part in parts for key in check_file(part, "steps", False, layout=False)]
    expect(len(keys) == len(set(keys)), run, "holds a canvas twice")
    for sample, index in keys:
        print(run, sample, index)


if __name__ == "__main__":
    if sys.argv[1] == "schema":
        check_file(sys.argv[2], sys.argv[3], sys.argv[4] == "complete", layout=True)
    else:
        for folder in sys.argv[2:]:
            check_run(folder)
