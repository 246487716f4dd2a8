"""test_read_result - tests the program's results with other programs: an ensemble with everything
that a file can hold, totals only, statistics only, and individuals."""
import os
import pathlib
import subprocess
import sys

import numpy as np

import read_result

MODEL = """
title = "{keep}";
units = {{ length = "um"; time = "s"; }};
grid = {{ voxels = {voxels}; edge = 0.5; walls = {{ x = "absorb"; }}; }};
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
    dict(keep="all", voxels="(7, 5, 3)", runs=3),
    dict(keep="all", voxels="(150, 120)", runs=1),
    dict(keep="totals", voxels="(1)", runs=500),
    dict(keep="statistics", voxels="(20)", runs=2),
    dict(keep="first 2", voxels="(5, 4)", runs=12),
]


INDIVIDUALS = """
title = "individuals";
units = { length = "um"; time = "s"; };
grid = { voxels = (7, 5); edge = 0.5; walls = { x = "periodic"; }; };
species = ( { name = "walker"; diffusion = 1; individuals = { max = 1000; record = "lineage";
                attributes = ( { name = "speed"; initial = "normal(0, 1)"; },
                               { name = "mark"; kind = "integer"; initial = -1; } ); }; },
            { name = "extinct"; diffusion = 1; individuals = { max = 10; }; },
            { name = "secret"; diffusion = 1; individuals = { max = 10; record = "none"; }; } );
reactions = ( { equation = "walker -> 2 walker"; rate = 1; },
              { equation = "walker -> 0"; rate = 1; } );
initial = ( { species = "walker"; count = 20; }, { species = "secret"; count = 5; } );
time = { end = 2; };
output = { every = 0.1; };
run = { seed = 1; runs = 3; };
"""
FIELDS = """
grid = {{ voxels = (6, 5, 2); edge = 0.5; }};
fields = ( {{ name = "constant"; value = "x + 10 * y + 100 * z"; }},
           {{ name = "cue"; value = "constant"; rate = "0 * A + 2 * t - constant"; }} );
species = ( {{ name = "A"; diffusion = 1; }} );
initial = ( {{ species = "A"; count = 50; }} );
time = {{ end = 1; step = 0.05; }};
output = {{ every = 0.25; keep = "{keep}"; }};
run = {{ runs = {runs}; }};
"""
REGIONS = """
units = {{ length = "um"; }};
grid = {{ voxels = (12, 11, 10); edge = 0.5; }};
regions = ( {{ name = "ball"; sphere = {{ centre = (3, 2.75, 2.5); radius = 1.75; }}; }},
            {{ name = "left"; where = "x < 2"; }} );
surfaces = ( {{ name = "skin"; of = "ball"; }} );
species = ( {{ name = "A"; diffusion = 1; }}, {{ name = "M"; diffusion = 0.5; on = "skin"; }},
            {{ name = "B"; diffusion = 1; individuals = {{ max = 50; }}; }} );
reactions = ( {{ equation = "A -> M"; rate = 0.5; }} );
initial = ( {{ species = "A"; count = 200; }}, {{ species = "B"; count = 40; }} );
time = {{ end = 1; step = 0.25; }};
output = {{ every = 0.25; keep = "{keep}"; {regions} }};
run = {{ runs = {runs}; }};
"""
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def run_program(name, text):
    """Returns what all readers find in the result of the configuration."""
    pathlib.Path(f"{name}.cfg").write_text(text)
    subprocess.run([os.environ["RDSIM_PROGRAM"], f"{name}.cfg", "--output", f"{name}.h5",
                    "--force"], check=True)
    return read_result.check(f"{name}.h5")


def check_case(name, case):
    found = run_program(name, MODEL.format(**case))
    kept = {"all": case["runs"], "totals": case["runs"], "first 2": 2}.get(case["keep"])
    assert ("counts" in found) == (case["keep"] in ("all", "first 2")), "counts"
    assert ("totals" in found) == (case["keep"] != "statistics"), "totals"
    assert ("statistics/voxel_mean" in found) == (case["runs"] > 1 and case["keep"] != "totals"), (
        "statistics of voxels")
    assert "injected" in found or case["keep"] == "statistics", "injected"
    assert len(found["time"]) == 11, "times"
    assert len(found["run_state"]) == case["runs"], "run_state"
    if kept:
        assert len(found["totals"]) == len(found["run"]) == kept, "runs that are kept"
    assert ("statistics/total_quantile" in found) == (case["runs"] > 1), "quantiles"
    if kept == case["runs"] > 1:
        expected = np.quantile(found["totals"], SHARES, axis=0, method="inverted_cdf")
        assert (found["statistics/total_quantile"] == np.moveaxis(expected, 0, -1)).all()
    if "counts" in found:
        assert (found["counts"].sum(axis=(3, 4, 5)) == found["totals"]).all(), "totals"


def check_fields():
    """Tests that a constant field has the value of its expression, and a varying one that of its
    rate."""
    for keep, runs in (("all", 3), ("first 2", 12), ("statistics", 2), ("totals", 1)):
        found = run_program("fields", FIELDS.format(keep=keep, runs=runs))
        assert ("fields/constant" in found) == (keep != "totals"), f"{keep}: a field that stays"
        assert ("fields/cue" in found) == (keep in ("all", "first 2")), f"{keep}: one that changes"
        if "fields/constant" in found:
            x, y, z = (found[axis] for axis in "xyz")
            constant = x + 10 * y[:, None] + 100 * z[:, None, None]
            assert np.allclose(found["fields/constant"], constant, rtol=1e-14), "constant"
        if "fields/cue" in found:
            assert found["fields/cue"].shape == (len(found["run"]), 5, 2, 5, 6)
            t = found["time"][:, None, None, None]
            assert np.allclose(found["fields/cue"], constant * (1 - t) + t * t, rtol=1e-12), "cue"


def check_regions():
    """Tests masks, areas, and that totals in regions are the sums of the counts there, with the
    statistics that follow."""
    for keep, runs in (("all", 1), ("all", 4), ("totals", 3), ("first 2", 12), ("statistics", 3)):
        found = run_program("regions", REGIONS.format(keep=keep, runs=runs, regions=""))
        x, y, z = found["x"], found["y"][:, None], found["z"][:, None, None]
        masks = [found["regions/ball"], found["regions/left"], found["regions/skin"]]
        assert list(found["region"]) == [b"ball", b"left", b"skin"], "names"
        assert (masks[0] == ((x - 3) ** 2 + (y - 2.75) ** 2 + (z - 2.5) ** 2 <= 1.75 ** 2)).all()
        assert (masks[1] == (x + 0 * y + 0 * z < 2)).all(), "left"
        area = found["surfaces/skin"]
        assert ((area > 0) <= (masks[2] == 1)).all(), "areas outside of the surface"
        assert abs(area.sum() / (4 * np.pi * 1.75 ** 2) - 1) < 0.03, "area"
        assert ("regions/totals" in found) == (keep != "statistics"), keep
        if "counts" in found:
            sums = [(found["counts"] * mask).sum(axis=(3, 4, 5)) for mask in masks]
            assert (found["regions/totals"] == np.stack(sums, axis=2)).all(), "totals in regions"
        if keep in ("all", "totals") and runs > 1:
            totals, of = found["regions/totals"], "statistics/region_"
            assert np.allclose(found[of + "mean"], totals.mean(axis=0), rtol=1e-14)
            assert np.allclose(found[of + "variance"], totals.var(axis=0, ddof=1), rtol=1e-13)
            assert (found[of + "min"] == totals.min(axis=0)).all()
            assert (found[of + "max"] == totals.max(axis=0)).all()
            quantiles = np.quantile(totals, SHARES, axis=0, method="inverted_cdf")
            assert (found[of + "quantile"] == np.moveaxis(quantiles, 0, -1)).all()
            off = totals - totals.mean(axis=0)
            pairs = np.einsum("rtpi,rtpj->tpij", off, off) / (runs - 1)
            assert np.allclose(found[of + "covariance"], pairs, rtol=1e-12, atol=1e-12)
    only = run_program("regions", REGIONS.format(keep="totals", runs=2,
                                                 regions='regions = ("skin", "left");'))
    assert list(only["region"]) == [b"left", b"skin"], "the order of the file"
    assert only["regions/totals"].shape == (2, 5, 2, 3) and "regions/ball" in only
    none = run_program("regions", REGIONS.format(keep="totals", runs=2, regions="regions = ();"))
    assert "regions/totals" not in none and "region" not in none and "regions/ball" in none


def check_first():
    """Tests that the first runs are the same as among all, and that statistics are of all."""
    for name, text in (("bulk", MODEL.format(keep="all", voxels="(5, 4)", runs=12)),
                       ("listed", INDIVIDUALS.replace("every = 0.1", 'every = 0.1; keep = "all"'))):
        every = run_program(f"{name}_all", text)
        some = run_program(f"{name}_first", text.replace('keep = "all"', 'keep = "first 2"'))
        for data, values in some.items():
            if data in ("run", "counts", "totals", "reactions", "boundary", "injected"):
                assert (values == every[data][:2]).all() and len(values) == 2, data
            elif data.endswith("row_count"):
                assert (values == every[data][:, :2]).all(), data
            elif data.startswith(("statistics", "lineage", "run_state")):
                assert np.array_equal(values, every[data], equal_nan=values.dtype.kind == "f"), data
        for data in (data for data in some if data.endswith("walker/speed")):
            start, count = (every[f"individuals/walker/row_{what}"][:, :2]
                            for what in ("start", "count"))
            rows = [every[data][s:s + n] for s, n in zip(start.flat, count.flat)]
            assert (np.concatenate(rows) == some[data]).all(), data


def check_stopped():
    """Tests the times at which runs stop, also of those that are not kept; stopped runs do not
    change."""
    for name, keep in (("stopped", "all"), ("stopped_first", "first 5")):
        text = MODEL.format(keep=keep, voxels="(5, 4)", runs=12)
        found = run_program(name, text.replace("end = 1;", 'end = 1; stop = "A < 40";'))
        stopped, totals = found["stopped"], found["totals"]
        assert len(stopped) == 12 and 0 < np.isnan(stopped).sum() < 12, "some runs stop"
        for run in np.flatnonzero(~np.isnan(stopped[:len(totals)])):
            since = found["time"] >= stopped[run]
            assert (totals[run, since, 0] < 40).all() and (totals[run, ~since, 0] >= 40).all()
            assert (totals[run, since] == totals[run, -1]).all(), f"run {run} goes on"


def check_individuals():
    """Tests that rows, counts and lineage agree."""
    found = run_program("individuals", INDIVIDUALS)
    walker = {name.rpartition("/")[2]: values for name, values in found.items()
              if name.startswith("individuals/walker/")}
    for s, name in enumerate(("walker", "extinct")):
        rows = found[f"individuals/{name}/row_count"]
        assert (rows.T == found["totals"][:, :, s]).all(), f"{name}: rows are not its totals"
    assert not any("secret" in name for name in found), "secret: is recorded"
    where = walker["voxel"] % 7, walker["voxel"] // 7
    for axis, place in zip("xy", where):
        assert (walker[axis] == found[axis][place]).all(), f"{axis} is not the voxel's"
    assert (walker["mark"] == -1).all() and len(set(walker["speed"])) > 20, "attributes"
    born = found["lineage/walker/births/id"], found["lineage/walker/births/run"]
    dead = found["lineage/walker/deaths/id"], found["lineage/walker/deaths/run"]
    start, count = (walker[name][-1] for name in ("row_start", "row_count"))
    for place, run in enumerate(found["run"]):
        alive = np.setdiff1d(born[0][born[1] == run], dead[0][dead[1] == run])
        rows = walker["id"][start[place]:start[place] + count[place]]
        assert (np.sort(rows) == alive).all(), f"run {run}: others live than the lineage says"


def check_groups():
    """Tests that all readers read groups of the output, each with axes of its own."""
    text = REGIONS.format(keep="all", runs=3, regions="").replace(
        'output = { every = 0.25; keep = "all";  };',
        'output = ( { name = "fast"; every = 0.25; keep = "totals"; species = ("B", "A"); },\n'
        '           { name = "maps"; times = (0.25, 1); regions = ("skin"); } );')
    assert "fast" in text, text
    pathlib.Path("groups.cfg").write_text(text)
    subprocess.run([os.environ["RDSIM_PROGRAM"], "groups.cfg", "--force"], check=True)
    found = read_result.check_collected("groups.h5")
    assert "time" not in found and "totals" not in found, "at the root"
    assert list(found["fast/species"]) == [b"A", b"B"], "species"
    assert found["fast/totals"].shape == (3, 5, 2) and "fast/counts" not in found
    assert found["maps/counts"].shape == (3, 2, 3, 10, 11, 12), "counts"
    assert (found["maps/totals"][:, :, [0, 2]] == found["fast/totals"][:, [1, 4]]).all(), "totals"
    assert (found["maps/regions/totals"][:, :, 0, 0] == found["fast/regions/totals"][:, [1, 4], 2, 0]
            ).all(), "totals in regions"
    assert "maps/individuals/B/id" in found and "regions/ball" in found and "surfaces/skin" in found


def main():
    for number, case in enumerate(CASES):
        check_case(f"case{number}", case)
    check_individuals()
    check_first()
    check_fields()
    check_regions()
    check_groups()
    check_stopped()
    libraries = {"h5py", "netCDF4"} & set(sys.modules)
    assert not libraries, f"readers share this process: {libraries}"


if __name__ == "__main__":
    main()
