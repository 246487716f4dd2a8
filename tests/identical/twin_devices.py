"""twin_devices - tests an ensemble whose runs several processes share (--devices), with every kind of
output, with runs that stop or fault, stopped, killed and resumed: every data set is the same as in
one process."""
import glob
import os
import signal
import subprocess
import time

import h5py

from say_main import PROGRAM, assert_message, config, cpu, run_cases, state
from twin_batches import (CONDITIONS, FIELD, GROUPS, KEEPS, ODD, SINGLE, assert_same_data, data_sets,
                          text_of)
from twin_rows import PLANE, WELL, write

# Two groups of output at times of their own; individuals are counted by an attribute.
BY = """
grid = { voxels = (4, 3); edge = 1.0; };
species = ( { name = "A"; diffusion = 0.5; individuals = { max = 300; attributes = (
    { name = "age"; initial = 0; birth = "min(parent.age + 1, 9)"; } ); }; }, { name = "B"; } );
reactions = ( { equation = "A -> 2 A"; rate = 0.6; }, { equation = "A -> B"; rate = 0.2; } );
initial = ( { species = "A"; count = 8; } );
time = { end = 4; step = 0.1; };
output = ( { every = 0.3; keep = "totals"; by = ( { species = "A"; attribute = "age"; range = (0, 9); } ); },
           { name = "maps"; every = 1.0; keep = "first 3"; } );
run = { seed = 46; runs = 7; };
"""
LISTS = ["--devices", "0,0"], ["--devices", "2,0,1"], ["--devices", "0,0,0", "--at-once", "2"]


def assert_same_devices(name, status, *words):
    """Compares data, messages and exit status with those of one process."""
    done = cpu(name, "--force", "--output", "all.h5", "--progress", "none", *words, status=status)
    for devices in LISTS:
        there = cpu(name, "--force", "--output", "one.h5", "--progress", "none", *devices, *words,
                    threads="2", status=status)
        lines = [line for line in there.stderr.replace("one.h5", "all.h5").splitlines(True)
                 if "--devices: the runs, " not in line]
        assert "".join(lines) == done.stderr, there.stderr
        assert_same_data("all.h5", "one.h5", f"{words}, {devices}")


def devices_with_runs_that_stop_or_fault():
    config("odd.cfg", ODD)
    for keep in KEEPS:
        assert_same_devices("odd.cfg", 1, "--set", f"output.keep={keep}")
    assert_same_devices("odd.cfg", 1, "--set", "output.layout=sparse")
    assert_same_devices("odd.cfg", 1, "--set", "solver=exact")
    with h5py.File("all.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 12, "the test is about some"


def devices_with_fields_and_single_counts():
    config("single.cfg", SINGLE)
    assert_same_devices("single.cfg", 0)
    config("field.cfg", FIELD)
    for keep in KEEPS[0], KEEPS[2], KEEPS[3]:
        assert_same_devices("field.cfg", 0, "--set", f"output.keep={keep}")


def devices_with_individuals():
    config("groups.cfg", GROUPS)
    for keep in KEEPS:
        assert_same_devices("groups.cfg", 1, "--set", f"output.keep={keep}")
    with h5py.File("all.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 12, "the test is about some"
        runs = file["lineage/B/births/run"][()]
        assert len(runs) > 50 and (runs[1:] < runs[:-1]).any(), "likewise"


def devices_with_groups_of_output():
    assert_same_devices(config("by.cfg", BY), 0)


def devices_with_rows():
    """Tests tables for one plan, and for a plan of each row, of which one cannot run."""
    write(["make", "decay"], [[10, 1], [20, 2], [5, 1], [-1, 1], [7, 3]])
    config("well.cfg", WELL)
    assert_same_devices("well.cfg", 1)
    write(["D", "n"], [[0.5, 40], [1.0, 20], [0.2, 10], [-1.0, 20], [0.1, 30]])
    config("plane.cfg", PLANE)
    assert_same_devices("plane.cfg", 1)
    write(["D", "n"], [[0.5, 40]])
    assert_same_devices("plane.cfg", 0)


def devices_with_conditions():
    config("conditions.cfg", CONDITIONS)
    for keep in KEEPS[0], KEEPS[2]:
        assert_same_devices("conditions.cfg", 1, "--set", f"output.keep={keep}")


def devices_where_all_runs_fault():
    """Tests that the run ends with the same message and snapshots."""
    config("all.cfg", ODD.replace("6.5", "2.5").replace(' stop = "A == 0 or B > 15";', "")
           .replace(' stop_at = "steps";', ""))
    done = cpu("all.cfg", status=1)
    there = cpu("all.cfg", "--output", "one.h5", "--devices", "0,0,0", status=1)
    assert done.stderr in there.stderr and "then all other runs" in done.stderr, there.stderr
    assert state("all.h5") == state("one.h5") == "failed"
    one, two = data_sets("all.h5"), data_sets("one.h5")
    for name in "time", "counts", "statistics/runs", "statistics/total_mean":
        assert text_of(one[name]) == text_of(two[name]), name


def strict_ends_all_devices():
    done = cpu(config("odd.cfg", ODD), "--strict", "--devices", "0,0,0", status=1)
    assert_message(done, "odd.cfg:5: the propensity of reaction 'A -> 2 A' is negative")
    assert not os.path.exists("odd.h5"), os.listdir()


def the_result_can_be_repeated():
    cpu(config("odd.cfg", ODD), "--devices", "0,0,0", status=1)
    done = cpu("again", "odd.h5", status=0)
    assert done.stdout.startswith("identical: 9 times"), done.stdout


def more_devices_than_runs_are_left_out():
    config("single.cfg", SINGLE)
    for runs, used in (1, 1), (2, 2), (3, 3), (4, 2):
        cpu("single.cfg", "--runs", str(runs), "--output", "all.h5", "--force", status=0)
        done = cpu("single.cfg", "--runs", str(runs), "--output", "one.h5", "--force", "--devices",
                   "0,0,0", status=0)
        assert (f"warning: --devices: the runs, {runs} of them, take {used} of 3 GPUs\n" in
                done.stderr) == (used < 3), done.stderr
        assert_same_data("all.h5", "one.h5", runs)


def devices_share_the_memory():
    """Tests that the free memory is divided among processes on one machine."""
    with open("little", "w", encoding="utf-8") as file:
        file.write("MemTotal: 999999 kB\nMemAvailable: 130000 kB\n")
    little = dict(os.environ, LD_PRELOAD=os.environ["RDSIM_FAILING"], MEMINFO="little")
    name = config("many.cfg", ODD.replace("runs = 13", "runs = 40").replace("(4, 3)", "(120, 100)")
                  .replace("end = 4", "end = 0.2").replace("output = { every = 0.5",
                                                           "output = { every = 0.1"))
    cpu(name, "--output", "all.h5", status=0)
    done = cpu(name, "--output", "one.h5", env=little, status=0)
    assert "batch after batch" not in done.stderr, done.stderr
    done = cpu(name, "--output", "one.h5", "--force", "--devices", "0,0", env=little, status=0)
    assert "batch after batch" in done.stderr, done.stderr
    assert_same_data("all.h5", "one.h5", name)


# ---- interruptions ----

def start(name, *words):
    return subprocess.Popen([PROGRAM, name, "--backend", "cpu", "--threads", "2", "--resume",
                             "--checkpoint-every", "50ms", "--progress", "none", *words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def others():
    """Returns the processes that were started in this folder for a share of the runs."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{folder}/cmdline", encoding="utf-8") as file:
                words = file.read().split("\0")
            if words[1:2] == ["--share"] and os.readlink(f"{folder}/cwd") == os.getcwd():
                found.append(int(os.path.basename(folder)))
        except (OSError, UnicodeDecodeError):
            pass
    return found


def wait_for(what, is_there, seconds=60):
    until = time.monotonic() + seconds
    while not is_there():
        assert time.monotonic() < until, what
        time.sleep(0.005)


def interrupt(run, after, number):
    """Sends the signal after this time, and returns the exit status and the messages."""
    until = time.monotonic() + after
    while run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(number)
    _, words = run.communicate()
    wait_for("the other processes end", lambda: not others())
    return run.returncode, words


def interrupt_with_checkpoint(run, result, and_then=lambda: True):
    """Requests a stop once there is a checkpoint, and what else is wanted."""
    wait_for("there is a checkpoint", lambda: glob.glob(f"{result}.parts/*.checkpoint") and and_then())
    return interrupt(run, 0.0, signal.SIGTERM)


def devices_are_resumed():
    """Tests a run of some seconds in total, interrupted at any moment."""
    for number, text in (signal.SIGTERM, ODD), (signal.SIGKILL, ODD), (signal.SIGKILL, GROUPS):
        text = text.replace("step = 0.1", "step = 0.0001" if text is GROUPS else "step = 0.00005")
        cpu(config("whole.cfg", text), "--progress", "none", "--force", status=1)
        name = config("left.cfg", text)
        subprocess.run(["rm", "-rf", "left.h5"], check=True)
        left = 0
        for turn in range(60):
            size = ["--at-once", "2"] if turn == 0 else []
            run = start(name, "--devices", "0,0,0", *size)
            code, words = interrupt(run, 0.3 * 1.2 ** turn, number)
            if code == 1:
                break
            assert code in (75, -signal.SIGTERM, -signal.SIGKILL), f"{code}: {words}"
            left += 1
        assert left > 1 and code == 1, f"left {left} times: {code}: {words}"
        assert_same_data("whole.h5", "left.h5", f"left {left} times")


def the_first_process_waits_where_it_can_be_stopped():
    """Tests a stop while the first process has completed its batches and others have not: the other
    two are paused before it has."""
    text = ODD.replace("step = 0.1", "step = 0.0005")
    cpu(config("whole.cfg", text), "--progress", "none", status=1)
    name = config("left.cfg", text)
    run = start(name, "--devices", "0,0")
    wait_for("another process begins", others)
    [other] = others()
    os.kill(other, signal.SIGSTOP)
    before = -1.0
    while before != (before := cpu_seconds(run.pid)):
        time.sleep(0.5)
    run.send_signal(signal.SIGTERM)
    _, words = run.communicate()
    assert run.returncode == 75 and "continue with the same command and --resume" in words, words
    wait_for("the other process ends", lambda: not others())
    cpu(name, "--resume", "--devices", "0,0", status=1)
    assert_same_data("whole.h5", "left.h5", "stopped while waiting")


def cpu_seconds(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def the_others_end_with_the_first_process():
    """Tests a kill while the other processes are paused, which cannot end by themselves."""
    name = config("left.cfg", ODD.replace("step = 0.1", "step = 0.0001"))
    run = start(name, "--devices", "0,0,0")
    wait_for("the others begin", lambda: len(others()) == 2)
    paused = others()
    for process in paused:
        os.kill(process, signal.SIGSTOP)
    run.kill()
    run.communicate()
    try:
        wait_for("the other processes end", lambda: not others(), 20)
    finally:
        for process in others():
            os.kill(process, signal.SIGKILL)


def bytes_joined(result, begun):
    """Returns the length of the file that a process joins, which began at this time; -1 if it has not
    begun to join."""
    try:
        about = os.stat(f"{result}.parts/temporary.h5")
    except FileNotFoundError:
        return -1
    return about.st_size if about.st_mtime >= begun else -1


def a_result_is_joined_again_after_a_kill():
    """Tests a kill while the first process joins many snapshots, at its begin and with more and more
    of them written; and stops there. A run that is not interrupted completes the result."""
    text = SINGLE.replace("every = 0.5", "every = 0.001").replace('keep = "statistics"', 'keep = "all"')
    cpu(config("whole.cfg", text), "--progress", "none", status=0)
    for number in signal.SIGKILL, signal.SIGTERM:
        name = config("left.cfg", text)
        subprocess.run(["rm", "-rf", "left.h5", "left.h5.parts"], check=True)
        left = 0
        for part in 0.0, 0.05, 0.07, 0.09, 0.3, 0.9:
            begun, run = time.time(), start(name, "--devices", "0,0")
            wait_for(f"{part} of the result is joined", lambda: run.poll() is not None or
                     bytes_joined("left.h5", begun) >= part * os.path.getsize("whole.h5"), 600)
            code, words = interrupt(run, 0.0, number)
            if code == 0:
                break
            assert code in (75, -number), f"{code}: {words}"
            left += 1
        assert left > 0, f"the result was complete at once: {words}"
        cpu(name, "--devices", "0,0", "--resume", status=0)
        assert_same_data("whole.h5", "left.h5", f"left {left} times while joining")


def a_killed_device_is_reported():
    """Tests that the run can be resumed after another process was killed."""
    text = ODD.replace("step = 0.1", "step = 0.0001")
    cpu(config("whole.cfg", text), "--progress", "none", status=1)
    name = config("left.cfg", text)
    run = start(name, "--devices", "0,7,0", "--at-once", "2")
    wait_for("both other processes begin", lambda: len(others()) == 2)
    os.kill(others()[0], signal.SIGKILL)
    _, words = run.communicate()
    assert run.returncode == 1, words
    assert "was killed by signal 9" in words and "rdsim: --devices: the process of GPU " in words, words
    assert "left.h5: has a checkpoint; correct the error, and continue" in words, words
    wait_for("the other process ends", lambda: not others())
    cpu(name, "--resume", "--devices", "0,0,0", status=1)
    assert_same_data("whole.h5", "left.h5", "after a process was killed")


def another_number_of_devices_is_refused():
    """Tests that a checkpoint of another list is refused and kept."""
    text = ODD.replace("step = 0.1", "step = 0.0001")
    cpu(config("whole.cfg", text), "--progress", "none", status=1)
    name = config("left.cfg", text)
    code, words = interrupt_with_checkpoint(start(name, "--devices", "0,0"), "left.h5")
    assert code == 75, words
    for devices in [], ["--devices", "0"], ["--devices", "0,0,0"]:
        done = cpu(name, "--resume", *devices, status=2)
        assert_message(done, "left.h5.parts", "belongs to a run with --devices of 2 GPUs; give as many")
    cpu(name, "--resume", "--devices", "1,0", status=1)
    assert_same_data("whole.h5", "left.h5", "after other lists were refused")
    code, words = interrupt_with_checkpoint(start(config("one.cfg", text)), "one.h5")
    assert code == 75, words
    done = cpu("one.cfg", "--resume", "--devices", "0,0", status=2)
    assert_message(done, "belongs to a run without --devices; leave it out")
    cpu("one.cfg", "--resume", status=1)
    assert_same_data("whole.h5", "one.h5", "after a list was refused")


def a_damaged_file_of_another_process_is_repeated():
    """Tests that a batch is simulated again if its data are damaged while nothing runs."""
    text = ODD.replace("step = 0.1", "step = 0.0001")
    cpu(config("whole.cfg", text), "--progress", "none", status=1)
    name = config("left.cfg", text)
    run = start(name, "--devices", "0,0", "--at-once", "1")
    code, words = interrupt_with_checkpoint(run, "left.h5", lambda: [
        path for path in glob.glob("left.h5.parts/*.1.batches") if os.path.getsize(path) > 1000])
    assert code == 75, words
    [path] = glob.glob("left.h5.parts/*.1.batches")
    with open(path, "r+b") as file:
        file.seek(100)
        byte = file.read(1)
        file.seek(100)
        file.write(bytes([byte[0] ^ 1]))
    cpu(name, "--resume", "--devices", "0,0", status=1)
    assert_same_data("whole.h5", "left.h5", "after damage")


CASES = [devices_with_runs_that_stop_or_fault,
         devices_with_fields_and_single_counts,
         devices_with_individuals,
         devices_with_groups_of_output,
         devices_with_rows,
         devices_with_conditions,
         devices_where_all_runs_fault,
         strict_ends_all_devices,
         the_result_can_be_repeated,
         more_devices_than_runs_are_left_out,
         devices_share_the_memory,
         devices_are_resumed,
         the_first_process_waits_where_it_can_be_stopped,
         the_others_end_with_the_first_process,
         a_result_is_joined_again_after_a_kill,
         a_killed_device_is_reported,
         another_number_of_devices_is_refused,
         a_damaged_file_of_another_process_is_repeated]

if __name__ == "__main__":
    run_cases(CASES)
