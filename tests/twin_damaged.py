"""twin_damaged - flips a bit of a result at random places. Each damage is found when the result is
collected or a run is resumed, or it has no effect on the collected numbers.

usage: twin_damaged.py [PLACES [SEED]]    (default: 150 places)"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from say_main import PROGRAM

PLACES = int(sys.argv[1]) if len(sys.argv) > 1 else 150
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 17
MODEL = """
grid = { voxels = (12, 10); edge = 1.0; };
parameters = { k = 0.2; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.5; },
            { name = "W"; diffusion = 0.1; individuals = { max = 500; record = "lineage"; }; } );
fields = ( { name = "food"; value = "x"; } );
reactions = ( { equation = "A + B -> 2 B"; rate = "k"; }, { equation = "B -> A"; rate = 0.3; },
              { equation = "W -> 2 W"; rate = 0.1; }, { equation = "W -> 0"; rate = 0.1; } );
initial = ( { species = "A"; density = 5; }, { species = "B"; density = 1; },
            { species = "W"; count = 50; } );
time = { end = 2; step = 0.05; };
output = { every = 0.2; };
run = { runs = 3; };
"""
SWEEP = """
base = "base.cfg";
vary = ( { path = "parameters.k"; values = (0.2, 0.4); } );
output = "one_{task}.h5";
seed = 5;
"""


def rdsim(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, errors="replace")


def numbers(path):
    """Returns all numbers of the collected file, by name."""
    with h5py.File(path, "r") as file:
        return {name: file[name][()].tobytes() for name in file if file[name].dtype.kind in "if"}


def flipped(data, dice):
    place, bit = dice.randrange(len(data)), dice.randrange(8)
    damaged = bytearray(data)
    damaged[place] ^= 1 << bit
    return bytes(damaged), f"byte {place} of {len(data)}, bit {bit}"


def assert_well_behaved(done, what):
    assert done.returncode in (0, 1, 2), f"{what}: status {done.returncode}: {done.stderr}"
    assert done.returncode == 0 or done.stderr.startswith("rdsim: "), f"{what}: {done.stderr}"


def resume(seed):
    return rdsim("base.cfg", "--seed", seed, "--set", "parameters.k=0.4", "--output", "one_2.h5",
                 "--backend", "cpu", "--threads", "1", "--resume")


def prepared():
    """Returns the seed of the second task."""
    pathlib.Path("base.cfg").write_text(MODEL)
    pathlib.Path("sweep.cfg").write_text(SWEEP)
    done = rdsim("sweep", "sweep.cfg", "--backend", "cpu", "--threads", "1")
    assert done.returncode == 0, done.stderr
    assert rdsim("sweep", "sweep.cfg", "--collect", "all.h5").returncode == 0
    line = [line for line in rdsim("sweep", "sweep.cfg", "--list").stdout.splitlines()
            if "one_2.h5" in line][0]
    with h5py.File("all.h5", "r") as file:
        seed = str(file["seed"][1, 0])
    assert seed in line, line
    return seed


def main():
    print(f"seed {SEED}")
    dice = random.Random(SEED)
    seed = prepared()
    whole, data = numbers("all.h5"), pathlib.Path("one_2.h5").read_bytes()
    with h5py.File("one_2.h5", "r") as file:
        good = {name: file[name][()].tobytes() for name in ("totals", "counts", "time")}
    found, resumed = 0, 0
    for _ in range(PLACES):
        damaged, what = flipped(data, dice)
        pathlib.Path("one_2.h5").write_bytes(damaged)
        done = rdsim("sweep", "sweep.cfg", "--collect", "again.h5", "--force")
        assert_well_behaved(done, what)
        found += done.returncode != 0
        if done.returncode == 0:
            assert numbers("again.h5") == whole, f"{what}: the collected numbers are others"
        done = resume(seed)
        assert_well_behaved(done, what)
        resumed += done.returncode != 0
        if done.returncode == 0 and "is complete; there is nothing to do" in done.stderr:
            with h5py.File("one_2.h5", "r") as file:
                for name, values in good.items():
                    assert file[name][()].tobytes() == values, f"{what}: {name} is another"
        for name in os.listdir():
            assert not name.endswith(".parts"), f"{what}: {name} is left"
    print(f"of {PLACES} places {found} were found by --collect, {resumed} by --resume")
    assert found > PLACES // 2, "data are most of a result"
    assert np.isfinite(found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
