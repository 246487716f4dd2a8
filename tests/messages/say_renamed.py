"""say_renamed - tests old names of keys: the error names the new one, tools/rename_keys.py converts
a configuration, and a result with old names is refused with instructions."""
import os
import pathlib
import shutil
import subprocess
import sys

import h5py

from say_main import run_cases

PROGRAM, SOURCE = os.environ["RDSIM_PROGRAM"], pathlib.Path(os.environ["RDSIM_SOURCE"])
OLD = """# cells = 3 in a comment stays
parameters = { cell = 2.0; chance = 0.5; };
grid = { cells = (4, 3); edge = 1.0; walls = { x = { kind = "absorb"; chance = "chance"; }; }; };
species = ( { name = "A"; diffusion = 0.1; } );
reactions = ( { equation = "A -> 0"; law = "0.1 * cell * A"; } );
initial = ( { species = "A"; count = 9; cell = (1, 1); } );
events = ( { time = 0.5; set = { chance = 0.25; }; } );
time = { end = 1.0; step = 0.1; };
"""
NEW = """# cells = 3 in a comment stays
parameters = { cell = 2.0; chance = 0.5; };
grid = { voxels = (4, 3); edge = 1.0; walls = { x = { kind = "absorb"; probability = "chance"; }; }; };
species = ( { name = "A"; diffusion = 0.1; } );
reactions = ( { equation = "A -> 0"; propensity = "0.1 * cell * A"; } );
initial = ( { species = "A"; count = 9; voxel = (1, 1); } );
events = ( { time = 0.5; set = { chance = 0.25; }; } );
time = { end = 1.0; step = 0.1; };
"""


def rdsim(*words, status):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def convert(*words, text=None, status=0):
    done = subprocess.run([sys.executable, SOURCE / "tools/rename_keys.py", *words], input=text,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def errors_name_the_new_keys():
    pathlib.Path("old.cfg").write_text(OLD)
    messages = rdsim("check", "old.cfg", status=2).stderr
    for line, old, new in ((3, "cells", "voxels"), (3, "chance", "probability"),
                           (5, "law", "propensity"), (6, "cell", "voxel")):
        assert any(part.startswith(f"rdsim: old.cfg:{line}: ") and f"'{old}' is now '{new}'" in part
                   for part in messages.splitlines()), f"{old}: {messages}"
    messages = rdsim("check", "old.cfg", "--set", "grid.cells=5", status=2).stderr
    assert "--set grid.cells=5: grid: 'cells' is now 'voxels'" in messages, messages


def a_configuration_is_converted():
    path = pathlib.Path("old.cfg")
    path.write_text(OLD)
    assert convert("-", text=OLD).stdout == NEW
    assert convert("old.cfg").stdout == "old.cfg\n" and path.read_text() == NEW
    assert convert("old.cfg").stdout == "" and path.read_text() == NEW
    rdsim("check", "old.cfg", status=0)
    sweep = 'base = "a.cfg"; vary = ( { path = "grid.cells"; }, { path = "parameters.cell"; } );'
    assert convert("-", text=sweep).stdout == sweep.replace("grid.cells", "grid.voxels")
    assert "absent.cfg" in convert("absent.cfg", status=1).stderr
    convert(status=2)


def old_results_are_refused():
    pathlib.Path("new.cfg").write_text(NEW)
    rdsim("new.cfg", "--backend", "cpu", "--force", "--progress", "none", status=0)
    shutil.copy("new.h5", "old.h5")
    with h5py.File("old.h5", "r+") as file:
        file.attrs["rdsim_format"] = file.attrs["rdsim_format"] * 0 + 1
    message = "old.h5: has format 1, in which keys and data sets have old names"
    for words in (("again", "old.h5"), ("diff", "old.h5", "new.h5"), ("info", "old.h5")):
        assert message in rdsim(*words, status=2).stderr, words
    pathlib.Path("s.cfg").write_text('base = "new.cfg"; output = "{task}.h5"; '
                                     'vary = ( { path = "parameters.cell"; values = (1, 2); } );')
    rdsim("sweep", "s.cfg", "--backend", "cpu", "--progress", "none", status=0)
    with h5py.File("1.h5", "r+") as file:
        file.attrs["rdsim_format"] = file.attrs["rdsim_format"] * 0 + 1
    messages = rdsim("sweep", "s.cfg", "--collect", "all.h5", status=2).stderr
    assert "1.h5" in messages, messages


CASES = [errors_name_the_new_keys, a_configuration_is_converted, old_results_are_refused]

if __name__ == "__main__":
    run_cases(CASES)
