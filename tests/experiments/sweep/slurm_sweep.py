"""Runs a sweep through a real Slurm of one node, started here on the loopback address.

Usage: slurm_sweep.py PROGRAM CELLS FOLDER

One array task is killed halfway (its processes get SIGKILL) and requeued, another is requeued by Slurm itself; the table
must become complete and equal to a sweep that ran in one process. Prints "skipped: REASON" and exits with status 77 where
Slurm cannot be started.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

program, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
daemons = []


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(*words):
    daemons.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return daemons[-1]


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise TimeoutError(what)


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True)


def start_slurm():
    if os.geteuid() != 0:
        skip("slurmd needs root")
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol") if not shutil.which(name)]
    if missing:
        skip(f"not installed: {', '.join(missing)} (packages slurm-wlm and munge)")
    host, base = socket.gethostname().split(".")[0], folder / "slurm"
    for name in ("state", "spool", "munge"):
        (base / name).mkdir(parents=True)
    key = base / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    munge = base / "munge" / "socket"
    start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}",
          *(f"--{name}={base}/munge/{name}" for name in ("pid-file", "log-file", "seed-file")))
    wait_for("munged", munge.exists, 10)
    configuration = base / "slurm.conf"
    configuration.write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge},cred_expire=5
CredType=cred/munge
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=5
JobRequeue=1
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
    os.environ["SLURM_CONF"] = str(configuration)
    start("slurmctld", "-D", "-f", str(configuration))
    start("slurmd", "-D", "-f", str(configuration), "-N", host)
    wait_for("an idle node", lambda: "idle" in ask("sinfo", "--noheader", "--format=%t").stdout, 40)


def stop_slurm():
    if shutil.which("scancel") and "SLURM_CONF" in os.environ:  # jobs outlive the daemons
        ask("scancel", "--partition=short")
        until = time.monotonic() + 10
        while ask("squeue", "--noheader").stdout.strip() and time.monotonic() < until:
            time.sleep(0.2)
    for daemon in reversed(daemons):
        daemon.terminate()
    for daemon in daemons:
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()


def table(sweep):
    shown = ask(program, "sweep", str(sweep), "--json")
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)["cells"]


def running_cell(sweep):
    """The claim of a cell that is being run, with the number of its process."""
    for claim in sweep.glob("*/.cell/*.claim"):
        over = claim.with_suffix(".end").exists() or (claim.parent.parent / "result.json").exists()
        if not over:
            try:
                process = json.loads(claim.read_text())["process"]
                if Path(f"/proc/{process}").exists():
                    return claim, process
            except ValueError:
                pass  # being written at this moment
    return None


def task_of(process):
    environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    values = dict(entry.split(b"=", 1) for entry in environment if b"=" in entry)
    return f"{values[b'SLURM_ARRAY_JOB_ID'].decode()}_{values[b'SLURM_ARRAY_TASK_ID'].decode()}"


words = ["model.checkpoint=sudoku4-uniform", "task.samples=8", "sampler.steps=24", "stopping=max_steps", "threads=1",
         f"seed=range({count})"]


def sweep_through_slurm():
    sweep = folder / "slurm-sweep"
    parent = subprocess.Popen(
        [program, "run", "--multirun", *words, "hydra/launcher=slurm", "hydra.launcher.tasks=2", "hydra.launcher.poll=0.5",
         "hydra.launcher.partition=short", "hydra.launcher.time=10", f"hydra.sweep.dir={sweep}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # Killed: the task's process is gone without a word, as when a machine is lost, and Slurm runs the task again.
    claim, process = wait_for("a running cell", lambda: running_cell(sweep) or parent.poll() is not None and sys.exit(
        parent.communicate()[1]))
    killed = task_of(process)
    os.kill(process, signal.SIGSTOP)  # it must not finish the cell meanwhile
    requeued = ask("scontrol", "requeue", killed)
    assert requeued.returncode == 0, requeued.stderr
    os.kill(process, signal.SIGKILL)
    again = claim.with_name("2.claim")
    wait_for("the killed cell to be taken again", again.exists, 90)
    # Requeued by Slurm, as on preemption: the process gets SIGTERM and gives its cell back.
    claim, process = wait_for("another running cell", lambda: running_cell(sweep))
    polite = task_of(process)
    requeued = ask("scontrol", "requeue", polite)
    assert requeued.returncode == 0, requeued.stderr
    wait_for("a cell to be given back",
             lambda: any("given back" in end.read_text() for end in sweep.glob("*/.cell/*.end")), 30)
    messages = parent.communicate(timeout=600)[1]
    assert parent.returncode == 0, messages
    for task in {killed, polite}:
        restarts = re.search(r"Restarts=(\d+)", ask("scontrol", "show", "job", task).stdout)
        assert restarts and int(restarts[1]) >= 1, f"task {task} was not run again"
    return sweep, f"{killed} killed, {polite} requeued"


def comparable(cells):
    return [{key: cell[key] for key in ("cell", "overrides", "seed", "state", "metrics")} for cell in cells]


alone = folder / "alone"
ran = ask(program, "run", "--multirun", *words, f"hydra.sweep.dir={alone}")
assert ran.returncode == 0, ran.stderr
try:
    try:
        start_slurm()
    except TimeoutError as missing:
        logs = "".join(log.read_text()[-1500:] for log in (folder / "slurm").glob("*.log"))
        skip(f"Slurm did not start: no {missing} {logs}")
    through_slurm, what = sweep_through_slurm()
    assert comparable(table(through_slurm)) == comparable(table(alone))
    attempts = sum(cell["attempts"] for cell in table(through_slurm))
    print(f"{count} cells through Slurm in {attempts} attempts, array tasks {what}: equal to the sweep of one process")
finally:
    stop_slurm()
