#!/usr/bin/env python3
"""bench - how fast rdsim is on this machine: the table of docs/performance.md.

usage: tools/bench.py RDSIM [--repeat N]    (RDSIM: the program, as tools/run.sh builds it)

The case is that of the published comparisons of lattice codes: A + B <-> C at equilibrium in a
periodic box of unit cells, D = 1 for all, PER molecules in a cell, rates 1 back and 3/PER forth.
Each figure is the best of N runs; all cases are run in turn, N times over, so that a busy machine
troubles all of them alike.
"""
import argparse
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py

CONFIGURATION = """
grid = {{ cells = ({edge}, {edge}, {edge}); edge = 1.0;
         walls = {{ x = "periodic"; y = "periodic"; z = "periodic"; }}; }};
species = ( {{ name = "A"; diffusion = 1.0; }}, {{ name = "B"; diffusion = 1.0; }},
            {{ name = "C"; diffusion = 1.0; }} );
reactions = ( {reactions} );
initial = ( {{ species = "A"; density = {third}; spread = "poisson"; }},
            {{ species = "B"; density = {third}; spread = "poisson"; }},
            {{ species = "C"; density = {third}; spread = "poisson"; }} );
time = {{ end = {end}; }};
output = {{ times = ({end}); keep = "totals"; }};
solver = "{solver}";
"""
REACTIONS = """{{ equation = "A + B -> C"; rate = {forth}; }},
              {{ equation = "C -> A + B"; rate = 1.0; }}"""


@dataclass(frozen=True)
class Case:
    name: str
    solver: str
    edge: int  # cells along each axis
    per: float  # molecules in a cell
    reacts: bool
    threads: int
    end: float
    peer: float = 0.0  # CPU seconds per time unit of URDME's exact solver, for scale; 0: unknown

    def configuration(self):
        reactions = REACTIONS.format(forth=3.0 / self.per) if self.reacts else ""
        return CONFIGURATION.format(edge=self.edge, reactions=reactions, third=self.per / 3,
                                    end=self.end, solver=self.solver)

    def hops(self):
        """Mean number of hops in a time unit: six neighbours, each at the rate D/h^2 = 1."""
        return 6.0 * self.per * self.edge**3


CASES = (
    Case("split, reactions", "split", 32, 10, True, 1, 4.0, 0.70),
    Case("split, reactions, 2 threads", "split", 32, 10, True, 2, 4.0),
    Case("split, reactions", "split", 32, 1, True, 1, 8.0, 0.076),
    Case("split, diffusion", "split", 32, 10, False, 1, 4.0, 0.47),
    Case("split, reactions", "split", 128, 10, True, 1, 0.2, 170.0),
    Case("exact, diffusion", "exact", 32, 10, False, 1, 0.5, 0.47),
    Case("exact, reactions", "exact", 32, 10, True, 1, 0.5, 0.70),
    Case("exact, reactions", "exact", 32, 1, True, 1, 4.0, 0.076),
    Case("exact, reactions", "exact", 128, 10, True, 1, 0.02, 170.0),
)


def measure(program, case, folder):
    """Seconds that the case spends in its steps, per time unit."""
    config, result = folder / "case.cfg", folder / "case.h5"
    config.write_text(case.configuration())
    subprocess.run([program, config, "--backend", "cpu", "--threads", str(case.threads), "--force",
                    "--output", result, "--progress", "none"], check=True)
    with h5py.File(result, "r") as file:
        told = file["provenance"].attrs
        spent = sum(float(told[name][0]) for name in told
                    if name.startswith("seconds_") and name != "seconds_RECORD")
    return spent / case.end


def row(case, seconds):
    ratio = f"{case.peer / seconds:.1f}" if case.peer else ""
    return (f"| {case.name} | {case.edge}^3 | {case.per:g} | {seconds:.3g} "
            f"| {case.hops() / seconds / 1e6:.1f} | {ratio} |")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args(arguments)
    best = {case: float("inf") for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(asked.repeat):
            for case in CASES:
                best[case] = min(best[case], measure(asked.program, case, Path(folder)))
    print("| case | cells | molecules per cell | s per time unit | million hops/s "
          "| times URDME |\n|---|---|---|---|---|---|")
    for case in CASES:
        print(row(case, best[case]))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    cells = max(case.edge for case in CASES) ** 3
    print(f"\nMost memory in use: {memory / 1e6:.0f} MB, {memory / cells / 3:.1f} bytes per cell "
          "and species.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
