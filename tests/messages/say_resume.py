"""say_resume - tests the program under signals and kills: its messages, its exit status, the files
that it leaves, and that --resume completes the run with the data of an uninterrupted one."""
import functools
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

import h5py
import numpy as np

from say_main import run_cases

PROGRAM = os.environ["RDSIM_PROGRAM"]
# Has counts, individuals with lineage, events that change parameters; some seconds on one thread.
MODEL = """
grid = { voxels = (30, 20); edge = 1.0; };
parameters = { k = 0.5; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; },
            { name = "W"; diffusion = "0.1 * u"; individuals = { max = 5000; record = "lineage";
              attributes = ( { name = "u"; initial = "1 + x"; birth = "parent.u + normal(0, 1)^2"; }
                           ); }; } );
reactions = ( { equation = "A -> B"; rate = "k"; }, { equation = "0 -> A"; rate = 1; },
              { equation = "W -> 2 W"; rate = 0.2; }, { equation = "W -> 0"; rate = 0.2; } );
initial = ( { species = "A"; density = 10; }, { species = "W"; count = 100; } );
events = ( { every = 0.55; set = { k = "1.01 * k"; }; add = { species = "W"; count = 5; }; } );
time = { end = 4; step = 0.001; };
output = { every = 0.1; };
run = { seed = 7; runs = 2; };
"""
ONE = ("--backend", "cpu", "--threads", "1")
TWO = ("--backend", "cpu", "--threads", "2")


def rdsim(*words, status=0, **more):
    """Runs the program; fails unless it exits with this status."""
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, **more)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def assert_message(stderr, *words):
    """Fails unless stderr has a line with all these words."""
    assert any(all(word in line for word in words) for line in stderr.splitlines()), \
        f"{words} not in: {stderr}"


def config(name, text=MODEL):
    pathlib.Path(name).write_text(text)
    return name


def state(path):
    with h5py.File(path, "r") as file:
        return file["provenance"].attrs["state"]


def times(path):
    with h5py.File(path, "r") as file:
        return len(file["time"])


def checkpoints(path):
    parts = f"{path}.parts"
    return sorted(name for name in os.listdir(parts) if name.endswith(".checkpoint")
                  and name[0].isdigit()) if os.path.isdir(parts) else []


def begun(*words, stderr=subprocess.PIPE):
    """Starts a run and waits until it writes, so that it handles signals."""
    run = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=stderr, text=True)
    path = words[0].replace(".cfg", ".h5")
    until = time.monotonic() + 60
    while (not os.path.exists(f"{path}.parts/temporary.h5") and run.poll() is None
           and time.monotonic() < until):
        time.sleep(0.005)
    return run


def wait_for(what, run):
    until = time.monotonic() + 60
    while not what() and run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert run.poll() is None, f"it has ended: {run.communicate()}"


def wait_for_work(run, seconds):
    """Waits until the run has used so much processor time, whatever else the machine does."""
    wait_for(lambda: processor_time(run.pid) >= seconds, run)


def processor_time(pid):
    """Returns the processor time in seconds, from proc(5)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_same(a, b):
    done = rdsim("diff", a, b)
    assert done.stdout.startswith("identical"), done.stdout


@functools.cache
def uninterrupted():
    """Returns the result of the model from an uninterrupted run."""
    with tempfile.TemporaryDirectory() as folder:
        rdsim(config(f"{folder}/whole.cfg"), *ONE, cwd=folder)
        return pathlib.Path(folder, "whole.h5").read_bytes()


def whole():
    pathlib.Path("whole.h5").write_bytes(uninterrupted())
    return "whole.h5"


def a_signal_stops_and_resume_continues(number):
    reference = whole()
    config("long.cfg")
    with begun("long.cfg", *ONE) as run:
        wait_for_work(run, 0.15)
        run.send_signal(number)
        stdout, stderr = run.communicate(timeout=600)
    assert run.returncode == 75, f"status {run.returncode}: {stderr}"
    assert stdout == "long.h5\n", f"stdout: {stdout}"
    assert_message(stderr, "rdsim: stops after this step; send a second signal to end it immediately")
    assert_message(stderr, "rdsim: stopped by a signal at t = ",
                   f"the {times('long.h5')} snapshots before",
                   "are in long.h5; continue with the same command and --resume")
    assert state("long.h5") == "interrupted", "state"
    with h5py.File("long.h5", "r") as file:
        assert (file["counts"][()].sum(axis=(3, 4, 5)) == file["totals"][()]).all(), "totals"
    assert len(checkpoints("long.h5")) == 1, os.listdir("long.h5.parts")
    page = rdsim("info", "long.h5").stdout
    assert_message(page, "state          interrupted at t = ")
    assert_message(page, "checkpoint     in long.h5.parts: continue with the same command and --resume")
    assert_message(rdsim("long.cfg", *ONE, status=2).stderr, "long.h5: exists; use --force to replace it")
    n = times("long.h5")
    done = rdsim("long.cfg", *TWO, "--resume")
    assert_message(done.stderr, "4000 steps to t = 4", "snapshots in long.h5: 41")
    assert n < 41, "it was stopped too late for this test"
    assert_same(reference, "long.h5")
    page = rdsim("info", "long.h5").stdout
    assert "state          complete\n" in page and "--resume" not in page, page
    assert sorted(os.listdir()) == ["long.cfg", "long.h5", "whole.h5"], os.listdir()


def sigint_stops_and_resume_continues():
    a_signal_stops_and_resume_continues(signal.SIGINT)


def sigterm_stops_and_resume_continues():
    a_signal_stops_and_resume_continues(signal.SIGTERM)


def sighup_stops_and_resume_continues():
    a_signal_stops_and_resume_continues(signal.SIGHUP)


def nohup_ignores_sighup():
    config("long.cfg")
    with subprocess.Popen(["nohup", PROGRAM, "long.cfg", *ONE, "--set", "time.end=1"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        wait_for_work(run, 0.15)
        run.send_signal(signal.SIGHUP)
        assert_message(run.communicate(timeout=600)[1], "snapshots in long.h5: 11")
    assert run.returncode == 0, run.returncode


def sigusr1_saves_and_the_run_continues():
    """Tests more than one SIGUSR1; a kill loses only what follows the last one."""
    reference = whole()
    with begun(config("long.cfg"), *ONE) as run:
        for n in (1, 2, 2):
            before = checkpoints("long.h5")
            run.send_signal(signal.SIGUSR1)
            wait_for(lambda: checkpoints("long.h5") != before, run)
            assert len(checkpoints("long.h5")) <= n + 1
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert state("long.h5") == "running"
    assert len(checkpoints("long.h5")) in (2, 3)  # the oldest is removed after the newest
    rdsim("long.cfg", *ONE, "--resume")
    assert_same(reference, "long.h5")


def kills_at_any_time_lose_nothing():
    """Tests frequent checkpoints and repeated kills until the run is complete."""
    reference = whole()
    config("long.cfg")
    n_kills = 0
    for seconds in (0.02, 0.1, 0.3, 0.05, 0.2, 0.12, 0.4, 0.17):
        with begun("long.cfg", *ONE, "--checkpoint-every", "20ms", "--resume") as run:
            while run.poll() is None and processor_time(run.pid) < seconds:
                time.sleep(0.005)
            n_kills += run.poll() is None
            run.kill()
            run.wait()
        if os.path.exists("long.h5"):
            assert times("long.h5") > 0
            if state("long.h5") == "complete":
                break
    assert n_kills >= 2, "it was too fast for this test"
    rdsim("long.cfg", *TWO, "--resume")
    assert_same(reference, "long.h5")


def a_torn_checkpoint_is_refused():
    reference = whole()
    with begun(config("long.cfg"), *ONE, "--checkpoint-every", "20ms") as run:
        wait_for(lambda: len(checkpoints("long.h5")) == 2, run)
        run.kill()
        run.wait()
    newest = f"long.h5.parts/{checkpoints('long.h5')[-1]}"
    os.truncate(newest, os.path.getsize(newest) - 5)
    done = rdsim("long.cfg", *ONE, "--resume")
    assert_message(done.stderr, f"rdsim: warning: {newest}: is incomplete: it has no end")
    assert_same(reference, "long.h5")


def differences_are_reported():
    with begun(config("long.cfg"), *ONE) as run:
        run.send_signal(signal.SIGTERM)
        run.wait()
    before = sorted(os.listdir("long.h5.parts"))
    for words, message in [
        (["--seed", "8"], "it has 'seed = 7;', and the run has 'seed = 8;'"),
        (["--set", "parameters.k=0.25"],
         "it has 'k = 0.5;', and the run has 'k = 0.25;'"),
        (["--runs", "3"], "it has 'runs = 2;', and the run has 'runs = 3;'"),
    ]:
        done = rdsim("long.cfg", *ONE, "--resume", *words, status=2)
        assert_message(done.stderr, "rdsim: warning: long.h5.parts/00000",
                       ": belongs to another configuration")
        assert_message(done.stderr, message)
        assert_message(done.stderr,
                       "rdsim: long.h5: has no checkpoint of this run to continue from; begin again with --force")
        assert sorted(os.listdir("long.h5.parts")) == before, "it is changed"
    os.rename("long.h5", "moved.h5")
    os.rename("long.h5.parts", "moved.h5.parts")
    rdsim("long.cfg", *ONE, "--resume", "--output", "moved.h5")
    assert_same(whole(), "moved.h5")


def kill_before_a_segment(*words):
    """Kills a run before its first segment is visible."""
    with begun("long.cfg", *ONE, "--checkpoint-every", "9h", *words) as run:
        run.kill()
        run.wait()
    assert os.path.exists("long.h5.parts") and not checkpoints("long.h5")


def kill_after_a_segment():
    """Kills a run with visible snapshots. (They appear after ten seconds, or with a checkpoint.)"""
    with begun("long.cfg", *ONE, "--checkpoint-every", "9h", "--resume") as run:
        run.send_signal(signal.SIGUSR1)
        wait_for(lambda: checkpoints("long.h5"), run)
        run.kill()
        run.wait()
    for name in checkpoints("long.h5"):
        os.remove(f"long.h5.parts/{name}")
    assert state("long.h5") == "running" and times("long.h5") > 0


def a_run_without_a_checkpoint_starts_again():
    reference = whole()
    config("long.cfg")
    for leave in (lambda: kill_before_a_segment("--resume"), kill_after_a_segment):
        leave()
        done = rdsim("long.cfg", *ONE, "--resume")
        assert_message(done.stderr,
                       "rdsim: warning: long.h5: has no checkpoint; the run begins")
        assert_same(reference, "long.h5")
        os.remove("long.h5")


def a_new_start_replaces_no_other_result():
    """Tests a result of another configuration, of an active run, and a complete one."""
    config("long.cfg")
    kill_after_a_segment()
    before = pathlib.Path("long.h5").read_bytes()
    done = rdsim("long.cfg", *ONE, "--resume", "--seed", "8", status=2)
    assert_message(done.stderr,
                   "long.h5: is the unfinished result of another configuration; replace it")
    assert pathlib.Path("long.h5").read_bytes() == before, "it is changed"
    with begun("long.cfg", *ONE, "--checkpoint-every", "9h", "--resume") as run:
        done = rdsim("long.cfg", *ONE, "--resume", status=2)
        assert_message(done.stderr, "rdsim: long.h5: another run is writing it")
        assert "begins at the start" not in done.stderr, done.stderr
        run.kill()
    rdsim("long.cfg", *ONE, "--force", "--set", "time.end=0.2")
    before = pathlib.Path("long.h5").read_bytes()
    kill_before_a_segment("--force")
    done = rdsim("long.cfg", *ONE, "--resume", status=2)
    assert_message(done.stderr,
                   "rdsim: long.h5: is the complete result of another configuration; replace")
    assert pathlib.Path("long.h5").read_bytes() == before, "a whole result is changed"


def nothing_to_resume_is_reported():
    config("a.cfg", MODEL.replace("end = 4;", "end = 0.2;"))
    done = rdsim("a.cfg", *ONE, "--resume")
    assert_message(done.stderr,
                   "rdsim: warning: a.h5: does not exist; the run begins at the start")
    before = pathlib.Path("a.h5").read_bytes()
    done = rdsim("a.cfg", *ONE, "--resume")
    assert_message(done.stderr, "rdsim: a.h5: is complete; there is nothing to do")
    assert done.stdout == "a.h5\n", done.stdout
    done = rdsim("a.cfg", *ONE, "--resume", "--progress", "none")
    assert done.stderr == "", done.stderr
    done = rdsim("a.cfg", *ONE, "--resume", "--seed", "8", status=2)
    assert_message(done.stderr,
                   "a.h5: is the complete result of another configuration; replace it")
    os.rename("a.h5", "b.h5")
    rdsim("a.cfg", *ONE, "--resume", "--output", "b.h5")
    assert pathlib.Path("b.h5").read_bytes() == before, "it is changed"
    pathlib.Path("a.h5").write_text("mine")
    done = rdsim("a.cfg", *ONE, "--resume", status=2)
    assert_message(done.stderr, "a.h5: has no checkpoint to continue from; begin again with --force")
    assert pathlib.Path("a.h5").read_text() == "mine", "it is changed"


def an_unwritable_checkpoint_is_reported_once():
    """Tests a folder with the name of the temporary file: the run continues and completes."""
    reference = whole()
    messages_file = pathlib.Path("stderr.txt")
    with (messages_file.open("w") as file,
          begun(config("long.cfg"), *ONE, "--checkpoint-every", "9h", stderr=file) as run):
        os.mkdir("long.h5.parts/temporary.checkpoint")
        run.send_signal(signal.SIGUSR1)
        wait_for(lambda: "no checkpoint is written" in messages_file.read_text(), run)
        for _ in range(2):
            run.send_signal(signal.SIGUSR1)
            wait_for_work(run, processor_time(run.pid) + 0.05)  # many steps: it was handled
        os.rmdir("long.h5.parts/temporary.checkpoint")
        run.communicate(timeout=600)
    stderr = messages_file.read_text()
    assert run.returncode == 0, stderr
    assert_message(stderr, "rdsim: warning: ", ".checkpoint: cannot be written: Is a directory")
    assert_message(stderr, "rdsim: warning: no checkpoint is written at t = ", "the run continues")
    assert stderr.count("no checkpoint is written") == 1, stderr
    assert_same(reference, "long.h5")


def a_stop_without_a_checkpoint_gives_status_1():
    with begun(config("long.cfg"), *ONE) as run:
        os.mkdir("long.h5.parts/temporary.checkpoint")
        run.send_signal(signal.SIGTERM)
        stdout, stderr = run.communicate(timeout=600)
    assert run.returncode == 1 and stdout == "long.h5\n", stderr
    assert_message(stderr, "stopped by a signal at t = ", "snapshots before are in long.h5")
    assert "--resume" not in stderr, stderr
    assert state("long.h5") == "interrupted", "state"
    os.rmdir("long.h5.parts/temporary.checkpoint")
    with h5py.File("long.h5", "r") as file:
        assert not file["totals"].is_virtual and np.all(file["totals"][()] >= 0)


def a_run_resumes_after_a_file_limit():
    """Tests a limit on the size of files: the run fails, keeps its data, and resumes without the
    limit."""
    reference = whole()
    with begun(config("long.cfg"), *ONE, "--checkpoint-every", "20ms") as run:
        wait_for(lambda: checkpoints("long.h5"), run)
        limit = resource_limit(run.pid, 1000)
        _, stderr = run.communicate(timeout=600)
    if not limit:
        print("limits of another process cannot be set here")
        return
    assert run.returncode == 1, stderr
    assert_message(stderr, "File too large")
    assert_message(stderr,
                   "has a checkpoint; correct the error, and continue with the same command")
    rdsim("long.cfg", *ONE, "--resume")
    assert_same(reference, "long.h5")


def resource_limit(pid, size):
    """Sets the maximum size of a process' files; returns whether that was possible."""
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, size))
    except (OSError, AttributeError):
        return False
    return True


CASES = [
    sigint_stops_and_resume_continues,
    sigterm_stops_and_resume_continues,
    sighup_stops_and_resume_continues,
    nohup_ignores_sighup,
    sigusr1_saves_and_the_run_continues,
    kills_at_any_time_lose_nothing,
    a_torn_checkpoint_is_refused,
    differences_are_reported,
    a_run_without_a_checkpoint_starts_again,
    a_new_start_replaces_no_other_result,
    nothing_to_resume_is_reported,
    an_unwritable_checkpoint_is_reported_once,
    a_stop_without_a_checkpoint_gives_status_1,
    a_run_resumes_after_a_file_limit,
]


if __name__ == "__main__":
    run_cases(CASES)
