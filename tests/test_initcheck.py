"""test_initcheck - tests that a GPU run copies no uninitialised memory to the host:
compute-sanitizer's initcheck checks every byte that kernels read and that snapshots copy."""
import os
import pathlib
import shutil
import subprocess
import sys

PROGRAM = os.environ["RDSIM_PROGRAM"]
PLACES = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/opt/cuda/bin")
# Counts, totals and fired numbers have sizes that are no multiples of 256 bytes, which leaves
# gaps; walls that absorb, reservoirs, varying fields, runs that stop, individuals.
MODELS = {
    "few": """
grid = { voxels = (5, 7); edge = 1.0; walls = { xmin = "absorb"; }; };
species = ( { name = "A"; diffusion = 0.2; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = 0.3; } );
initial = ( { species = "A"; value = 9; } );
time = { end = 2.0; step = 0.1; }; output = { every = 0.5; }; run = { runs = 3; };
""",
    "much": """
grid = { voxels = (9, 8); edge = 0.5; walls = { x = { kind = "reservoir"; mean = 2.0; }; }; };
fields = ( { name = "cue"; value = 1.0; rate = "A - cue"; } );
species = ( { name = "A"; diffusion = 0.2; }, { name = "C"; diffusion = 0.3; } );
reactions = ( { equation = "A -> A + C"; rate = 0.3; }, { equation = "C -> 0"; rate = 0.5; } );
initial = ( { species = "A"; value = 40; } );
time = { end = 2.0; step = 0.1; stop = "C > 3000"; };
output = { every = 0.5; }; run = { runs = 11; };
""",
    "listed": """
grid = { voxels = (6, 5); edge = 1.0; };
species = ( { name = "W"; diffusion = 0.3; individuals = { max = 500; record = "lineage";
    attributes = ( { name = "u"; initial = "uniform(0, 1)"; } ); }; } );
reactions = ( { equation = "W -> 2 W"; rate = 0.5; }, { equation = "W -> 0"; rate = 0.4; } );
initial = ( { species = "W"; count = 60; } );
events = ( { time = 1.0; remove = { species = "W"; count = 20; }; } );
time = { end = 2.0; step = 0.1; }; output = { every = 0.5; };
""",
}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(command):
    return subprocess.run(command, text=True, capture_output=True, timeout=110, check=False)


tool = shutil.which("compute-sanitizer", path=os.pathsep.join((os.environ["PATH"], *PLACES)))
if not tool:
    skip("there is no compute-sanitizer here")
for name, text in MODELS.items():
    pathlib.Path(name + ".cfg").write_text(text, encoding="ascii")
    call = [PROGRAM, name + ".cfg", "--backend", "cuda", "--force"]
    plain = run(call)
    if plain.returncode == 2 and ("NVIDIA" in plain.stderr or "CUDA" in plain.stderr):
        skip(plain.stderr.strip())
    assert plain.returncode == 0, (name, plain)
    looked = run([tool, "--tool", "initcheck", "--error-exitcode", "9", *call])
    said = looked.stdout + looked.stderr
    if looked.returncode != 0 and "not supported" in said:
        skip(said[-400:])
    assert looked.returncode == 0, (name, said[-4000:])
    assert "ERROR SUMMARY: 0 errors" in said, (name, said[-4000:])
print("no byte was read that was not set, in", len(MODELS), "models")
