"""twin_slurm - runs a sweep as an array of jobs of a real Slurm, with the script that `rdsim sweep
--slurm` prints. Its time limit is so short that jobs are stopped and requeued, and its node fails.
In the end the collected file has the bytes of an uninterrupted sweep. Tasks that are waited for are
frozen meanwhile, so that nothing depends on their speed."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
SLURM = pathlib.Path(os.environ["RDSIM_SOURCE"], "tools", "slurm.sh")
BASE = """
grid = { voxels = (12, 5); edge = 1.0; };
parameters = { k = 0.5; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; density = 10; } );
time = { end = 20; step = 0.0005; };
output = { every = 0.5; };
run = { runs = 2; };
"""
SWEEP = """
base = "base.cfg"; repeats = 2; seed = 5;
vary = ( { path = "time.step"; values = (0.0002, 0.001); },
         { path = "parameters.k"; values = { from = 0.5; to = 2.0; points = 3; scale = "log"; }; } );
"""
N_TASKS = 12
PLACES = 3    # of the node, for jobs with one processor
LIMIT = 900  # maximum seconds for any wait, on a busy machine


def call(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done.stdout


def wait_for(what, fact):
    until = time.monotonic() + LIMIT
    while not fact():
        assert time.monotonic() < until, f"{what}: not within {LIMIT} s:\n{logs()}"
        time.sleep(0.02)


def logs():
    return "\n".join(path.read_text() for path in sorted(pathlib.Path().glob("job-*.txt")))


def restarts():
    """Returns how often each task was requeued, by its number."""
    jobs = call("scontrol", "--oneliner", "show", "job").splitlines()
    fields = [dict(word.split("=", 1) for word in job.split() if "=" in word) for job in jobs]
    return {job["ArrayTaskId"]: int(job["Restarts"]) for job in fields}


def jobs_in(*states):
    return call("squeue", "--noheader", "--array", "--states", ",".join(states)).splitlines()


def tasks_at_work():
    """Returns the processes that write a result in this folder."""
    held = os.path.abspath("s")
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            opened = [os.readlink(link) for link in folder.glob("fd/*")]
        except OSError:  # it has ended, or belongs to another user
            continue
        if any(path.startswith(held) and path.endswith("temporary.h5") for path in opened):
            yield int(folder.name)


def freeze(n):
    """Stops the first n tasks that are found running; returns them."""
    frozen = set()

    def are_enough():
        for process in set(tasks_at_work()) - frozen:
            os.kill(process, signal.SIGSTOP)
            frozen.add(process)
        return len(frozen) >= n

    wait_for(f"{n} tasks at work", are_enough)
    return frozen


def has_pending_signal(process):
    """Returns whether a signal is pending, which the process handles when it continues."""
    page = pathlib.Path(f"/proc/{process}/status").read_text()
    return any(int(line.split()[1], 16) for line in page.splitlines() if line.startswith("ShdPnd"))


def write_sweep(folder):
    pathlib.Path(folder).mkdir()
    pathlib.Path(folder, "base.cfg").write_text(BASE)
    pathlib.Path(folder, "s.cfg").write_text(SWEEP)


def sweep_in_one_call():
    """Runs all tasks with one call."""
    write_sweep("alone")
    call(PROGRAM, "sweep", "alone/s.cfg", "--backend", "cpu")
    call(PROGRAM, "sweep", "alone/s.cfg", "--collect", "alone.h5")


def a_cancelled_job_is_not_requeued():
    """Tests that it stops at a checkpoint, from which the same task continues when it is submitted
    again."""
    number = call("sbatch", "--parsable", "--array=1", "--output=cancelled.txt", "job.sh").strip()
    freeze(1)
    call("scancel", number)  # which also continues it
    wait_for("its end", lambda: not jobs_in("running", "completing"))
    assert not jobs_in("pending"), "it is put back"
    messages = pathlib.Path("cancelled.txt").read_text()
    assert "continue with the same command and --resume" in messages, messages


def sweep_by_slurm(folder):
    """Runs the array: as many jobs as there are places run when Slurm checks their time; the next
    ones when the node is cut off."""
    write_sweep("array")
    os.chdir("array")
    pathlib.Path("job.sh").write_text(call(PROGRAM, "sweep", "s.cfg", "--slurm"))
    a_cancelled_job_is_not_requeued()
    call("sbatch", "--time=1", "--signal=B:USR1@60", "--output=job-%a.txt", "job.sh")
    first = freeze(PLACES)
    wait_for("signals at the end of their time", lambda: all(map(has_pending_signal, first)))
    for process in first:
        os.kill(process, signal.SIGCONT)
    wait_for("jobs that are put back", lambda: sum(restarts().values()) == PLACES)
    freeze(PLACES)
    call(SLURM, "cut", folder)
    wait_for("the end of all jobs", lambda: not jobs_in("pending", "running", "completing"))
    messages, n_restarts = logs(), sum(restarts().values())
    n_stopped = messages.count("continue with the same command and --resume")
    assert 0 < n_stopped < n_restarts, \
        f"{n_restarts} starts again, {n_stopped} after stops: {messages}"
    print(f"{n_stopped} jobs had no more time, {n_restarts - n_stopped} lost their node")
    os.chdir("..")


def is_same(name, item, other):
    if isinstance(item, h5py.Dataset):
        assert np.array_equal(item[...], other[name][...]), f"{name} differs"


def compare():
    call(PROGRAM, "sweep", "array/s.cfg", "--status")
    call(PROGRAM, "sweep", "array/s.cfg", "--collect", "array.h5")
    for task in range(1, N_TASKS + 1):
        call(PROGRAM, "diff", f"alone/s/{task:02}.h5", f"array/s/{task:02}.h5")
    with h5py.File("alone.h5") as alone, h5py.File("array.h5") as array:
        assert set(alone) == set(array)
        alone.visititems(lambda name, item: is_same(name, item, array))


def main():
    folder = os.path.abspath("slurm")
    for name in [name for name in os.environ if name.startswith(("SLURM", "SBATCH"))]:
        del os.environ[name]  # of a queue in which this test itself is a job
    os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"
    begun = subprocess.run([SLURM, "start", folder, str(PLACES)], stderr=subprocess.PIPE, text=True,
                           check=False)
    if begun.returncode != 0:
        print(f"skipped, since no Slurm can be started here: {begun.stderr}")
        sys.exit(77)
    try:
        sweep_in_one_call()
        sweep_by_slurm(folder)
        compare()
    finally:
        subprocess.run([SLURM, "stop", folder], check=False)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        main()
        os.chdir("/")
