"""test_read_result - results of the program itself, as other programs read them: an ensemble with
all that a file can hold, totals alone, and statistics alone."""
import os
import pathlib
import subprocess

import read_result

MODEL = """
title = "{keep}";
units = {{ length = "um"; time = "s"; }};
grid = {{ cells = {cells}; edge = 0.5; walls = {{ x = "absorb"; }}; }};
species = ( {{ name = "A"; diffusion = 1;
              walls = {{ xmin = {{ kind = "reservoir"; mean = 3; }}; }}; }},
            {{ name = "B"; diffusion = 0.5; }} );
reactions = ( {{ equation = "A + B -> 2 A"; rate = 0.1; }},
              {{ equation = "0 -> B"; rate = 1; }} );
initial = ( {{ species = "A"; density = 10; }} );
time = {{ end = 1; }};
output = {{ every = 0.1; keep = "{keep}"; }};
run = {{ seed = 1; runs = {runs}; }};
"""
CASES = [
    dict(keep="all", cells="(7, 5, 3)", runs=3),
    dict(keep="all", cells="(150, 120)", runs=1),
    dict(keep="totals", cells="(1)", runs=500),
    dict(keep="statistics", cells="(20)", runs=2),
]


def main():
    for number, case in enumerate(CASES):
        config = pathlib.Path(f"case{number}.cfg")
        config.write_text(MODEL.format(**case))
        subprocess.run([os.environ["RDSIM_PROGRAM"], config, "--output", f"case{number}.h5",
                        "--force"], check=True)
        found = read_result.check(f"case{number}.h5")
        assert ("counts" in found) == (case["keep"] == "all"), "counts"
        assert ("totals" in found) == (case["keep"] != "statistics"), "totals"
        assert ("statistics/cell_mean" in found) == (case["runs"] > 1 and case["keep"] != "totals"), (
            "statistics of cells")
        assert "injected" in found or case["keep"] == "statistics", "injected"
        assert len(found["time"]) == 11, "times"
        if "counts" in found:
            assert (found["counts"].sum(axis=(3, 4, 5)) == found["totals"]).all(), "totals"


if __name__ == "__main__":
    main()
