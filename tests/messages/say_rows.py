"""say_rows - what the program says about wrong tables of parameters."""
import os
import zlib

import h5py
import numpy as np

from say_main import config, rdsim

MODEL = """
grid = { voxels = 4; edge = 1.0; };
parameters = { k = 0.3; edge = 2; until = 3.0; };
regions = ( { name = "left"; where = "x < edge"; } );
species = ( { name = "A"; diffusion = 0.5; } );
reactions = ( { equation = "A -> 0"; rate = "k"; } );
initial = ( { species = "A"; count = 20; } );
time = { end = "until"; step = 0.1; };
run = { rows = { file = "theta.csv"; }; };
"""


def says(table, status, *parts, model=MODEL):
    """Runs the model with a table; the program must end with the status and print the parts."""
    if table is not None:
        with open("theta.csv", "w", newline="", encoding="utf-8") as file:
            file.write(table)
    elif os.path.exists("theta.csv"):
        os.remove("theta.csv")
    config("rows.cfg", model)
    page = rdsim("rows.cfg", "--force", "-o", "rows.h5", "--backend", "cpu", status=status).stderr
    for part in parts:
        assert part in page, f"{part!r} is not in {page!r}"


def numbers_of_other_programs():
    """Tests data sets that are no columns of numbers, and one whose chunk expands beyond its size."""
    model = MODEL.replace("theta.csv", "theta.h5")
    for name, value, part in (("k", [[1.0]], "theta.h5: k has 2 dimensions and 1 numbers"),
                              ("k", "words", "theta.h5: k has no numbers; name another data set"),
                              ("k", [np.nan], "theta.h5: row 0: k is nan"),
                              ("kk", [1.0], "parameter 'kk' is not declared")):
        with h5py.File("theta.h5", "w") as file:
            file[name] = value
        says("k\n1\n", 2, part, model=model)
    with h5py.File("theta.h5", "w") as file:
        file["k"], file["edge"] = [0.5, 0.25], [2.0]
    says("k\n1\n", 2, "theta.h5: k has 2 numbers, but edge has 1", model=model)
    with h5py.File("theta.h5", "w") as file:
        table = file.create_dataset("k", (2,), "f8", chunks=(2,), compression="gzip")
        table.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 24)))
    says("k\n1\n", 2, "theta.h5: k is damaged: a chunk expands to more than 16 bytes", model=model)


def main():
    says(None, 2, "theta.csv: cannot be opened", "No such file")
    says("", 2, "theta.csv: is empty", "line of names")
    says("k\n", 2, "theta.csv: has no rows")
    says("k\n0.5\nnan\n", 2, "theta.csv:3: k is nan; give a finite number")
    says("k\n1e999\n", 2, "theta.csv:2: k is inf")
    says("k,k\n1,2\n", 2, "two columns 'k'")
    says("kk\n1\n", 2, "parameter 'kk' is not declared; did you mean 'k'")
    says("v\n1\n", 2, "theta.csv: column 'v': parameter 'v' is not declared", model=MODEL.replace(
        "voxels = 4", "voxels = 1") + 'odes = ( { name = "v"; value = 1; rate = "k"; } );')
    says("k\n0,5\n", 2, "theta.csv:2: has 2 numbers", "1 names")
    says("k,edge\n1\n", 2, "theta.csv:2: has 1 numbers", "2 names")
    says("k,edge\n1,\n", 2, "theta.csv:2: edge is ''; write a number")
    says("k\n0.5x\n", 2, "theta.csv:2: k is '0.5x'")
    says(",k\n0,0.5\n", 2, "column 1 has no name", "index=False")
    says("\ufeff# \"k\" , edge\r\n 0.5 ,2\r\n\r\n0.25,2\r\n", 0)
    # rows that cannot run end alone; if none can, the run fails
    says("k\n0.5\n-1\n", 1, "theta.csv: row 1: ", "rate is -1", "1 of 2 runs faulted")
    says("k\n-1\n-2\n", 1, "row 0: ", "rate is -1")
    says("k\n0.5\n-1\n", 1, "theta.csv: row 1: ", "'A -> 0': the rate is -1", model=MODEL.replace(
        'rate = "k"; }', 'rate = "k"; }, { equation = "2 A -> A"; rate = "0.01 * [A]"; }'))
    says("until\n3\n4\n", 1, "row 1: sets a parameter that changes time.end")
    says("edge\n2\n1\n", 1, "row 1: sets a parameter that changes regions")
    # what does not fit together
    says("k\n0.5\n", 2, "statistics over all runs", model=MODEL + 'output = { keep = "statistics"; };')
    says("k\n0.5\n1\n", 2, "first + runs is", model=MODEL.replace("run = {", "run = { first = 268435455;"))
    with open("theta.h5", "wb") as file:
        file.write(b"\x89HDF\r\n\x1a\n" + 100 * b"x")
    says("k\n1\n", 2, "theta.h5: cannot be read as HDF5", model=MODEL.replace("theta.csv", "theta.h5"))
    numbers_of_other_programs()
    # commands that take means over all runs
    says("k\n0.5\n1\n", 0)
    assert "has rows of parameters, and no statistics" in rdsim(
        "compare", "rows.h5", "rows.h5", status=2).stderr
    assert "2 of the table in /rows, 1 run each" in rdsim("info", "rows.h5", status=0).stdout
    assert "rows        2 of k; 1 run each" in rdsim("check", "rows.cfg", status=0).stdout
    # no run begins with the value of the configuration
    divided = MODEL.replace('rate = "k"', 'propensity = "A / k"').replace("k = 0.3", "k = 0.0")
    says("k\n0.3\n0.4\n", 0, model=divided)
    page = rdsim("check", "rows.cfg", status=0).stdout
    assert "propensity A / k" in page and "\nevents" not in page, page


if __name__ == "__main__":
    main()
