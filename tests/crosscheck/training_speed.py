"""Training steps of `canvaslab train` and of the reference's modules in PyTorch: same model, batch, losses and machine.

    training_speed.py --program build/release/canvaslab --checkpoint models/pretrained/sudoku6-uniform --work DIR

The two take turns; the last line is the median ratio. The reference gets the same shape of step: prompt and answer in one
causal pass, a first prediction without gradient for half of the rows, the denoising pass, cross-entropy for both, load
balancing, one fused AdamW step and the running average of the weights.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import DiffusionGemmaForBlockDiffusion, DynamicCache, PreTrainedTokenizerFast

WARM_UP, STEPS = 4, 12


class Reference:
    """The same training step from the reference's modules."""

    def __init__(self, checkpoint, experts, rows, threads):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        self.model = DiffusionGemmaForBlockDiffusion.from_pretrained(checkpoint, dtype=torch.float32)
        if experts:
            self.model.set_experts_implementation(experts)
        self.model.train()
        self.prompt, self.clean = rows
        self.vocabulary = self.model.config.text_config.vocab_size
        self.routing = []
        for name, module in self.model.named_modules():
            if type(module).__name__ == "DiffusionGemmaTextRouter":
                module.register_forward_hook(lambda _m, _i, out: self.routing.append(out) if torch.is_grad_enabled() else None)
        self.trained = [p for n, p in self.model.named_parameters() if "vision" not in n and "layer_scalar" not in n]
        for name, parameter in self.model.named_parameters():
            parameter.requires_grad_("vision" not in name and "layer_scalar" not in name)
        self.optimizer = torch.optim.AdamW(self.trained, lr=1e-4, fused=True)
        self.average = [p.detach().clone() for p in self.trained]

    @property
    def tokens(self):
        return self.prompt.numel() + 2 * self.clean.numel()

    def capped(self, hidden):
        cap = self.model.final_logit_softcapping
        return torch.tanh(self.model.lm_head(hidden) / cap) * cap

    def prompt_cache(self, cache, rows=None):
        """The prompts' part of the cache, of some of the rows."""
        part = DynamicCache(config=self.model.config.text_config)
        length = self.prompt.shape[1]
        for index, layer in enumerate(cache.layers):
            keys, values = layer.keys[:, :, :length], layer.values[:, :, :length]
            if rows is not None:
                keys, values = keys[rows], values[rows]
            part.update(keys, values, index)
        return part

    def step(self):
        rows, length = self.clean.shape
        self.routing.clear()
        t = (torch.arange(rows) + torch.rand(())) / rows
        noisy = torch.where(torch.rand(rows, length) < t[:, None], torch.randint(self.vocabulary, (rows, length)), self.clean)
        whole = torch.cat([self.prompt, self.clean[:, :-1]], 1)
        encoded = self.model.model.encoder(input_ids=whole, cache=DynamicCache(config=self.model.config.text_config))
        cache, positions = encoded.cache, torch.arange(length)[None] + self.prompt.shape[1]
        logits = self.capped(encoded.last_hidden_state)
        targets = torch.cat([self.prompt, self.clean], 1)[:, 1:]
        causal = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        half = torch.rand(rows) < 0.5
        signal = torch.zeros(rows, length, self.vocabulary)
        if half.any():
            with torch.no_grad():
                first = self.model.model.decoder(decoder_input_ids=noisy[half], cache=self.prompt_cache(cache, half),
                                                 decoder_position_ids=positions)
                signal[half] = self.capped(first.last_hidden_state)
        decoded = self.model.model.decoder(decoder_input_ids=noisy, cache=self.prompt_cache(cache), decoder_position_ids=positions,
                                           self_conditioning_logits=signal, self_conditioning_mask=half)
        denoising = F.cross_entropy(self.capped(decoded.last_hidden_state).flatten(0, 1), self.clean.flatten())
        balance = []
        for probabilities, _, indices in self.routing:
            share = torch.bincount(indices.flatten(), minlength=probabilities.shape[1]) / indices.numel()
            balance.append((share * probabilities.mean(0)).sum() * probabilities.shape[1])
        loss = denoising + 0.5 * causal + 0.01 * torch.stack(balance).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        torch._foreach_lerp_(self.average, [p.detach() for p in self.trained], 0.001)
        return loss.item()

    def tokens_per_second(self):
        for _ in range(WARM_UP):
            self.step()
        times = []
        for _ in range(STEPS):
            start = time.perf_counter()
            self.step()
            times.append(time.perf_counter() - start)
        return self.tokens / statistics.median(times)


def ours(program, checkpoint, work, batch, threads):
    """The median over the steps, as the training's own log has it."""
    folder = work / f"training-{time.time_ns()}"
    subprocess.run([program, "train", "initial=checkpoint", f"initial.folder={checkpoint}", "task.side=6", "task.givens=[6,24]",
                    f"training.batch={batch}", f"training.steps={WARM_UP + STEPS}", "training.causal_weight=0.5",
                    "training.learning_rate=1e-4", "training.validate_every=100000", "training.validation_samples=1",
                    "sampler.steps=1", "training.save_every=100000", f"threads={threads}", f"hydra.run.dir={folder}"],
                   check=True, capture_output=True)
    # The system's Python, which has h5py.
    read = f"import h5py; print(*h5py.File('{folder}/metrics.h5')['training/tokens_per_second'][{WARM_UP}:])"
    values = subprocess.run(["/usr/bin/python3", "-c", read], check=True, capture_output=True, text=True).stdout.split()
    return statistics.median(map(float, values))


def rows_of(checkpoint, batch):
    import json

    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(checkpoint / "tokenizer.json"))
    lines = [json.loads(line) for line in (checkpoint / "prompts.jsonl").read_text().splitlines()[:batch]]
    key = "one_solution"
    prompt = [tokenizer(line["prompt"])["input_ids"] for line in lines]
    clean = [tokenizer(line[key], add_special_tokens=False)["input_ids"] for line in lines]
    return torch.tensor(prompt), torch.tensor(clean)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--checkpoint", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    rows = rows_of(given.checkpoint, given.batch)
    references = {name: Reference(given.checkpoint, name, rows, given.threads) for name in ("eager", "grouped_mm")}
    ratios = []
    for index in range(given.rounds):
        theirs = {name: reference.tokens_per_second() for name, reference in references.items()}
        mine = ours(given.program, given.checkpoint, given.work, given.batch, given.threads)
        ratios.append(mine / max(theirs.values()))
        text = ", ".join(f"reference ({name}) {value:.0f}" for name, value in theirs.items())
        print(f"round {index + 1}: tokens/s: {text}, canvaslab {mine:.0f}: {ratios[-1]:.2f} times the faster", flush=True)
    print(f"median: canvaslab trains {statistics.median(ratios):.2f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
