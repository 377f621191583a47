"""Runs `canvaslab forward`, `generate` and `resave` on recorded models and compares with the reference's values.

    compare.py --program build/release/canvaslab --work DIR FOLDER...

FOLDER is what make_golden.py wrote (or tests/data/golden itself). The tolerances are those of the golden data's README.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from report import Report, padded_left

HIDDEN, LOGITS = 5e-4, 2e-3


class Program:
    """The program under test; every call reads and writes files in `work`."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, done.args))}\nexit status {done.returncode}\n{done.stderr}")

    def tensors(self, command, checkpoint, inputs, *arguments):
        """Runs forward or generate on `inputs` (name -> tensor); returns what it wrote."""
        save_file({k: v.contiguous() for k, v in inputs.items()}, self.work / "inputs.safetensors")
        output = self.work / "output.safetensors"
        output.unlink(missing_ok=True)
        self.run(command, "--checkpoint", checkpoint, "--inputs", self.work / "inputs.safetensors", "--output", output,
                 *arguments)
        return load_file(output)


def part(stored, prefix):
    return {k[len(prefix):]: v for k, v in stored.items() if k.startswith(prefix)}


def cached_positions(mask, length):
    """Which positions of a layer's cache count, as [B, 1, C, 1]: the last `length` of all, without padding."""
    return padded_left(mask)[:, -length:][:, None, :, None]


def compare_pass(report, case, got, want, mask, kinds):
    """Compares the tensors of one pass whose names begin with one of `kinds`."""
    for name, expected in want.items():
        if not name.startswith(kinds):
            continue
        value, where = got.get(name), None
        if name.startswith("encoder."):
            where = padded_left(mask)[:, :, None]
        if name.startswith("cache."):
            where = cached_positions(mask, expected.shape[2])
        if name.endswith(".indices"):
            report.compare(case, "expert choices", name, value, expected, 0, where)
        elif name.endswith("logits"):
            report.compare(case, "logits", name, value, expected, LOGITS, where)
        else:
            kind = "caches" if name.startswith("cache.") else "router weights" if ".router." in name else "hidden states"
            report.compare(case, kind, name, value, expected, HIDDEN, where)


def check_text(report, program, folder, label):
    stored = load_file(folder / "expected.safetensors")
    for case in json.loads((folder / "cases.json").read_text())["cases"]:
        want = part(stored, case + ".")
        where = f"{label}/{case}"
        ids, mask, canvas = want["input_ids"], want["attention_mask"], want["canvas"]
        inputs = {"input_ids": ids, "attention_mask": mask, "canvas": canvas}
        got = program.tensors("forward", folder, inputs, "--hidden")
        compare_pass(report, where, got, want, mask, ("encoder.", "cache.", "decoder."))

        inputs["self_conditioning_logits"] = want["self_conditioning_logits"]
        got = program.tensors("forward", folder, inputs, "--hidden")
        renamed = {k.replace("decoder.", "decoder_sc.", 1): v for k, v in got.items()}
        compare_pass(report, where, renamed, want, mask, ("decoder_sc.",))
        check_second_canvas(report, program, folder, want, where)


def check_second_canvas(report, program, folder, want, where):
    """Prompt and finished canvas encoded at once must give what the reference computes one after the other."""
    ids = torch.cat([want["input_ids"], want["block2.input_ids"]], 1)
    mask = torch.cat([want["attention_mask"], torch.ones_like(want["block2.input_ids"])], 1)
    got = program.tensors("forward", folder, {"input_ids": ids, "attention_mask": mask, "canvas": want["block2.canvas"]})
    length = want["block2.input_ids"].shape[1]
    got["encoder.last_hidden_state"] = got["encoder.last_hidden_state"][:, -length:]
    expected = part(want, "block2.")
    compare_pass(report, where + " second", got, expected, mask[:, -length:], ("encoder.", "decoder."))
    compare_pass(report, where + " second", got, expected, mask, ("cache.",))


def check_bfloat16(report, program, folder, label):
    """A bfloat16 checkpoint, computed in float32 (what the program does on a CPU)."""
    stored = load_file(folder / "expected.safetensors")
    for case in json.loads((folder / "cases.json").read_text())["cases"]:
        want = part(stored, case + ".")
        inputs = {k: want[k] for k in ("input_ids", "attention_mask", "canvas")}
        expected = part(want, "fp32.")
        got = program.tensors("forward", folder, inputs)
        compare_pass(report, f"{label}/{case}", got, expected, want["attention_mask"], ("encoder.", "decoder."))
        inputs["self_conditioning_logits"] = want["self_conditioning_logits"]
        got = program.tensors("forward", folder, inputs)
        got["decoder_sc.logits"] = got["decoder.logits"]
        compare_pass(report, f"{label}/{case}", got, expected, want["attention_mask"], ("decoder_sc.",))


EXACT = ("canvas_in", "sampled_canvas", "accept_mask", "renoise_canvas", "argmax_canvas", "next_canvas", "stopped")


def check_generation(report, program, folder, label):
    stored = load_file(folder / "expected.safetensors")
    for name, scenario in json.loads((folder / "scenarios.json").read_text())["scenarios"].items():
        want = part(stored, name + ".")
        inputs = {k: want[k] for k in ("input_ids", "attention_mask", "decoder_input_ids") if k in want}
        settings = [f"generation.{k}={v}" for k, v in scenario["args"].items()]
        draws = program.work / "draws.safetensors"
        save_file({k: v for k, v in want.items()
                   if k.endswith(("random_initial_canvas", "sampled_canvas", "renoise_canvas"))}, draws)
        ways = {"replay": ["random=replay", f"random.file={draws}"],
                "torch": ["random=torch_compatible", f"seed={scenario['seed']}"]}
        for way, arguments in ways.items():
            got = program.tensors("generate", folder, inputs, *arguments, *settings)
            compare_run(report, f"{label}/{name} {way}", got, want)


def compare_run(report, case, got, want):
    report.compare(case, "sequences", "sequences", got.get("sequences"), want["sequences"], 0)
    report.compare(case, "decoder passes", "decoder_forward_passes", got.get("decoder_forward_passes"),
                   want["decoder_forward_passes"], 0)
    canvases = {k.split(".")[0] for k in want if k.startswith("canvas")}
    written = {k.split(".")[0] for k in got if k.startswith("canvas")}
    report.expect(case, "canvases", canvases == written, f"expected {len(canvases)}, found {len(written)}")
    for name, expected in want.items():
        kind = name.split(".")[-1]
        if not name.startswith("canvas"):
            continue
        if kind in EXACT:
            report.compare(case, "ids and masks", name, got.get(name), expected, 0)
        elif kind == "temperature":
            report.compare(case, "temperature", name, got.get(name), expected, 1e-6)
        elif kind == "mean_entropy":
            report.compare(case, "entropies", name, got.get(name), expected, LOGITS)
        elif kind == "token_entropy":
            report.compare(case, "entropies", name, got.get(name), expected, LOGITS)


def reference_logits(make_golden, folder, inputs):
    """Loads a checkpoint in the reference; returns its logits and what it complained about."""
    model, info = make_golden.DiffusionGemmaForBlockDiffusion.from_pretrained(
        str(folder), dtype=torch.float32, output_loading_info=True)
    model.eval()
    cache = make_golden.new_cache(model)
    make_golden.encode(model, inputs["input_ids"], inputs["attention_mask"], cache)
    logits = make_golden.decode(model, inputs["canvas"], inputs["attention_mask"], cache)
    complaints = {k: sorted(map(str, v)) for k, v in info.items() if v}
    return logits, complaints, model.generation_config.to_dict()


def random_inputs(folder, rows, length, seed):
    """Prompts of one length and canvases of random tokens, as a checkpoint takes them."""
    config = json.loads((folder / "config.json").read_text())
    generator = torch.Generator().manual_seed(seed)
    vocabulary = config["text_config"]["vocab_size"]
    ids = torch.randint(3, vocabulary, (rows, length), generator=generator)
    canvas = torch.randint(0, vocabulary, (rows, config["canvas_length"]), generator=generator)
    return {"input_ids": ids, "canvas": canvas, "attention_mask": torch.ones_like(ids)}


def check_resave(report, program, folder, label):
    """What canvaslab writes, the reference loads without a complaint, and it computes the same with it, bit for bit."""
    import make_golden

    inputs = random_inputs(folder, rows=2, length=9, seed=3)
    resaved = program.work / f"resaved-{label.replace('/', '-')}"
    program.run("resave", "--checkpoint", folder, "--output", resaved)
    want, _, want_generation = reference_logits(make_golden, folder, inputs)
    got, complaints, generation = reference_logits(make_golden, resaved, inputs)
    report.expect(label, "the reference complains about the resaved checkpoint:", not complaints, str(complaints))
    report.expect(label, "the resaved generation_config.json differs:", generation == want_generation, str(generation))
    report.compare(label, "resaved logits", "logits", got, want, 0)


def check_checkpoint(report, program, folder, label):
    """The reference loads a checkpoint without a complaint, and computes what canvaslab computes with it."""
    import make_golden

    inputs = random_inputs(folder, rows=3, length=11, seed=5)
    want, complaints, _ = reference_logits(make_golden, folder, inputs)
    report.expect(label, "the reference complains about the checkpoint:", not complaints, str(complaints))
    got = program.tensors("forward", folder, inputs)
    report.compare(label, "trained logits", "logits", got["decoder.logits"], want, LOGITS)


def check_trained(report, program):
    """Checkpoints that `canvaslab train` writes: from scratch, fine-tuned by LoRA and merged, and the shipped ones."""
    short = ["task.side=4", "training.steps=3", "training.validation_samples=1", "sampler.steps=2"]
    scratch, tuned, merged = program.work / "scratch", program.work / "tuned", program.work / "merged"
    program.run("train", *short, f"hydra.run.dir={scratch}")
    check_checkpoint(report, program, scratch / "checkpoint", "trained from scratch")
    program.run("train", *short, "initial=checkpoint", f"initial.folder={scratch / 'checkpoint'}", "training.lora={rank: 2}",
                "training.learning_rate=0.05", "training.average=0", f"hydra.run.dir={tuned}")
    program.run("resave", "--checkpoint", scratch / "checkpoint", "--adapter", tuned / "checkpoint", "--output", merged)
    check_checkpoint(report, program, merged, "tuned by LoRA and merged")
    for folder in sorted((Path(__file__).resolve().parents[2] / "models" / "pretrained").iterdir()):
        check_checkpoint(report, program, folder, f"pretrained/{folder.name}")


CHECKS = {"text_fp32": check_text, "text_bf16_sharded": check_bfloat16, "generation": check_generation}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", required=True, type=Path, help="folder for the program's inputs and outputs; emptied")
    parser.add_argument("--no-resave", action="store_true", help="do not load the reference")
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    program, report = Program(arguments.program, arguments.work), Report()
    for root in arguments.folders:
        for case, check in CHECKS.items():
            if not (root / case).exists():
                continue
            label = f"{root.name}/{case}"
            check(report, program, root / case, label)
            if not arguments.no_resave:
                check_resave(report, program, root / case, label)
    if not arguments.no_resave:
        check_trained(report, program)
    report.expect("crosscheck", "no case was found in the folders", bool(report.worst))
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
