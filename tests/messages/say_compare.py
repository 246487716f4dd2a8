"""say_compare - tests `rdsim compare`: the verdict on ensembles that agree and that differ, what it
prints, tables of other programs, and what it refuses."""
import json
import pathlib

import h5py
import numpy as np

from say_main import GOOD, assert_message, config, cpu, rdsim, run_cases

MODEL = """
grid = { voxels = (6, 5); edge = 1.0; };
parameters = { k = 0.5; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; }, { name = "C"; } );
reactions = ( { equation = "A -> B"; rate = "k"; }, { equation = "0 -> A"; rate = 0.1; } );
initial = ( { species = "A"; density = 1; }, { species = "C"; count = 7; } );
time = { end = 2; };
output = { every = 0.5; keep = "totals"; };
run = { runs = 1000; };
"""


def run(name, *words):
    config("m.cfg", MODEL)
    cpu("m.cfg", "-o", name, "--force", "-q", *words, status=0)


def compare(a, b, *words, status):
    return rdsim("compare", a, b, *words, status=status).stdout


def document(a, b, status):
    return json.loads(compare(a, b, "--json", status=status))


def ensembles_of_one_model_agree():
    """The exact solver, and half of the step, against the split solver."""
    run("a.h5")
    for i, words in enumerate((("--seed", "2"), ("--seed", "3", "--set", "solver=exact"),
                               ("--seed", "4", "--set", "time.step=0.01"),
                               ("--seed", "5", "--set", 'output.keep="statistics"'),
                               ("--seed", "6", "--runs", "200"))):
        run(f"b{i}.h5", *words)
        page = compare("a.h5", f"b{i}.h5", status=0)
        assert "verdict     agree: none of 16 comparisons differs" in page, page
        assert "14 more are constant and equal" in page and "warning" not in page, page
    assert rdsim("compare", "a.h5", "b0.h5", "-q", status=0).stdout == ""


def another_rate_differs():
    run("a.h5")
    run("b.h5", "--seed", "2", "--set", "parameters.k=0.55")
    page = compare("a.h5", "b.h5", status=1)
    assert "verdict     differ: " in page and "A mean that differs by" in page, page
    whole = document("a.h5", "b.h5", 1)
    assert whole["verdict"] == "differ" and whole["tested"] == 16 and not whole["same_seed"]
    assert abs(whole["critical_z"] - 4.00317) < 1e-4, whole["critical_z"]
    rows = {(row["time"], row["species"]): row for row in whole["comparisons"]}
    assert len(rows) == 15 and not rows[0, "A"]["mean"]["tested"]
    assert not rows[2, "C"]["variance"]["tested"]
    # z is the difference in errors, whose square is the sum of both variances over the runs
    for species, k in (("A", 0), ("B", 1)):
        mean = rows[2, species]["mean"]
        with h5py.File("a.h5") as a, h5py.File("b.h5") as b:
            x, y = (file["totals"][:, -1, k].astype(float) for file in (a, b))
        error = np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 1000)
        assert np.isclose(mean["error"], error, rtol=1e-3)
        assert np.isclose(mean["z"], (x.mean() - y.mean()) / error, rtol=0.02)
        assert mean["differs"] and abs(mean["z"]) > 6, mean
        assert np.isclose(mean["finds"], (4.00317 + 1.2816) * error, rtol=1e-3)
    every = compare("a.h5", "b.h5", "--all", status=1)
    assert every.count("\nA ") == 10 and every.count("  differs\n") == whole["differing"]


def a_constant_that_differs_is_found():
    run("a.h5")
    run("b.h5", "--seed", "2", "--set", "initial[1].count=8")
    rows = document("a.h5", "b.h5", 1)["comparisons"]
    assert all(row["mean"]["differs"] == (row["species"] == "C") for row in rows)


def another_variance_differs():
    """The same means from bursts of 5."""
    config("m.cfg", MODEL)
    text = MODEL.replace('equation = "0 -> A"; rate = 0.1', 'equation = "0 -> 5 A"; rate = 0.02')
    cpu(config("burst.cfg", text), "-o", "b.h5", "--seed", "2", status=0)
    run("a.h5")
    rows = document("a.h5", "b.h5", 1)["comparisons"]
    assert not any(row["mean"]["differs"] for row in rows)
    assert rows[-3]["variance"]["differs"], rows[-3]


def what_is_not_shared_is_named():
    run("a.h5")
    text = MODEL.replace('{ name = "C"; }', '{ name = "D"; }').replace('"C"', '"D"')
    cpu(config("d.cfg", text), "-o", "d.h5", "--seed", "2", "--set", "output.every=0.4", status=0)
    page = compare("a.h5", "d.h5", status=0)
    for line in ("times       2 in both, from 0 to 2", "3 only in a.h5: 0.5, 1, 1.5",
                 "4 only in d.h5: 0.4, 0.8, 1.2, 1.6", "species     2 in both",
                 "1 only in a.h5: C", "1 only in d.h5: D"):
        assert line in page, page
    whole = document("a.h5", "d.h5", 0)
    assert whole["a"]["other_times"] == [0.5, 1, 1.5] and whole["b"]["other_species"] == ["D"]
    config("late.cfg", MODEL.replace("every = 0.5", "times = (0.3)"))
    cpu("late.cfg", "-o", "late.h5", status=0)
    assert_message(rdsim("compare", "a.h5", "late.h5", status=2), "a.h5 and late.h5 have no time "
                   "in common; give both the same output.times")


def one_seed_is_a_warning():
    run("a.h5")
    run("b.h5", "--set", "parameters.k=0.5000001")
    assert "warning     both have seed 1" in compare("a.h5", "b.h5", status=0)
    assert document("a.h5", "b.h5", 0)["same_seed"]


def single_runs_are_refused():
    run("a.h5")
    run("one.h5", "--runs", "1")
    run("few.h5", "--runs", "9")
    assert_message(rdsim("compare", "a.h5", "one.h5", status=2), "one.h5: has one run, from which "
                   "no deviation can be estimated; simulate an ensemble")
    assert_message(rdsim("compare", "few.h5", "a.h5", status=2), "few.h5: has 9 runs, too few")
    run("ten.h5", "--runs", "10", "--seed", "2")
    whole = document("a.h5", "ten.h5", 0)
    assert whole["tested"] == 8, "ten runs are enough for means, not for variances"


def faulted_runs_are_left_out():
    text = MODEL.replace("time = {", 'events = ( { time = 1.2; remove = { species = "A"; count = '
                         '17; }; } );\ntime = {')
    cpu(config("fault.cfg", text), "-o", "f.h5", status=1)
    cpu(config("fault.cfg", text), "-o", "g.h5", "--seed", "2", "--set", 'output.keep="statistics"',
        status=1)
    page = compare("f.h5", "g.h5", status=0)
    assert "verdict     agree" in page, page


def tables_of_other_programs_are_read():
    """The mean of A + B is 30 + 3 t; totals as a table, and known means and deviations."""
    run("a.h5")
    run("b.h5", "--seed", "2")
    with h5py.File("b.h5") as file:
        time, total = file["time"][...], file["totals"][...]
    lines = ["run;time;A;B"]
    lines += [f"{run};{t};{row[0]};{row[1]}" for run in range(1000)
              for t, row in zip(time, total[run])]
    config("b.csv", "\n".join(lines))
    table, result = document("a.h5", "b.csv", 0), document("a.h5", "b.h5", 0)
    assert table["a"]["other_species"] == ["C"] and table["tested"] == 16
    for row in table["comparisons"]:
        same = [r for r in result["comparisons"]
                if (r["time"], r["species"]) == (row["time"], row["species"])][0]
        for what in ("mean", "variance"):
            if row[what]["tested"]:
                assert np.isclose(row[what]["z"], same[what]["z"], rtol=1e-6)
    p = np.exp(-0.5 * time)
    mean, born = 30 * p, 3 / 0.5 * (1 - p)
    sd = np.sqrt(30 * p * (1 - p) + born)
    rows = "\n".join(f'{t:.17g}, {m:.17g}, {s:.17g}' for t, m, s in zip(time, mean + born, sd))
    page = compare("a.h5", config("exact.csv", f'time,"A-mean","A-sd"\n{rows}\n\n'), status=0)
    assert "exact means and deviations" in page and "8 of means and variances" in page, page
    wrong = rows.replace(rows.split("\n")[-1], f"2, {mean[-1] + born[-1] + 0.7}, {sd[-1]}")
    compare("a.h5", config("wrong.csv", f"time,A-mean,A-sd\n{wrong}"), status=1)


def wrong_files_are_refused():
    run("a.h5", "--runs", "20")
    for text, words in (
            (GOOD, "m.csv: is neither a result nor a table; begin a table with a line as"),
            ("x,y\n1,2\n", "m.csv: is neither a result nor a table"),
            ("time\n1\n", "m.csv: is neither a result nor a table"),
            ("time,A,A\n1,2,3\n", "m.csv:1: column 3 is named 'A'; give each a name of its own"),
            ("time,A,\n1,2,3\n", "m.csv:1: column 3 is named ''"),
            ("time,A\n\n1,x\n", "m.csv:3: 'x' is not a number"),
            ("time,A\n1,nan\n", "m.csv:2: 'nan' is not a number"),
            ("time,A\n1,\n", "m.csv:2: '' is not a number"),
            ("time,A\n1\n", "m.csv:2: has less values than the first line has names; give 2"),
            ("time,A\n1,2,3\n", "m.csv:2: has more values than"),
            ("time,A,B\n", "m.csv: has no rows"),
            ("time,A-mean,A\n0,1,2\n", "m.csv:1: has 'A-mean' without 'A-sd'"),
            ("time,A-mean,A-sd,B\n0,1,2,3\n", "m.csv:1: has columns besides those"),
            ("time,A-mean,A-sd\n0,1,2\n0,1,2\n", "m.csv: has several rows for one time"),
            ("run,time,A\n0,0,1\n0,1,1\n1,0,1\n", "m.csv: has 1 rows at t = 1, but 2 at t = 0"),
            ("run,time,A\n0,0,1\n0,1,1\n", "m.csv: has one run"),
            ("time,Z-mean,Z-sd\n0,1,2\n", "a.h5 and m.csv have no species in common"),
            ("a\0b, long enough", "m.csv: is neither a result nor a table of text"), ("", "m.csv: ")):
        assert_message(rdsim("compare", "a.h5", config("m.csv", text), status=2), words)
    assert_message(rdsim("compare", "none.h5", "a.h5", status=2), "none.h5: cannot be read")
    assert_message(rdsim("compare", ".", "a.h5", status=2), ".: ")
    assert_message(rdsim("compare", "a.h5", status=2), "a file is missing; write rdsim compare A B")
    assert_message(rdsim("diff", "a.h5", "a.h5", "--all", status=2), "--all is not an option of")
    pathlib.Path("cut.h5").write_bytes(pathlib.Path("a.h5").read_bytes()[:-2000])
    assert_message(rdsim("compare", "a.h5", "cut.h5", status=2), "cut.h5: ")
    assert_message(rdsim("compare", "--json", "a.h5", "a.h5", "x.h5", status=2), "a.h5: cannot be "
                   "made")


CASES = [
    ensembles_of_one_model_agree,
    another_rate_differs,
    a_constant_that_differs_is_found,
    another_variance_differs,
    what_is_not_shared_is_named,
    one_seed_is_a_warning,
    single_runs_are_refused,
    faulted_runs_are_left_out,
    tables_of_other_programs_are_read,
    wrong_files_are_refused,
]

if __name__ == "__main__":
    run_cases(CASES)
