"""twin_python_killed - kills programs that step and edit a run, at random times, and starts them
again with resume=True until they end. The result has the bytes of one that was left alone.

usage: twin_python_killed.py [KILLS]    (default: 16)
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = os.environ.get("TWIN_PATH", "").split(os.pathsep)  # of a process that main() starts

import python_package  # noqa: F401
import rdsim
from twin_python import MODEL, assert_again, assert_same

KILLS = int(sys.argv[1]) if len(sys.argv) == 2 else 16
# Has an event on a condition that edits make true, and one at a time of `every`.
EVENTS = MODEL.replace("time = { end = 6.0; };", """time = { end = 6.0; step = 0.01; };
events = ( { when = "total(A) > 120"; repeat = true; remove = { species = "A"; count = 30; }; },
    { time = 2.0; set = { k = 0.5; }; } );""")
EXACT = """
grid = { voxels = (6, 5); edge = 1.0; };
parameters = { k = 0.3; };
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; diffusion = 0.1; } );
reactions = ( { equation = "A -> B"; rate = "k"; }, { equation = "B -> A"; rate = 0.1; } );
initial = ( { species = "A"; count = 500; } );
time = { end = 6.0; };
output = { every = 1.5; };
solver = "exact";
"""


def edit(session, number):
    """Makes edits that depend on the state and on the number of the look alone."""
    a = session.totals()["A"]
    if number % 3 == 0:
        session.add("A", 20)
    most = session.counts("A").copy().reshape(-1, 1, 5, 6).max(axis=0)
    session.convert("A", "B", where=most > 6)
    if number % 4 == 1:
        session.set(k=0.1 + 0.01 * (int(a.sum() if hasattr(a, "sum") else a) % 40))
    if number % 5 == 2 and "C" in session.species:
        session.add("C", voxels=[number % 30], attributes={"age": [0.5]})
        session.remove("C", fraction=0.2)


def step(to, text, every, dt, runs):
    """Runs the program whose process is killed. It has no memory but the run itself."""
    with rdsim.Model(text).start(to=to, every=every, runs=runs, resume=True, threads=1,
                                 backend="cpu", checkpoint_every="2ms") as session:
        print("begun", flush=True)
        while not session.is_over:
            edit(session, int(100 * session.time))
            session.advance(dt)
        session._handle.call("finish")
        os._exit(0)  # an end without the imports that open the result


def watched(words, seconds=None):
    """Runs the program. Kills it so long after its start, if seconds are given. Returns the seconds
    from its start to its end, and whether it was killed."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "begun\n", run.stderr.read()
        begun = time.monotonic()
        if seconds is not None:
            time.sleep(seconds)
            run.send_signal(signal.SIGKILL)
        run.stdout.readline()
        lasts = time.monotonic() - begun
        messages = run.communicate()[1]
    assert run.returncode in (0, -signal.SIGKILL), messages
    return lasts, run.returncode != 0


def torture(name, how, kills, dice):
    """Kills the program so often, unless it ends; lets it end, and compares. Returns the number of
    kills, and how many left a checkpoint."""
    words = [sys.executable, "-W", "ignore", __file__, "--step", f"{name}.h5", name, *map(repr, how)]
    lasts, _ = watched([*words[:5], "whole.h5", *words[6:]])
    n, left = 0, 0
    while n < kills and watched(words, dice.uniform(0, 0.8) * lasts)[1]:
        parts = f"{name}.h5.parts"
        left += os.path.exists(parts) and any(x.endswith(".checkpoint") for x in os.listdir(parts))
        n += 1
    watched(words)
    assert_same("whole.h5", f"{name}.h5")
    assert_again(f"{name}.h5")
    assert not os.path.exists(f"{name}.h5.parts")
    for path in ("whole.h5", f"{name}.h5"):
        os.remove(path)
    return n, left


MODELS = {"events": EVENTS, "exact": EXACT}
WAYS = (("events", (0.05, None, 1)), ("events", (None, 0.03, 3)), ("exact", (0.04, None, 1)),
        ("events", (0.5, 0.07, 2)))


def main():
    dice = random.Random(7)
    n, resumed, i = 0, 0, 0
    while n < KILLS:
        name, how = WAYS[i % len(WAYS)]
        done, from_checkpoint = torture(name, how, min(KILLS - n, 6), dice)
        n, resumed, i = n + done, resumed + from_checkpoint, i + 1
    print(f"{n} kills, {resumed} with a checkpoint: all equal those that were left alone")
    assert resumed > n / 3, resumed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step(sys.argv[2], MODELS[sys.argv[3]], *map(eval, sys.argv[4:]))  # written by torture()
        sys.exit()
    os.environ["TWIN_PATH"] = os.pathsep.join(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
