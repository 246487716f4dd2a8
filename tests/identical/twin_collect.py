"""twin_collect - a sweep collects the counts by an attribute that its results have: those of each
run, and mean and variance over the runs of all repeats, in each group of the output."""
import subprocess

import h5py
import numpy as np

from say_main import config, run_cases
from twin_rows import program

MODEL = """
grid = { voxels = (3, 3); edge = 1.0; };
parameters = { k = 5.0; most = 3; };
species = ( { name = "P"; diffusion = 0.2; individuals = { max = 500;
    attributes = ( { name = "gene"; kind = "integer"; initial = "floor(uniform(0, 4))"; } ); }; } );
reactions = ( { equation = "0 -> P"; rate = "k"; }, { equation = "P -> 0"; rate = 0.5; } );
initial = ( { species = "P"; count = 20; } );
time = { end = 2.0; step = 0.1; };
output = %s;
"""
SWEEP = """
base = "model.cfg"; output = "out/{task}.h5"; repeats = 2;
vary = ( { path = "parameters.k"; values = (1.0, 5.0, 9.0); } );
"""
BY = 'by = ( { species = "P"; attribute = "gene"; range = (0, "most"); %s } );'


def collect(output, runs, *words, without=()):
    """Runs the sweep, removes some results, and collects the others."""
    subprocess.run("rm -rf out all.h5", shell=True, check=True)
    config("model.cfg", MODEL % output + f"run = {{ runs = {runs}; }};")
    config("sweep.cfg", SWEEP)
    program("sweep", "sweep.cfg", "--progress", "none")
    for task in without:
        subprocess.run(["rm", f"out/{task}.h5"], check=True)
    program("sweep", "sweep.cfg", "--collect", "all.h5", *words)


def assert_collected(path, runs, each=True, without=()):
    """Compares the collected counts at `path` with those of the results."""
    with h5py.File("all.h5") as all_results:
        group = all_results[path]
        assert list(group["value"]) == [0, 1, 2, 3]
        assert ("counts" in group) == each
        for point in range(3):
            there = [task for task in (2 * point + 1, 2 * point + 2) if task not in without]
            counts = []
            for task in there:
                with h5py.File(f"out/{task}.h5") as one:
                    if each:
                        here = one[f"{path}/counts"][:]
                        assert (group["counts"][point, (task - 1) % 2] == here).all(), task
                    else:
                        here = np.stack([one[f"{path}/mean"][:]] * runs)
                    counts.append(here)
            if not there:
                assert np.isnan(group["mean"][point]).all()
                continue
            counts = np.concatenate(counts)
            assert counts.shape == (runs * len(there), *group["mean"].shape[1:])
            assert np.allclose(group["mean"][point], counts.mean(axis=0), rtol=1e-14, atol=0)
            if each and len(counts) > 1:
                variance = counts.var(axis=0, ddof=1)
                assert variance.max() > 0
                assert np.allclose(group["variance"][point], variance, rtol=1e-13, atol=1e-13)
        scales = [scale[0].name for scale in group["mean"].dims]
        assert scales[0].endswith("/point") and scales[2] == f"/{path}/value", scales


def test_each_run():
    """Results of one run have no statistics; those of several have both."""
    for runs in 1, 3:
        collect("{ every = 1.0; " + BY % "" + " }", runs)
        assert_collected("by/P_gene", runs)


def test_statistics_only():
    collect('{ every = 1.0; keep = "statistics"; ' + BY % 'name = "genes";' + " }", 4)
    assert_collected("by/genes", 4, each=False)


def test_groups():
    """Each group of the output has its own counts at its own times."""
    collect('( { every = 1.0; }, { name = "fast"; every = 0.5; ' + BY % "" + " } )", 2)
    assert_collected("fast/by/P_gene", 2)
    with h5py.File("all.h5") as file:
        assert "by" not in file and len(file["fast/time"]) == 5


def test_missing_results():
    """A point of which a result is missing has the other one; a point without results has none."""
    collect("{ every = 1.0; " + BY % "" + " }", 2, "--partial", without=(2, 5, 6))
    assert_collected("by/P_gene", 2, without=(2, 5, 6))
    with h5py.File("all.h5") as file:
        counts = file["by/P_gene/counts"]
        assert (counts[0, 1] == counts.attrs["_FillValue"]).all() and counts[0, 0].sum() > 0


def test_other_values():
    """Results with another range are not collected."""
    config("sweep.cfg", SWEEP.replace("parameters.k", "parameters.most").replace("(1.0, 5.0, 9.0)", "(3, 4)"))
    config("model.cfg", MODEL % ("{ every = 1.0; " + BY % "" + " }"))
    subprocess.run("rm -rf out all.h5", shell=True, check=True)
    program("sweep", "sweep.cfg", "--progress", "none")
    said = program("sweep", "sweep.cfg", "--collect", "all.h5", status=1)
    assert "out/3.h5: has other values of by/P_gene than out/1.h5; collect results that" in said, said


CASES = [test for name, test in list(globals().items()) if name.startswith("test_")]

if __name__ == "__main__":
    run_cases(CASES)
