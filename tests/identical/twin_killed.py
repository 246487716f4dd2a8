"""twin_killed - kills runs at random times, also while they write snapshots and checkpoints, and
resumes them until they are complete. Their data equal the uninterrupted run's, and the files after
each kill can be read.

usage: twin_killed.py [KILLS]    (default: 60)"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

from say_resume import MODEL

PROGRAM = os.environ["RDSIM_PROGRAM"]
KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
# Has counts, individuals with lineage, events that change parameters, an absorbing wall; two runs.
GROUP = MODEL.replace("edge = 1.0; }", 'edge = 1.0; walls = { xmin = "absorb"; }; }')
# Has many runs of which statistics are kept.
MANY = """
grid = { voxels = (8, 6); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.5; } );
reactions = ( { equation = "A + B -> 2 B"; rate = 0.02; }, { equation = "B -> A"; rate = 0.3; } );
initial = ( { species = "A"; density = 8; }, { species = "B"; density = 2; } );
time = { end = 6; step = 0.004; };
output = { every = 0.05; keep = "statistics"; };
run = { seed = 3; runs = 100; };
"""
# Uses the exact solver.
EXACT = """
grid = { voxels = (16, 16); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.5; } );
reactions = ( { equation = "A + B -> 2 B"; rate = 0.05; }, { equation = "B -> A"; rate = 0.3; } );
initial = ( { species = "A"; density = 20; }, { species = "B"; density = 2; } );
time = { end = 60; };
output = { every = 0.5; };
solver = "exact";
"""


def rdsim(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}"
    return done.stdout


def command(name):
    """Returns the command that resumes from the checkpoint, or starts again if there is none."""
    return [PROGRAM, f"{name}.cfg", "--output", f"{name}.h5", "--backend", "cpu", "--threads", "2",
            "--checkpoint-every", "25ms", "--progress", "none", "--resume"]


def killed(words, seconds):
    """Kills the process after this time; returns its exit status, 0 if it completed before."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
        messages = run.communicate()[1]
    assert run.returncode in (0, -signal.SIGKILL), f"{words}: {run.returncode}: {messages}"
    return run.returncode


def look(name):
    """Checks that the files after a kill can be read and are correct. (A resumed run drops the
    snapshots after its checkpoint and repeats them, so that there may be fewer than before.)"""
    if not os.path.exists(f"{name}.h5"):
        return
    with h5py.File(f"{name}.h5") as there, h5py.File(f"{name}.whole.h5") as whole:
        n = len(there["time"])
        assert np.array_equal(there["time"], whole["time"][:n])
        mean = "statistics/total_mean"
        assert np.array_equal(there[mean], whole[mean][:n]), f"{name}: means of {n} snapshots"
        if "counts" in there:
            assert np.array_equal(there["counts"], whole["counts"][:, :n]), f"{name}: counts"


def torture(name, text, kills, dice):
    """Kills the run so often, unless it completes; then completes it and compares. Returns the
    number of kills."""
    pathlib.Path(f"{name}.cfg").write_text(text)
    begin = time.monotonic()
    rdsim(f"{name}.cfg", "--output", f"{name}.whole.h5", "--backend", "cpu", "--threads", "1",
          "--progress", "none")
    lasts = time.monotonic() - begin
    n_kills = 0
    while n_kills < kills:
        if killed(command(name), dice.uniform(0.02, 0.6 * max(lasts, 0.3))) == 0:
            break
        n_kills += 1
        look(name)
    if n_kills == kills:
        subprocess.run(command(name), check=True, capture_output=True, timeout=300)
    messages = rdsim("diff", f"{name}.whole.h5", f"{name}.h5")
    assert "identical" in messages, messages
    for path in (f"{name}.h5", f"{name}.whole.h5"):
        os.remove(path)
    return n_kills


def main():
    dice = random.Random(20)
    n_kills, n_runs = 0, 0
    while n_kills < KILLS:
        name, text = (("group", GROUP), ("many", MANY), ("exact", EXACT))[n_runs % 3]
        n_kills += torture(name, text, KILLS - n_kills, dice)
        n_runs += 1
    print(f"{n_kills} kills, {n_runs} runs: all equal those that were left alone")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
