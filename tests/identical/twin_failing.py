"""twin_failing - tests runs on a failing disk. Any call may fail, once or from then on: nothing
crashes, the files are readable and correct, and --resume on a good disk completes the run with the
same data. A slow disk delays the run and takes no memory."""
import os
import pathlib
import random
import subprocess

import h5py
import numpy as np

from say_main import run_cases
from say_resume import MODEL, PROGRAM, rdsim

# Short enough for some hundred runs, with many checkpoints, and a segment before each.
SHORT = MODEL.replace("voxels = (30, 20)", "voxels = (10, 8)").replace("end = 4;", "end = 0.4;") \
             .replace("every = 0.1; }", "every = 0.04; }")
WORDS = ("run.cfg", "--backend", "cpu", "--threads", "1", "--progress", "none",
         "--checkpoint-every", "4ms", "--resume")
FOREVER = 1 << 40
# Writes a snapshot of one MiB after every step.
MUCH = """
grid = { voxels = (64, 64, 64); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; } );
initial = ( { species = "A"; density = 1; } );
time = { end = 3.0; step = 0.01; };
output = { every = 0.01; compression = 0; };
"""


def on_bad_disk(*words, **how):
    """Runs the program there; returns its exit status, its messages, and the number of calls of
    each kind."""
    more = {name.upper(): str(value) for name, value in how.items()}
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=1000, check=False,
                          env=dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"],
                                   CALLS="calls.txt", **more))
    calls = [line.split() for line in pathlib.Path("calls.txt").read_text().splitlines()]
    return done.returncode, done.stderr, {kind: int(n) for kind, n in calls}


def assert_readable_data_is_right():
    if not os.path.exists("run.h5"):
        return
    with h5py.File("run.h5") as there, h5py.File("whole.h5") as whole:
        n = len(there["time"])
        assert np.array_equal(there["time"], whole["time"][:n]), "times"
        assert np.array_equal(there["counts"], whole["counts"][:, :n]), "counts"


def assert_nothing_was_missed(kind, has_failed, messages, what):
    """Checks that the result is complete. Only a checkpoint may be lost, with a warning, or the
    fsync of a folder, which some file systems never do."""
    assert not has_failed or kind == "fsync_folder" or \
        "no checkpoint is written at t = " in messages, what
    assert rdsim("diff", "whole.h5", "run.h5").stdout.startswith("identical"), what


def fail_and_resume(kind, call, count):
    """Returns the exit status on the failing disk. Checkpoints are written by the clock, so that a
    run may end before the call occurs."""
    status, messages, calls = on_bad_disk(*WORDS, fail_kind=kind, fail_from=call, fail_count=count)
    what = f"{kind} {call} failed, and {count - 1} after it: status {status}: {messages}"
    assert status in (0, 1, 2), what
    if status == 0:
        assert_nothing_was_missed(kind, calls[kind] >= call, messages, what)
    else:
        assert "No space left on device" in messages, what
    assert_readable_data_is_right()
    rdsim(*WORDS)
    assert rdsim("diff", "whole.h5", "run.h5").stdout.startswith("identical"), what
    assert sorted(os.listdir()) == ["calls.txt", "run.cfg", "run.h5", "whole.h5"], os.listdir()
    os.remove("run.h5")
    return status


def whole():
    """Returns the number of calls of each kind in a complete run."""
    pathlib.Path("run.cfg").write_text(SHORT)
    status, messages, calls = on_bad_disk(*WORDS)
    assert status == 0 and min(calls.values()) > 0, f"status {status}, {calls}: {messages}"
    os.rename("run.h5", "whole.h5")
    return calls


def failures():
    """Returns failures for each kind of call: single ones, early and anywhere, and one from then
    on. Returns all of them, or the tenth that RDSIM_DRAW selects."""
    dice = random.Random(5)
    every = []
    for kind, n in whole().items():
        every += [(kind, call, 1) for call in sorted({1, min(2, n), min(3, n), dice.randint(1, n)})]
        every.append((kind, dice.randint(1, n), FOREVER))
    seed = os.environ.get("RDSIM_DRAW")
    return every if seed is None else every[int(seed) % 10::10]


def any_call_may_fail():
    tried = failures()
    ends = [fail_and_resume(*failure) for failure in tried]
    print(f"of {len(ends)} runs {ends.count(0)} came to their end, {ends.count(1)} stopped, "
          f"{ends.count(2)} never began")
    assert "RDSIM_DRAW" in os.environ or ends.count(1) > 0 and ends.count(2) > 0, ends


def a_run_continues_without_checkpoints():
    """Makes write() fail, which only checkpoints use."""
    whole()
    status, messages, _ = on_bad_disk(*WORDS, fail_kind="write", fail_from=3, fail_count=FOREVER)
    assert status == 0 and messages.count("no checkpoint is written at t = ") == 1, messages
    assert ".checkpoint: cannot be written: No space left on device" in messages, messages
    assert rdsim("diff", "whole.h5", "run.h5").stdout.startswith("identical")


def a_slow_disk_takes_no_memory():
    """Tests that waiting snapshots take 64 MiB of the limit of 300; the rest is for the program and
    HDF5."""
    pathlib.Path("much.cfg").write_text(MUCH)
    where = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], SLOW_US="10000")
    with subprocess.Popen([PROGRAM, "much.cfg", "--backend", "cpu", "--progress", "none"],
                          env=where, stdout=subprocess.DEVNULL) as run:
        _, run.returncode, used = os.wait4(run.pid, 0)
    assert run.returncode == 0
    with h5py.File("much.h5") as file:
        waited = file["provenance"].attrs["seconds_WAIT"][0]
        assert len(file["time"]) == 301 and (file["totals"][...] == 64 ** 3).all()
    mib = used.ru_maxrss / 1024
    print(f"{mib:.0f} MiB; waited for {waited:.1f} s")
    assert waited > 0.5 and mib < 150, f"{mib} MiB, waited for {waited} s"


CASES = [any_call_may_fail, a_run_continues_without_checkpoints,
         a_slow_disk_takes_no_memory]

if __name__ == "__main__":
    run_cases(CASES)
