#!/usr/bin/env python3
"""wheel - installs rdsim with pip into a fresh environment and tests the installed package.

usage: tools/wheel.py FOLDER [--oldest]    (--oldest: the oldest versions of its dependencies)

Tests the program, the time of `import rdsim`, and that rdsim, h5py and netCDF4 read a file each in
every order of their imports. It needs PyPI; tools/nightly.sh runs it.
"""
import itertools
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT_MOST = 0.05  # seconds of processor time
MODEL = """
grid = { voxels = (4, 4); edge = 1.0; };
species = ( { name = "A"; diffusion = 0.5; } );
initial = ( { species = "A"; count = 20; } );
time = { end = 1.0; };
"""
IMPORTED = """
import sys, time
begun = time.process_time()
import rdsim
print(time.process_time() - begun)
assert not {"numpy", "xarray", "h5py", "cffi"} & set(sys.modules), sorted(sys.modules)
"""
READ = {
    "rdsim": "import rdsim; m = rdsim.Model(%r); assert m.run().totals.values[0, -1, 0] == 20" % MODEL,
    "h5py": "import h5py; assert h5py.File('wheel.h5')['totals'][0, -1, 0] == 20",
    "netCDF4": "import netCDF4; assert netCDF4.Dataset('wheel.h5')['totals'][0, -1, 0] == 20",
}


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"wheel: {' '.join(map(str, words[:4]))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def oldest():
    """Returns the dependencies of the package, each with the oldest version that it may have."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [need.replace(">=", "==") for need in project["dependencies"]]


def main(folder, *options):
    home = Path(folder).resolve()
    venv.create(home, with_pip=True, clear=True)
    python = home / "bin/python"
    run(python, "-m", "pip", "install", "--quiet", ROOT, *(oldest() if "--oldest" in options else ()))
    (home / "wheel.cfg").write_text(MODEL)
    page = run(home / "bin/rdsim", "wheel.cfg", "--force", cwd=home)
    assert "wheel.h5" in page, page
    seconds = min(float(run(python, "-c", IMPORTED, cwd=home)) for _ in range(5))
    print(f"wheel: import rdsim takes {1e3 * seconds:.0f} ms")
    assert seconds < IMPORT_MOST, seconds
    run(python, "-m", "pip", "install", "--quiet", "netCDF4")
    for order in itertools.permutations(READ):
        code = "\n".join([*(f"import {name}" for name in order), *(READ[name] for name in order)])
        run(python, "-c", code, cwd=home)
        print("wheel: imported and read in this order:", ", ".join(order))
    freeze = run(python, "-m", "pip", "freeze")
    print("wheel: passed with", ", ".join(re.findall(r"^(?:numpy|h5py|xarray|netCDF4|cffi)==\S+", freeze, re.M)))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
