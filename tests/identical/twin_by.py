"""twin_by - tests that individuals counted by an attribute (output.by) are those that the result
lists, in every kind of run; and that batches, resumed runs, threads and `again` give the same
bytes."""
import os
import subprocess
import sys

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """grid = { voxels = (6, 5); edge = 1.0; };
tables = { make = { values = (0.5, 1, 2, 0.2, 3); }; };
species = (
    { name = "D"; individuals = { max = 60;
        attributes = ( { name = "gene"; kind = "integer"; initial = "floor(uniform(0, 5))"; } ); }; },
    { name = "P"; diffusion = 0.5; individuals = { max = 4000; attributes = (
        { name = "gene"; initial = 0; birth = "parent.gene"; },
        { name = "sign"; kind = "integer"; initial = 0; birth = "3 - 2 * parent.gene"; } ); }; } );
reactions = ( { equation = "D -> D + P"; rate = "sum(look(make, D.gene))"; },
    { equation = "P -> 0"; rate = 0.4; } );
initial = ( { species = "D"; count = 40; } );
time = { end = 4; step = 0.1; };
"""
BY = """by = ( { species = "P"; attribute = "gene"; range = (0, 4); },
    { species = "P"; attribute = "sign"; range = (-5, 3); name = "signs"; },
    { species = "D"; attribute = "gene"; range = (-1, 7); } );"""
ENTRIES = {"P_gene": ("P", "gene", 0, 4), "signs": ("P", "sign", -5, 3), "D_gene": ("D", "gene", -1, 7)}


def rdsim(*words, rc=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == rc, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def run(name, output, *options):
    with open(f"{name}.cfg", "w", encoding="utf-8") as file:
        file.write(MODEL + output)
    rdsim(f"{name}.cfg", "-o", f"{name}.h5", "--backend", "cpu", "--force", *options)
    return f"{name}.h5"


def check_counts(path, group="/"):
    """Compares the counts with the rows of individuals, and the statistics with the counts."""
    with h5py.File(path) as file:
        at = file[group]
        n_runs, n_times = len(at["run"]), len(at["time"])
        for name, (species, attribute, least, most) in ENTRIES.items():
            by, rows = at[f"by/{name}"], at[f"individuals/{species}"]
            counts = by["counts"][:]
            assert list(by["value"]) == list(range(least, most + 1))
            assert by["value"].attrs["species"] == species, dict(by["value"].attrs)
            assert by["value"].attrs["attribute"] == attribute
            assert counts.shape == (n_runs, n_times, most - least + 1), counts.shape
            for time in range(n_times):
                for of in range(n_runs):
                    first, n = rows["row_start"][time, of], rows["row_count"][time, of]
                    value = rows[attribute][first:first + n].astype(int) - least
                    assert (counts[of, time] == np.bincount(value, minlength=most - least + 1)).all()
            assert counts.max() > 1, name
            if n_runs > 1 and "mean" in by:
                assert np.allclose(by["mean"], counts.mean(axis=0), rtol=1e-14)
                assert np.allclose(by["variance"], counts.var(axis=0, ddof=1), rtol=1e-12)
                assert (by["min"][:] == counts.min(axis=0)).all()
                assert (by["max"][:] == counts.max(axis=0)).all()


ALL = f"output = {{ every = 1; {BY} }};"
check_counts(run("one", ALL))
check_counts(run("many", ALL, "--runs", "9"))
rdsim("again", "many.h5", "--threads", "3")
rdsim("again", "one.h5")
run("batches", ALL, "--runs", "9", "--at-once", "4")
rdsim("diff", "many.h5", "batches.h5")
# groups of the output, one of them without `by`, at times of their own
check_counts(run("groups", 'output = ( { name = "often"; every = 0.25; keep = "totals"; },'
                 f'{{ name = "maps"; every = 2; {BY} }} );', "--runs", "3"), "maps")
with h5py.File("groups.h5") as result:
    assert "by" not in result["often"] and "by" not in result
assert rdsim("table", "groups.h5", "--by", "signs", "--csv") == \
    rdsim("table", "groups.h5", "--group", "maps", "--by", "signs", "--csv")
# the first runs, and only statistics: the statistics are those of all runs
run("first", f'output = {{ every = 1; keep = "first 2"; {BY} }};', "--runs", "9")
run("statistics", f'output = {{ every = 1; keep = "statistics"; {BY} }};', "--runs", "9",
    "--at-once", "5")
with h5py.File("many.h5") as a, h5py.File("first.h5") as b, h5py.File("statistics.h5") as c:
    for entry in ENTRIES:
        assert (a[f"by/{entry}/counts"][:2] == b[f"by/{entry}/counts"][:]).all()
        assert "counts" not in c[f"by/{entry}"]
        for each in ("mean", "variance", "min", "max"):
            assert (a[f"by/{entry}/{each}"][:] == b[f"by/{entry}/{each}"][:]).all()
            assert (a[f"by/{entry}/{each}"][:] == c[f"by/{entry}/{each}"][:]).all()
# rows of parameters: no statistics, which would mix them
with open("theta.csv", "w", encoding="utf-8") as theta:
    theta.write("k\n0.4\n2\n")
with open("rows.cfg", "w", encoding="utf-8") as config:
    config.write(MODEL.replace("rate = 0.4", 'rate = "k"') + ALL +
                 'parameters = { k = 0.4; }; run = { rows = { file = "theta.csv"; }; runs = 2; };')
rdsim("rows.cfg", "-o", "rows.h5", "--force", "--backend", "cpu")
with h5py.File("rows.h5") as result:
    assert sorted(result["by/signs"]) == ["counts", "value"], list(result["by/signs"])
check_counts("rows.h5")
# runs that fault are -1 after their fault; the others go on, in batches, too
with open("faults.cfg", "w", encoding="utf-8") as config:
    config.write(MODEL.replace("uniform(0, 5)", "uniform(0, 5.03)")
                 .replace("2, 0.2, 3);", "2, 0.2, 3, 1);") + ALL)
for options in (("faults.h5",), ("faults_2.h5", "--at-once", "7")):
    rdsim("faults.cfg", "--runs", "30", "--backend", "cpu", "--force", "-o", *options, rc=1)
rdsim("diff", "faults.h5", "faults_2.h5")
with h5py.File("faults.h5") as result:
    out = list(result["faults/run"])
    assert 0 < len(out) < 30, out
    counts = result["by/P_gene/counts"][:]
    assert (counts[out, -1] == -1).all() and (counts[np.setdiff1d(range(30), out)] >= 0).all()
    assert "'gene' of an individual of 'P' is 5 in run" in result["faults/message"].asstr()[0]
# differences have the value, and other ranges are other shapes
run("other", ALL, "--seed", "2")
said = rdsim("diff", "one.h5", "other.h5", rc=1)
assert "/by/D_gene/counts: " in said and ", run 0, value " in said, said
run("shifted", ALL.replace("(-1, 7)", "(-2, 6)"))
assert "/by/D_gene/counts: of another shape or type" in rdsim("diff", "one.h5", "shifted.h5", rc=1)
# info, check, table and Python
assert "D_gene                         -1 to 7; 40 individuals" in rdsim("info", "one.h5")
assert "counted     P by gene from 0 to 4: by/P_gene" in rdsim("check", "one.cfg")
table = rdsim("table", "one.h5", "--by", "D_gene", "--csv").split("\n")
assert table[0] == "run,time,-1,0,1,2,3,4,5,6,7", table[0]
with h5py.File("one.h5") as result:
    assert [int(x) for x in table[1].split(",")[2:]] == list(result["by/D_gene/counts"][0, 0])
sys.path.insert(0, os.path.join(os.environ["RDSIM_SOURCE"], "python"))
import rdsim as package  # noqa: E402
with package.open("many.h5") as data, h5py.File("many.h5") as result:
    assert data.by_signs.dims == ("run", "time", "signs"), data.by_signs
    assert (data.by_signs.sel(signs=-5) == result["by/signs/counts"][:, :, 0]).all()
    assert data.by_P_gene_mean.dims == ("time", "P_gene")
print("twin_by: ok")
