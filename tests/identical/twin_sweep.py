"""twin_sweep - tests a sweep that runs in one call, by its tasks, in pieces between signals, and by
separate commands: the numbers are the same. It tests also the messages and the tasks that are left
out."""
import glob
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import xarray

import read_result

PROGRAM = os.environ["RDSIM_PROGRAM"]
BASE = """
grid = { voxels = (12, 5); edge = 1.0; };
parameters = { k = 0.5; D = 1.0; };
species = ( { name = "A"; diffusion = "D"; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; density = 10; } );
time = { end = 2; };
output = { every = 0.5; };
run = { runs = 2; };
"""
SWEEP = """
base = "base.cfg"; repeats = 2; seed = 5;
vary = ( { path = "parameters.k"; values = (0.1, 2); },
         { path = "parameters.D"; values = { from = 0.5; to = 2.0; points = 3; scale = "log"; }; } );
"""
# Each task takes some seconds, unless it is stopped.
SLOW = BASE.replace("end = 2;", "end = 40; step = 0.0005;").replace("every = 0.5", "every = 10")
LONG = SLOW.replace("end = 40;", "end = 40000;")
SHORT = 'base = "base.cfg"; vary = ( { path = "parameters.k"; values = (0.1, 2, 3); } );'
FAILING = BASE.replace("k = 0.5;", "k = 0.5; s = 0;").replace('rate = "k"',
                                                            'propensity = "k * A * (1 - s * t)"')
FAIL = 'base = "base.cfg"; vary = ( { path = "parameters.s"; values = (0, 2); } );'


def rdsim(*words, status=0, **more):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=200,
                          check=False, **more)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def write(base, sweep, folder="."):
    pathlib.Path(folder).mkdir(exist_ok=True)
    pathlib.Path(folder, "base.cfg").write_text(base)
    pathlib.Path(folder, "s.cfg").write_text(sweep)


def same_data(one, other):
    for name in ("counts", "totals", "time", "species", "run"):
        with h5py.File(one) as a, h5py.File(other) as b:
            assert np.array_equal(a[name][...], b[name][...]), f"{name} of {one} and {other}"


def wait_for(fact):
    until = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < until, "not within a minute"
        time.sleep(0.01)


def rows(text):
    """Returns the table of --list as a dictionary by task."""
    head, *lines = [line.split() for line in text.splitlines()]
    return {int(line[0]): dict(zip(head, line)) for line in lines}


def all_ways_give_the_same():
    write(BASE, SWEEP)
    assert rdsim("sweep", "s.cfg", "--count").stdout == "12\n"
    table = rows(rdsim("sweep", "s.cfg", "--list").stdout)
    assert len(table) == 12 and table[3]["k"] == "0.1" and table[3]["D"] == "1"
    rdsim("sweep", "s.cfg", "--jobs", "2", "--backend", "cpu")
    for task in (1, 8):
        row = table[task]
        rdsim("run", "base.cfg", "--set", f"parameters.k={row['k']}", "--set",
              f"parameters.D={row['D']}", "--seed", row["seed"], "--output", "hand.h5", "--force")
        same_data("hand.h5", row["result"])
    shutil.move("s", "whole")
    rdsim("sweep", "s.cfg", "--task", "8")
    rdsim("sweep", "s.cfg", env=dict(os.environ, SLURM_ARRAY_TASK_ID="12"))
    rdsim("sweep", "s.cfg", "--task", "array", env=dict(os.environ, LSB_JOBINDEX="1"))
    assert sorted(os.listdir("s")) == ["01.h5", "08.h5", "12.h5"]
    for name in os.listdir("s"):
        same_data(f"s/{name}", f"whole/{name}")


def results_are_collected():
    write(BASE, SWEEP)
    assert "nan" not in rdsim("sweep", "s.cfg", "--status", status=1).stdout
    early = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert "s.cfg: tasks 1-12 of 12 are missing; " in early.stderr, early.stderr
    rdsim("sweep", "s.cfg")
    rdsim("sweep", "s.cfg", "--collect", "all.h5")
    read_result.check_collected("all.h5")
    # the xarray engine that reads with h5py, which this process has loaded already
    with xarray.open_dataset("all.h5", engine="h5netcdf") as data:
        assert data.totals.dims == ("point", "repeat", "run", "time", "species")
        assert data.totals.shape == (6, 2, 2, 5, 2)
        assert np.allclose(data.D.values, [0.5, 1, 2, 0.5, 1, 2])
        # the propensity: exp(-k t) of 600 are left, binomially; 5 standard errors of 4 runs
        for point in range(6):
            k = float(data.k[point])
            left = data.total_mean.sel(species="A", time=1.0)[point]
            probability = np.exp(-k)
            assert abs(left - 600 * probability) < 5 * np.sqrt(600 * probability * (1 - probability) / 4)
        mean = data.totals.astype(float).mean(("repeat", "run"))
        assert np.allclose(mean, data.total_mean)
        assert np.allclose(data.totals.astype(float).var(("repeat", "run"), ddof=1),
                           data.total_variance)
        with h5py.File("s/04.h5") as task:
            assert np.array_equal(data.totals.values[1, 1], task["totals"][...])
    assert "netCDF4" not in sys.modules, "two HDF5 libraries share this process"
    assert "exists; use --force to replace it" in rdsim("sweep", "s.cfg", "--collect", "all.h5", status=2).stderr
    assert "all.h5: contains the totals of a whole sweep" in rdsim("info", "all.h5", status=2).stderr
    # a value of the first six tasks changes; then one of all
    for base, sweep, tasks in ((BASE, SWEEP.replace("0.1, 2", "0.2, 2"), "1-6"),
                               (BASE.replace("end = 2", "end = 3"), SWEEP, "1-12")):
        write(base, sweep)
        done = rdsim("sweep", "s.cfg", "--collect", "other.h5", status=1)
        assert f"s.cfg: tasks {tasks} of 12 are no result; " in done.stderr, done.stderr
        done = rdsim("sweep", "s.cfg", status=1)
        assert "s/01.h5: is complete, but the sweep or its base has changed" in done.stderr
    assert not os.path.exists("other.h5")
    write(BASE, SWEEP)
    for needed in ("s.cfg", "base.cfg", "s/03.h5"):
        before = pathlib.Path(needed).read_bytes()
        done = rdsim("sweep", "s.cfg", "--collect", needed, "--force", status=1)
        assert f"{needed}: the collected file would replace a file of the sweep" in done.stderr
        assert pathlib.Path(needed).read_bytes() == before, needed


def complete_tasks_are_skipped_and_failures_kept():
    write(FAILING, FAIL)
    failed = rdsim("sweep", "s.cfg", "--jobs", "2", status=1)
    assert "task 2: failed; print the reason with rdsim sweep --status" in failed.stderr, failed.stderr
    status = rdsim("sweep", "s.cfg", "--status", status=1).stdout
    assert "1 complete" in status and "1 failed" in status and "give a number" in status, status
    before = os.stat("s/1.h5").st_mtime_ns
    again = rdsim("sweep", "s.cfg", status=1)
    assert "failed before; run it again with --retry" in again.stderr, again.stderr
    assert "rdsim: \n" not in again.stderr, again.stderr
    early = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1)
    assert "run 'rdsim sweep s.cfg --retry', or collect" in early.stderr, early.stderr
    pathlib.Path("s/2.h5.failed").write_text("")
    rdsim("sweep", "s.cfg", "--status", status=1)
    assert os.stat("s/1.h5").st_mtime_ns == before
    write(FAILING, FAIL.replace("(0, 2)", "(0, 0.1)"))
    rdsim("sweep", "s.cfg", "--retry")
    assert "2 complete" in rdsim("sweep", "s.cfg", "--status").stdout


def a_sweep_continues_after_signals():
    write(SLOW, SHORT)
    begin = time.monotonic()
    rdsim("sweep", "s.cfg", "--jobs", "2")
    lasts = time.monotonic() - begin
    shutil.move("s", "whole")
    stops = 0
    for _ in range(200):
        with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--jobs", "2"],
                              stderr=subprocess.PIPE, text=True) as job:
            wait_for(lambda: glob.glob("s/*.h5.parts/temporary.h5") or job.poll() is not None)
            time.sleep(lasts / 5)
            job.send_signal(signal.SIGTERM if stops % 2 else signal.SIGINT)
            messages = job.communicate(timeout=600)[1]
        assert job.returncode in (0, 75), f"status {job.returncode}: {messages}"
        stops += job.returncode == 75
        if job.returncode == 0:
            break
    assert job.returncode == 0 and stops > 1
    for name in os.listdir("whole"):
        same_data(f"s/{name}", f"whole/{name}")


def simultaneous_signals_are_handled():
    """Sends both signals while the process is stopped; it stops whichever it handles last."""
    write(LONG, SHORT)
    with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--task", "1"],
                          stderr=subprocess.PIPE, text=True) as job:
        wait_for(lambda: os.path.exists("s/1.h5.parts/temporary.h5"))
        for number in signal.SIGSTOP, signal.SIGTERM, signal.SIGUSR1, signal.SIGCONT:
            job.send_signal(number)
        messages = job.communicate(timeout=600)[1]
    assert job.returncode == 75, f"status {job.returncode}: {messages}"


def sighup_reaches_the_tasks():
    """Tests SIGHUP to the sweep, which passes it on to its tasks in groups of their own."""
    write(LONG, SHORT)
    with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--task", "1"],
                          stderr=subprocess.PIPE, text=True) as job:
        wait_for(lambda: os.path.exists("s/1.h5.parts/temporary.h5"))
        job.send_signal(signal.SIGHUP)
        messages = job.communicate(timeout=600)[1]
    assert job.returncode == 75, f"status {job.returncode}: {messages}"


def a_task_stopped_before_its_handler_has_not_failed():
    """Sends the signal later each time, until it often arrived after the handler was set."""
    write(LONG, SHORT)
    stopped = turn = 0
    while stopped < 12:
        with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--jobs", "2"],
                              stderr=subprocess.PIPE, text=True) as job:
            time.sleep(0.002 * turn)
            job.send_signal(signal.SIGINT)
            messages = job.communicate(timeout=600)[1]
        assert job.returncode in (75, -signal.SIGINT), f"{turn}: {job.returncode}: {messages}"
        stopped += job.returncode == 75
        turn += 1


def tasks_stop_when_the_sweep_is_killed():
    """Tests that they stop at a checkpoint, and that the next call continues."""
    write(SLOW, SHORT)
    with subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--jobs", "2", "--progress", "none"]) as job:
        wait_for(lambda: all(os.path.exists(f"s/{task}.h5.parts/temporary.h5") for task in (1, 2)))
        job.kill()
    wait_for(lambda: "running" not in rdsim("sweep", "s.cfg", "--status", status=1).stdout)
    for task in (1, 2):
        assert "same command and --resume" in rdsim("info", f"s/{task}.h5").stdout, os.listdir("s")
    rdsim("sweep", "s.cfg", "--jobs", "2")
    assert "3 complete" in rdsim("sweep", "s.cfg", "--status").stdout


def two_sweeps_share_the_tasks():
    """Tests that the second sweep leaves a task to the first, which is no failure, and that the one
    that ends last finds all complete."""
    write(SLOW.replace("end = 40;", "end = 10;"), SHORT)
    both = [subprocess.Popen([PROGRAM, "sweep", "s.cfg", "--jobs", "2"], stderr=subprocess.PIPE,
                             text=True) for _ in range(2)]
    for sweep in both:
        messages = sweep.communicate(timeout=600)[1]
        assert sweep.returncode in (0, 75), f"status {sweep.returncode}: {messages}"
    assert 0 in [sweep.returncode for sweep in both]
    assert sorted(os.listdir("s")) == ["1.h5", "2.h5", "3.h5"], os.listdir("s")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))


def collection_reports_a_file_limit():
    write(BASE, SHORT)
    rdsim("sweep", "s.cfg")
    done = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=1, preexec_fn=limit_files)
    assert "all.h5: cannot be written: File too large" in done.stderr, done.stderr
    assert sorted(os.listdir()) == ["base.cfg", "s", "s.cfg"], os.listdir()


def tasks_have_a_time_limit():
    write(SLOW, SHORT)
    timed = rdsim("sweep", "s.cfg", "--task", "1", "--timeout", "500ms", status=75)
    assert "stopped" in timed.stderr
    assert "interrupted" in rdsim("sweep", "s.cfg", "--status", status=1).stdout


def scripts_run():
    """Tests the script for Slurm, with the variables that Slurm sets."""
    write(BASE, SHORT)
    script = rdsim("sweep", "s.cfg", "--slurm").stdout
    pathlib.Path("job.sh").write_text(script)
    assert "#SBATCH --array=1-3\n" in script
    environment = dict(os.environ, SLURM_ARRAY_TASK_ID="1", BEFORE="1", SLURM_CPUS_PER_TASK="3")
    done = subprocess.run(["bash", "job.sh"], env=environment, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert os.listdir("s") == ["2.h5"]
    with h5py.File("s/2.h5") as file:
        made_by = file["provenance"].attrs
        assert made_by["backend"] != "cpu" or made_by["threads"] == 3, "threads"


def a_queue_signals_all_processes():
    """Sends the signal before the end of a job to the script, the sweep and its task. A cancelled
    job is not requeued."""
    write(LONG, SHORT)
    environment = dict(os.environ, SLURM_ARRAY_TASK_ID="1", PBS_ARRAY_INDEX="1", SGE_TASK_ID="1",
                       SLURM_ARRAY_JOB_ID="7", PBS_O_WORKDIR=os.getcwd())
    pathlib.Path("scontrol").write_text("#!/bin/sh\necho again $*\n")
    os.chmod("scontrol", 0o755)
    environment["PATH"] = f"{os.getcwd()}:{environment['PATH']}"
    for queue, number, status, expected in (
            ("slurm", signal.SIGUSR1, 75, "again requeue 7_1\n"), ("slurm", signal.SIGTERM, 75, ""),
            ("pbs", signal.SIGTERM, 75, "submit the script again: it skips complete tasks\n"),
            ("sge", signal.SIGUSR2, 99, "")):
        pathlib.Path("job.sh").write_text(rdsim("sweep", "s.cfg", "--" + queue).stdout)
        with subprocess.Popen(["bash", "job.sh"], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as job:
            wait_for(lambda: os.path.exists("s/1.h5.parts/temporary.h5"))
            os.killpg(job.pid, number)
            stdout, stderr = job.communicate(timeout=600)
        assert job.returncode == status, f"{queue}: {job.returncode}: {stderr}"
        assert stdout == expected, f"{queue} after {number}: {stdout}"
        shutil.rmtree("s")


def wrong_options_are_reported():
    write(BASE, SHORT)
    for words, message in (
            (["--task", "4"], "s.cfg: has no task 4; give a number from 1 to 3"),
            (["--task", "array"], "--task array: none of SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX"),
            (["--jobs", "0"], "--jobs 0: is not valid; give an integer from 1"),
            (["--timeout", "soon"], "--timeout soon: "),
            (["--list", "--count"], "--list and --count"),
            (["--retry", "--status"], "--retry")):
        done = rdsim("sweep", "s.cfg", *words, status=2)
        assert message in done.stderr, f"{words}: {done.stderr}"
    assert "SWEEP is missing" in rdsim("sweep", status=2).stderr
    pathlib.Path("s").mkdir()
    pathlib.Path("s/1.h5").write_text("no")
    foreign = rdsim("sweep", "s.cfg", status=1)
    assert "task 1: s/1.h5: exists, but is not a result of rdsim" in foreign.stderr, foreign.stderr
    assert pathlib.Path("s/1.h5").read_text() == "no"


if __name__ == "__main__":
    for test in (all_ways_give_the_same, results_are_collected,
                 complete_tasks_are_skipped_and_failures_kept, a_sweep_continues_after_signals,
                 sighup_reaches_the_tasks, simultaneous_signals_are_handled,
                 a_task_stopped_before_its_handler_has_not_failed,
                 tasks_stop_when_the_sweep_is_killed, two_sweeps_share_the_tasks,
                 collection_reports_a_file_limit, tasks_have_a_time_limit, scripts_run,
                 a_queue_signals_all_processes, wrong_options_are_reported):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(test.__name__, flush=True)
            test()
            os.chdir("/")
