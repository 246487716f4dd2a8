"""say_driver - tests a GPU driver that is too old for the program: --backend cuda is refused, and
without a choice the program uses the CPU and prints the reason."""
import os
import pathlib
import subprocess
import sys

PROGRAM = os.environ["RDSIM_PROGRAM"]
FOLDER = pathlib.Path(os.environ["RDSIM_OLD_DRIVER"]).parent
MODEL = """
grid = { voxels = (4, 4); edge = 1.0; };
species = ( { name = "A"; diffusion = 0.1; } );
initial = ( { species = "A"; count = 10; } );
time = { end = 1.0; };
output = { every = 1.0; };
"""
TOO_OLD = "the NVIDIA driver here is for CUDA 11.4, but this program for CUDA "


def rdsim(backend):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(FOLDER))
    return subprocess.run([PROGRAM, "driver.cfg", "--backend", backend, "--force"], text=True,
                          capture_output=True, timeout=600, check=False, env=environment)


pathlib.Path("driver.cfg").write_text(MODEL)
explicit = rdsim("cuda")
if "built without CUDA" in explicit.stderr:
    print("skipped: the program was built without CUDA")
    sys.exit(77)
assert explicit.returncode == 2, explicit
assert explicit.stderr.startswith("rdsim: " + TOO_OLD), explicit.stderr

automatic = rdsim("auto")
assert automatic.returncode == 0, automatic
assert automatic.stderr.startswith("rdsim: warning: " + TOO_OLD), automatic.stderr
assert "so the CPU is taken, not the GPU" in automatic.stderr, automatic.stderr
assert " on cpu" in automatic.stderr, automatic.stderr
