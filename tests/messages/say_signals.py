"""say_signals - tests signals that arrive early, late, or during a long step: nothing is lost, the
message says what is repeated, and --resume gives the same result."""
import os
import pathlib
import signal
import subprocess
import time

from say_main import run_cases
from say_resume import (ONE, PROGRAM, TWO, assert_message, assert_same, begun, checkpoints, config,
                        rdsim)

# A step takes some hundredths of a second or more; an output follows every two steps.
LONG = """
grid = { voxels = (WIDE, WIDE, WIDE); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.5; } );
reactions = ( { equation = "A + B -> 2 B"; rate = 0.05; } );
initial = ( { species = "A"; density = 4; }, { species = "B"; density = 0.5; } );
time = { end = 0.6; step = 0.05; };
output = { every = 0.1; keep = "totals"; };
run = { seed = 3; };
"""
# Many events occur between two outputs.
EXACT = """
grid = { voxels = (20, 20); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.5; } );
reactions = ( { equation = "A + B -> 2 B"; rate = 0.05; }, { equation = "B -> A"; rate = 0.3; } );
initial = ( { species = "A"; density = 20; }, { species = "B"; density = 2; } );
time = { end = 100; };
output = { every = 20; };
run = { seed = 3; };
solver = "exact";
"""


def started(*words, **more):
    return subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def long_model(name="long.cfg", wide=64):
    return config(name, LONG.replace("WIDE", str(wide)))


def a_closed_pipe_stops_at_a_checkpoint():
    """Tests a closed pipe, as in `rdsim run.cfg 2>&1 | head -1`."""
    config("long.cfg")
    rdsim("long.cfg", *ONE, "--output", "whole.h5")
    reader, writer = os.pipe()
    with subprocess.Popen([PROGRAM, "long.cfg", *ONE], stdout=writer, stderr=writer) as run:
        os.close(writer)
        until = time.monotonic() + 60
        while not os.path.exists("long.h5.parts/temporary.h5") and time.monotonic() < until:
            time.sleep(0.005)
        os.close(reader)
        run.send_signal(signal.SIGPIPE)
        status = run.wait(timeout=600)
    assert status == 75, f"status {status}"
    assert len(checkpoints("long.h5")) == 1, os.listdir()
    rdsim("long.cfg", *ONE, "--resume")
    assert_same("whole.h5", "long.h5")


def the_limit_of_processor_time_stops_at_a_checkpoint():
    """Tests the soft limit, after which the system sends a signal in each further second."""
    long_model()
    limited = ["bash", "-c", 'ulimit -S -t 1; exec "$@"', "bash", PROGRAM, "long.cfg", *ONE,
               "--set", "time.step=0.0005"]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 75, f"{done.returncode}: {done.stderr}"
    assert len(checkpoints("long.h5")) == 1, os.listdir()


def a_pipe_that_is_ignored_stays_ignored():
    config("long.cfg")
    with started("long.cfg", *ONE, "--set", "time.end=0.5", restore_signals=False) as run:
        run.send_signal(signal.SIGPIPE)  # Python ignores it, and so do its child processes
        assert_message(run.communicate(timeout=600)[1], "to t = 0.5")
    assert run.returncode == 0, run.returncode


def sigusr1_does_no_harm_at_any_time():
    """Sends the signal at times from the first handler of the program on."""
    config("long.cfg")
    for delay in (0.03, 0.05, 0.07, 0.1, 0.2):
        with started("long.cfg", *ONE, "--set", "time.end=0.3", "--force") as run:
            until = time.monotonic() + 60
            while "rdsim" not in pathlib.Path(f"/proc/{run.pid}/maps").read_text() or \
                    not is_handled(run.pid):
                assert run.poll() is None and time.monotonic() < until, "it handles no SIGUSR1"
            time.sleep(delay - 0.03)
            run.send_signal(signal.SIGUSR1)
            stderr = run.communicate(timeout=600)[1]
        assert run.returncode == 0, f"after {delay} s: status {run.returncode}: {stderr}"


def is_handled(pid):
    """Returns whether SIGUSR1 is blocked or has a handler, from proc(5)."""
    bits = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(("SigBlk", "SigCgt")):
            bits[line[:6]] = int(line.split()[1], 16)
    return any(bit >> (signal.SIGUSR1 - 1) & 1 for bit in bits.values())


def sigusr1_is_handled_before_the_model_is_read():
    """Uses a pipe as configuration into which nothing is written yet."""
    text = LONG.replace("WIDE", "8")
    with started("/dev/stdin", *ONE, "--output", "late.h5", stdin=subprocess.PIPE) as run:
        until = time.monotonic() + 60
        while not is_handled(run.pid):
            assert run.poll() is None and time.monotonic() < until, "it handles no SIGUSR1"
            time.sleep(0.005)
        for _ in range(3):
            run.send_signal(signal.SIGUSR1)
            time.sleep(0.02)
        stderr = run.communicate(text, timeout=600)[1]
    assert run.returncode == 0, f"status {run.returncode}: {stderr}"


def stopped(words, after, number=signal.SIGTERM):
    """Sends the signal after so many seconds; returns also the seconds until the end."""
    with started(*words) as run:
        until = time.monotonic() + after
        while run.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        begin = time.monotonic()
        run.send_signal(number)
        stdout, stderr = run.communicate(timeout=600)
    return run.returncode, stdout, stderr, time.monotonic() - begin


def a_first_step_that_is_too_long_is_abandoned():
    long_model(wide=200)
    with begun("long.cfg", *ONE, "--grace", "100ms") as run:
        begin = time.monotonic()
        run.send_signal(signal.SIGTERM)
        stderr = run.communicate(timeout=600)[1]
        took = time.monotonic() - begin
    assert run.returncode == 75, f"status {run.returncode}: {stderr}"
    assert_message(stderr,
                   "rdsim: long.h5: the step after t = 0 is abandoned, since it takes more than 0.1 s after the signal",
                   "repeat the command with --resume, which begins at the start and repeats only that step")
    assert took < 5, f"it took {took} s"


def each_long_step_follows_a_checkpoint(text=LONG.replace("WIDE", "64"), least=3):
    """Tests that every step is abandoned and that only this step is repeated."""
    config("long.cfg", text)
    begin = time.monotonic()
    rdsim("long.cfg", *ONE, "--output", "whole.h5")
    pause = (time.monotonic() - begin) / 16
    n, seconds, repeated = 0, 0.0, 0
    while True:
        seconds += pause
        words = ("long.cfg", *ONE, "--grace", "2ms", "--resume", "--progress", "none")
        status, _, stderr, _ = stopped(words, seconds)
        if status == 0 or os.path.exists("long.h5") and not os.path.exists("long.h5.parts"):
            break
        if status == -signal.SIGTERM:
            continue  # the run had not started
        assert status == 75, f"status {status}: {stderr}"
        n += 1
        if "continues from the checkpoint" in stderr:
            repeated += "repeats only that step" in stderr
        assert n < 100, "it comes to no end"
    assert n >= least, f"{n} stops: it was too fast for this test"
    print(f"{n} stops, of which {repeated} in a step behind a checkpoint")
    assert_same("whole.h5", "long.h5")


def the_exact_solver_is_abandoned_between_outputs():
    each_long_step_follows_a_checkpoint(EXACT, least=2)


def a_step_may_end_within_the_grace():
    config("long.cfg")
    with begun("long.cfg", *ONE, "--grace", "1h") as run:
        run.send_signal(signal.SIGTERM)
        stderr = run.communicate(timeout=600)[1]
    assert run.returncode == 75 and "abandoned" not in stderr, stderr
    assert_message(stderr, "rdsim: stopped by a signal at t = ")


def again_leaves_no_files():
    long_model(wide=100)
    rdsim("long.cfg", *TWO, "--set", "time.end=0.05", "--set", "output.every=0.05")
    before = sorted(os.listdir())
    with started("again", "long.h5", *ONE, "--grace", "1ms") as run:
        while len(os.listdir()) == len(before) and run.poll() is None:
            time.sleep(0.005)
        run.send_signal(signal.SIGTERM)
        stderr = run.communicate(timeout=600)[1]
    assert run.returncode == 1, f"status {run.returncode}: {stderr}"
    assert sorted(os.listdir()) == before, os.listdir()


CASES = [
    a_closed_pipe_stops_at_a_checkpoint,
    the_limit_of_processor_time_stops_at_a_checkpoint,
    a_pipe_that_is_ignored_stays_ignored,
    sigusr1_does_no_harm_at_any_time,
    sigusr1_is_handled_before_the_model_is_read,
    a_first_step_that_is_too_long_is_abandoned,
    each_long_step_follows_a_checkpoint,
    the_exact_solver_is_abandoned_between_outputs,
    a_step_may_end_within_the_grace,
    again_leaves_no_files,
]

if __name__ == "__main__":
    run_cases(CASES)
