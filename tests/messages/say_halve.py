"""say_halve - `rdsim check --halve` runs a model at its step and at half of it, prints what that
changes, and writes nothing."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
PAIR = """
grid = { voxels = 6; edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; }, { name = "C"; } );
reactions = ( { equation = "A + B -> C"; rate = 2; } );
initial = ( { species = "A"; count = 1; voxel = 0; }, { species = "B"; count = 1; voxel = 5; } );
time = { end = 4; step = STEP; };
output = { every = 4; file = "there.h5"; };
"""
FAULTY = """
grid = { voxels = 1; edge = 1.0; };
species = ( { name = "A"; } );
reactions = ( { equation = "A -> 2 A"; propensity = "A * (1 - 2 * (A > 6))"; } );
initial = ( { species = "A"; count = 1; } );
time = { end = 1; step = 0.5; };
"""


def halved(text, *words, status=0):
    """Returns the lines about half of the step, or none if the command fails."""
    pathlib.Path("m.cfg").write_text(text)
    before = sorted(os.listdir())
    done = subprocess.run([PROGRAM, "check", "m.cfg", "--halve", "--backend", "cpu", *words],
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == status, done.stderr
    assert (status == 0) == (done.stderr == ""), done.stderr
    assert sorted(os.listdir()) == before, "a file was written"
    return [line[12:] for line in unwrapped(done.stdout).splitlines() if line.startswith("halve ")]


def number(line, what):
    return float(re.search(what + r" (-?[0-9.e-]+)", line).group(1))


def a_long_step_is_seen():
    """The pair survives to t = 4 with an error of .0511 at a step of 1, .0198 at .5 (theory.md), so
    that half of the step changes the total of A by -.0313."""
    lines = halved(PAIR.replace("STEP", "1.0"), "--runs", "20000", "--seed", "3")
    assert lines[0] == ("20000 runs (the model has 20000) at a step of 1 and of 0.5; seed 3 for both, "
                        "compared run by run"), lines
    assert [line.split(":")[0] for line in lines[1:4]] == ["A", "B", "C"], lines
    by, error = number(lines[1], "difference"), float(lines[1].split("+- ")[1].split(":")[0])
    assert 0.003 < error < 0.005 and abs(by + 0.0313) < 5 * error, lines
    assert abs(number(lines[1], "A:") - 0.7966) < 0.015, lines
    assert all(line.endswith(": significant") for line in lines[1:4]), lines
    assert lines[4] == ("3 of 3 totals change by more than 3 standard errors; take a time.step of 0.5 "
                        "or less, and halve again"), lines


def a_short_step_is_good():
    lines = halved(PAIR.replace("STEP", "0.05"), "--runs", "2000")
    assert not any("significant" in line for line in lines), lines
    assert lines[4] == ("no total changes by more than 3 standard errors; more runs (--runs N) show "
                        "smaller differences"), lines
    assert lines == halved(PAIR.replace("STEP", "0.05"), "--runs", "2000", "--at-once", "300")


def there_are_enough_runs_for_an_error():
    lines = halved(PAIR.replace("STEP", "0.5"))
    assert lines[0].startswith("16 runs (the model has 1) at a step of 0.5 and of 0.25;"), lines
    assert lines[-1].startswith("no total changes by more than 4 standard errors"), lines


def runs_that_fault_are_left_out():
    lines = halved(FAULTY, "--runs", "40")
    n = int(lines[0].split()[0])
    assert 2 <= n < 40 and lines[1].startswith("A: "), lines
    assert halved(FAULTY.replace("count = 1", "count = 6"), "--set", "time.end=20", status=2) == []
    # two runs are enough for an error, unless both differ by the same number
    for seed in range(200):
        lines = halved(FAULTY, "--runs", "16", "--set", "time.end=3", "--seed", str(seed))
        if lines[0].startswith("2 runs") and not lines[1].endswith("+- 0"):
            break
    assert lines[0].startswith("2 runs") and float(lines[1].split("+- ")[1].split(":")[0]) > 0, lines


def the_exact_solver_has_no_step():
    text = PAIR.replace("STEP", "1.0") + 'solver = "exact";'
    assert halved(text) == ["the exact solver needs no step: nothing changes"]


def json_has_the_lines():
    pathlib.Path("m.cfg").write_text(PAIR.replace("STEP", "0.5"))
    done = subprocess.run([PROGRAM, "check", "m.cfg", "--halve", "--json"], capture_output=True,
                          text=True, timeout=600, check=True)
    assert len(json.loads(done.stdout)["report"]["halve"]) == 5, done.stdout


def a_signal_ends_it():
    pathlib.Path("m.cfg").write_text(PAIR.replace("STEP", "1e-5"))
    with subprocess.Popen([PROGRAM, "check", "m.cfg", "--halve", "--runs", "100000"],
                          stdout=subprocess.DEVNULL) as running:
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == -signal.SIGINT


CASES = [a_long_step_is_seen, a_short_step_is_good, there_are_enough_runs_for_an_error,
         runs_that_fault_are_left_out, the_exact_solver_has_no_step, json_has_the_lines,
         a_signal_ends_it]

if __name__ == "__main__":
    run_cases(CASES)
