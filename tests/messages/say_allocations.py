"""say_allocations - lets the first allocation of each place in the program fail, and for some also all
that follow: no command ends by a signal. It prints that it is out of memory, with status 1 or 2, or
its output is that of a command with enough memory."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile

from say_main import PROGRAM, SOURCE, cpu, rdsim, run_cases
from say_main import group as individuals
from sbml_models import lacks_sbml

FORMATS = SOURCE / "tests/models/formats"
EVERYTHING = SOURCE / "configs/everything.cfg"
NETWORK = str(FORMATS / "small.net")
FOREVER = 1 << 40
# Status of a search for modes that found some, which are printed, but not all.
PARTIAL = 3
WELL = """
grid = { voxels = 1; edge = 2.0; };
parameters = { k = 0.5; n = 30; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "A + B -> 2 A"; rate = "k"; }, { equation = "A -> 0"; rate = 1; } );
initial = ( { species = "A"; value = "n"; }, { species = "B"; value = 20; } );
events = ( { time = 0.05; add = { species = "A"; value = 3; }; } );
time = { end = 0.1; };
output = { every = 0.05; };
"""
LISTS = """
grid = { voxels = (8, 8); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; store = "list"; }, { name = "B"; store = "list"; } );
reactions = ( { equation = "A -> B"; rate = 0.5; } );
initial = ( { species = "A"; value = 100; } );
time = { end = 0.1; };
output = { every = 0.05; };
"""


def with_failing(folder, words, place, count=1):
    """Runs a command in a folder, with so many failing allocations; returns what it did."""
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300, check=False, cwd=folder,
                          env=dict(os.environ, LD_PRELOAD=os.environ["RDSIM_LITTLE_MEMORY"],
                                   CALLS="calls.txt", FAIL_PLACE=str(place),
                                   FAIL_COUNT=str(count)))


def assert_is_same_result(folder, other, what):
    """Compares the results of a run, if the command is one."""
    if (other / "run.h5").exists():
        found = rdsim("diff", str(other / "run.h5"), str(folder / "run.h5"), status=0)
        assert found.stdout.startswith("identical"), what


def assert_is_right(words, place, count, whole):
    with tempfile.TemporaryDirectory(dir=".") as folder:
        done = with_failing(folder, words, place, count)
        return judge(words, place, count, whole, done, pathlib.Path(folder))


def judge(words, place, count, whole, done, folder):
    """Fails unless the command did what it should; returns its exit status."""
    what = f"{words}: the first allocation of place {place} failed, and {count - 1} after it: " \
           f"status {done.returncode}: {done.stdout[:500]}{done.stderr}"
    if done.returncode == 0:
        warns = "warning: out of memory for a message" in done.stderr
        assert done.stdout == whole.stdout and (warns or done.stderr == whole.stderr), what
        assert_is_same_result(folder, pathlib.Path("whole"), what)
    else:
        may = (1, 2, PARTIAL) if words[0] == "modes" else (1, 2)
        assert done.returncode in may and "out of memory" in done.stderr, what
    return done.returncode


def try_command(*words):
    """Lets allocations of a command fail; its first word is the command or a configuration."""
    shutil.rmtree("whole", ignore_errors=True)
    os.mkdir("whole")
    whole = with_failing("whole", words, 0)
    assert whole.returncode == 0, f"{words}: status {whole.returncode}: {whole.stderr}"
    n = int(pathlib.Path("whole/calls.txt").read_text())
    failures = [(place, 1) for place in range(1, n + 1)] + \
        [(place, FOREVER) for place in range(1, n + 1, 6)]
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        ends = list(threads.map(lambda x: assert_is_right(words, *x, whole), failures))
    print(f"    {' '.join(words)[-70:]}: {n} places; of {len(ends)} commands {ends.count(0)} succeed")


def try_run(text, *words):
    path = pathlib.Path("run.cfg").resolve()
    path.write_text(text)
    try_command(str(path), "--output", "run.h5", "--backend", "cpu", "--threads", "1",
                "--progress", "none", *words)


def result(name, *words):
    cpu(str(EVERYTHING), "--force", "--set", "time.end=0.05", "--set", "output.times=(0, 0.05)",
        "--output", name, *words, status=0)
    return str(pathlib.Path(name).resolve())


def modes_of_a_network():
    for option in ("--net", "--csv", "--hdf5"):
        try_command("modes", NETWORK, option, *(["modes.h5"] if option == "--hdf5" else []))


def laws_of_a_network():
    for option in ("--laws", "--semiflows", "--report"):
        try_command("modes", NETWORK, option)
    path = pathlib.Path("large.net").resolve()  # its law does not fit into 64 bits
    path.write_text("".join(f": A{i} <=> {10**9} A{i + 1}\n" for i in range(3)))
    try_command("modes", str(path), "--report")


def models_of_other_programs():
    try_command("import", str(FORMATS / "ligand.net"))
    if not lacks_sbml():
        try_command("import", str(FORMATS / "conditions.xml"))
        try_command("import", str(FORMATS / "timed-events.xml"))


def configurations():
    path = pathlib.Path("model.cfg").resolve()
    path.write_text(WELL)
    try_command("export", str(path))
    try_command("check", str(path))
    try_command("check", str(EVERYTHING))


def readers_of_a_result():
    path = result("one.h5")
    try_command("info", path)
    try_command("diff", path, path)
    try_command("table", path, "--csv")


def readers_of_an_ensemble():
    path = result("many.h5", "--runs", "12")
    try_command("info", "--json", "-", path)
    try_command("table", path)
    try_command("compare", path, path)


def runs():
    try_run(WELL)
    try_run(LISTS)
    try_run(individuals(), "--force")
    short = "--set", "time.end=0.05", "--set", "output.times=(0, 0.05)"
    try_run(EVERYTHING.read_text(), *short)
    try_run((SOURCE / "configs/min_de.cfg").read_text(), "--set", "time.end=0.1")
    try_run((SOURCE / "tests/models/compartments/mixing.cfg").read_text())


def runs_of_models_of_other_programs():
    options = ("--set", "time.end=1", "--output", "run.h5", "--backend", "cpu", "--threads", "1",
               "--progress", "none")
    try_command(str(FORMATS / "ligand.net"), *options)
    if not lacks_sbml():
        try_command(str(FORMATS / "conditions.xml"), *options)


CASES = [modes_of_a_network, laws_of_a_network, models_of_other_programs, configurations,
         readers_of_a_result, readers_of_an_ensemble, runs, runs_of_models_of_other_programs]

if __name__ == "__main__":
    run_cases(CASES)
