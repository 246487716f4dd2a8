"""twin_include - tests that a configuration in several files gives the bytes of the same one in one
file: in runs, again, --resume and sweeps; and that the result has every file."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py

from say_main import assert_message, cpu, rdsim, run_cases

MODEL = """
parameters = { k = 0.5; D = 1.0; };
species = ( { name = "A"; diffusion = "D"; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
"""
PLACE = """
include = "../model.cfg"; // the model counts from this folder
grid = { voxels = (12, 5); edge = 1.0; };
initial = ( { species = "A"; density = 10; } );
"""
MAIN = """
include = ("model.cfg", "parts/place.cfg");
species = ( { name = "B"; diffusion = 0.5; } );
parameters = { k = 0.7; };
time = { end = 2; };
output = { every = 0.5; };
run = { runs = 2; };
"""
WHOLE = """
grid = { voxels = (12, 5); edge = 1.0; };
parameters = { k = 0.7; D = 1.0; };
species = ( { name = "A"; diffusion = "D"; }, { name = "B"; diffusion = 0.5; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; density = 10; } );
time = { end = 2; };
output = { every = 0.5; };
run = { runs = 2; };
"""
SWEEP = 'base = "main.cfg"; vary = ( { path = "parameters.k"; values = (0.1, 2); } );'


def fnv(text):
    value = 14695981039346656037
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return f"{value:016x}"


def write(folder="."):
    pathlib.Path(folder, "parts").mkdir(parents=True, exist_ok=True)
    for name, text in (("model.cfg", MODEL), ("parts/place.cfg", PLACE), ("main.cfg", MAIN),
                       ("whole.cfg", WHOLE), ("s.cfg", SWEEP)):
        pathlib.Path(folder, name).write_text(text)


def a_run_has_the_same_bytes():
    write()
    cpu("main.cfg", status=0)
    cpu("whole.cfg", status=0)
    assert "identical" in rdsim("diff", "main.h5", "whole.h5", status=0).stdout
    with h5py.File("main.h5") as file:
        files = file["model/files"]
        names = [name.decode() for name in files["name"]]
        assert names == ["model.cfg", "parts/place.cfg", "main.cfg"]
        assert [text.decode() for text in files["text"]] == [MODEL, PLACE, MAIN]
        assert [text.decode() for text in files["hash"]] == [fnv(t) for t in (MODEL, PLACE, MAIN)]
        assert file["model/configuration"][()].decode() == MAIN
        assert "include" not in file["model/effective_configuration"][()].decode()
    with h5py.File("whole.h5") as file:
        assert "files" not in file["model"]
    assert "made from      model.cfg\n               parts/place.cfg" in rdsim(
        "info", "main.h5", status=0).stdout


def again_needs_no_file():
    write("far")
    cpu("far/main.cfg", "-o", "far.h5", status=0)
    shutil.rmtree("far")
    assert "identical" in rdsim("again", "far.h5", status=0).stdout


def standard_input_includes_from_the_working_folder():
    write()
    cpu("main.cfg", status=0)
    cpu("-", "-o", "piped.h5", input=MAIN, status=0)
    assert "identical" in rdsim("diff", "main.h5", "piped.h5", status=0).stdout


def no_file_is_replaced():
    write()
    for name in ("model.cfg", "parts/place.cfg", "main.cfg"):
        done = cpu("main.cfg", "-o", f"./{name}", "--force", status=2)
        assert_message(done, f"{name}: the result would replace the configuration")
    assert pathlib.Path("model.cfg").read_text() == MODEL


def resuming_needs_the_same_files():
    write()
    slow = ("--set", "time.end=400", "--set", "time.step=0.001", "--set", "output.every=100",
            "--checkpoint-every", "50ms", "-o", "slow.h5", "--backend", "cpu", "--threads", "1")
    with subprocess.Popen([os.environ["RDSIM_PROGRAM"], "main.cfg", *slow],
                          stderr=subprocess.DEVNULL) as run:
        time.sleep(0.7)
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 75, run.returncode
    pathlib.Path("model.cfg").write_text(MODEL.replace("D = 1.0", "D = 1.1"))
    done = rdsim("main.cfg", *slow, "--resume", status=2)
    assert_message(done, "slow.h5", "configuration")
    pathlib.Path("model.cfg").write_text("# a comment\n" + MODEL)
    with subprocess.Popen([os.environ["RDSIM_PROGRAM"], "main.cfg", *slow, "--resume"],
                          stderr=subprocess.PIPE, text=True) as run:
        time.sleep(0.3)
        run.send_signal(signal.SIGTERM)
        said = run.communicate(timeout=60)[1]
        assert run.returncode in (0, 75), said


def sweeps_find_the_files():
    write("far")
    cpu("sweep", "far/s.cfg", status=0)
    for task, k in ((1, 0.1), (2, 2)):
        cpu("far/main.cfg", "-o", "hand.h5", "--force", "--set", f"parameters.k={k}", "--seed",
            str(seed(f"far/s/{task}.h5")), status=0)
        assert "identical" in rdsim("diff", "hand.h5", f"far/s/{task}.h5", status=0).stdout
    rdsim("sweep", "s.cfg", "--status", status=0, cwd="far")
    shutil.rmtree("far/s")
    cpu("sweep", "s.cfg", "--task", "array", status=0, cwd="far",
        env=dict(os.environ, SLURM_ARRAY_TASK_ID="2"))
    assert "identical" in rdsim("diff", "hand.h5", "far/s/2.h5", status=0).stdout
    for kind in ("--slurm", "--pbs", "--sge"):
        rdsim("sweep", "far/s.cfg", kind, status=0)
    # a file that changes makes the results of the sweep old
    pathlib.Path("far/model.cfg").write_text(MODEL.replace("D = 1.0", "D = 1.1"))
    done = rdsim("sweep", "far/s.cfg", "--status", status=1)
    assert "the sweep or its base has changed since" in done.stdout, done.stdout
    pathlib.Path("far/model.cfg").unlink()
    done = rdsim("sweep", "far/s.cfg", "--count", status=2)
    assert_message(done, "far/main.cfg:2: include: far/model.cfg: cannot be opened")


def seed(path):
    with h5py.File(path) as file:
        return int(file["provenance"].attrs["seed"][0])


def check_names_the_files():
    write()
    page = rdsim("check", "main.cfg", status=0).stdout
    assert page.startswith("includes    model.cfg\n            parts/place.cfg\ngrid "), page
    whole = json.loads(rdsim("check", "main.cfg", "--json", status=0).stdout)
    assert whole["report"]["includes"] == ["model.cfg", "parts/place.cfg"], whole["report"]
    pathlib.Path("parts/place.cfg").write_text(PLACE + '\nspecies = ( { name = "C"; in = "x"; } );')
    done = rdsim("check", "main.cfg", status=2)
    assert_message(done, "parts/place.cfg:6: species 'C': region 'x' is not declared")


CASES = [
    a_run_has_the_same_bytes,
    again_needs_no_file,
    standard_input_includes_from_the_working_folder,
    no_file_is_replaced,
    resuming_needs_the_same_files,
    sweeps_find_the_files,
    check_names_the_files,
]

if __name__ == "__main__":
    run_cases(CASES)
