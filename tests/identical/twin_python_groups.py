"""twin_python_groups - tests that the Python package returns the groups of a result with their axes:
in memory what the file of the same run has, and what h5py reads in it."""
import contextlib
import warnings

import python_package  # noqa: F401 (sets the path of the package)

import h5py
import numpy as np
import xarray

import rdsim

MODEL = """
grid = { voxels = (6, 5); edge = 1.0; };
regions = ( { name = "left"; where = "x < 3"; } );
fields = ( { name = "cue"; value = 1.0; rate = "0.1 * A"; } );
species = ( { name = "A"; diffusion = 0.5; },
    { name = "B"; diffusion = 0.2; individuals = { max = 60; }; } );
reactions = ( { equation = "A -> B"; rate = 0.2; } );
initial = ( { species = "A"; count = 20; } );
time = { end = 2; };
output = OUTPUT;
run = { runs = 4; };
"""
ONE = '{ every = 0.5; keep = "statistics"; }'
SEVERAL = """( { name = "fast"; every = 0.1; keep = "totals"; species = "B"; },
    { name = "maps"; every = 1; keep = "all"; } )"""
FAULTY = """
grid = { voxels = 1; edge = 1.0; }; species = ( { name = "A"; } );
reactions = ( { equation = "A -> 0"; rate = 1; } ); initial = ( { species = "A"; count = 12; } );
events = ( { time = 1; remove = { species = "A"; count = 5; }; } );
time = { end = 2; }; run = { runs = 20; };
"""


def both(text):
    """Returns the result of a model in memory, and that of a file."""
    model = rdsim.Model(text)
    return model.run(), model.run(to="run.h5", force=True)


def assert_says(call, *words):
    try:
        call()
    except rdsim.Error as why:
        assert all(word in str(why) for word in words), why
    else:
        raise AssertionError(f"no error with {words}")


def assert_group(name, dims, *results):
    """Asserts that a group has these axes, and the same data in memory, in a file and by h5py."""
    for result in results:
        found = result.rd.group(name).load()
        assert set(found.sizes) == set(dims) and set(found.coords) == set(dims), (name, found)
        with h5py.File("run.h5") as file:
            for each, data in file[name].items():
                if isinstance(data, h5py.Dataset) and data.dtype.kind in "iuf":
                    there, here = data[()].astype(float), found[each].values.astype(float)
                    assert np.array_equal(np.where(there == -1, np.nan, there),
                                          np.where(here == -1, np.nan, here), equal_nan=True), each
    xarray.testing.assert_identical(*(result.rd.group(name).load().drop_attrs() for result in results))


def test_statistics():
    memory, file = both(MODEL.replace("OUTPUT", ONE))
    axes = ("time", "species", "species_2", "quantile", "region", "z", "y", "x")
    assert_group("statistics", axes, memory, file)
    assert_group("regions", ("z", "y", "x"), memory, file)
    mean = memory.rd.group("statistics").total_mean
    assert mean.sel(species="A", time=0) == 20 and 0 < mean.sel(species="B", time=2) < 20
    for result, place in ((memory, "the result: "), (file, "run.h5: ")):
        assert_says(lambda: result.rd.group("fast"), place + "has no group 'fast'; it has ",
                    "model, provenance, regions, statistics")
        assert_says(lambda: result.rd.group("time"), place + "has no group 'time'; it has ")
        assert_says(lambda: result.rd.group(3), "group: is of the type int; give the name of a group")
        assert_says(lambda: result.rd.counts("A"), place + "has no counts of voxels; record them by "
                    "output.keep, or name another group")
        assert_says(lambda: result.rd.regions(), place + "has no totals of regions; record them by ")


def test_several():
    memory, file = both(MODEL.replace("OUTPUT", SEVERAL))
    every = ("run", "time", "species", "z", "y", "x", "reaction", "face", "species_2", "region",
             "quantile")
    assert_group("fast", every, memory, file)
    assert_group("maps", every, memory, file)
    assert_group("fast/statistics", ("time", "species", "species_2", "quantile", "region"), memory, file)
    assert_group("maps/fields", ("run", "time", "z", "y", "x"), memory, file)
    opened = rdsim.open("run.h5", group="/maps/")
    for maps in (memory.rd.group("maps"), file.rd.group("maps"), opened):
        counts = maps.rd.counts("A", run=2, time=1)
        assert np.array_equal(counts, maps.counts.sel(run=2, time=1, species="A"))
        assert maps.rd.regions().molecules.sum() == maps.rd.group("maps/regions").totals.sum()
        assert len(maps.rd.individuals("B")) == int(maps.totals.sel(species="B").sum())
        assert maps.rd.plot(kind="totals").axes
    fast = memory.rd.group("fast")
    assert_says(lambda: fast.rd.counts("B"), "the result, group fast: has no counts of voxels")
    assert_says(lambda: opened.rd.counts("C"), "run.h5, group maps: has no counts of 'C'; it has those "
                "of A, B")
    assert_says(lambda: opened.rd.counts("A", run=9), "has no counts of run 9; its runs are 0 to 3")
    assert_says(lambda: opened.rd.individuals("A"), "has no individuals of 'A'; it has individuals of B")
    assert_says(lambda: opened.rd.lineage("A"), "has no lineage of 'A'; record it by ")


def test_selections():
    """.rd.counts() reads the runs, times and rows that were selected."""
    memory, _ = both(MODEL.replace("OUTPUT", SEVERAL))
    maps = memory.rd.group("maps")
    of_a = maps.counts.sel(species="A")
    for part in ({"time": 0}, {"run": 2}, {"run": [1, 2], "time": slice(0, 2)}):
        counts = maps.isel(part).rd.counts("A")
        some = np.ravel(of_a.run.isel({"run": part.get("run", slice(None))}))[0]
        last = np.ravel(of_a.time.isel({"time": part.get("time", slice(None))}))[-1]
        assert counts.run == some and counts.time == last, counts
        assert np.array_equal(counts, of_a.sel(run=some, time=last)), part
    assert maps.isel(time=slice(0, 2)).rd.counts("A", time=1e9).time == of_a.time[1]
    assert_says(lambda: maps.isel(run=[0]).rd.counts("A", run=1), "has no counts of run 1; its runs are 0 to 0")
    assert_says(lambda: maps.isel(time=[]).rd.counts("A"), "the data set: has no time; select at least one")
    assert_says(lambda: maps.rd.counts("A", time="end"), "time: is a str; give a number")
    text = MODEL.replace("OUTPUT", "{ every = 1; }").replace("rate = 0.2", "rate = \"k\"")
    model = rdsim.Model("parameters = { k = 0.2; };" + text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rdsim.RunWarning)
        rows = model.run(rows={"k": [0.5, 2.0]}, runs=2)
    assert np.array_equal(rows.isel(row=1).rd.counts("A", run=1), rows.counts.sel(species="A")[1, 1, -1])
    assert np.array_equal(rows.isel(row=1, run=[1]).rd.counts("A"), rows.counts.sel(species="A")[1, 1, -1])


def test_faults():
    """The warning of a result in memory does not name its file, which the program does not see."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = rdsim.Model(FAULTY).run()
    said = str(caught[-1].message)
    assert "(the result has each message)" in said, said
    faults = result.rd.group("faults")
    assert f"{faults.sizes['row']} of 20 runs faulted" in said, said
    assert all(f"in run {run}" in text for run, text in
               zip(faults.run.values, faults.message.values.astype(str))), faults.message.values


def main():
    with contextlib.suppress(ImportError):
        import matplotlib
        matplotlib.use("Agg")
    test_statistics()
    test_several()
    test_selections()
    test_faults()
    print("twin_python_groups: passed")


if __name__ == "__main__":
    main()
