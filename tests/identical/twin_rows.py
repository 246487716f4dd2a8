"""twin_rows - each row of a table of parameters has the bytes of a run with these parameters alone:
its random numbers, its step and its faults, with tables for one plan and for a plan of each row."""
import subprocess

import h5py
import numpy as np

from say_main import PROGRAM, config, run_cases

# Rates of mass action alone depend on the table: one plan is for all rows.
WELL = """
grid = { voxels = 1; edge = 2.0; };
parameters = { make = 10.0; decay = 1.0; pair = 0.02; twice = "2 * decay"; start = 30; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "0 -> A"; rate = "make"; }, { equation = "A -> 0"; rate = "decay"; },
    { equation = "2 A -> B"; rate = "3 * pair + 0.001"; }, { equation = "B -> 0"; rate = "twice"; } );
initial = ( { species = "A"; count = "start"; } );
time = { end = 4.0; };
output = { every = 1.0; };
run = { rows = { file = "theta.csv"; }; runs = 3; seed = 5; };
"""
# Diffusion, individuals, an event and places.
PLANE = """
grid = { voxels = (8, 5); edge = 1.0; };
parameters = { D = 0.5; k = 0.3; n = 40; };
regions = ( { name = "left"; where = "x < 4"; } );
species = ( { name = "A"; diffusion = "D"; }, { name = "B"; diffusion = 0.2; },
    { name = "C"; diffusion = "0.1 * D"; individuals = { max = 200;
        attributes = ( { name = "age"; initial = "uniform(0, k)"; } ); }; } );
reactions = ( { equation = "A + B -> C"; rate = "k"; }, { equation = "C -> A"; rate = 0.4; } );
events = ( { time = 1.0; set = { k = "2 * k"; }; } );
initial = ( { species = "A"; count = "n"; }, { species = "B"; count = 50; in = "left"; } );
time = { end = 2.0; };
output = { every = 0.5; };
run = { rows = { file = "theta.csv"; }; runs = 2; first = 4; };
"""


def program(*words, status=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.stdout + done.stderr)
    return done.stdout + done.stderr


def write(names, rows, path="theta.csv"):
    lines = [",".join(names), *(",".join(repr(float(v)) for v in row) for row in rows)]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def data(path):
    """Returns all arrays of a result that have runs, by name."""
    with h5py.File(path) as file:
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        n = len(file["run"])
        return {name: file[name][()] for name in names
                if file[name].ndim > 1 and file[name].shape[0] == n and not name.startswith("rows/")}


def alone(model, names, row, first, runs, path, *sets):
    """Runs a row alone, without the table."""
    config("alone.cfg", model.replace('rows = { file = "theta.csv"; };', ""))
    words = [f"parameters.{name}={value!r}" for name, value in zip(names, map(float, row))]
    words += [f"run.first={first}", f"run.runs={runs}", *sets]
    program("alone.cfg", "--force", "-q", "-o", path, *(w for each in words for w in ("--set", each)))


def assert_rows(model, names, rows, runs, first=0, share="none", *sets):
    """Compares each row of the result with the row alone."""
    write(names, rows)
    config("rows.cfg", model)
    words = [w for each in (f'run.share="{share}"', *sets) for w in ("--set", each)]
    program("rows.cfg", "--force", "-q", "-o", "rows.h5", *words)
    together = data("rows.h5")
    assert len(together["totals"]) == len(rows) * runs
    for r, row in enumerate(rows):
        alone(model, names, row, first + (0 if share == "streams" else r * runs), runs, "alone.h5", *sets)
        for name, values in data("alone.h5").items():
            if name.startswith(("statistics", "individuals")):
                continue
            part = together[name][r * runs:(r + 1) * runs]
            assert part.tobytes() == values.tobytes(), (name, r)
        assert_individuals(r, runs)
    return together


def assert_individuals(row, runs):
    """Compares the individuals of a row, which stand one after another in both files."""
    with h5py.File("rows.h5") as a, h5py.File("alone.h5") as b:
        for species in b.get("individuals", ()):
            x, y = a["individuals"][species], b["individuals"][species]
            for time in range(len(b["time"])):
                for run in range(runs):
                    i, n = x["row_start"][time, row * runs + run], x["row_count"][time, row * runs + run]
                    k, m = y["row_start"][time, run], y["row_count"][time, run]
                    assert n == m
                    for column in ("id", "voxel", "parent", "age"):
                        assert (x[column][i:i + n] == y[column][k:k + m]).all(), column


def test_one_plan():
    """The table sets rates of mass action only; in batches, too."""
    rows = [(10, 0.01), (20.5, 0.002), (0, 0.5), (3.3, 0.04), (1e3, 1e-4)]
    assert_rows(WELL, ("make", "pair"), rows, 3)
    assert_rows(WELL, ("make",), [(4,), (5,)] * 20, 3)
    many = "".join(f', {{ name = "S{i}"; }}' for i in range(40))  # too many for lanes, in two voxels
    pair = WELL.replace("voxels = 1", "voxels = 2").replace('{ name = "B"; }', '{ name = "B"; }' + many)
    assert_rows(pair, ("make",), [(10,), (0,), (40,)], 3)
    write(("make", "pair"), rows)
    config("rows.cfg", WELL)
    program("rows.cfg", "--force", "-q", "-o", "rows.h5")
    program("rows.cfg", "--force", "-q", "-o", "batches.h5", "--at-once", "4")
    assert "identical" in program("diff", "rows.h5", "batches.h5")


def test_plan_for_each_row():
    """The table sets what other parameters, the start and movement depend on."""
    assert_rows(WELL, ("decay", "start"), [(1, 3), (0.5, 30), (2, 0)], 3)
    step = ("time.step=0.05",)
    assert_rows(PLANE, ("D", "k", "n"), [(0.5, 0.3, 40), (0.1, 2, 10), (0, 0, 0)], 2, 4, "none", *step)
    assert_rows(PLANE, ("D", "n"), [(0.5, 40), (0.5, 41)], 2, 4, "streams", *step)
    assert_rows(WELL, ("make",), [(10,), (10,), (12,)], 3, 0, "streams", "time.step=0.2")
    together = data("rows.h5")["totals"]
    assert (together[:3] == together[3:6]).all(), "the same row has other random numbers"


def test_kinds_of_reactions():
    """Any one reaction that is no plain mass action needs a plan for each row, wherever it stands."""
    plain = ['{ equation = "A -> 0"; rate = "make / 10"; }', '{ equation = "2 A -> B"; rate = 0.01; }']
    head, tail = WELL.split("reactions = (")[0], WELL.split("\ninitial")[1]
    tail = "\ninitial" + tail
    for other in ('{ equation = "0 -> A"; propensity = "make * volume"; }',
                  '{ equation = "0 -> A"; rate = "make"; in = "part"; }'):
        for place in range(3):
            each = ", ".join([*plain[:place], other, *plain[place:]])
            model = f'{head}regions = ( {{ name = "part"; where = "x < 2"; }} );\nreactions = ( {each} );{tail}'
            assert_rows(model, ("make",), [(10,), (3,), (20,)], 3)


def test_step():
    """All rows take the shortest step that any of them needs, which is printed."""
    write(("D",), [(0.1,), (2.0,), (0.5,)])
    config("rows.cfg", PLANE)
    page = program("rows.cfg", "--force", "-o", "rows.h5")
    assert "row 1" in page and "time.step = " in page, page
    step = page.split("time.step = ")[1].split()[0]
    together = data("rows.h5")["totals"]
    for r, d in enumerate((0.1, 2.0, 0.5)):
        alone(PLANE, ("D",), (d,), 4 + 2 * r, 2, "alone.h5", f"time.step={step}")
        assert (together[2 * r:2 * r + 2] == data("alone.h5")["totals"]).all(), r
    config("alone.cfg", PLANE.replace('rows = { file = "theta.csv"; };', ""))
    assert f"steps of {float(step):.6g}" in program("check", "alone.cfg", "--set", "parameters.D=2.0")


def test_step_of_common_numbers():
    """With the same random numbers, all rows take a twentieth of the end if none needs a shorter step,
    which is printed."""
    model = PLANE.replace('"2 * k"', '"k"').replace("rate = 0.4", "rate = 0.01")
    write(("D",), [(0.01,), (0.02,)])
    config("rows.cfg", model.replace("diffusion = 0.2", "diffusion = 0.01"))
    words = ("--set", "parameters.k=0.0001", "--set", 'run.share="streams"')
    page = program("rows.cfg", "--force", "-o", "rows.h5", *words)
    assert "theta.csv: all rows take steps of at most 0.1, so that they use the same random numbers at " \
        "like times; repeat a row alone with time.step = 0.1\n" in page, page


def test_out_of_range():
    """A row that cannot run ends alone, with its message; the others are as without it."""
    for model, names, rows, part in ((WELL, ("make",), [(3,), (-1,), (4,)], "the rate is -1"),
                                     (WELL, ("decay",), [(3,), (-1,), (4,)], "-1"),
                                     (PLANE, ("D",), [(0.5,), (-2,), (0.25,)], "-2"),
                                     (PLANE, ("n",), [(10,), (2.5,), (20,)], "2.5")):
        write(names, rows)
        config("rows.cfg", model)
        runs, step = (3, ()) if model is WELL else (2, ("--set", "time.step=0.05"))
        page = program("rows.cfg", "--force", "-o", "rows.h5", *step, status=1)
        assert "theta.csv: row 1: " in page and part in page, page
        with h5py.File("rows.h5") as file:
            message = file["faults/message"].asstr()[:]
            assert len(message) == runs and all("row 1" in each for each in message)
            assert (file["totals"][runs:2 * runs] == -1).all()
            for r in (0, 2):
                alone(model, names, rows[r], (4 if model is PLANE else 0) + r * runs, runs, "alone.h5",
                      *step[1:])
                with h5py.File("alone.h5") as one:
                    assert (file["totals"][r * runs:(r + 1) * runs] == one["totals"][:]).all()


def test_common_random_numbers():
    """0 -> A (10), A -> 0 (1) at t = 2, with a birth rate of 10 and 10.5: Var(X - Y) of independent
    runs is 20.5 (1 - exp(-2)) = 17.73."""
    model = """grid = { voxels = 1; edge = 1.0; }; parameters = { birth = 10.0; };
        species = ( { name = "A"; } ); reactions = ( { equation = "0 -> A"; rate = "birth"; },
        { equation = "A -> 0"; rate = 1.0; } ); time = { end = 2.0; };
        output = { every = 2.0; keep = "totals"; };
        run = { rows = { file = "theta.csv"; }; runs = 20000; seed = 1; };"""
    write(("birth",), [(10,), (10.5,)])
    config("rows.cfg", model)
    for share, low, high in (("none", 17.73 - 0.9, 17.73 + 0.9), ("streams", 0, 2)):
        program("rows.cfg", "--force", "-q", "-o", "rows.h5", "--set", f'run.share="{share}"')
        last = data("rows.h5")["totals"][:, -1, 0].astype(float)
        variance = np.var(last[20000:] - last[:20000])
        print(f"share {share}: variance {variance:.2f}")
        assert low <= variance <= high, variance


def test_again():
    """The result has the table: it is repeated without the file."""
    for model, names in ((WELL, ("make",)), (PLANE, ("n",))):
        write(names, [(3,), (7,)])
        config("rows.cfg", model)
        program("rows.cfg", "--force", "-q", "-o", "rows.h5")
        write(names, [(100,), (200,)])
        assert "identical" in program("again", "rows.h5")


CASES = [test for name, test in list(globals().items()) if name.startswith("test_")]

if __name__ == "__main__":
    run_cases(CASES)
