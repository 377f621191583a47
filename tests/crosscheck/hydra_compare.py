"""Runs hydra-core on every recorded case and on the project's own configurations, and compares: hydra-core with what was
recorded from it, and `canvaslab compose` with hydra-core.

    hydra_compare.py --program build/release/canvaslab --root PROJECT --work DIR

The exit status says whether all agree.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import types
import warnings
from pathlib import Path

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.utils import instantiate
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue

APPLICATION = """
import sys
import hydra
from omegaconf import OmegaConf


@hydra.main(version_base="1.3", config_path=None, config_name="config")
def main(config):
    sys.stdout.write(OmegaConf.to_yaml(config))


main()
"""

# Words that every experiment of ours is composed with.
OVERRIDES = [
    [],
    ["seed=7", "selection.bound=1e-3", "trace=none"],
    ["selection=confidence_threshold", "selection.threshold=.5", "stopping=max_steps"],
    ["~temperature", "+temperature@temperature=constant"],
    ["+extra={a: [1, two, 3.0], b: null}", "++sampler.steps=12", "task.samples=null"],
    ["sampler.suppress=[1,2]", "+note='a, b'", "+copy=${seed}", "+text=seed_${seed}_${sampler.steps}"],
    ["hydra/launcher=local", "hydra/sweeper=random", "hydra.run.dir=elsewhere"],
]

# Values of the override grammar, each written as +value=...
VALUES = """1|+3|-0|1_000|01|1__0|.5|1.|1.e3|1E+5|1e-7|inf|-INF|nan|TRUE|False|NULL|null|yes|None|0x1F|~|a:b|http://x/y|a b|
x_${seed}|'1'|"a'b"|'it\\'s'|'a\\\\'|a\\,b|\\ x|a\\b|[]|{}|[1,[2,{c:d}]]|{a:1,b:{c:[x y,'z']}}|{1: x, true: y, null: z}|int(3.7)|
int('3')|float(3)|str([1,{a:2}])|bool(1)|sort([3,1,2])|sort([b,a],reverse=true)|int([1.5,'2'])|a=b|a&b|[1,|{a}|'|foo(1)|int(x)|
1,2|choice(1,2)|range(3)|é|a'b|$x|%x|@x|-x|a/b|a+b|*|???|2020-01-01|1:30|017|1e3|_|"""

# Sweeps, each written as selection.bound=...
SWEEPS = ["1,2", "choice(a,'b c',[null])", "range(0,1,0.1)", "range(5,1,-2)", "sort(3,1,2)", "'x,y',z", "[1,2],[3]",
          "int(1.5,2)", "tag(t,choice(1,2))", "1_000,.5,TRUE", "${seed},x", "float(range(1,3))", "sort(range(1,4),reverse=true)"]


class Report:
    def __init__(self):
        self.agreed, self.differing = 0, []

    def check(self, what, agrees, detail=""):
        if agrees:
            self.agreed += 1
        else:
            self.differing.append(what)
            print(f"differs: {what}\n{textwrap.indent(str(detail), '    ')}")


def plain(value):
    """JSON of the recordings as Python values."""
    if isinstance(value, dict):
        return float(value["$float"]) if set(value) == {"$float"} else {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def same(a, b):
    """Equal, types and the order of keys included; nan equals nan. Recorded keys are texts."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [str(k) if not isinstance(k, bool) else str(k).lower() for k in a] == list(b) and \
            all(same(x, y) for x, y in zip(a.values(), b.values()))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or a != a and b != b)


class Environment:
    def __init__(self, variables):
        self.variables, self.before = variables, dict(os.environ)

    def __enter__(self):
        for name, value in self.variables.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)

    def __exit__(self, *unused):
        os.environ.clear()
        os.environ.update(self.before)


def composed(folder, name, overrides):
    """hydra-core's composition: the job's configuration and hydra's node."""
    GlobalHydra.instance().clear()
    with initialize_config_dir(config_dir=str(folder), version_base="1.3"):
        whole = compose(config_name=name, overrides=overrides, return_hydra_config=True)
    hydra = whole.hydra
    job = OmegaConf.masked_copy(whole, [k for k in whole if k != "hydra"])
    return job, hydra, whole


def message(error):
    text = ""
    while error is not None:
        text, error = f"{text}\n{error}", error.__cause__
    return text


class Ours:
    def __init__(self, program):
        self.program = program

    def __call__(self, folder, work, words, command="compose"):
        work.mkdir(parents=True, exist_ok=True)
        # Set, these keep the program from starting itself once more to set them.
        settled = {"MKL_CBWR": "AUTO,STRICT", "OMP_WAIT_POLICY": "passive"}
        return subprocess.run([self.program, command, "--config-dir", folder, *words], cwd=work, capture_output=True,
                              text=True, env={**os.environ, **settled})


def write_case(case, work):
    shutil.rmtree(work, ignore_errors=True)
    for path, text in case.get("configs", {}).items():
        file = work / "conf" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for path, text in case.get("extra_files", {}).items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    return work / "conf"


def check_hydra_values(report, what, expected, hydra, whole):
    found = {"choices": {k: v for k, v in OmegaConf.to_container(hydra.runtime.choices).items()
                         if not k.startswith("hydra/")},
             "override_dirname": hydra.job.override_dirname, "task_overrides": OmegaConf.to_container(hydra.overrides.task),
             "hydra_overrides": OmegaConf.to_container(hydra.overrides.hydra)}
    for key, value in expected.items():
        if key == "run_dir":
            from hydra.core.hydra_config import HydraConfig
            HydraConfig.instance().set_config(whole)
            report.check(f"{what} {key}", whole.hydra.run.dir == value, whole.hydra.run.dir)
        else:
            report.check(f"{what} {key}", dict(found[key]) == value if key == "choices" else found[key] == value,
                         found[key])


def compose_case(report, case, ours, work):
    folder, name = write_case(case, work), case.get("config_name", "config")
    overrides, expected = case.get("overrides", []), case["expect"]
    what = f"case {case['id']}"
    with Environment(case.get("env", {})), warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        mine = ours(folder, work / "ours", [*(["--resolve"] if case.get("resolve") else ["--cfg", "job"]),
                                            "--config-name", name, *overrides])
        try:
            job, hydra, whole = composed(folder, name, overrides)
            if case.get("resolve"):
                from hydra.core.hydra_config import HydraConfig
                HydraConfig.instance().set_config(whole)
                container = OmegaConf.to_container(job, resolve=True, throw_on_missing=True)
                text = OmegaConf.to_yaml(job, resolve=True)
            else:
                container, text = OmegaConf.to_container(job), OmegaConf.to_yaml(job)
        except (Exception, MissingMandatoryValue) as error:
            found = message(error)
            wanted = expected.get("error", {}).get("must_mention", ["no error was recorded"])
            report.check(f"{what}: hydra-core's error", all(w in found for w in wanted), found)
            report.check(f"{what}: our error", mine.returncode == 2 and all(w in mine.stderr for w in wanted),
                         mine.stderr)
            return
        report.check(f"{what}: hydra-core and the recording", same(container, plain(expected.get("config"))), container)
        check_hydra_values(report, f"{what}: hydra-core and the recording", expected.get("hydra", {}), hydra, whole)
        report.check(f"{what}: ours and hydra-core", mine.returncode == 0 and mine.stdout == text,
                     f"{mine.stdout}{mine.stderr}\nhydra-core:\n{text}")


def application(folder, work, words):
    work.mkdir(parents=True, exist_ok=True)
    (work.parent / "application.py").write_text(APPLICATION)
    return subprocess.run([sys.executable, "../application.py", "--config-dir", folder, *words], cwd=work,
                          capture_output=True, text=True)


def files(work):
    return {str(p.relative_to(work)): p.read_text() for p in sorted(work.rglob("*")) if p.is_file() and p.suffix != ".log"}


def without_log(text):
    return re.sub(r"^\[[^]]*\]\[HYDRA\].*\n", "", text, flags=re.M)


def without_hydra_rows(table):
    rows = [re.findall(r"\| (\S*) *(?=\|)", line) for line in table.splitlines() if line.startswith("|")]
    return [row for row in rows if not row[0].startswith("hydra/")]


def process_case(report, case, ours, work):
    folder, what = write_case(case, work), f"case {case['id']}"
    expected = case["expect"]
    theirs = application(folder, work / "theirs", case["argv"])
    mine = ours(folder, work / "ours", case["argv"])
    report.check(f"{what}: exit status", theirs.returncode == mine.returncode == 0, theirs.stderr + mine.stderr)
    if "stdout" in expected:
        report.check(f"{what}: hydra-core and the recording", theirs.stdout == expected["stdout"], theirs.stdout)
    if "defaults_list" in expected:
        rows = [[r["config_path"], r["package"], str(r["is_self"]), r["parent"]] for r in expected["defaults_list"]]
        found = without_hydra_rows(theirs.stdout)[1:]
        report.check(f"{what}: hydra-core and the recording", found == rows, found)
        report.check(f"{what}: our table", theirs.stdout == mine.stdout, mine.stdout)
    else:
        report.check(f"{what}: what is printed", without_log(theirs.stdout) == mine.stdout, mine.stdout)
    found, mine_files = files(work / "theirs"), files(work / "ours")
    report.check(f"{what}: files", set(found) == set(mine_files) == set(expected.get("files", found)), set(mine_files))
    for name, text in found.items():
        if not name.endswith(("hydra.yaml", "multirun.yaml")):
            report.check(f"{what}: {name}", mine_files.get(name) == text, mine_files.get(name))
    for job in expected.get("jobs", []):
        stored = yaml.safe_load(found[f"{job['dir']}/.hydra/config.yaml"])
        report.check(f"{what}: hydra-core and the recording, job {job['num']}", same(stored, plain(job["config"])), stored)


def instantiate_case(report, case):
    """Toy classes that note their calls, in a module that the case's targets name."""
    def recorder(target):
        return lambda *args, **kwargs: {"target": target, "args": list(args), "kwargs": kwargs}
    module = types.ModuleType("toy")
    for target in case["targets"]:
        setattr(module, target.split(".")[1], recorder(target))
    sys.modules["toy"] = module
    call = instantiate(OmegaConf.create(case["config"]), _convert_="all")
    report.check(f"case {case['id']}: hydra-core and the recording", call == case["expect"]["call"], call)


def own_configurations(report, root, ours, work):
    folder = root / "configs"
    experiments = sorted(p.stem for p in (folder / "experiment").glob("*.yaml"))
    for experiment in [None, *experiments]:
        for words in OVERRIDES:
            given = ([f"experiment={experiment}"] if experiment else []) + words
            what = f"configs/ {' '.join(given)}"
            try:
                job, hydra, whole = composed(folder, "config", given)
            except Exception as error:
                mine = ours(folder, work, ["--cfg", "job", *given])
                report.check(f"{what}: both refuse", mine.returncode == 2, f"{message(error)}\nours:\n{mine.stdout}")
                continue
            for flags, text in ((["--cfg", "job"], OmegaConf.to_yaml(job)),
                                (["--cfg", "job", "--resolve"], OmegaConf.to_yaml(job, resolve=True))):
                mine = ours(folder, work, [*flags, *given])
                report.check(what, mine.stdout == text, f"{mine.stdout}{mine.stderr}\nhydra-core:\n{text}")
            mine = ours(folder, work, ["--cfg", "hydra", "-p", "hydra.runtime.choices", *given])
            choices = OmegaConf.to_yaml(hydra.runtime.choices)
            report.check(f"{what}: choices", mine.stdout == f"# @package hydra.runtime.choices\n{choices}", mine.stdout)


def grammar(report, root, ours, work):
    folder = root / "configs"
    for value in VALUES.replace("\n", "").split("|"):
        word = f"+value={value}"
        mine = ours(folder, work, ["--cfg", "job", "-p", "value", word])
        try:
            job, _, _ = composed(folder, "config", [word])
            text = OmegaConf.to_yaml(OmegaConf.masked_copy(job, ["value"]))
        except Exception as error:
            report.check(f"{word}: both refuse", mine.returncode == 2, f"{message(error)}\nours:\n{mine.stdout}")
            continue
        mine = ours(folder, work, ["--cfg", "job", word])
        tail = mine.stdout[mine.stdout.rfind("\nvalue:") + 1:]
        report.check(word, tail == text, f"{tail}{mine.stderr}\nhydra-core:\n{text}")


def sweeps(report, root, ours, work):
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser
    for sweep in SWEEPS:
        shutil.rmtree(work / "swept", ignore_errors=True)
        words = [f"selection.bound={sweep}", "seed=1,2"]
        jobs = BasicSweeper.split_arguments(OverridesParser.create().parse_overrides(words), None)[0]
        mine = ours(root / "configs", work / "swept", ["-m", "hydra.sweep.dir=.", *words])
        found = [yaml.safe_load((work / "swept" / str(i) / ".hydra/overrides.yaml").read_text())
                 for i in range(len(jobs))] if mine.returncode == 0 else mine.stderr
        report.check(f"-m {words[0]}", found == jobs, f"{found}\nhydra-core:\n{jobs}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--program", "--root", "--work"):
        parser.add_argument(name, required=True, type=lambda text: Path(text).resolve())
    given = parser.parse_args()
    report, ours = Report(), Ours(given.program)
    shutil.rmtree(given.work, ignore_errors=True)
    cases = json.loads((given.root / "tests/data/hydra_cases/cases.json").read_text())["cases"]
    for case in cases:
        work = given.work / case["id"]
        if case["kind"] == "compose":
            compose_case(report, case, ours, work)
        elif case["kind"] == "instantiate":
            instantiate_case(report, case)
        else:
            process_case(report, case, ours, work)
    print(f"{len(cases)} recorded cases compared")
    own_configurations(report, given.root, ours, given.work / "own")
    grammar(report, given.root, ours, given.work / "grammar")
    sweeps(report, given.root, ours, given.work / "sweeps")
    print(f"{report.agreed} comparisons agree, {len(report.differing)} differ")
    return 1 if report.differing else 0


if __name__ == "__main__":
    sys.exit(main())
