#!/usr/bin/env python3
"""benchmark - measures rdsim on this CPU, and compares it with targets and other programs.

The figures of docs/performance.md come from here. One-thread figures are CPU time (user and
system), which other programs on the machine hardly change; figures for more threads are wall time
and need a quiet machine. Each is the median of repeated runs minus the time of an empty run.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUILDS = Path(os.environ.get("RDSIM_BUILD", ROOT / "build"))
BEGIN, END = "<!-- measured -->\n", "<!-- end of measured -->\n"

# Three species at their equilibrium: a common case for comparisons of spatial simulators.
BOX = """
parameters = { load = 10.0; A0 = 1.0; C0 = 1.0; end = 1.0; every = 1e9; };
grid = { voxels = (32, 32, 32); edge = 1.0;
         walls = { x = "periodic"; y = "periodic"; z = "periodic"; }; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; },
            { name = "C"; diffusion = 1.0; } );
initial = ( { species = "A"; value = "load / 3 * A0"; spread = "poisson"; },
            { species = "B"; value = "load / 3 * A0"; spread = "poisson"; },
            { species = "C"; value = "load / 3 * C0"; spread = "poisson"; } );
time = { end = "end"; };
output = { every = "min(every, end)"; keep = "totals"; };
"""
MIXTURE = BOX + """
reactions = ( { equation = "A + B -> C"; rate = "3 / load"; },
              { equation = "C -> A + B"; rate = 1.0; } );
"""
CUBES = {n: f"({n}, {n}, {n})" for n in (16, 32, 64, 128, 160)}
HOPS = 6  # per molecule and time: along three axes at D / h^2 = 1 each way
SPECIES = 3

# Four reactions in one well-mixed voxel (Erban, Chapman, Maini, arXiv:0704.1908).
WELL_MIXED = """
parameters = { end = 600.0; };
grid = { voxels = 1; edge = 1.0; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "2 A -> 0"; rate = 0.001; }, { equation = "A + B -> 0"; rate = 0.01; },
              { equation = "0 -> A"; rate = 1.2; }, { equation = "0 -> B"; rate = 1.0; } );
initial = ( { species = "A"; count = 10; }, { species = "B"; count = 12; } );
time = { end = "end"; };
output = { every = "end / 6"; keep = "totals"; };
"""


# Individuals that only move; with turnover, one in 200 dies in each step, and as many are born.
WALKERS = """
parameters = { load = 10; end = 50.0; };
grid = { voxels = (32, 32, 32); edge = 1.0;
         walls = { x = "periodic"; y = "periodic"; z = "periodic"; }; };
species = ( { name = "A"; diffusion = 0.16666667;
              individuals = { max = 1000000; record = "none"; }; } );
initial = ( { species = "A"; value = "load"; spread = "poisson"; } );
time = { end = "end"; step = 1.0; };
output = { every = "end"; keep = "totals"; };
"""
TURNOVER = WALKERS + """
reactions = ( { equation = "A -> 2 A"; rate = 0.005; }, { equation = "A -> 0"; rate = 0.005; } );
"""
# Passes that update a sorted list after births and deaths, and passes that sort it.
UPDATING = ("EXPAND", "CHECK_MAXIMUM", "PLACE_BIRTHS", "REDUCE", "REFILL", "REINDEX", "SCAN")
SORTING = ("SORT", "INDEX")


@dataclass
class Figure:
    """Holds one line of the table; a target is an upper bound or, if high, a lower one."""

    case: str
    value: float
    unit: str
    target: float | None = None
    high: bool = False
    clock: str = "cpu"
    note: str = ""

    def verdict(self):
        if self.target is None:
            return ""
        return "met" if (self.value >= self.target) == self.high else "missed"

    def columns(self):
        bound = "" if self.target is None else f"{'>=' if self.high else '<='} {self.target:.3g}"
        return [self.case, f"{self.value:.3g}", self.unit, bound, self.verdict(), self.clock,
                self.note]


@dataclass
class Run:
    """Holds time and memory of one run of the program; facts are those of --timing."""

    cpu: float
    wall: float
    peak: int  # bytes
    facts: dict
    file: Path

    def data(self, name):
        with h5py.File(self.file) as file:
            return file[name][()]


class Bench:
    """Holds the program, and the number of repeats of a run."""

    def __init__(self, program, folder, repeats, quick):
        self.program, self.folder = program, Path(folder)
        self.repeats, self.quick = repeats, quick
        self.waited = [0.0, 0.0]  # CPU and wall seconds of one-thread runs

    def shorter(self, value):
        """Returns the length of a run: a quarter of it with --quick."""
        return value / 4 if self.quick else value

    def run(self, config, settings, threads=1):
        place = Path(tempfile.mkdtemp(dir=self.folder))
        text, file = place / "case.cfg", place / "case.h5"
        text.write_text(config)
        command = [self.program, text, "--output", file, "--force", "--timing", "--backend", "cpu",
                   "--progress", "none", "--threads", str(threads)]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        with open(place / "messages", "w+") as messages:
            begin = time.monotonic()
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
            _, status, used = os.wait4(child.pid, 0)
            wall = time.monotonic() - begin
            messages.seek(0)
            printed = messages.read()
        if status != 0:
            sys.exit(f"benchmark: {' '.join(map(str, command))}\n{printed}")
        facts = dict(line.split() for line in printed.splitlines() if len(line.split()) == 2)
        return Run(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024,
                   {name: float(value) for name, value in facts.items()}, file)

    def measure(self, config, settings, threads=1):
        """Returns the last of the repeated runs, with median times minus those of an empty run."""
        start = self.run(config, {**settings, "parameters.end": 1e-9}, threads)
        runs = [self.run(config, settings, threads) for _ in range(self.repeats)]
        if threads == 1:
            self.waited[0] += sum(run.cpu for run in runs)
            self.waited[1] += sum(run.wall for run in runs)
        cpu, wall = (statistics.median(getattr(run, clock) for run in runs) - getattr(start, clock)
                     for clock in ("cpu", "wall"))
        return Run(cpu, wall, runs[-1].peak, runs[-1].facts, runs[-1].file)


def limits(bench):
    """Yields limits of the machine, which `rdsim-bench` measures."""
    done = subprocess.run([f"{bench.program}-bench", "--backend", "cpu", "--threads", "1", "--quick",
                           "--case", "movement", "--json", "-"],
                          capture_output=True, text=True, check=True)
    copy, words = json.loads(done.stdout)["figures"][:2]
    yield Figure("limit: memory copied, read and written", copy["value"] / 1e9, "GB/s",
                 clock="wall")
    yield Figure("limit: random words", words["value"] / 1e9, "G words/s", clock="wall")


def bulk(bench):
    """Yields the speed of the split solver."""
    end = bench.shorter(10.0)
    literature = "URDME 0.70, pSpatiocyte 1.06, E-Cell 2.6, Smoldyn 30 (2.x GHz Xeon)"
    for load, target, note in ((10, 0.12, literature), (1, None, "")):
        run = bench.measure(MIXTURE, {"parameters.load": load, "parameters.end": end})
        yield Figure(f"split, 32^3, {load} per voxel: a time unit", run.cpu / end, "s", target,
                     note=note)
        steps = load * 32**3 * run.facts["steps_done"]
        yield Figure(f"split, 32^3, {load} per voxel", steps / run.cpu / 1e6, "M molecule-steps/s")


def splitting_error(bench):
    """Yields the splitting error. The runs start with only C: the A and B of a reaction often meet
    again soon, and a step must include that."""
    runs = 8 if bench.quick else 32
    settings = {"parameters.A0": 0, "parameters.C0": 2, "parameters.end": 2, "run.runs": runs,
                "parameters.every": 0.5}
    bound, step = [], 0.0
    for seed, solver in enumerate(("exact", "split"), 1):
        run = bench.run(MIXTURE, {**settings, "solver": solver, "run.seed": seed}, os.cpu_count())
        a, b, c = np.moveaxis(run.data("totals")[:, 1:].astype(float), 2, 0)
        bound.append(c / (c + (a + b) / 2))
        step = settings["parameters.end"] / run.facts["steps_done"]
    exact, split = (x.mean(axis=0) for x in bound)
    error = np.sqrt(sum(x.var(axis=0, ddof=1) for x in bound) / runs)
    for i, t in enumerate((0.5, 1.0, 1.5, 2.0)):
        yield Figure(f"splitting error at t = {t:g}, from C alone", 100 * (split[i] / exact[i] - 1),
                     "% of C", clock="", note=f"standard error {100 * error[i] / exact[i]:.2g}, "
                     f"steps of {step:.3g}")


def seconds_of(run, passes):
    return sum(run.facts.get(f"seconds_{name}", 0.0) for name in passes)


def individuals(bench):
    """Yields the speed of individuals: movement, sort and index; with turnover; and the time of
    list updates relative to a sort."""
    cases = {(32, 1): "", (32, 4): "", (32, 10): "pSpatiocyte, without identity: 22-28", (64, 4): ""}
    for (n, load), note in cases.items():
        settings = {"grid.voxels": CUBES[n], "parameters.load": load,
                    "species.A.individuals.max": int(1.1 * load * n**3) + 2000,
                    "parameters.end": bench.shorter(200.0 if n * load < 64 else 48.0)}
        for what, config, target in (("movement", WALKERS, 25), ("1 % turnover", TURNOVER, 15)):
            run = bench.measure(config, settings)
            steps = run.data("totals")[0].mean() * run.facts["steps_done"]
            yield Figure(f"individuals, {n}^3, {load} per voxel, {what}", steps / run.cpu / 1e6,
                         "M individual-steps/s", target, True, note=note)
        updated, sorted_ = seconds_of(run, UPDATING), seconds_of(run, SORTING)
        yield Figure(f"individuals, {n}^3, {load} per voxel: list update against a new sort",
                     updated / sorted_, "x", 1.0, clock="wall",
                     note=f"{1e9 * updated / steps:.2g} ns against "
                     f"{1e9 * sorted_ / steps:.2g} each; births and deaths {1e9 * seconds_of(run, ('MAINTAIN',)) / steps:.2g}")


def individuals_memory(bench):
    """Yields the memory of one individual: the difference of peaks between two capacities."""
    sizes = (2_000_000, 6_000_000)
    peaks = [bench.run(TURNOVER, {"parameters.end": 1.0, "species.A.individuals.max": size,
                                 "parameters.load": size / 32**3 * 0.98}).peak for size in sizes]
    yield Figure("individuals: memory", (peaks[1] - peaks[0]) / (sizes[1] - sizes[0]),
                 "B per individual", 48, clock="")


def exact(bench):
    """Yields the speed of the exact solver in events: expected hops plus counted reactions."""
    peers = {(32, True): (4.2, "URDME 2.8, E-Cell 0.8"), (128, True): (2.2, "URDME 0.74"),
             (32, False): (None, "URDME 4.2, E-Cell 1.2"), (128, False): (None, "")}
    for (n, reacts), (target, note) in peers.items():
        end = bench.shorter(6.0 if n == 32 else 0.2)
        run = bench.measure(MIXTURE if reacts else BOX,
                            {"grid.voxels": CUBES[n], "parameters.end": end, "solver": "exact"})
        molecules = run.data("totals")[0].sum(axis=1).mean()
        events = HOPS * molecules * end
        if reacts:
            events += run.data("reactions")[0, -1].sum()
        yield Figure(f"exact, {n}^3, 10 per voxel, {'with' if reacts else 'without'} reactions",
                     events / run.cpu / 1e6, "M events/s", target, True, note=note)


def both(bench, settings):
    """Returns the speed-up of two simultaneous runs over one: the limit for two threads."""
    one = bench.run(MIXTURE, settings).wall
    begin = time.monotonic()
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda _: bench.run(MIXTURE, settings), range(2)))
    return 2 * one / (time.monotonic() - begin)


def threads(bench):
    """Yields the speed-up of two threads over one."""
    if os.cpu_count() < 2:
        return
    cases = {"split, 64^3": {"grid.voxels": CUBES[64]},
             "exact, 8 runs of 16^3": {"grid.voxels": CUBES[16], "run.runs": 8, "solver": "exact"}}
    for case, settings in cases.items():
        settings = {**settings, "parameters.end": bench.shorter(4.0)}
        one, two = (bench.measure(MIXTURE, settings, n).wall for n in (1, 2))
        yield Figure(f"{case}: 2 threads against 1", one / two, "x", 1.8, True, clock="wall",
                     note=f"two one-thread runs at once {both(bench, settings):.2g}")


def memory(bench):
    """Yields the memory of a voxel: the difference of peaks between two sizes. Both peaks must
    exceed that of this script, which the system includes in those of its children."""
    sizes = (128, 160)
    for solver, target in (("split", 12), ("exact", None)):
        settings = {"parameters.load": 0.1, "parameters.end": 1 / 6, "solver": solver}
        peaks = [bench.run(MIXTURE, {"grid.voxels": CUBES[n], **settings}).peak for n in sizes]
        value = (peaks[1] - peaks[0]) / (sizes[1]**3 - sizes[0]**3) / SPECIES
        yield Figure(f"{solver}, 128^3 and more: memory", value, "B per voxel and species", target,
                     clock="")


def recording(bench):
    """Yields the share of a run that recording takes, by the program's own clock."""
    every = 100 / 6  # a hundred steps of the default length
    end = every if bench.quick else 3 * every
    cases = {"totals, 32^3": {}, "statistics, 32^3": {"output.keep": "statistics"},
             "statistics, 8 runs of 16^3": {"output.keep": "statistics",
                                            "grid.voxels": CUBES[16], "run.runs": 8}}
    for case, settings in cases.items():
        run = bench.run(MIXTURE, {"parameters.end": end, "parameters.every": every, **settings})
        share = run.facts["seconds_RECORD"] / sum(
            seconds for name, seconds in run.facts.items() if name.startswith("seconds_"))
        yield Figure(f"recording every 100 steps: {case}", 100 * share, "% of the run", 10,
                     clock="wall")


def well_mixed(bench):
    """Yields the time of an ensemble of one voxel, for which the split solver is exact (SSA)."""
    runs = 2500 if bench.quick else 10000
    run = bench.measure(WELL_MIXED, {"run.runs": runs})
    events = run.data("reactions")[:, -1].sum()
    yield Figure(f"{runs} well-mixed runs", run.cpu, "s",
                 note=f"{events / run.cpu / 1e6:.3g} M events/s")


def peers(bench):
    """Yields the times of Smoldyn and GillesPy2 on the same machine, if they are installed."""
    python = BUILDS / "peers/bin/python"
    cases = {"smoldyn": ("Smoldyn, 32^3, 10 per voxel: a time unit", 0.05 if bench.quick else 0.2),
             "gillespy2": ("GillesPy2 (C++): {:g} well-mixed runs", 2500 if bench.quick else 10000)}
    for peer, (case, amount) in cases.items():
        done = subprocess.run([python, ROOT / "tools/peers.py", peer, str(amount)],
                              capture_output=True, text=True) if python.exists() else None
        if done is None or done.returncode != 0:
            why = done.stderr.strip().splitlines()[-1] if done else "install it with --peers"
            print(f"    {peer}: is missing: {why}", flush=True)
            continue
        seconds = float(done.stdout.split()[-1])
        yield Figure(case.format(amount), seconds, "s", note=done.stdout.splitlines()[-2])


PARTS = {part.__name__: part for part in
         (limits, bulk, splitting_error, individuals, individuals_memory, exact, threads, memory,
                      recording, well_mixed, peers)}


def install_peers():
    """Installs the other programs in a virtual environment; these are the last versions with
    working wheels."""
    folder = BUILDS / "peers"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", "smoldyn==2.74", "gillespy2==1.8.3"],
                   check=False)  # peers() reports which are missing


def find_program():
    """Returns the newest build."""
    built = [path for path in BUILDS.glob("*/rdsim") if path.is_file()]
    if not built:
        sys.exit(f"benchmark: {BUILDS}: has no rdsim; build it, or name it with --rdsim")
    return max(built, key=lambda path: path.stat().st_mtime)


def machine(program):
    """Returns the program version, machine and date of the figures."""
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line]
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return {"program": version.stdout.strip(), "cpu": cpu[0] if cpu else platform.machine(),
            "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}


def markdown(about, figures):
    """Returns the table for docs/performance.md."""
    head = ["case", "measured", "unit", "target", "", "clock", "note"]
    rows = [head, ["---"] * len(head)] + [figure.columns() for figure in figures]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return about + "\n\n" + "\n".join(lines) + "\n"


def write_markdown(path, text):
    """Writes the text between the two marks of the page."""
    page = path.read_text()
    before, rest = page.split(BEGIN)
    path.write_text(before + BEGIN + text + END + rest.split(END)[1])


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rdsim", type=Path, help="the program (default: the newest build)")
    parser.add_argument("--quick", action="store_true", help="shorter runs, each only once")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART",
                        help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--peers", action="store_true", help="install the peers first")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--markdown", type=Path, help="put the table into this page")
    chosen = parser.parse_args()
    if chosen.markdown and len(chosen.only) < len(PARTS):
        parser.error("--markdown: needs the whole table; leave out --only")
    return chosen


def main():
    chosen = options()
    program = (chosen.rdsim or find_program()).resolve()
    if chosen.peers:
        install_peers()
    where = machine(program)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder, 1 if chosen.quick else 5, chosen.quick)
        for part in chosen.only:
            for figure in PARTS[part](bench):
                figures.append(figure)
                case, value, *rest = figure.columns()
                print(f"{case:52} {value:>9}  " + "  ".join(filter(None, rest)), flush=True)
    cpu, wall = bench.waited
    where["one_thread_cpu_per_wall"] = cpu / wall if wall else 1.0
    about = (f"{where['program']} on {where['cpu']}, {where['cores']} cores, {where['date']}. "
             f"One-thread runs had {100 * where['one_thread_cpu_per_wall']:.0f} % of a core" +
             ("." if cpu >= 0.97 * wall else ": the machine was busy: wall times are too long."))
    print(about)
    if chosen.json:
        table = [{**asdict(figure), "verdict": figure.verdict()} for figure in figures]
        chosen.json.write_text(json.dumps({"machine": where, "figures": table}, indent=2) + "\n")
    if chosen.markdown:
        write_markdown(chosen.markdown, markdown(about, figures))


if __name__ == "__main__":
    main()
