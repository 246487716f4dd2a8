"""run_script - runs a test that is a Python script. If an optional package is missing, it prints
which one and skips the test (status 77).

usage: run_script.py SCRIPT [its arguments...]
"""
import runpy
import sys
from pathlib import Path

OPTIONAL = ("numpy", "scipy", "h5py", "matplotlib", "xarray", "netCDF4", "h5netcdf", "cffi")


TESTS = Path(__file__).resolve().parent.parent  # scripts import helpers and each other


def main(script):
    sys.path[:0] = [str(TESTS / folder) for folder in ("messages", "identical", "physics", "unit", "support")]
    try:
        runpy.run_path(script, run_name="__main__")
    except ModuleNotFoundError as fault:
        package = (fault.name or "").partition(".")[0]
        if package not in OPTIONAL:
            raise
        print(f"{Path(script).name}: the Python package {package} is missing; install it as "
              "tests/requirements.txt says (skipped)")
        return 77
    return 0


if __name__ == "__main__":
    del sys.argv[0]
    sys.exit(main(sys.argv[0]))
