"""say_devices - tests messages about the list of GPUs that --devices names, and which GPU each task
of a sweep takes."""
import os

import h5py

from say_main import GOOD, assert_message, config, cpu, rdsim, run_cases

WRONG = "x", "0,", ",0", "-1", "0,,1", "0 1", "1024", "ALL", ",".join("0" * 65)
SWEEP = """
base = "base.cfg"; output = "task{task}.h5";
vary = ( { path = "parameters.k"; values = (1, 2, 3, 4, 5, 6); } );
"""


def write_sweep():
    config("base.cfg", GOOD + "parameters = { k = 1; };")
    return config("s.cfg", SWEEP)


def wrong_lists_are_refused():
    write_sweep()
    for text in WRONG:
        done = rdsim("sweep", "s.cfg", f"--devices={text}", "--backend", "cpu", status=2)
        assert_message(done, f"--devices {text}: is not valid; give all, or at most 64 numbers")


def missing_gpus_are_refused():
    done = rdsim("sweep", write_sweep(), "--devices", "0,999", status=2)
    assert_message(done, "--devices 0,999: ")
    done = rdsim("sweep", "s.cfg", "--devices", "all", "--backend", "cpu", "--jobs", "1", status=2,
                 env={"CUDA_VISIBLE_DEVICES": ""})
    assert_message(done, "--devices all: no GPU is found; leave it out, or give numbers and "
                         "--backend cpu")


def conflicts_are_refused():
    write_sweep()
    done = rdsim("sweep", "s.cfg", "--devices", "0", "--device", "0", status=2)
    assert_message(done, "--device names one GPU and --devices several; give one of them")
    for words in ("--slurm",), ("--pbs",), ("--sge",), ("--task", "1"):
        done = rdsim("sweep", "s.cfg", "--devices", "0", *words, status=2)
        assert_message(done, "--devices has no effect in a job array, since a job has the device "
                             "of its queue; leave it out")


def wrong_lists_of_a_run_are_refused():
    name = config("good.cfg", GOOD)
    for text in WRONG:
        done = rdsim(name, f"--devices={text}", "--backend", "cpu", status=2)
        assert_message(done, f"--devices {text}: is not valid; give all, or at most 64 numbers")
    assert_message(rdsim(name, "--devices", "0,999", status=2), "--devices 0,999: ")
    assert_message(rdsim(name, "--devices", "0", "--device", "0", status=2),
                   "--device names one GPU and --devices several; give one of them")
    assert_message(rdsim("check", name, "--devices", "0", "--backend", "cpu", status=2),
                   "--devices is not an option of rdsim check")
    assert os.listdir() == ["good.cfg"], os.listdir()


def one_run_takes_one_gpu():
    done = cpu(config("good.cfg", GOOD), "--devices", "0,0", status=0)
    assert_message(done, "warning: --devices: the runs, 1 of them, take 1 of 2 GPUs")
    done = cpu("good.cfg", "--devices", "0", "--force", status=0)
    assert "warning" not in done.stderr, done.stderr


def standard_input_is_refused():
    """Tests that a configuration that only one process can read is refused."""
    text = GOOD.replace("seed = 7;", "seed = 7; runs = 4;")
    done = cpu("-", "--devices", "0,0", "--output", "a.h5", input=text, status=2)
    assert_message(done, "--devices: each process reads the configuration, but '-' can be read "
                         "once; name a file")
    done = cpu("/dev/stdin", "--devices", "0,0", "--output", "a.h5", input=text, status=2)
    assert_message(done, "but '/dev/stdin' can be read once")
    assert os.listdir() == [], os.listdir()


def devices_stand_in_the_result():
    cpu(config("good.cfg", GOOD), "--devices", "3,0", "--runs", "4", status=0)
    with h5py.File("good.h5", "r") as file:
        assert file["provenance"].attrs["devices"] == "3,0"


def a_share_is_no_option():
    """Tests that what processes pass to each other is refused elsewhere."""
    name = config("good.cfg", GOOD)
    for share in "0:1:1:0", "1:0:1:0", "1:1:0:0", "99:1:1:0", "x":
        done = rdsim("--share", share, name, status=2)
        assert_message(done, "--share is not an option")
    done = rdsim("--share", "1:1:1:0", name, "--runs", "2", "--devices", "0,0", "--backend", "cpu", status=2)
    assert_message(done, "good.cfg: has changed since the run began; begin again")
    assert os.listdir() == ["good.cfg"], os.listdir()


def devices_of(n):
    """Returns the device of each task's result, which its command line has."""
    found = []
    for i in range(1, n + 1):
        with h5py.File(f"task{i}.h5", "r") as file:
            words = file.attrs["history"].split()
        found.append(int(words[words.index("--device") + 1]))
    return found


def tasks_are_divided_among_the_list():
    """Tests that each entry of the list has one of the first tasks, and that a number which occurs
    twice has two."""
    write_sweep()
    rdsim("sweep", "s.cfg", "--devices", "3,1,3", "--backend", "cpu", status=0)
    found = devices_of(6)
    assert found[:3] == [3, 1, 3] and set(found) == {1, 3}, found


def one_job_takes_the_first_gpu():
    write_sweep()
    rdsim("sweep", "s.cfg", "--devices", "3,1,3", "--backend", "cpu", "--jobs", "1", status=0)
    assert devices_of(6) == [3] * 6, devices_of(6)


CASES = (wrong_lists_are_refused, missing_gpus_are_refused, conflicts_are_refused,
         wrong_lists_of_a_run_are_refused, one_run_takes_one_gpu, standard_input_is_refused,
         devices_stand_in_the_result, a_share_is_no_option,
         tasks_are_divided_among_the_list, one_job_takes_the_first_gpu)

if __name__ == "__main__":
    run_cases(CASES)
