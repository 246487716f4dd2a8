"""say_memory - tests too little memory: with every limit the program ends with a message and a
status, or succeeds; it never ends by a signal. A run that is too large is refused before any work
on all voxels."""
import json
import os
import re
import resource
import subprocess
import sys
import time

from say_main import PROGRAM, config, run_cases
from say_resume import MODEL, assert_message

LIMITS = [*range(60, 200, int(os.environ.get("RDSIM_LIMIT_STEP", "10"))), 4096]  # MiB
SNAPSHOTS = """
grid = { voxels = (128, 128, 16); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = 0.5; } );
initial = ( { species = "A"; density = 1; } );
time = { end = 0.2; step = 0.1; };
output = { every = 0.1; };
"""
HUGE = """
grid = { voxels = (20000, 20000, 100); edge = 1.0; };
fields = ( { name = "food"; value = "x + y"; } );
regions = ( { name = "half"; where = "x < 10"; } );
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; } );
time = { end = 1; };
"""

LARGE = """
grid = { voxels = (3000, 2000); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 0.2; } );
initial = ( { species = "A"; value = 1; } );
time = { end = 1.0; step = 0.1; };
run = { runs = 2; };
"""


def limited(mib, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=600, check=False, preexec_fn=limit)


def no_limit_ends_the_program_by_a_signal():
    for name, text in (("group", MODEL.replace("end = 4;", "end = 0.2;")), ("voxels", SNAPSHOTS)):
        config(f"{name}.cfg", text)
        ends = []
        for mib in LIMITS:
            for threads in ("1", "4"):
                done = limited(mib, f"{name}.cfg", "--force", "--backend", "cpu", "--threads",
                               threads, "--progress", "none")
                what = f"{name}, {mib} MiB, {threads} threads: {done.returncode}: {done.stderr}"
                assert done.returncode in (0, 1, 2), what
                assert done.returncode == 0 or done.stderr, what
                ends.append(done.returncode)
        print(f"{name}: {ends.count(0)} of {len(ends)} succeed")
        assert ends.count(0) > 0 and ends[-1] == 0, "there is enough in the end"


def runs_that_are_too_large_are_refused():
    config("huge.cfg", HUGE)
    for words in (("huge.cfg",), ("check", "huge.cfg")):
        begin = time.monotonic()
        done = limited(8 << 10, *words, "--backend", "cpu")
        assert done.returncode == 2, f"{done.returncode}: {done.stderr}"
        assert_message(done.stderr,
                       "1 run of 40000000000 voxels and 2 species needs at least 640 GB; "
                       "this machine has ", " GB free")
        assert time.monotonic() - begin < 20 and not os.path.exists("huge.h5.parts")


def the_voxels_that_fit_are_named():
    """Tests a run that exceeds the free memory by less than the state of a run."""
    config("large.cfg", LARGE)
    done = limited(230, "large.cfg", "--backend", "cpu", "--threads", "1")
    assert done.returncode == 2, f"{done.returncode}: {done.stderr}"
    found = re.search(r"2 runs of 6000000 voxels and 2 species need (\S+) GB, and \S+ has (\S+) GB "
                      r"free; take at most about (\S+) voxels over all runs", done.stderr)
    assert found, done.stderr
    need, free, most = map(float, found.groups())
    assert need > free and abs(most / (0.95 * free / need * 12e6) - 1) < 0.02, found[0]


def recording_that_is_too_large_is_named():
    """Tests so many runs that their totals exceed the memory; check promises no batches."""
    config("runs.cfg", LARGE.replace("(3000, 2000)", "1").replace("runs = 2", "runs = 90000000"))
    for words, status in ((), 2), (("check",), 0):
        done = limited(230, *words, "runs.cfg", "--backend", "cpu", "--threads", "1", "--set",
                       "output.keep=totals")
        assert done.returncode == status, f"{done.returncode}: {done.stderr}"
        assert "batches" not in done.stdout, done.stdout
        assert words or "recording 90000000 runs of 2 species needs " in done.stderr, done.stderr


def many_species(n, voxels):
    """Returns a model of n species, each with two molecules at the start and after an event."""
    names = [f"A{i}" for i in range(n)]
    return f"""
grid = {{ voxels = ({voxels}, {voxels}, {voxels}); edge = 1.0; walls = "periodic"; }};
species = ( {", ".join(f'{{ name = "{name}"; diffusion = 1.0; }}' for name in names)} );
reactions = ( {{ equation = "A0 + A1 -> A2"; rate = 1; }} );
initial = ( {", ".join(f'{{ species = "{name}"; count = 2; }}' for name in names)} );
events = ( {{ time = 0.1; add = {{ species = "A7"; count = 3; }};
              convert = {{ equation = "A1 -> A3"; all = true; }}; }} );
time = {{ end = 0.2; step = 0.1; }};
output = {{ every = 0.1; keep = "totals"; }};
"""


def rare_species_take_no_memory_for_each_voxel():
    """Arrays would take 3 GB: neither the start, an event nor a checkpoint may make them."""
    config("many.cfg", many_species(3000, 64))
    done = limited(1000, "many.cfg", "--force", "--backend", "cpu", "--threads", "1", "--progress",
                   "none", "--checkpoint-every", "1ms")
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"


def statistics_of_voxels_are_in_the_forecast():
    """The writer has the mean, variance, least and largest number of each voxel: 24 bytes."""
    config("many.cfg", many_species(300, 32) + "run = { runs = 2; };\n")
    forecast = {}
    for keep in ("totals", "statistics"):
        done = limited(4096, "check", "many.cfg", "--json", "--set", f"output.keep={keep}")
        assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
        forecast[keep] = json.loads(done.stdout)["memory_bytes"]
    assert forecast["statistics"] - forecast["totals"] > 24 * 300 * 32**3, forecast


def runs_with_the_forecast(name, *words):
    """Tests that a run has enough memory with as much as the forecast and some for the program."""
    words = (name, *words, "--backend", "cpu", "--threads", "1")
    forecast = json.loads(limited(4096, "check", *words, "--json").stdout)
    mib = int(1.1 * forecast["memory_bytes"] / 2**20) + 150
    done = limited(mib, *words, "--force", "--progress", "none")
    assert done.returncode == 0, f"{mib} MiB, {done.returncode}: {done.stderr}"


def sums_over_runs_are_in_the_forecast():
    config("many.cfg", many_species(300, 32) + "run = { runs = 9; };\n")
    runs_with_the_forecast("many.cfg", "--set", "output.keep=statistics")


def totals_of_runs_are_in_the_forecast():
    """Tests many runs of one voxel, in which no wall takes molecules; the laws have totals, too."""
    config("runs.cfg", LARGE.replace("(3000, 2000)", "1").replace("runs = 2", "runs = 1000000"))
    runs_with_the_forecast("runs.cfg", "--set", "output.keep=totals")


CASES = [the_voxels_that_fit_are_named, recording_that_is_too_large_is_named,
         no_limit_ends_the_program_by_a_signal, runs_that_are_too_large_are_refused,
         rare_species_take_no_memory_for_each_voxel, statistics_of_voxels_are_in_the_forecast,
         sums_over_runs_are_in_the_forecast, totals_of_runs_are_in_the_forecast]

if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit(77)
    run_cases(CASES)
