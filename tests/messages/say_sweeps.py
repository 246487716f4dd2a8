"""say_sweeps - tests the messages of a sweep about missing tasks, about progress and at the end;
the collection of a part; and the scripts for clusters."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np

from say_main import PROGRAM, assert_message, config, rdsim, run_cases

BASE = """
grid = { voxels = (4, 4); edge = 1.0; }; parameters = { k = 1.0; };
species = ( { name = "A"; diffusion = 1.0; } );
reactions = ( { equation = "A -> 0"; rate = "k"; } );
initial = ( { species = "A"; count = 100; } );
time = { end = END; step = STEP; }; output = { every = "END / 2"; };
"""
SWEEP = """base = "base.cfg"; repeats = 2; output = "s/{task}.h5";
vary = ( { path = "parameters.k"; values = { from = 1; to = POINTS; points = POINTS; }; } );
"""
QUIET = ["--progress", "none"]


def write(points=3, end="1.0", step="0.1"):
    config("base.cfg", BASE.replace("\"END / 2\"", f"{float(end) / 2}").replace("END", end)
           .replace("STEP", step))
    config("s.cfg", SWEEP.replace("POINTS", str(points)))


def missing_tasks_are_one_line():
    write(points=10)
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", status=0)
    for task in (3, 7, 8, 9, 10, 11, 12, 20):
        os.remove(f"s/{task:02}.h5" if task < 10 else f"s/{task}.h5")
    done = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert done.stderr.count("\n") == 1 and not os.path.exists("all.h5"), done.stderr
    assert_message(done, "s.cfg: tasks 3, 7-12, 20 of 20 are missing; run 'rdsim sweep s.cfg'",
                   "--partial")
    for task in range(1, 21, 2):
        pathlib.Path(f"s/{task:02}.h5").unlink(missing_ok=True)
    done = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert_message(done, "tasks 1, 3, 5, 7-13, 15, 17, 19-20 of 20 are missing")
    for task in (2, 14):
        pathlib.Path(f"s/{task:02}.h5").write_text("mine")
    done = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert_message(done, "tasks 2, 14 of 20 are no result; run 'rdsim sweep s.cfg --status', or")


def unfinished_results_of_another_base_stay():
    """A checkpoint of a base that has changed since is no failure of its task."""
    write(points=1, end="1000.0", step="0.0001")
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "1", "--timeout", "300ms", status=75)
    kept = pathlib.Path("s/1.h5").read_bytes()
    config("base.cfg", pathlib.Path("base.cfg").read_text().replace("count = 100", "count = 99"))
    for words in ([], ["--retry"]):
        done = rdsim("sweep", "s.cfg", *QUIET, "--jobs", "1", *words, status=1)
        assert_message(done, "task 1: s/1.h5: is unfinished, but the sweep or its base has changed "
                       "since; move it elsewhere, or set another 'output' of the sweep")
    assert pathlib.Path("s/1.h5").read_bytes() == kept and os.path.exists("s/1.h5.parts")
    assert not os.path.exists("s/1.h5.failed")
    assert "\n2 no result\n" in rdsim("sweep", "s.cfg", "--status", status=1).stdout
    write(points=1, end="1000.0", step="0.0001")
    assert "\n2 interrupted\n" in rdsim("sweep", "s.cfg", "--status", status=1).stdout
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "1", "--timeout", "300ms", status=75)


def reasons_of_failures_are_printed_whole():
    write(points=2)
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", status=0)
    for task, reason in ((1, "one\ntwo\n"), (3, "")):
        os.remove(f"s/{task}.h5")
        pathlib.Path(f"s/{task}.h5.failed").write_text(reason)
    page = rdsim("sweep", "s.cfg", "--status", status=1).stdout
    assert f"\n{'':10}one\n{'':10}two\n" in page, page
    assert (f"\n{'':10}s/3.h5.failed: is empty, as on a full disk; make room, and use --retry\n"
            in page), page
    done = rdsim("sweep", "s.cfg", "--collect", "part.h5", "--partial", status=0)
    assert_message(done, "tasks 1, 3 of 4 are failed; run 'rdsim sweep s.cfg --retry' to complete part.h5")
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", "--retry", status=0)


def the_folder_of_the_results_needs_a_name():
    """A sweep's results are in a folder with its name, without the ending, if it has one."""
    write()
    os.mkdir("d")
    text = pathlib.Path("s.cfg").read_text().replace('"base.cfg"', '"../base.cfg"')
    for name in ("plain", ".hidden"):
        pathlib.Path("d", name).write_text(text.replace('output = "s/{task}.h5";', ""))
        assert_message(rdsim("sweep", f"d/{name}", *QUIET, status=1),
                       f"d/{name}: the folder for results cannot be made: File exists; set output in the sweep")
    pathlib.Path("d/plain").rename("d/plain.cfg")
    rdsim("sweep", "d/plain.cfg", *QUIET, status=0)
    assert sorted(os.listdir("d/plain")) == [f"{i}.h5" for i in range(1, 7)]
    os.symlink("nothing", "s")
    assert_message(rdsim("sweep", "s.cfg", *QUIET, status=1),
                   "s: the folder for results cannot be made: File exists")
    os.remove("s")
    pathlib.Path("s.logs").write_text("mine")
    assert_message(rdsim("sweep", "s.cfg", "--slurm", "--mem", "1G", status=1),
                   "s.logs: the folder for the output of jobs cannot be made: File exists")
    os.remove("s.logs")


def a_part_is_collected():
    write()
    assert_message(rdsim("sweep", "s.cfg", "--collect", "none.h5", "--partial", status=1),
                   "s.cfg: no task of 6 is complete")
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", status=0)
    rdsim("sweep", "s.cfg", "--collect", "all.h5", status=0)
    for task in (1, 3, 4):
        os.remove(f"s/{task}.h5")
    done = rdsim("sweep", "s.cfg", "--collect", "part.h5", "--partial", status=0)
    assert_message(done, "warning: s.cfg: tasks 1, 3-4 of 6 are missing; run 'rdsim sweep s.cfg'")
    with h5py.File("all.h5") as whole, h5py.File("part.h5") as part:
        assert "missing" not in whole.attrs and whole["collected"][()].all()
        assert part.attrs["missing"] == "tasks 1, 3-4 of 6 are missing", part.attrs["missing"]
        np.testing.assert_array_equal(part["collected"], [[0, 1], [0, 0], [1, 1]])
        totals, fill = part["totals"][()], part["totals"].attrs["_FillValue"]
        assert (totals[0, 0] == fill).all() and (totals[1] == fill).all(), totals
        np.testing.assert_array_equal(totals[0, 1], whole["totals"][0, 1])
        np.testing.assert_array_equal(totals[2], whole["totals"][2])
        np.testing.assert_array_equal(part["total_mean"][0], totals[0, 1, 0])
        assert np.isnan(part["total_variance"][0]).all(), "the variance of one run"
        assert np.isnan(part["total_mean"][1]).all() and np.isnan(part["total_variance"][1]).all()
        for name in ("total_mean", "total_variance"):
            np.testing.assert_array_equal(part[name][2], whole[name][2])
        np.testing.assert_array_equal(part["seed"], whole["seed"])


def rows_of_parameters_are_not_collected():
    write(points=1)
    config("rows.csv", "k\n1\n2\n")
    config("base.cfg", pathlib.Path("base.cfg").read_text() +
           'run = { rows = { file = "rows.csv"; }; };')
    config("s.cfg", pathlib.Path("s.cfg").read_text().replace("parameters.k", "species.A.diffusion"))
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", status=0)
    assert_message(rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1), "s/1.h5: has rows of "
                   "parameters, which are not collected; vary the parameters in the sweep, in place of run.rows")
    assert not os.path.exists("all.h5")


def times_keep_their_unit():
    for given, unit in (("", "1"), ('units = { time = "hours"; };', "h")):
        write(points=1)
        config("base.cfg", given + pathlib.Path("base.cfg").read_text())
        rdsim("sweep", "s.cfg", *QUIET, "--jobs", "2", status=0)
        rdsim("sweep", "s.cfg", "--collect", "unit.h5", "--force", status=0)
        with h5py.File("unit.h5") as file:
            assert file["time"].attrs["units"] == unit, file["time"].attrs["units"]
        shutil.rmtree("s")


def millions_of_missing_tasks_take_no_time():
    write(points=16384)
    config("s.cfg", 'base = "base.cfg"; vary = ('
           + ", ".join('{ path = "%s"; name = "%s"; values = { from = 1; to = 2; points = 16384; }; }'
                       % pair for pair in (("parameters.k", "k"), ("time.end", "e"))) + ");")
    begin = time.monotonic()
    done = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert_message(done, "s.cfg: tasks 1-10000 of 268435456 are missing, and perhaps more; ")
    assert time.monotonic() - begin < 60, "it looked at all of them"


def progress_without_a_terminal_is_every_ten_seconds():
    write(points=2)
    begin = time.monotonic()
    lines = rdsim("sweep", "s.cfg", "--jobs", "2", status=0).stderr.splitlines()
    assert lines[-1] == "rdsim: 4 of 4 tasks done, 0 running, 0 failed", lines
    assert len(lines) <= 1 + (time.monotonic() - begin) / 10, lines
    write(points=2, end="2e9", step="1.0")
    config("s.cfg", pathlib.Path("s.cfg").read_text().replace("s/{task}", "t/{task}"))
    begin = time.monotonic()
    with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--jobs", "1"], stderr=subprocess.PIPE,
                          text=True) as job:
        first = job.stderr.readline()
        seconds = time.monotonic() - begin
        job.send_signal(signal.SIGTERM)
        lines = job.communicate(timeout=600)[1].splitlines()
    assert job.returncode == 75, lines
    assert first == "rdsim: 0 of 4 tasks done, 1 running, 0 failed\n" and seconds > 9, first
    assert lines[-2:] == ["rdsim: 0 of 4 tasks done, 0 running, 0 failed",
                          "rdsim: stopped; continue with the same command"], lines


def scripts_have_what_queues_need():
    write(points=5)
    script = rdsim("sweep", "s.cfg", "--slurm", status=0).stdout
    assert "#SBATCH --output=s.logs/%A_%a.txt\n" in script and os.path.isdir("s.logs"), script
    small = int(script.split("--mem=")[1].split("M")[0])
    assert 256 <= small < 1024, small
    rdsim("sweep", "s.cfg", "--slurm", status=0)
    config("base.cfg", pathlib.Path("base.cfg").read_text().replace("(4, 4)", "(4000, 4000)"))
    large = int(rdsim("sweep", "s.cfg", "--slurm", status=0).stdout.split("--mem=")[1].split("M")[0])
    memory = rdsim("check", "base.cfg", status=0).stdout.split("memory ")[1].split()[:2]
    assert memory[1] == "MB" and large > small + float(memory[0]) * 1e6 / 2**20, (large, memory)
    for option, text in (("--slurm", "#SBATCH --mem=7G\n"), ("--pbs", ":mem=7GB\n"),
                         ("--sge", "#$ -l mem_free=7G\n")):
        assert text in rdsim("sweep", "s.cfg", option, "--mem", "7G", status=0).stdout, option


def a_job_runs_several_tasks():
    write()
    for option, variable, count in (("--slurm", "SLURM_ARRAY_TASK_ID", "#SBATCH --array=1-2\n"),
                                    ("--pbs", "PBS_ARRAY_INDEX", "#PBS -J 1-2\n"),
                                    ("--sge", "SGE_TASK_ID", "#$ -t 1-2\n")):
        script = rdsim("sweep", "s.cfg", option, "--per-job", "4", status=0).stdout
        assert count in script, script
        config("job.sh", script)
        shutil.rmtree("s", ignore_errors=True)
        subprocess.run(["bash", "job.sh"], check=True, timeout=600,
                       env=dict(os.environ, PBS_O_WORKDIR=".", **{variable: "2"}))
        assert sorted(os.listdir("s")) == ["5.h5", "6.h5"], option
    subprocess.run(["bash", "job.sh"], check=True, timeout=600,
                   env=dict(os.environ, SGE_TASK_ID="1", BEFORE="2"))
    assert sorted(os.listdir("s")) == ["3.h5", "4.h5", "5.h5", "6.h5"], os.listdir("s")
    for words in ("7-8", "3-2", "0-4", "1-", "-1", "1-2-3"):
        assert_message(rdsim("sweep", "s.cfg", f"--task={words}", status=2),
                       f"s.cfg: has no task {words}")
    for name in "SLURM_ARRAY_TASK_ID", "LSB_JOBINDEX":
        assert_message(rdsim("sweep", "s.cfg", status=2, env={**os.environ, name: "99"}),
                       f"{name}=99: s.cfg has no such task; submit an array from 1 to 6")


def complete_results_did_not_fail():
    """A kill may leave the reason of an earlier failure beside a complete result."""
    write(points=1)
    shutil.rmtree("s", ignore_errors=True)
    rdsim("sweep", "s.cfg", *QUIET, status=0)
    pathlib.Path("s/1.h5.failed").write_text("an earlier reason\n")
    done = rdsim("sweep", "s.cfg", "--status", status=0)
    assert "an earlier reason" not in done.stdout + done.stderr, done.stdout
    rdsim("sweep", "s.cfg", "--collect", "complete.h5", status=0)


def a_sweep_needs_no_number_of_jobs():
    write(points=1)
    done = subprocess.run([PROGRAM, "sweep", "s.cfg", "--quiet"], timeout=60, check=True)
    assert done.returncode == 0 and sorted(os.listdir("s")) == ["1.h5", "2.h5"], os.listdir("s")


def the_reason_of_a_failure_ends_with_the_next_attempt():
    write(points=1)
    good = pathlib.Path("base.cfg").read_text()
    config("base.cfg", good + 'events = ( { time = 0.5; remove = { species = "A"; count = 99; }; } );\n')
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "1", status=1)
    assert os.path.exists("s/1.h5.failed")
    config("base.cfg", good)
    rdsim("sweep", "s.cfg", *QUIET, "--jobs", "1", "--retry", status=0)
    assert sorted(os.listdir("s")) == ["1.h5", "2.h5"], os.listdir("s")


CASES = [
    unfinished_results_of_another_base_stay,
    reasons_of_failures_are_printed_whole,
    the_folder_of_the_results_needs_a_name,
    complete_results_did_not_fail,
    a_sweep_needs_no_number_of_jobs,
    the_reason_of_a_failure_ends_with_the_next_attempt,
    missing_tasks_are_one_line,
    a_part_is_collected,
    rows_of_parameters_are_not_collected,
    times_keep_their_unit,
    millions_of_missing_tasks_take_no_time,
    progress_without_a_terminal_is_every_ten_seconds,
    scripts_have_what_queues_need,
    a_job_runs_several_tasks,
]

if __name__ == "__main__":
    run_cases(CASES)
