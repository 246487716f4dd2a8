"""say_leftover - tests a run that is killed at any of the last calls that change files. --resume,
or the sweep, completes it with the same data and leaves no other files with the result."""
import os
import pathlib
import random
import signal
import subprocess

from say_main import run_cases
from say_resume import ONE, PROGRAM, assert_message, assert_same, rdsim

MODEL = """
grid = { voxels = (8, 6); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; },
            { name = "W"; individuals = { max = 100; record = "lineage"; }; } );
reactions = ( { equation = "0 -> A"; rate = 0.2; }, { equation = "W -> 2 W"; rate = 0.1; } );
initial = ( { species = "A"; density = 2; }, { species = "W"; count = 5; } );
time = { end = 0.4; step = 0.02; };
output = { every = 0.1; };
run = { seed = 5; runs = 4; };
"""
LAST, CHOSEN = 40, 14  # last calls of the run, and how many of them are tested


def on_disk(*words, kill_at, kill_after=None):
    """Runs the program; returns its status, and the number of calls if it completed. If kill_after
    names a file, calls count from the one that gives a file this name."""
    where = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], CALLS="calls.txt",
                 KILL_AT=str(kill_at))
    if kill_after:
        where["KILL_AFTER"] = kill_after
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, env=where)
    calls = pathlib.Path("calls.txt")
    n = int(calls.read_text().split()[-1]) if done.returncode == 0 else 0
    calls.unlink(missing_ok=True)
    return done.returncode, n


def resumed(words, place):
    """Resumes after a kill and compares the data; returns whether the kill left a directory after a
    complete result."""
    was_whole = os.path.exists("run.h5") and "complete" in rdsim("info", "run.h5").stdout
    is_left = was_whole and os.path.exists("run.h5.parts")
    done = rdsim(*words, "--resume")
    assert sorted(os.listdir()) == ["run.cfg", "run.h5", "whole.h5"], f"{place}: {os.listdir()}"
    if is_left:
        assert_message(done.stderr, "run.h5.parts: is left by a killed process, although run.h5 is complete")
    assert_same("whole.h5", "run.h5")
    os.remove("run.h5")
    return is_left


def killed_near_the_end(*more):
    """Kills the run at some of the last calls. Checkpoints are written by the clock, so that a run
    may complete with fewer calls than the first one. Without checkpoints, kills it at each call
    after the result."""
    pathlib.Path("run.cfg").write_text(MODEL)
    plain = ("run.cfg", *ONE, "--progress", "none", *more)
    words = (*plain, "--checkpoint-every", "1ms")
    status, n = on_disk(*words, kill_at=1 << 40)
    assert status == 0 and n > LAST, f"status {status}, {n} calls"
    os.rename("run.h5", "whole.h5")
    for place in sorted(random.Random(3).sample(range(n - LAST, n), CHOSEN)):
        status, _ = on_disk(*words, kill_at=place)
        assert status in (0, -signal.SIGKILL), f"call {place} of {n}: status {status}"
        resumed(words, f"call {place} of {n}")
    status, n_after = on_disk(*plain, kill_at=1 << 40, kill_after="run.h5")
    assert status == 0 and n_after > 2, f"status {status}, {n_after} calls after the result"
    os.remove("run.h5")
    n_left = 0
    for place in range(1, n_after + 1):
        status, _ = on_disk(*plain, kill_at=place, kill_after="run.h5")
        assert status == -signal.SIGKILL, f"call {place} of {n_after}: status {status}"
        n_left += resumed(plain, f"call {place} of {n_after} after the result")
    print(f"{n_after} kills after the result, of which {n_left} left a directory")
    assert n_left > 2


def a_kill_after_the_result_leaves_nothing():
    killed_near_the_end()


def a_kill_of_batches_leaves_nothing():
    killed_near_the_end("--at-once", "2")


def left_over(words):
    """Kills the run at the first call after the result has its name, which leaves a directory."""
    status, _ = on_disk(*words, kill_at=1, kill_after="run.h5")
    assert status == -signal.SIGKILL and os.path.exists("run.h5.parts/lock"), os.listdir()


def files_of_another_run_stay():
    """Tests --force over a complete result with other values: the new run resumes from its
    checkpoint."""
    pathlib.Path("run.cfg").write_text(MODEL)
    left_over(("run.cfg", *ONE, "--progress", "none"))
    rdsim("run.cfg", *ONE, "--resume")
    assert not os.path.exists("run.h5.parts")
    rdsim("run.cfg", *ONE, "--seed", "6", "--at-once", "2", "--output", "other.h5")
    words = ("run.cfg", *ONE, "--seed", "6", "--at-once", "2", "--checkpoint-every", "1ms")
    on_disk(*words, "--force", kill_at=60)
    assert any(name.endswith(".checkpoint") for name in os.listdir("run.h5.parts"))
    assert "complete" in rdsim("info", "run.h5").stdout, "the whole result is still there"
    rdsim(*words, "--resume")
    assert_same("other.h5", "run.h5")


def a_sweep_removes_left_folders():
    pathlib.Path("run.cfg").write_text(MODEL)
    pathlib.Path("s.cfg").write_text('base = "run.cfg"; output = "{task}.h5"; '
                                     'vary = ( { path = "run.runs"; values = (4, 3); } );')
    rdsim("sweep", "s.cfg", "--backend", "cpu")
    os.mkdir("1.h5.parts")
    pathlib.Path("1.h5.parts/lock").write_text("")
    pathlib.Path("1.h5.parts/000003.h5").write_text("")
    rdsim("sweep", "s.cfg", "--backend", "cpu")
    assert not os.path.exists("1.h5.parts"), os.listdir()


CASES = [a_kill_after_the_result_leaves_nothing, a_kill_of_batches_leaves_nothing,
         files_of_another_run_stay, a_sweep_removes_left_folders]

if __name__ == "__main__":
    run_cases(CASES)
