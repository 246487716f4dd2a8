"""say_leftover - a run is killed at any of the last calls that change files: --resume, or the sweep,
ends it to the same data, and nothing is left beside the result."""
import os
import pathlib
import random
import shutil
import signal
import subprocess

from say_main import run_cases
from say_resume import ONE, PROGRAM, assert_same, rdsim, said

MODEL = """
grid = { cells = (8, 6); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; },
            { name = "W"; individuals = { max = 100; record = "lineage"; }; } );
reactions = ( { equation = "0 -> A"; rate = 0.2; }, { equation = "W -> 2 W"; rate = 0.1; } );
initial = ( { species = "A"; density = 2; }, { species = "W"; count = 5; } );
time = { end = 0.4; step = 0.02; };
output = { every = 0.1; };
run = { seed = 5; runs = 4; };
"""
LAST, CHOSEN = 40, 14  # of the last calls so many are tried


def on_disk(*words, kill_at):
    """Status, and how many calls there were if it came to its end."""
    where = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], TOLD="calls.txt",
                 KILL_AT=str(kill_at))
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, env=where)
    calls = pathlib.Path("calls.txt")
    n = int(calls.read_text().split()[-1]) if done.returncode == 0 else 0
    calls.unlink(missing_ok=True)
    return done.returncode, n


def killed_near_the_end(*more):
    """At places of the last calls, among them all that follow the last renaming."""
    pathlib.Path("run.cfg").write_text(MODEL)
    words = ("run.cfg", *ONE, "--progress", "none", "--checkpoint-every", "1ms", *more)
    status, n = on_disk(*words, kill_at=1 << 40)
    assert status == 0 and n > LAST, f"status {status}, {n} calls"
    os.rename("run.h5", "whole.h5")
    places = set(range(n - 7, n + 1)) | set(random.Random(3).sample(range(n - LAST, n), CHOSEN))
    n_left = 0
    for place in sorted(places):
        status, _ = on_disk(*words, kill_at=place)
        assert status == -signal.SIGKILL or place > n - 3, f"call {place} of {n}: status {status}"
        was_whole = os.path.exists("run.h5") and "complete" in rdsim("info", "run.h5").stdout
        is_left = was_whole and os.path.exists("run.h5.parts")
        done = rdsim(*words[:-2], "--resume") if not more else rdsim(*words, "--resume")
        assert sorted(os.listdir()) == ["run.cfg", "run.h5", "whole.h5"], \
            f"call {place} of {n}: {os.listdir()}"
        if is_left:
            n_left += 1
            said(done.stderr, "run.h5.parts: was left by a kill after run.h5 was complete")
        assert_same("whole.h5", "run.h5")
        os.remove("run.h5")
    print(f"{len(places)} kills near the end, of which {n_left} left a whole result")
    assert n_left > 2, "none of the kills came between the result and the end"


def a_kill_after_the_result_leaves_nothing():
    killed_near_the_end()


def nor_do_batches():
    killed_near_the_end("--at-once", "2")


def left_over(words):
    """A kill behind the renaming of the result: a directory is left."""
    _, n = on_disk(*words, kill_at=1 << 40)
    for place in range(n, n - LAST, -1):
        shutil.rmtree("run.h5.parts", ignore_errors=True)
        os.remove("run.h5")
        on_disk(*words, kill_at=place)
        if os.path.exists("run.h5") and os.path.exists("run.h5.parts/lock"):
            return
    raise AssertionError("no kill leaves a directory")


def what_another_run_has_begun_stays():
    """With --force over a whole result, of other values: it goes on where it was."""
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


def a_sweep_removes_it_too():
    pathlib.Path("run.cfg").write_text(MODEL)
    pathlib.Path("s.cfg").write_text('base = "run.cfg"; output = "{task}.h5"; '
                                     'vary = ( { path = "run.runs"; values = (4, 3); } );')
    rdsim("sweep", "s.cfg", "--backend", "cpu")
    os.mkdir("1.h5.parts")
    pathlib.Path("1.h5.parts/lock").write_text("")
    pathlib.Path("1.h5.parts/000003.h5").write_text("")
    rdsim("sweep", "s.cfg", "--backend", "cpu")
    assert not os.path.exists("1.h5.parts"), os.listdir()


CASES = [a_kill_after_the_result_leaves_nothing, nor_do_batches, what_another_run_has_begun_stays,
         a_sweep_removes_it_too]

if __name__ == "__main__":
    run_cases(CASES)
