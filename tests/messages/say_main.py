"""say_main - tests the program as a process: its exit status, its output on each stream, and that
it changes no other files."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
SOURCE = pathlib.Path(os.environ["RDSIM_SOURCE"])
MODEL = """
grid = { voxels = (60, 50); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = 0.5; },
              { equation = "0 -> A"; propensity = "PROPENSITY"; } );
initial = ( { species = "A"; density = 10; } );
time = { end = 2; };
output = { every = 0.5; };
run = { seed = 7; };
"""
GOOD = MODEL.replace("PROPENSITY", "1")
NEGATIVE_LATER = MODEL.replace("PROPENSITY", "1.25 - t")
# Walkers multiply; their parameters and those of the event decide whether a run fails.
GROUP = """
grid = { voxels = (6, 5); edge = 1.0; };
species = ( { name = "W"; diffusion = "0.1 * u"; individuals = { max = 500; record = "lineage";
    attributes = ( { name = "u"; initial = 1; birth = "BIRTH"; } ); }; } );
reactions = ( { equation = "W -> 2 W"; rate = 0.2; weight = "WEIGHT"; } );
initial = ( { species = "W"; value = START; } );
events = ( { time = 3; add = { species = "W"; value = ADDED; }; } );
time = { end = 5; step = 0.1; };
output = { every = 1; };
"""


def group(birth="parent.u", weight="W.u", start="2", added="1"):
    return (GROUP.replace("BIRTH", birth).replace("WEIGHT", weight).replace("START", start)
            .replace("ADDED", added))


def rdsim(*words, status, stdout=subprocess.PIPE, **more):
    """Runs the program on the CPU; fails unless it exits with this status, or if it
    reports too little memory."""
    done = subprocess.run([PROGRAM, *words], stdout=stdout, stderr=subprocess.PIPE, text=True,
                          timeout=600, check=False, **more)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    assert "out of memory" not in done.stderr, f"{words}: {done.stderr}"
    return done


def unwrapped(page):
    """Returns the report of check with each of its lines in one."""
    return re.sub(r"\n {14}(?=[^ ])", " ", page)


def cpu(*words, threads="1", **more):
    return rdsim(*words, "--backend", "cpu", "--threads", threads, **more)


def assert_message(done, *words):
    """Fails unless stderr has one of the program's lines with all these words."""
    assert any(line.startswith("rdsim: ") and all(word in line for word in words)
               for line in done.stderr.splitlines()), f"{words} not in: {done.stderr}"


def state(path):
    with h5py.File(path, "r") as file:
        return file["provenance"].attrs["state"]


def config(name, text):
    pathlib.Path(name).write_text(text)
    return name


def a_complete_run_gives_status_0():
    done = cpu(config("good.cfg", GOOD), status=0)
    assert done.stdout == "good.h5\n", f"stdout: {done.stdout}"
    assert_message(done, "to t = 2", "on cpu", "snapshots in good.h5: 5")
    assert state("good.h5") == "complete", "state"
    done = cpu("run", "good.cfg", "--output", "other name.h5", "--progress", "none", status=0)
    assert done.stdout == "other name.h5\n", f"stdout: {done.stdout}"
    assert done.stderr == "", f"stderr: {done.stderr}"
    done = cpu("good.cfg", "--output", "timed.h5", "--timing", status=0)
    assert done.stdout == "timed.h5\n", f"stdout: {done.stdout}"
    assert "seconds_REACT" in done.stderr and "steps_done" in done.stderr, done.stderr


def a_negative_propensity_gives_status_1():
    done = cpu(config("late.cfg", NEGATIVE_LATER), status=1)
    assert done.stdout == "", f"stdout: {done.stdout}"
    assert_message(done, "late.cfg:5: the propensity of reaction '0 -> A' is negative",
                   "in voxel (")
    assert state("late.h5") == "failed", "state"
    with h5py.File("late.h5", "r") as file:
        assert list(file["time"]) == [0.0, 0.5, 1.0], "the snapshots before"


def assert_group_is_complete(path):
    """Checks that every reader finds the individuals that are counted, and that lineage gives the
    same numbers."""
    with h5py.File(path, "r") as file:
        times, totals = file["time"][()], file["totals"][0, :, 0]
        rows = file["individuals/W/row_count"][:, 0]
        np.testing.assert_array_equal(rows, totals)
        born = file["lineage/W/births/time"][()]
        assert [int((born <= time).sum()) for time in times] == list(totals), "lineage"
        assert len(file["individuals/W/id"]) == totals.sum(), "rows"
        return list(times)


def failing_individuals_give_status_1():
    """Tests that the earlier snapshots are complete, with all living individuals."""
    config("whole.cfg", group())
    cpu("whole.cfg", "--verify", status=0)
    assert assert_group_is_complete("whole.h5") == [0, 1, 2, 3, 4, 5], "times"
    for name, text, message, times in [
        ("full", group(added="100"), "full.cfg:3: run 0 gets 3 ... individuals of 'W' at t = 3,", [0, 1, 2]),
        ("soon", group(start="16"), "soon.cfg:3: more than max = 500 individuals of 'W' live in run 0",
         [0]),
        ("nan", group(birth="parent.u / (t < 2)"), "nan.cfg:4: a rule of attribute 'u' of 'W' gives no finite number in voxel (", [0, 1, 2]),
        ("weight", group(weight="W.u * (t < 2)"), "weight.cfg:5: the weights of reaction 'W -> 2 W' are negative, not finite, or all 0 in voxel (", [0, 1, 2]),
        ("motion", group(birth="parent.u - 2 * (t > 2)"), "motion.cfg:3: the diffusion of an individual of 'W' is negative", [0, 1, 2]),
    ]:
        for verify in ([], ["--verify"]):
            done = cpu(config(f"{name}.cfg", text), "--force", *verify, status=1)
            assert done.stdout == "", f"{name}: stdout: {done.stdout}"
            assert_message(done, *message.split(" ... "))
            assert state(f"{name}.h5") == "failed", name
            assert assert_group_is_complete(f"{name}.h5") == times, name


def impossible_individuals_give_status_2():
    for name, text, message in [
        ("many", group(start="20"), "many.cfg:3: run 0 gets 600 individuals of 'W' at t = 0"),
        ("inf", group().replace("initial = 1", 'initial = "1 / (x - 0.5)"'),
         "inf.cfg:4: attribute 'u' of 'W' begins as inf"),
    ]:
        done = cpu(config(f"{name}.cfg", text), status=2)
        assert done.stdout == "", f"{name}: stdout: {done.stdout}"
        assert_message(done, message)
        if name == "many":
            assert_message(rdsim("check", "many.cfg", status=2), message)


def wrong_input_gives_status_2_and_no_files():
    config("wrong.cfg", GOOD.replace("edge = 1.0", "edge = -1.0"))
    for words, message in [
        (["wrong.cfg"], "wrong.cfg:2: grid.edge is -1"),
        (["check", "wrong.cfg"], "wrong.cfg:2: grid.edge is -1"),
        ([config("broken.cfg", "grid = {")], "broken.cfg:1"),
        (["absent.cfg"], "absent.cfg: cannot be opened: No such file or directory"),
        (["run"], "CONFIG is missing"),
        (["wrong.cfg", "--thread", "1"], "did you mean --threads?"),
        (["bench", "wrong.cfg"], "benchmarks are a separate program; run /"),
        (["info", "wrong.cfg"], "wrong.cfg: is not an HDF5 file"),
    ]:
        done = rdsim(*words, status=2)
        assert done.stdout == "", f"{words}: stdout: {done.stdout}"
        assert_message(done, message)
    assert sorted(os.listdir()) == ["broken.cfg", "wrong.cfg"], os.listdir()


def a_result_never_replaces_its_configuration():
    config("same.cfg", GOOD)
    os.link("same.cfg", "linked")
    os.symlink("same.cfg", "pointer")
    for path in ("same.cfg", "./same.cfg", os.path.abspath("same.cfg"), "linked", "pointer"):
        for force in ([], ["--force"]):
            done = cpu("same.cfg", "--output", path, *force, status=2)
            assert_message(done,
                           "same.cfg: the result would replace the configuration; name another")
    assert pathlib.Path("same.cfg").read_text() == GOOD, "the configuration"
    assert sorted(os.listdir()) == ["linked", "pointer", "same.cfg"], os.listdir()


def a_result_never_replaces_an_input():
    cpu(config("first.cfg", GOOD), status=0)
    os.link("first.h5", "linked.h5")
    before = pathlib.Path("first.h5").read_bytes()
    second = GOOD.replace('{ species = "A"; density = 10; }', '{ from = "first.h5"; }')
    config("second.cfg", second)
    for path in ("first.h5", "linked.h5"):
        done = cpu("second.cfg", "--output", path, "--force", status=2)
        assert_message(done,
                       "first.h5: the result would replace a file that the run reads; name another")
    assert pathlib.Path("first.h5").read_bytes() == before, "it is changed"


def an_existing_result_is_kept_unless_forced():
    cpu(config("kept.cfg", GOOD), status=0)
    before = pathlib.Path("kept.h5").read_bytes()
    done = cpu("kept.cfg", "--seed", "8", status=2)
    assert done.stdout == "", f"stdout: {done.stdout}"
    assert_message(done, "kept.h5: exists; use --force to replace it, or --output FILE to write another")
    assert pathlib.Path("kept.h5").read_bytes() == before, "it is changed"
    done = cpu("kept.cfg", "--seed", "8", "--force", status=0)
    assert done.stdout == "kept.h5\n", f"stdout: {done.stdout}"
    with h5py.File("kept.h5", "r") as file:
        assert file["provenance"].attrs["seed"] == 8, "it is not replaced"
    assert sorted(os.listdir()) == ["kept.cfg", "kept.h5"], os.listdir()


def unwritable_output_gives_status_1():
    """Tests a complete result whose path cannot be written to standard output."""
    config("good.cfg", GOOD)
    closed = dict(preexec_fn=lambda: os.close(1))
    for words in (["keys"], ["--help"], ["--version"], ["check", "good.cfg"],
                  ["run", "good.cfg", "--force", "--backend", "cpu"], ["info", "good.h5"]):
        assert_message(rdsim(*words, status=1, stdout=None, **closed), "standard output: ")
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w", encoding="ascii") as full:
                assert_message(rdsim(*words, status=1, stdout=full),
                               "standard output: cannot be written: No space left on device; send")
        if "run" in words:
            assert state("good.h5") == "complete", "state"
    cpu("good.cfg", "--seed", "8", "--output", "eight.h5", status=0)
    assert_message(rdsim("diff", "good.h5", "eight.h5", status=1, stdout=None, **closed),
                   "standard output: cannot be written")


def keys_and_help_are_printed():
    keys = rdsim("keys", status=0)
    for word in ("grid", "species", "reactions", "initial", "events", "time", "output", "run"):
        assert word in keys.stdout, f"keys: {word}"
    assert keys.stderr == "", keys.stderr
    page = rdsim("keys", "--markdown", status=0).stdout
    assert page == (SOURCE / "docs" / "keys.md").read_text(), "docs/keys.md is another page"
    assert rdsim("keys", status=0).stdout != page, "--markdown"
    whole = rdsim("--help", status=0)
    assert whole.stderr == "" and "Exit status: 0 done" in whole.stdout, whole.stdout
    for command in ("run", "check", "keys", "info", "diff", "again"):
        assert f"\n  rdsim {command} " in whole.stdout, f"--help: {command}"
        one = rdsim(command, "--help", status=0).stdout
        assert one.startswith(f"rdsim {command} "), one
    version = rdsim("--version", status=0)
    assert version.stderr == "" and version.stdout.count("\n") == 1, version
    text = (SOURCE / "CMakeLists.txt").read_text()
    number = text.split("project(rdsim VERSION ")[1].split()[0]
    assert version.stdout.startswith(f"rdsim {number} ("), version.stdout


def check_prints_and_writes_nothing():
    config("checked.cfg", GOOD)
    done = rdsim("check", "checked.cfg", status=0)
    for line in ("grid        60 x 50 voxels of 1 x 1, volume 1; 1 run\n", "species     B: does not",
                 "reaction    A -> B: propensity 0.5 A in each voxel\n", "output      checked.h5, "):
        assert line in done.stdout, f"{line}: {done.stdout}"
    assert done.stderr == "", done.stderr
    assert os.listdir() == ["checked.cfg"], os.listdir()
    pathlib.Path("checked.h5").write_text("mine")
    done = rdsim("check", "checked.cfg", status=0)
    assert_message(done, "rdsim: warning: checked.h5: exists; use --force to replace it")
    assert pathlib.Path("checked.h5").read_text() == "mine", "it is changed"
    config("soon.cfg", MODEL.replace("PROPENSITY", "t - 1"))
    assert_message(rdsim("check", "soon.cfg", status=2),
                   "soon.cfg:5: the propensity of reaction '0 -> A' is negative")


def info_prints_the_contents():
    cpu(config("good.cfg", GOOD), status=0)
    done = rdsim("info", "good.h5", status=0)
    lines = [line.split() for line in done.stdout.splitlines()]
    with h5py.File("good.h5", "r") as file:
        totals = file["totals"][0, -1]
    for line in (["result", "good.h5"], ["state", "complete"], ["A", str(totals[0])],
                 ["B", str(totals[1])], ["backend", "cpu"], ["threads", "1"], ["seed", "7"]):
        assert line in lines, f"{line}: {done.stdout}"
    assert done.stderr == "", done.stderr


def threads_change_nothing():
    config("threads.cfg", GOOD)
    counts = []
    for threads in ("1", "2"):
        cpu("threads.cfg", "--output", f"{threads}.h5", threads=threads, status=0)
        with h5py.File(f"{threads}.h5", "r") as file:
            assert file["provenance"].attrs["threads"] == int(threads), "threads"
            counts.append(file["counts"][()])
    assert counts[0].any() and (counts[0][0, 0] != counts[0][0, -1]).any(), "nothing happened"
    np.testing.assert_array_equal(*counts)


def an_absent_gpu_is_reported():
    config("gpu.cfg", GOOD)
    done = subprocess.run([PROGRAM, "gpu.cfg", "--backend", "cuda"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    if done.returncode == 0:
        with h5py.File("gpu.h5", "r") as file:
            assert file["provenance"].attrs["backend"] == "cuda", "another back end, in silence"
        print("there is a GPU: that none is there cannot be tested here")
        return
    assert done.returncode == 2 and done.stdout == "", done
    assert_message(done, "cuda", "--backend cpu")
    assert os.listdir() == ["gpu.cfg"], os.listdir()


def an_unknown_gpu_is_reported():
    config("gpu.cfg", GOOD)
    done = subprocess.run([PROGRAM, "gpu.cfg", "--device", "1000"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    assert done.returncode == 2 and done.stdout == "", done
    assert_message(done, "--device 1000: there is no GPU number 1000", "leave --device out")
    assert os.listdir() == ["gpu.cfg"], os.listdir()


def too_many_initial_entries_are_refused():
    """Tests that entries are refused whose random numbers would be equal."""
    entries = ", ".join(['{ species = "A"; count = 0; }'] * 65537)
    config("many.cfg", 'grid = { voxels = 2; edge = 1.0; }; species = ( { name = "A"; } );'
           f"time = {{ end = 1.0; }}; initial = ( {entries} );")
    done = rdsim("check", "many.cfg", status=2)
    assert_message(done, "many.cfg:1: initial: there are 65537 entries; use at most 65536")


CASES = [
    too_many_initial_entries_are_refused,
    a_complete_run_gives_status_0,
    a_negative_propensity_gives_status_1,
    failing_individuals_give_status_1,
    impossible_individuals_give_status_2,
    wrong_input_gives_status_2_and_no_files,
    a_result_never_replaces_its_configuration,
    a_result_never_replaces_an_input,
    an_existing_result_is_kept_unless_forced,
    unwritable_output_gives_status_1,
    keys_and_help_are_printed,
    check_prints_and_writes_nothing,
    info_prints_the_contents,
    threads_change_nothing,
    an_unknown_gpu_is_reported,
    an_absent_gpu_is_reported,
]


def run_cases(cases):
    """Runs each case in its own empty folder."""
    before_all = os.getcwd()
    for case in cases:
        folder = tempfile.mkdtemp(prefix=case.__name__ + ".", dir=before_all)
        os.chdir(folder)
        print(case.__name__, flush=True)
        case()
        os.chdir(before_all)
        shutil.rmtree(folder)


if __name__ == "__main__":
    run_cases(CASES)
