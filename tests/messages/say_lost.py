"""say_lost - tests runs of an ensemble of which some fail: the message, their part of the result,
and that no reader takes a failed run for a complete one."""
import json
import os
import signal
import subprocess
import time

import h5py
import numpy as np

import read_result
from say_main import PROGRAM, assert_message, config, cpu, run_cases, state

# Of 30 runs, some fail: each when a voxel has five molecules, by a negative propensity.
MODEL = """
grid = { voxels = (4, 3); edge = 1.0; };
species = ( { name = "A"; diffusion = 0.5; } );
reactions = ( { equation = "0 -> A"; rate = 0.5; },
              { equation = "A -> 0"; propensity = "if(A > 4.5, -1, 0.3 * A)"; } );
initial = ( { species = "A"; count = 3; } );
time = { end = 5; step = 0.1; };
output = { every = 0.5; };
run = { seed = 11; runs = 30; first = 100; };
"""


# Some runs exceed the capacity for walkers, and in others a birth rule fails.
GROUPS = """
grid = { voxels = (4, 3); edge = 1.0; walls = { xmin = "absorb"; }; };
species = ( { name = "A"; diffusion = 0.5; individuals = { max = 34; record = "lineage"; attributes = (
    { name = "size"; initial = 1; birth = "if(A > 8.5, 1 / 0, parent.size)"; } ); }; } );
reactions = ( { equation = "A -> 2 A"; rate = 0.5; }, { equation = "A -> 0"; rate = 0.15; } );
initial = ( { species = "A"; count = 8; } );
time = { end = 5; step = 0.1; };
output = { every = 0.5; };
run = { seed = 12; runs = 20; first = 100; };
"""


def runs_of(path):
    """Returns the numbers of the failed runs and of the others."""
    with h5py.File(path, "r") as file:
        out = list(file["faults/run"])
        return out, [run for run in file["run"] if run not in out]


def a_faulted_run_is_left_out():
    done = cpu(config("lost.cfg", MODEL), status=1)
    assert done.stdout == "lost.h5\n", done.stdout
    out, whole = runs_of("lost.h5")
    assert 3 < len(out) < 25, f"the test is about some: {out}"
    assert_message(done, "warning: lost.cfg:5: the propensity of reaction 'A -> 0' is negative",
                   f"run {out[0]}, ")
    assert_message(done, f"warning: {len(out)} of 30 runs faulted and are missing")
    assert state("lost.h5") == "faulted"
    read_result.check("lost.h5")  # with every reader
    with h5py.File("lost.h5", "r") as file:
        times, totals = file["time"][()], file["totals"][()]
        assert list(times) == list(np.arange(11) / 2), times
        alive = np.full((30, 11), True)
        for run, until, words in zip(out, file["faults/time"], file["faults/message"].asstr()):
            assert f" of run {run}, before t = {until:.9g};" in words, words
            alive[run - 100] = times < until - 1e-9
        assert (file["run_state"][()] == alive.sum(axis=1)).all(), "run_state"
        for name in "counts", "totals", "reactions":
            stored = file[name][()].reshape(30, 11, -1)
            assert ((stored >= 0).all(axis=2) == alive).all(), name
            assert ((stored == -1).all(axis=2) == ~alive).all(), name
        assert (file["statistics/runs"][()] == alive.sum(axis=0)).all(), "runs"
        for k in range(11):
            of = totals[alive[:, k], k, 0]
            stored = [file[f"statistics/total_{word}"][k, 0]
                      for word in ("mean", "variance", "min", "max")]
            np.testing.assert_allclose(stored, [of.mean(), of.var(ddof=1), of.min(), of.max()])
            voxels = file["counts"][alive[:, k], k, 0]
            np.testing.assert_allclose(file["statistics/voxel_mean"][k, 0], voxels.mean(axis=0))
            median = np.sort(of)[(len(of) + 1) // 2 - 1]
            at = list(file["quantile"]).index(0.5)
            assert file["statistics/total_quantile"][k, 0, at] == median, "median"


def other_runs_are_unchanged():
    cpu(config("lost.cfg", MODEL), status=1)
    _, whole = runs_of("lost.h5")
    cpu("lost.cfg", "--output", "one.h5", "--set", f"run.first={whole[3]}", "--runs", "1", status=0)
    with h5py.File("lost.h5", "r") as many, h5py.File("one.h5", "r") as one:
        assert (many["counts"][whole[3] - 100] == one["counts"][0]).all()


def individuals_end_at_the_fault():
    """Tests that later snapshots contain no individuals of a failed run, and that its lineage ends
    at the fault."""
    done = cpu(config("groups.cfg", GROUPS), status=1)
    out, whole = runs_of("groups.h5")
    assert 3 < len(out) < 17, f"the test is about some: {out}"
    read_result.check("groups.h5")
    assert_message(done, "warning: groups.cfg:")
    with h5py.File("groups.h5", "r") as file:
        words = b" ".join(file["faults/message"][()])
        assert b"more than max = 34" in words and b"a rule of attribute" in words, words
        rows, totals = file["individuals/A/row_count"][()], file["totals"][()]
        assert (np.where(totals[:, :, 0] < 0, 0, totals[:, :, 0]) == rows.T).all(), "rows"
        ended = dict(zip(file["faults/run"][()], file["faults/time"][()]))
        for table in "births", "deaths":
            of = file[f"lineage/A/{table}"]
            for run, time in zip(of["run"][()], of["time"][()]):
                assert run not in ended or time < ended[run], f"{table} of {run} at {time}"
        living = rows[-1].sum() / len(whole)
    page = subprocess.run([PROGRAM, "info", "groups.h5", "--json", "-"], capture_output=True,
                          text=True, check=True)
    assert abs(json.loads(page.stdout)["individuals"]["A"]["number"] - living) < 1e-9, page.stdout
    cpu("groups.cfg", "--output", "one.h5", "--set", f"run.first={whole[1]}", "--runs", "1", status=0)
    with h5py.File("groups.h5", "r") as many, h5py.File("one.h5", "r") as one:
        begin = many["individuals/A/row_start"][-1, whole[1] - 100]
        n = one["individuals/A/row_count"][-1, 0]
        assert (many["individuals/A/id"][begin:begin + n] == one["individuals/A/id"][-n:]).all()
        of = many["lineage/A/births"]
        born = of["id"][()][of["run"][()] == whole[1]]
        assert (born == one["lineage/A/births/id"][()]).all()


def the_lineage_of_the_last_run_goes_on_to_its_fault():
    """Tests that a run has the same births and deaths among others, alone, and with checkpoints."""
    cpu(config("groups.cfg", GROUPS), status=1)
    first = runs_of("groups.h5")[0][0]
    for words in [], ["--checkpoint-every", "1ms"]:
        cpu("groups.cfg", "--output", "one.h5", "--set", f"run.first={first}", "--runs", "1",
            "--force", *words, status=1)
        with h5py.File("groups.h5", "r") as many, h5py.File("one.h5", "r") as one:
            for table in "births", "deaths":
                of, alone = many[f"lineage/A/{table}"], one[f"lineage/A/{table}"]
                here = of["run"][()] == first
                for name in "time", "id", "voxel":
                    assert (of[name][here] == alone[name][()]).all(), f"{words}: {table}/{name}"
                assert table == "deaths" or alone["time"][-1] > one["time"][-1], "a birth later"


def statistics_leave_out_faulted_runs():
    """Tests statistics of voxels, which are computed from counts for few runs and from sums for
    many."""
    cpu(config("lost.cfg", MODEL), status=1)
    for keep in "statistics", '"first 3"', "totals":
        cpu("lost.cfg", "--force", "--set", f"output.keep={keep}", "--output", "kept.h5",
            threads="2", status=1)
        with h5py.File("lost.h5", "r") as file, h5py.File("kept.h5", "r") as kept:
            for name in kept["statistics"]:
                a, b = file["statistics"][name][()], kept["statistics"][name][()]
                assert a.tobytes() == b.tobytes(), f"{keep}: {name}"
            assert (file["run_state"][()] == kept["run_state"][()]).all(), keep


def strict_ends_all_runs():
    done = cpu(config("lost.cfg", MODEL), "--strict", "--output", "strict.h5", status=1)
    assert done.stdout == "", done.stdout
    assert_message(done, "rdsim: lost.cfg:5: the propensity of reaction 'A -> 0' is negative")
    assert "warning" not in done.stderr, done.stderr
    assert state("strict.h5") == "failed"


def the_last_fault_ends_the_program():
    cpu(config("lost.cfg", MODEL), status=1)
    out, _ = runs_of("lost.h5")
    done = cpu("lost.cfg", "--set", f"run.first={out[0]}", "--runs", "1", "--output", "one.h5",
               status=1)
    assert_message(done, "rdsim: lost.cfg:5: the propensity", f"run {out[0]}, before")
    assert state("one.h5") == "failed" and "warning" not in done.stderr
    done = cpu(config("all.cfg", MODEL.replace("4.5", "2.5")), status=1)
    assert_message(done, "rdsim: all.cfg:5: the propensity", "; then all other runs faulted too")
    assert state("all.h5") == "failed"
    with h5py.File("all.h5", "r") as file:
        assert file["statistics/runs"][0] == 30 and file["statistics/runs"][-1] > 0


def an_impossible_start_is_a_fault():
    """Tests that such a run is in no snapshot; if no run can start, the configuration is wrong."""
    text = GROUPS.replace("count = 8; }", 'value = 2; spread = "poisson"; }')
    cpu(config("start.cfg", text.replace("max = 34", "max = 26")), "--set", "time.end=0.5", status=1)
    with h5py.File("start.h5", "r") as file:
        out = file["faults/run"][()][file["faults/time"][()] == 0]
        assert 0 < len(out) < 10, f"the test is about some: {out}"
        assert (file["run_state"][()][out - 100] == 0).all()
        assert (file["totals"][()][out - 100] == -1).all()
        assert file["statistics/runs"][0] == 20 - len(out)
    read_result.check("start.h5")
    done = cpu(config("none.cfg", text.replace("max = 34", "max = 3")), status=2)
    assert_message(done, "rdsim: none.cfg:3: run 100 gets ",
                   " individuals of 'A' at t = 0, more")
    assert "then all other" not in done.stderr and not os.path.exists("none.h5"), done.stderr


def commands_report_faulted_runs():
    cpu(config("lost.cfg", MODEL), status=1)
    out, _ = runs_of("lost.h5")
    page = cpu("lost.cfg", "--resume", status=1)
    assert_message(page, "lost.h5: is complete, but runs faulted")
    page = subprocess.run([PROGRAM, "info", "lost.h5"], capture_output=True, text=True, check=True)
    assert "state          faulted\n" in page.stdout, page.stdout
    assert f"faults         {len(out)} of 30 runs\n" in page.stdout, page.stdout
    assert " nan" not in page.stdout, page.stdout
    page = subprocess.run([PROGRAM, "info", "lost.h5", "--json", "-"], capture_output=True,
                          text=True, check=True)
    assert json.loads(page.stdout)["runs_faulted"] == len(out), page.stdout
    again = cpu("again", "lost.h5", threads="2", status=0)
    assert again.stdout.startswith("identical: 11 times"), again.stdout


def a_resumed_run_keeps_its_faults():
    """Tests a run with many short steps, which is stopped twice."""
    text = MODEL.replace("step = 0.1", "step = 0.0001")
    cpu(config("whole.cfg", text), "--progress", "none", status=1)
    config("parted.cfg", text)
    stopped = 0
    for turn in range(40):
        run = subprocess.Popen([PROGRAM, "parted.cfg", "--resume", "--backend", "cpu", "--threads",
                                "2", "--progress", "none"], stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
        until = time.monotonic() + (0.3 + 0.1 * turn if stopped < 3 else 100)
        while run.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        status = run.wait()
        if status == 1:
            break
        assert status in (75, -signal.SIGTERM), status
        stopped += status == 75
    assert stopped > 0, "it was never stopped"
    done = subprocess.run([PROGRAM, "diff", "whole.h5", "parted.h5"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File("whole.h5", "r") as a, h5py.File("parted.h5", "r") as b:
        for name in "faults/run", "faults/time", "run_state":
            assert (a[name][()] == b[name][()]).all(), name
        for one, other in zip(a["faults/message"].asstr(), b["faults/message"].asstr()):
            assert one.replace("whole.cfg", "") == other.replace("parted.cfg", "")
    assert not os.path.exists("parted.h5.parts"), "its parts are still there"


def sweeps_report_faults_and_do_not_collect_them():
    config("base.cfg", "parameters = { most = 4.5; };\n" + MODEL.replace("4.5", "most"))
    sweep = ('base = "base.cfg"; seed = 3; output = "s{task}.h5";\n'
             'vary = ( { path = "parameters.most"; values = (4.5, 90.5); } );\n')
    config("sweep.cfg", sweep)
    done = cpu("sweep", "sweep.cfg", "--jobs", "1", "--progress", "none", status=1)
    assert_message(done, "task 1: failed")
    done = subprocess.run([PROGRAM, "sweep", "sweep.cfg", "--status"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1 and "1 faulted\n" in done.stdout, done.stdout
    assert "runs faulted and are missing" in done.stdout, done.stdout
    done = cpu("sweep", "sweep.cfg", "--jobs", "1", "--progress", "none", status=1)
    assert_message(done, "task 1: s1.h5: runs faulted; run it again with --retry")
    done = subprocess.run([PROGRAM, "sweep", "sweep.cfg", "--collect", "all.h5"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "task 1 of 2 is faulted; " in done.stderr, done.stderr
    done = cpu("sweep", "sweep.cfg", "--jobs", "1", "--retry", "--strict", "--progress", "none",
               status=1)
    assert state("s1.h5") == "failed" and state("s2.h5") == "complete"


CASES = [a_faulted_run_is_left_out, the_lineage_of_the_last_run_goes_on_to_its_fault,
         other_runs_are_unchanged,
         individuals_end_at_the_fault,
         statistics_leave_out_faulted_runs,
         strict_ends_all_runs,
         the_last_fault_ends_the_program,
         an_impossible_start_is_a_fault,
         commands_report_faulted_runs,
         a_resumed_run_keeps_its_faults,
         sweeps_report_faults_and_do_not_collect_them]


if __name__ == "__main__":
    run_cases(CASES)
