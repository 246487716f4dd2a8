"""say_table - tests `rdsim table`: its rows are the totals of the result, and wrong requests are
reported."""
import csv
import io

import h5py
import numpy as np
from say_main import assert_message, config, cpu, rdsim, run_cases

MODEL = """
grid = { voxels = (4, 3); edge = 1.0; };
regions = ( { name = "left"; where = "x < 2"; } );
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; } );
reactions = ( { equation = "A -> B"; rate = 0.5; } );
observables = ( { name = "both"; sum = "A + 2 B"; } );
initial = ( { species = "A"; count = 40; } );
time = { end = 2.0; };
output = OUTPUT;
run = { runs = RUNS; first = 5; };
"""


def make(output='{ every = 0.5; }', runs="3"):
    cpu(config("m.cfg", MODEL.replace("OUTPUT", output).replace("RUNS", runs)), "--force", status=0)


def table(*words):
    """Returns the names of the columns and the numbers."""
    rows = list(csv.reader(io.StringIO(rdsim("table", "m.h5", "--csv", *words, status=0).stdout)))
    return rows[0], np.array(rows[1:], dtype=float)


def a_row_has_the_totals_of_a_run_and_time():
    make()
    names, rows = table()
    assert names == ["run", "time", "A", "B", "both"], names
    with h5py.File("m.h5") as file:
        totals = np.dstack([file["totals"][:], file["observables"][:]])
        np.testing.assert_array_equal(rows[:, 0], np.repeat([5, 6, 7], 5))
        np.testing.assert_array_equal(rows[:, 1], np.tile(file["time"][:], 3))
        np.testing.assert_array_equal(rows[:, 2:], totals.reshape(15, 3))
        left = file["regions/totals"][:, :, 0].reshape(15, 2)
    names, rows = table("--region", "left")
    assert names == ["run", "time", "A", "B"], names
    np.testing.assert_array_equal(rows[:, 2:], left)
    assert (left[:, 0] < totals.reshape(15, 3)[:, 0]).any(), "the region is not the box"


def means_are_those_of_a_row_of_parameters():
    """Also if a run or a row faults: its later numbers are in no mean."""
    config("theta.csv", "k\n0.5\n-1\n3\n")
    text = MODEL.replace("OUTPUT", "{ every = 0.5; }").replace("run = {", 'run = { rows = { file = "theta.csv"; }; ')
    text = "parameters = { k = 1.0; };\n" + text.replace("rate = 0.5", 'rate = "k"').replace("RUNS", "4")
    cpu(config("m.cfg", text), "--force", status=1)
    names, rows = table("--mean")
    assert names == ["row", "time", *(f"{name}-{of}" for name in ("A", "B", "both")
                                      for of in ("mean", "sd"))], names
    with h5py.File("m.h5") as file:
        totals = np.dstack([file["totals"][:], file["observables"][:]]).reshape(3, 4, 5, 3)
    assert rows[:, 0].tolist() == [0] * 5 + [2] * 5 and (totals[1] < 0).all(), rows
    for row in (0, 2):
        here = rows[rows[:, 0] == row]
        np.testing.assert_allclose(here[:, 2::2], totals[row].mean(axis=0))
        np.testing.assert_allclose(here[:, 3::2], totals[row].std(axis=0, ddof=1))
    assert (rows[4, 2] - rows[9, 2]) > 3, rows
    cpu(config("m.cfg", text.replace("runs = 4", "runs = 1")), "--force", status=1)
    assert np.isnan(table("--mean")[1][:, 3]).all()


def means_are_those_of_the_statistics():
    for output, words in (("{ every = 0.5; }", ["--mean"]),
                          ('{ every = 0.5; keep = "statistics"; }', [])):
        make(output, "20")
        names, rows = table(*words)
        assert names == ["time", *(f"{name}-{of}" for name in ("A", "B", "both")
                                   for of in ("mean", "sd"))], names
        with h5py.File("m.h5") as file:
            at = file["statistics"]
            np.testing.assert_allclose(rows[:, 1], at["total_mean"][:, 0])
            np.testing.assert_allclose(rows[:, 4], np.sqrt(at["total_variance"][:, 1]))
            np.testing.assert_allclose(rows[:, 5], at["observable_mean"][:, 0])


def groups_have_tables():
    make("""( { name = "fast"; every = 0.25; keep = "totals"; species = ("B"); },
              { name = "maps"; every = 1.0; } )""")
    with h5py.File("m.h5") as file:
        totals = file["fast/totals"][:].reshape(27)
    names, rows = table()
    assert names[:3] == ["run", "time", "B"], names
    np.testing.assert_array_equal(rows[:, 2], totals)
    names, rows = table("--group", "maps")
    assert names[:4] == ["run", "time", "A", "B"] and len(rows) == 9, names


def compare_reads_a_table():
    make(runs="40")
    text = rdsim("table", "m.h5", "--csv", status=0).stdout
    config("m.csv", text)
    cpu("m.cfg", "--seed", "8", "--output", "n.h5", status=0)
    done = rdsim("compare", "n.h5", "m.csv", status=0)
    assert "agree" in done.stdout, done.stdout


def columns_are_aligned_without_csv():
    make()
    lines = rdsim("table", "m.h5", status=0).stdout.splitlines()
    assert len(lines) == 16 and len({len(line) for line in lines}) == 1, lines[:3]
    assert lines[0].split() == ["run", "time", "A", "B", "both"]


def rows_after_a_fault_are_left_out():
    text = MODEL.replace("OUTPUT", "{ every = 0.5; }").replace("RUNS", "10")
    config("m.cfg", text + 'events = ( { time = 0.9; remove = { species = "A"; count = 25; }; } );')
    cpu("m.cfg", "--force", status=1)
    with h5py.File("m.h5") as file:
        n = file["run_state"][:].sum()
    assert n < 50, n
    names, rows = table()
    assert len(rows) == n and (rows >= 0).all(), rows


def wrong_requests_give_status_2():
    make()
    for words, message in ((["m.cfg"], "m.cfg: is not an HDF5 file"),
                           (["none.h5"], "none.h5: "),
                           (["m.h5", "--group", "slow"], "m.h5: has no group 'slow' of outputs"),
                           (["m.h5", "--region", "up"], "m.h5: has no totals of a region 'up'"),
                           (["m.h5", "--species", "A"], "--species is not an option"),
                           ([], "RESULT is missing; write rdsim table RESULT")):
        done = rdsim("table", *words, status=2)
        assert_message(done, message)
        assert done.stdout == "" and "HDF5-DIAG" not in done.stderr, done.stderr


CASES = [
    a_row_has_the_totals_of_a_run_and_time,
    means_are_those_of_the_statistics,
    means_are_those_of_a_row_of_parameters,
    groups_have_tables,
    compare_reads_a_table,
    columns_are_aligned_without_csv,
    rows_after_a_fault_are_left_out,
    wrong_requests_give_status_2,
]

if __name__ == "__main__":
    run_cases(CASES)
