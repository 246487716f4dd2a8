"""twin_batches - tests the runs of an ensemble in batches, of one run or of several, on one thread
or two, with either solver, interrupted and resumed: every data set is the same as in one batch."""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

import h5py

from say_main import PROGRAM, assert_message, config, cpu, run_cases, state, unwrapped

# Some runs stop and some fail; walls absorb and let in; regions overlap.
ODD = """
grid = { voxels = (4, 3); edge = 1.0;
    walls = { xmin = { kind = "reservoir"; mean = 1.0; }; xmax = "absorb"; }; };
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; } );
reactions = ( { equation = "A -> 2 A"; propensity = "if(A > 6.5, -1, 0.7 * A)"; },
              { equation = "A -> B"; rate = 0.3; } );
initial = ( { species = "A"; count = 8; } );
events = ( { time = 1.5; add = { species = "B"; count = 1; }; } );
time = { end = 4; step = 0.1; stop = "A == 0 or B > 15"; stop_at = "steps"; };
output = { every = 0.5; };
run = { seed = 43; runs = 13; first = 1000; };
regions = ( { name = "left"; where = "x < 2"; }, { name = "low"; where = "y < 1"; } );
"""
# Has a field that changes, with species whose rates depend on it.
FIELD = """
grid = { voxels = (4, 3); edge = 1.0; };
fields = ( { name = "signal"; value = 1.0; rate = "A - signal"; } );
species = ( { name = "A"; diffusion = 0.5; },
            { name = "B"; diffusion = 0.3; drift = ("0.1 * slope_x(A)", 0); } );
reactions = ( { equation = "A -> B"; rate = "0.1 * signal"; }, { equation = "0 -> A"; rate = 1; } );
initial = ( { species = "A"; count = 20; }, { species = "B"; count = 5; } );
time = { end = 2; step = 0.1; };
output = { every = 0.4; };
run = { seed = 44; runs = 11; };
"""
# Two kinds of individuals reproduce, convert, are placed and removed, and leave by a wall;
# some runs fail.
GROUPS = """
grid = { voxels = (4, 3); edge = 1.0; walls = { xmin = "absorb"; }; };
species = ( { name = "A"; diffusion = 0.5; individuals = { max = 26; record = "lineage"; attributes = (
        { name = "size"; initial = "uniform(0, 1)"; birth = "if(A > 6.5, 1 / 0, parent.size + t)"; } ); }; },
    { name = "C"; },
    { name = "B"; diffusion = 0.1; individuals = { max = 60; record = "lineage"; attributes = (
        { name = "size"; initial = 1; birth = "parent.size"; } ); }; } );
reactions = ( { equation = "A -> 2 A"; rate = 0.6; }, { equation = "A -> B + C"; rate = 0.2; },
    { equation = "B -> A"; rate = 0.1; }, { equation = "B -> 0"; rate = 0.2; } );
initial = ( { species = "B"; count = 5; }, { species = "A"; count = 8; } );
events = ( { time = 1.5; add = ( { species = "B"; count = 1; }, { species = "A"; count = 1; } ); },
    { time = 1.5; remove = ( { species = "B"; all = true; }, { species = "A"; count = 2; } );
      add = { species = "B"; count = 2; }; } );
time = { end = 4; step = 0.1; };
output = { every = 0.5; };
run = { seed = 45; runs = 13; first = 1000; };
"""
# Events on conditions change rates and individuals; one becomes impossible in some runs.
CONDITIONS = """
grid = { voxels = (4, 3); edge = 1.0; };
parameters = { k = 0.9; most = 18; };
species = ( { name = "A"; diffusion = 0.5; },
    { name = "W"; diffusion = 0.2; individuals = { max = 90; record = "lineage"; }; } );
reactions = ( { equation = "0 -> A"; rate = "k"; }, { equation = "W -> 2 W"; rate = "0.1 * k"; } );
initial = ( { species = "A"; count = 8; }, { species = "W"; count = 8; } );
events = ( { when = "total(A) > most"; repeat = true; divide = { stays = 0.5; };
             set = { k = "1.2 * k"; most = "most - 2"; }; },
    { when = "total(W) > 9"; repeat = true; convert = { equation = "W -> A"; fraction = 0.3; }; },
    { when = "k > 1.2"; remove = { species = "W"; count = 2; }; },
    { time = 2; add = { species = "W"; count = 4; }; } );
time = { end = 4; step = 0.1; };
output = { every = 0.5; };
run = { seed = 47; runs = 13; first = 1000; };
"""
# Has one count only, so that a snapshot has one sum over runs.
SINGLE = """
grid = { voxels = 1; edge = 1.0; };
species = ( { name = "A"; } );
reactions = ( { equation = "0 -> A"; rate = 9; }, { equation = "A -> 0"; rate = 1; } );
time = { end = 2; step = 0.1; };
output = { every = 0.5; keep = "statistics"; };
run = { seed = 48; runs = 13; };
"""
KEEPS = '"all"', '"totals"', '"statistics"', '"first 5"', '"first 1"'


def data_sets(path):
    """Returns all data sets except those on how the run was made."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, of: found.update({name: of[()]})
                        if isinstance(of, h5py.Dataset) and not name.startswith("model/") else None)
    return found


def text_of(value):
    """Returns a message without the file name at its begin."""
    if value.dtype.kind != "O":
        return value.tobytes()
    return [one.decode().partition(".cfg:")[2] or one for one in value.ravel()]


def assert_same_data(path, other, what):
    one, two = data_sets(path), data_sets(other)
    assert list(one) == list(two), what
    for name, value in one.items():
        assert value.shape == two[name].shape and text_of(value) == text_of(two[name]), \
            f"{what}: /{name} is another"
    assert state(path) == state(other), what
    assert not os.path.exists(f"{other}.parts"), f"{what}: its parts are left"


def assert_same_batches(name, status, *words):
    done = cpu(name, "--force", "--output", "all.h5", "--progress", "none", *words, status=status)
    for size, threads in ("1", "1"), ("3", "2"), ("7", "1"):
        there = cpu(name, "--force", "--output", "one.h5", "--progress", "none", "--at-once", size,
                    *words, threads=threads, status=status)
        assert there.stderr.replace("one.h5", "all.h5") == done.stderr, there.stderr
        assert_same_data("all.h5", "one.h5", f"{words}, batches of {size}")


def batches_of_runs_that_stop_or_fault():
    config("odd.cfg", ODD)
    for keep in KEEPS:
        assert_same_batches("odd.cfg", 1, "--set", f"output.keep={keep}")
    with h5py.File("all.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 12, "the test is about some"
        stopped = file["stopped"][()]
        assert 1 < (stopped == stopped).sum() < 12, "likewise"


def batches_of_a_single_count():
    config("single.cfg", SINGLE)
    assert_same_batches("single.cfg", 0)
    with h5py.File("all.h5", "r") as file:
        for what in "mean", "variance", "min", "max":
            assert (file[f"statistics/voxel_{what}"][()].ravel() ==
                    file[f"statistics/total_{what}"][()].ravel()).all(), what


def batches_of_fields():
    config("field.cfg", FIELD)
    for keep in KEEPS[0], KEEPS[2], KEEPS[3]:
        assert_same_batches("field.cfg", 0, "--set", f"output.keep={keep}")


def batches_of_individuals():
    """Tests that rows of the lineage are ordered by step, and then by run."""
    config("groups.cfg", GROUPS)
    for keep in KEEPS:
        assert_same_batches("groups.cfg", 1, "--set", f"output.keep={keep}")
    cpu("groups.cfg", "--force", "--output", "all.h5", status=1)
    with h5py.File("all.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 12, "the test is about some"
        for table in "births", "deaths":
            runs = file[f"lineage/B/{table}/run"][()]
            assert len(runs) > 50 and (runs[1:] < runs[:-1]).any(), "likewise"
        assert file["individuals/A/row_count"][()].sum() > 500, "likewise"


def batches_of_conditions():
    config("conditions.cfg", CONDITIONS)
    for keep in KEEPS:
        assert_same_batches("conditions.cfg", 1, "--set", f"output.keep={keep}")
    with h5py.File("all.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 12, "the test is about some"
        runs, times = file["events/run"][()], file["events/time"][()]
        assert len(runs) > 30 and (runs[1:] < runs[:-1]).any(), "likewise"
        assert (times[1:] >= times[:-1]).all(), "rows are ordered by time"


def batches_by_events():
    """Tests the exact solver, with more and with fewer runs than those from which sums of voxels are
    recorded instead of counts."""
    config("odd.cfg", ODD)
    for runs in "13", "8":
        for keep in KEEPS:
            cpu("odd.cfg", "--force", "--set", "solver=exact", "--runs", runs, "--set",
                f"output.keep={keep}", "--output", "all.h5", status=1)
            cpu("odd.cfg", "--force", "--set", "solver=exact", "--runs", runs, "--set",
                f"output.keep={keep}", "--output", "one.h5", "--at-once", "3", threads="2",
                status=1)
            assert_same_data("all.h5", "one.h5", f"{keep} of {runs}")


def batches_that_all_fault():
    """Tests that the run ends at the same time with the same message."""
    config("all.cfg", ODD.replace("6.5", "2.5").replace(' stop = "A == 0 or B > 15";', "")
           .replace(' stop_at = "steps";', ""))
    done = cpu("all.cfg", status=1)
    there = cpu("all.cfg", "--output", "one.h5", "--at-once", "4", status=1)
    assert there.stderr == done.stderr and "then all other runs" in done.stderr, there.stderr
    assert state("all.h5") == state("one.h5") == "failed"
    one, two = data_sets("all.h5"), data_sets("one.h5")
    for name in "time", "counts", "statistics/runs", "statistics/total_mean":
        assert text_of(one[name]) == text_of(two[name]), name
    config("all.cfg", GROUPS.replace("max = 26", "max = 10"))
    cpu("all.cfg", "--force", status=1)
    for size in "1", "4":
        cpu("all.cfg", "--output", "one.h5", "--force", "--at-once", size, status=1)
        assert_same_data("all.h5", "one.h5", size)


def strict_ends_the_batch():
    done = cpu(config("odd.cfg", ODD), "--strict", "--at-once", "3", status=1)
    assert_message(done, "odd.cfg:5: the propensity of reaction 'A -> 2 A' is negative")
    assert not os.path.exists("odd.h5") and not os.path.exists("odd.h5.parts"), os.listdir()


def batches_are_repeated():
    cpu(config("odd.cfg", ODD), "--at-once", "5", status=1)
    for words in [], ["--at-once", "2"]:
        done = cpu("again", "odd.h5", *words, status=0)
        assert done.stdout.startswith("identical: 9 times"), done.stdout


def run_for(*words, after, kill, **more):
    """Stops or kills the program after this time; returns its status and messages."""
    run = subprocess.Popen([PROGRAM, *words, "--backend", "cpu", "--threads", "2", "--resume",
                            "--checkpoint-every", "50ms", "--progress", "none"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
    until = time.monotonic() + after
    while run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
    _, words = run.communicate()
    return run.returncode, words


def batches_are_resumed():
    """Tests a run of some seconds in total, interrupted in any batch."""
    for kill, text in (False, ODD), (True, ODD), (True, GROUPS):
        text = text.replace("step = 0.1", "step = 0.0002" if text is GROUPS else "step = 0.0001")
        cpu(config("whole.cfg", text), "--progress", "none", "--force", status=1)
        name = config("killed.cfg" if kill else "stopped.cfg", text)
        subprocess.run(["rm", "-rf", name.replace(".cfg", ".h5")], check=True)
        left = 0
        for turn in range(60):
            size = ["--at-once", "4"] if turn == 0 else []
            code, words = run_for(name, *size, after=0.5 * 1.1 ** turn, kill=kill)
            if code == 1:
                break
            assert code in (75, -signal.SIGTERM, -signal.SIGKILL), f"{code}: {words}"
            kept = glob.glob(name.replace(".cfg", ".h5.parts/0*.checkpoint"))
            assert len(kept) <= 3, f"two, or one more that has just come: {kept}"
            left += 1
        assert left > 1 and code == 1, f"left {left} times: {code}: {words}"
        assert_same_data("whole.h5", name.replace(".cfg", ".h5"), f"left {left} times")


def checkpoints_that_a_kill_leaves_are_removed():
    """Tests that, if more than two remain, the next two replace all of them."""
    name = config("odd.cfg", ODD.replace("step = 0.1", "step = 0.00001"))
    run_for(name, "--at-once", "4", after=1.5, kill=False)
    newest = sorted(glob.glob("odd.h5.parts/0*.checkpoint"))[-1]
    number = int(os.path.basename(newest).partition(".")[0])
    for more in range(1, 6):
        shutil.copy(newest, f"odd.h5.parts/{number + more:06}.checkpoint")
    code, words = run_for(name, after=1.5, kill=False)
    kept = sorted(glob.glob("odd.h5.parts/0*.checkpoint"))
    assert code == 75 and len(kept) == 2, f"{code}: {words}: {kept}"
    assert kept[0] > f"odd.h5.parts/{number + 6:06}", kept


def missing_batches_are_reported():
    name = config("odd.cfg", ODD.replace("step = 0.1", "step = 0.0001"))
    words = " of batch 1 "
    for turn in range(40):
        code, words = run_for(name, "--at-once", "2", after=0.6 + 0.1 * turn, kill=False)
        if code == 75 and " of batch 1 " not in words:
            break
    assert code == 75 and " of batch " in words and words.rstrip().endswith(
        " of 7; snapshots are written with the last one; continue with the same command and --resume"), words
    [waiting] = [file for file in os.listdir("odd.h5.parts") if file.endswith(".batches")]
    os.truncate(f"odd.h5.parts/{waiting}", 10)
    done = cpu(name, "--resume", status=2)
    assert_message(done, "odd.h5.parts", "is shorter than at its checkpoint")
    assert waiting in os.listdir("odd.h5.parts"), "it is kept"
    cpu(name, "--force", "--set", "time.step=0.1", status=1)
    assert not os.path.exists("odd.h5.parts"), os.listdir("odd.h5.parts")


def batches_are_as_large_as_fits():
    """Tests a machine with little memory, with molecules and with individuals; `check` prints the
    batches."""
    with open("little", "w", encoding="utf-8") as file:
        file.write("MemTotal: 999999 kB\nMemAvailable: 62000 kB\n")
    little = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], MEMINFO="little")
    group = GROUPS.replace("max = 26", "max = 20000")
    many = ODD.replace("runs = 13", "runs = 40").replace("(4, 3)", "(120, 100)").replace(
        "end = 4", "end = 0.2").replace("output = { every = 0.5", "output = { every = 0.1")
    for name, text, status in ("group.cfg", group, 1), ("many.cfg", many, 0):
        config(name, text)
        cpu(name, "--output", "all.h5", "--force", status=status)
        page = unwrapped(cpu("check", name, env=little, status=0).stdout)
        assert "\nbatches     run" in page and " GB are free\n" in page, page
        done = cpu(name, "--output", "auto.h5", "--force", env=little, status=status)
        assert "batch after batch" in done.stderr, done.stderr
        assert_same_data("all.h5", "auto.h5", name)


def check_prints_batches():
    name = config("odd.cfg", ODD)
    for words, line in (
            (["--at-once", "5"], "runs 1000 to 1004, then 1005 to 1009 and so on, 3 batches: --at-once sets"),
            (["--at-once", "7"], "runs 1000 to 1006, then 1007 to 1012, 2 batches: --at-once sets"),
            (["--at-once", "1"], "run 1000, then 1001 and so on, 13 batches: --at-once sets")):
        page = unwrapped(cpu("check", name, *words, status=0).stdout)
        assert f"\nbatches     {line}" in page, page
    assert "\nbatches " not in cpu("check", name, status=0).stdout
    assert "\nbatches " not in cpu("check", name, "--at-once", "99", status=0).stdout
    with open("huge", "w", encoding="utf-8") as file:
        file.write("MemTotal: 999999999999 kB\nMemAvailable: 999999999999 kB\n")
    huge = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], MEMINFO="huge")
    many = config("many.cfg", GROUPS.replace("max = 26", "max = 1000000000"))
    page = unwrapped(cpu("check", many, "--at-once", "9", env=huge, status=0).stdout)
    assert "\nbatches     runs 1000 to 1001, then 1002 to 1003 and so on, 7 batches: a batch has " \
        "at most 2^31 - 1 individuals of a species" in page, page
    assert unwrapped(cpu("check", many, env=huge, status=0).stdout) == page, "it follows memory"
    little = dict(huge, MEMINFO="little")
    with open("little", "w", encoding="utf-8") as file:
        file.write("MemTotal: 999999 kB\nMemAvailable: 62000 kB\n")
    page = cpu("check", many, env=little, status=0).stdout
    assert "\nbatches " not in page, "one run does not fit"
    group = config("group.cfg", GROUPS.replace("max = 26", "max = 20000"))
    page = unwrapped(cpu("check", group, env=little, status=0).stdout)
    assert re.search(r"\nbatches     run 1000, .*, 13 batches: 13 runs need .* GB, and .* GB are free\n",
                     page), page
    code, words = run_for(group, "--set", "time.step=0.000001", after=1.5, kill=False, env=little)
    assert code == 75 and " of batch 1 of 13; " in words, f"check differs: {code}: {words}"


def sweeps_pass_on_the_batches():
    config("base.cfg", "parameters = { k = 0.3; };\n" + GROUPS.replace("rate = 0.2; },", 'rate = "k"; },'))
    config("sweep.cfg", 'base = "base.cfg"; seed = 3; output = "{sweep}{task}.h5"; vary = ( { path = '
           '"parameters.k"; values = (0.2, 0.9); } );\n'.replace("{sweep}", "one"))
    cpu("sweep", "sweep.cfg", "--jobs", "1", "--progress", "none", status=1)
    there = [data_sets(f"one{task}.h5") for task in (1, 2)]
    for task in 1, 2:
        os.remove(f"one{task}.h5")
    cpu("sweep", "sweep.cfg", "--jobs", "1", "--progress", "none", "--retry",
        "--at-once", "3", status=1)
    for task in 1, 2:
        again = data_sets(f"one{task}.h5")
        assert list(again) == list(there[task - 1])
        for name, value in again.items():
            assert text_of(value) == text_of(there[task - 1][name]), f"task {task}: {name}"
        with h5py.File(f"one{task}.h5", "r") as file:
            assert " --at-once 3 " in file.attrs["history"], "it was not passed on"


CASES = [batches_of_runs_that_stop_or_fault,
         batches_of_a_single_count,
         batches_of_fields,
         batches_of_individuals,
         batches_of_conditions,
         batches_by_events,
         batches_that_all_fault,
         strict_ends_the_batch,
         batches_are_repeated,
         batches_are_resumed,
         checkpoints_that_a_kill_leaves_are_removed,
         missing_batches_are_reported,
         batches_are_as_large_as_fits,
         check_prints_batches,
         sweeps_pass_on_the_batches]


if __name__ == "__main__":
    run_cases(CASES)
