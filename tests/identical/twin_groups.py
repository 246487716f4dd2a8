"""twin_groups - tests the groups of an output: each holds what a result with all of its times has,
for its own times, species, regions and quantiles; also on other threads, in batches, stopped and
resumed, repeated, collected by a sweep, and as a start."""
import json
import os
import pathlib

import h5py
import numpy as np

from say_main import assert_message, config, cpu, rdsim, run_cases
from twin_batches import assert_same_data, run_for

# Counted species, individuals with lineage, a species on a surface, a field that changes, walls
# that absorb and let in; some runs stop, and some fail.
MODEL = """
grid = { voxels = (7, 6, 5); edge = 1.0;
    walls = { xmin = { kind = "reservoir"; mean = 0.2; }; xmax = "absorb"; }; };
regions = ( { name = "ball"; sphere = { centre = (3.5, 3, 2.5); radius = 2; }; },
            { name = "left"; where = "x < 3"; }, { name = "low"; where = "z < 2"; } );
surfaces = ( { name = "skin"; of = "ball"; } );
fields = ( { name = "still"; value = "x"; }, { name = "cue"; value = 1.0; rate = "0.1 * A"; } );
species = ( { name = "A"; diffusion = 0.5; },
    { name = "B"; diffusion = 0.2; walls = { x = "reflect"; };
      individuals = { max = 60; record = "lineage"; }; },
    { name = "M"; diffusion = 0.1; on = "skin"; walls = { x = "reflect"; }; }, { name = "C"; } );
reactions = ( { equation = "B -> 2 B"; propensity = "if(B > 3.5, -1, 0.3 * B)"; },
    { equation = "B -> C"; rate = 0.2; }, { equation = "A -> M"; rate = 0.3; },
    { equation = "M -> A"; rate = 0.2; } );
initial = ( { species = "A"; count = 40; }, { species = "B"; count = 15; } );
time = { end = 2; step = 0.05; stop = "C >= 9"; stop_at = "steps"; };
output = OUTPUT;
run = { seed = 11; runs = RUNS; first = 5; };
"""
FAST = 'name = "fast"; every = 0.1; keep = "totals"; species = ("M", "B"); quantiles = (0.1, 0.5);'
MAPS = 'name = "maps"; every = 0.7; keep = KEEP; regions = ("skin", "left"); compression = 1;'
ENDS = 'name = "ends"; times = (0.25, 2); keep = "statistics"; species = "A"; regions = ();'
REST = 'every = 0.5; keep = "first 3"; species = ("C", "B");'
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.95)
ALL = ("A", "B", "M", "C")
REGIONS = ("ball", "left", "low", "skin")
KEEPS = '"all"', '"first 4"', '"first 1"', '"statistics"', '"totals"'


def model(keep='"all"', runs=12, groups=(FAST, MAPS, ENDS, REST)):
    listed = ", ".join("{ " + group.replace("KEEP", keep) + " }" for group in groups)
    return MODEL.replace("OUTPUT", f"( {listed} )").replace("RUNS", str(runs))


def healthy(text):
    """Returns the model without the reaction that fails."""
    return text.replace("if(B > 3.5, -1, 0.3 * B)", "0.3 * B")


def run(name, text, *words, status=1, **more):
    cpu(config(f"{name}.cfg", text), "--force", "--progress", "none", *words, status=status, **more)
    return f"{name}.h5"


def assert_part(whole, group, quantiles=(0.05, 0.25, 0.5, 0.75, 0.95)):
    """Fails unless each series of the group has the numbers of the whole result for the group's
    times, runs, species, regions and quantiles."""
    texts = {axis: [name.decode() for name in group[axis][:]] for axis in ("species", "region")
             if axis in group}
    everywhere = {name: list(whole[name].asstr()) for name in ("species", "region")}
    chosen = {"time": np.searchsorted(whole["time"][:], group["time"][:] - 1e-9),
              "run": np.arange(len(group["run"])),
              "quantile": [QUANTILES.index(q) for q in quantiles]}
    for axis, names in texts.items():
        chosen[axis] = [everywhere[axis].index(name) for name in names]
    chosen["species_2"] = chosen["species"]
    assert np.allclose(whole["time"][:][chosen["time"]], group["time"][:], atol=1e-12)
    seen = []

    def compare(name, item):
        inner = name.split("/")[0]
        if (not isinstance(item, h5py.Dataset) or item.ndim < 1 or item.is_scale
                or inner in ("individuals", "run_state", "stopped", *named)):
            return
        values = whole[name][:]
        for place, dimension in enumerate(item.dims):
            axis = dimension[0].name.rpartition("/")[2]
            if axis in chosen:
                values = np.take(values, chosen[axis], axis=place)
        np.testing.assert_array_equal(item[:], values, err_msg=name)
        seen.append(name)

    named = group.attrs.get("output_groups", "").split() + [
        "lineage", "faults", "model", "regions", "surfaces", "fields"] if group.name == "/" else []
    group.visititems(compare)
    return seen


def whole_of(groups, text, status):
    """Returns the result of the configuration with one group that has everything, at the times of
    all groups."""
    with h5py.File(groups, "r") as file:
        times = np.unique(np.concatenate([file[f"{of}time"][:]
                                          for of in ("", "fast/", "maps/", "ends/")]))
    output = (f'output = {{ times = ({", ".join(map(repr, times.tolist()))}); '
              f'quantiles = {QUANTILES}; }};\n')
    return run("whole", text[:text.index("output =")] + output + text[text.index("run ="):],
               status=status)


def groups_are_parts_of_the_whole():
    """Tests all kinds of `keep`, for one run, few runs and many runs; one run does not fail."""
    for runs in (1, 4, 12):
        for keep in KEEPS:
            text = model(keep, runs) if runs > 1 else healthy(model(keep, runs))
            groups = run("groups", text, status=int(runs > 1))
            whole = whole_of(groups, text, int(runs > 1))
            with h5py.File(groups, "r") as part, h5py.File(whole, "r") as file:
                check_groups(file, part, keep, runs)
                check_individuals(file, part)
                check_states(file, part)


def check_groups(file, part, keep, runs):
    assert part.attrs["output_groups"] == "fast maps ends"
    seen = assert_part(file, part["fast"], (0.1, 0.5))
    assert "totals" in seen and "regions/totals" in seen and "counts" not in seen, seen
    assert ("statistics/region_covariance" in seen) == (runs > 1), seen
    seen = assert_part(file, part["maps"])
    assert ("counts" in seen) == (keep[:4] in ('"all', '"fir')), seen
    assert ("fields/cue" in seen) == ("counts" in seen), seen
    assert ("statistics/voxel_mean" in seen) == (runs > 1 and keep != '"totals"'), seen
    seen = assert_part(file, part["ends"])
    assert "totals" not in seen and "statistics/region_mean" not in seen, seen
    seen = assert_part(file, part)
    assert "counts" in seen and "totals" in seen, seen
    assert part["species"].attrs["not_recorded"] == "A M"
    for name in ("regions/ball", "regions/skin", "surfaces/skin", "fields/still",
                 *(f"lineage/B/{table}/{column}" for table in ("births", "deaths")
                   for column in ("id", "time", "run", "voxel"))):
        np.testing.assert_array_equal(part[name], file[name], err_msg=name)


def statistics_are_those_of_recorded_species():
    """Tests groups that leave out species together; what they record is the same."""
    groups = (FAST, MAPS + ' species = ("B", "M");', ENDS.replace('"A"', '"M"'),
              'every = 0.5; keep = "first 3"; species = ("A", "M");')
    for groups in groups, tuple(group.replace('"A"', '"B"') for group in groups):
        for runs in 4, 12:
            text = model('"statistics"', runs, groups)
            part, whole = run("groups", text, status=1), whole_of("groups.h5", text, 1)
            with h5py.File(part, "r") as part, h5py.File(whole, "r") as file:
                for at, quantiles in ((part, QUANTILES[:1] + QUANTILES[2:]),
                                      (part["fast"], (0.1, 0.5)), (part["maps"], None)):
                    seen = assert_part(file, at, *([quantiles] if quantiles else []))
                    assert "statistics/total_covariance" in seen, seen
                    assert ("statistics/voxel_mean" in seen) == (at.name != "/fast"), seen


def statistics_of_few_species_take_little():
    """Tests two species of many: neither voxels nor pairs of the others take memory."""
    def text(n, voxels):
        species = ", ".join(f'{{ name = "S{i}"; }}' for i in range(n))
        return (f"grid = {{ voxels = {voxels}; edge = 1.0; }};\nspecies = ( {species} );\n"
                'initial = ( { species = "S1"; count = 50; } );\ntime = { end = 1.0; };\n'
                'output = { every = 1; keep = "statistics"; species = ("S0", "S1"); };\n'
                "run = { runs = 2; };\n")

    run("many", text(40000, 1), status=0)
    run("large", text(600, (64, 64, 64)), status=0)
    with h5py.File("large.h5", "r") as file:
        assert file["statistics/voxel_mean"][-1].sum(axis=(1, 2, 3)).tolist() == [0, 50]


def check_individuals(file, part):
    """Fails unless the individuals of a group are those of the whole result at its times."""
    for at in (part, part["maps"]):
        if "individuals" not in at:
            continue
        mine, all_of = at["individuals/B"], file["individuals/B"]
        for place, time in enumerate(at["time"][:]):
            there = int(np.argmin(abs(file["time"][:] - time)))
            for r in range(len(at["run"])):
                rows, others = ((of["row_start"][t, r], of["row_count"][t, r])
                                for of, t in ((mine, place), (all_of, there)))
                assert rows[1] == others[1], (time, r)
                for column in ("id", "voxel", "born", "x"):
                    np.testing.assert_array_equal(mine[column][rows[0]:rows[0] + rows[1]],
                                                  all_of[column][others[0]:others[0] + others[1]])


def check_states(file, part):
    """Fails unless a run that faulted is valid at the times of the group before its fault."""
    valid = file["run_state"][:]
    for at in (part, part["fast"], part["maps"], part["ends"]):
        times = at["time"][:]
        last = np.array([file["time"][n - 1] if n else -1.0 for n in valid])
        np.testing.assert_array_equal(at["run_state"][:],
                                      [(times <= end + 1e-9).sum() for end in last])
        np.testing.assert_array_equal(at["stopped"], file["stopped"])


def threads_and_batches_change_nothing():
    for keep in KEEPS:
        whole = run("whole", model(keep))
        for size, threads in ((100, "3"), (1, "1"), (5, "2")):
            other = run("other", model(keep), "--at-once", str(size), threads=threads)
            assert_same_data(whole, other, f"{keep}, batches of {size}, {threads} threads")
            assert rdsim("diff", whole, other, status=0).stdout.startswith("identical: ")
    with h5py.File("whole.h5", "r") as file:
        assert 1 < len(file["faults/run"]) < 11, "some of the runs fail"


def the_exact_solver_has_groups():
    text = model(groups=('name = "a"; every = 0.5; species = "A";', 'name = "b"; every = 0.2;'))
    a, b = text.index("    { name = \"B\""), text.index("    { name = \"M\"")
    text = (text[:a] + '    { name = "B"; },\n' + text[b:]).replace(", { name = \"cue\"; value = 1.0; "
                                                                   "rate = \"0.1 * A\"; }", "")
    text = 'solver = "exact";\n' + healthy(text)
    run("exact", text, status=0)
    with h5py.File("exact.h5", "r") as file:
        assert list(file["a/species"].asstr()) == ["A"] and len(file["b/time"]) == 11
        np.testing.assert_array_equal(file["a/totals"][:, -1, 0], file["b/totals"][:, -1, 0])
        sums = (file["b/counts"][:] * file["regions/left"][:]).sum(axis=(3, 4, 5))
        np.testing.assert_array_equal(file["b/regions/totals"][:, :, 1], sums)


def stopped_and_killed_runs_are_resumed():
    for kill, size in ((False, "12"), (True, "12"), (True, "5")):
        text = model('"first 4"').replace("step = 0.05", "step = 0.0005")
        whole = run("whole", text)
        name = config("part.cfg", text)
        left = 0
        for turn in range(40):  # longer and longer, so that a busy machine comes to the end, too
            code, words = run_for(name, "--at-once", size, after=0.4 * 1.15 ** turn,
                                  kill=kill)
            if code == 1:
                break
            assert code in (75, -9, -15), f"{code}: {words}"
            left += 1
        assert left > 0 and code == 1, f"left {left} times: {code}: {words}"
        assert_same_data(whole, "part.h5", f"left {left} times")
        os.remove("part.h5")


def a_run_that_goes_on_can_be_read():
    """Tests a stopped run: info and diff take what there is of each group, and `again` repeats
    it."""
    text = healthy(model(groups=(FAST, MAPS)).replace("step = 0.05", "step = 0.0003"))
    whole = run("whole", text, status=0)
    code, words = run_for(config("part.cfg", text), after=1.0, kill=False)
    assert code == 75, words
    page = rdsim("info", "part.h5", status=0).stdout
    assert "state          interrupted at t = " in page and " of 21 snapshots" in page, page
    found = json.loads(rdsim("info", "part.h5", "--json", "-", status=0).stdout)
    assert 0 < found["groups"]["fast"]["snapshots"] < 21, found
    assert found["groups"]["maps"]["species"]["C"] is not None
    done = rdsim("diff", "part.h5", whole, status=1).stdout
    assert "/fast/time: " in done and "values differ" not in done, done
    assert "identical: " in rdsim("again", "part.h5", status=0).stdout


def a_sweep_collects_each_group():
    config("base.cfg", 'parameters = { k = 0.2; };\nobservables = ( { name = "O"; sum = "A + 2 B"; } );\n'
           + healthy(model().replace(
        'equation = "B -> C"; rate = 0.2;', 'equation = "B -> C"; rate = "k";')))
    config("sweep.cfg", 'base = "base.cfg"; seed = 3; repeats = 2; vary = ( { path = "parameters.k"; '
           'values = (0.2, 0.9); }, { path = "output.fast.every"; values = (0.5); } );\n')
    cpu("sweep", "sweep.cfg", "--jobs", "2", "--progress", "none", status=0)
    rdsim("sweep", "sweep.cfg", "--collect", "all.h5", status=0)
    with h5py.File("all.h5", "r") as file:
        assert file.attrs["output_groups"] == "fast maps ends"
        assert len(file["fast/time"]) == 5 and "totals" not in file["ends"]
        for task in range(1, 5):
            with h5py.File(f"sweep/{task}.h5", "r") as one:
                point, repeat = (task - 1) // 2, (task - 1) % 2
                for of in ("", "fast/", "maps/"):
                    for here, there in (("totals", "totals"), ("observables", "observables"),
                                        ("region_totals", "regions/totals")):
                        np.testing.assert_array_equal(file[f"{of}{here}"][point, repeat],
                                                      one[f"{of}{there}"])
        both = np.concatenate(list(file["maps/totals"][1]))
        assert np.allclose(file["maps/total_mean"][1], both.mean(axis=0), rtol=1e-12)
        assert np.allclose(file["maps/total_variance"][1], both.var(axis=0, ddof=1), rtol=1e-9)
        both = np.concatenate(list(file["maps/region_totals"][1]))
        assert both.ndim == 4 and both.any()
        assert np.allclose(file["maps/region_mean"][1], both.mean(axis=0), rtol=1e-12)
        assert np.allclose(file["maps/region_variance"][1], both.var(axis=0, ddof=1), rtol=1e-9)
        assert len(file["maps/region"]) == both.shape[2]


def compartments_have_totals():
    """Tests that the row of a compartment has the totals of its species, and nothing of voxel 0,
    which holds them; `regions` chooses it like a region."""
    config("pools.cfg", """
grid = { voxels = (3, 2); edge = 1.0; };
regions = ( { name = "low"; where = "x < 1"; } );
compartments = ( { name = "pool"; volume = 9; }, { name = "tub"; volume = 5; } );
species = ( { name = "P"; in = "pool"; }, { name = "A"; diffusion = 1; }, { name = "T"; in = "tub"; } );
reactions = ( { equation = "A <-> P"; rate = 1; back = 1; }, { equation = "A <-> T"; rate = 1; back = 1; } );
initial = ( { species = "A"; count = 300; }, { species = "T"; count = 70; } );
time = { end = 2.0; step = 0.1; };
output = ( { every = 0.5; }, { name = "few"; every = 1; regions = "tub"; keep = "totals"; } );
run = { runs = 3; };
""")
    for solver in ("split", "exact"):
        cpu("pools.cfg", "--force", "--set", f'solver="{solver}"', status=0)
        with h5py.File("pools.h5", "r") as file:
            assert list(file["region"].asstr()) == ["low", "pool", "tub"], list(file["region"])
            totals, regions = file["totals"][:], file["regions/totals"][:]
            assert (totals[:, -1] > 20).all(), totals[:, -1]
            for row, species in ((1, 0), (2, 2)):
                expected = np.zeros_like(totals)
                expected[..., species] = totals[..., species]
                np.testing.assert_array_equal(regions[:, :, row], expected)
            assert not regions[:, :, 0, [0, 2]].any() and regions[:, -1, 0, 1].all()
            np.testing.assert_array_equal(file["few/regions/totals"][:], regions[:, ::2, 2:])
            assert np.allclose(file["statistics/region_mean"][:], regions.mean(axis=0))


def a_group_serves_as_a_start():
    """Tests that a start takes counts from a group that has them, at the time and with the species
    that are wanted."""
    groups = ('name = "few"; every = 0.25; species = "A";', 'name = "all"; every = 0.5;', FAST)
    run("first", healthy(model(runs=3, groups=groups)), status=0)
    second = healthy(MODEL[:MODEL.index("initial =")]).replace(
        'individuals = { max = 60; record = "lineage"; };', "")
    second += ('initial = ( { from = "first.h5"; WHAT } );\ntime = { end = 0.1; };\n'
               "output = { times = (0.0); };\nrun = { runs = 3; first = 5; };\n")

    def start(what, status=0):
        return cpu(config("second.cfg", second.replace("WHAT", what)), "--force", status=status)

    start("")
    with h5py.File("first.h5", "r") as one, h5py.File("second.h5", "r") as two:
        np.testing.assert_array_equal(two["counts"][:, 0], one["all/counts"][:, -1])
    start('at_time = 1.25; species = "A";')
    with h5py.File("first.h5", "r") as one, h5py.File("second.h5", "r") as two:
        np.testing.assert_array_equal(two["counts"][:, 0, 0], one["few/counts"][:, 5, 0])
        assert two["totals"][0, 0, 2] == 0
    assert_message(start("at_time = 1.25;", status=2), "has no snapshot at time 1.25")
    run("first", healthy(model(runs=3, groups=groups[:1])), status=0)
    assert_message(start("", status=2), "has no counts of B M C, which its output left out")
    run("first", healthy(model(runs=3, groups=(FAST,))), status=0)
    assert_message(start("", status=2), "contains no counts of voxels")


def one_group_without_a_name_is_the_root():
    """Tests that a list of one, and one with a name, have the data of a plain output."""
    one = model(groups=('every = 0.5; keep = "first 3";',))
    whole = run("whole", one.replace("output = ( {", "output = {").replace("} );\nrun", "};\nrun"))
    assert_same_data(whole, run("list", one), "a list of one")
    named = model(groups=('name = "it"; every = 0.5; keep = "first 3";',))
    with h5py.File(run("named", named), "r") as file, h5py.File(whole, "r") as plain:
        assert "time" not in file and list(file["species"].asstr()) == list(ALL)
        for name in ("time", "counts", "totals", "statistics/voxel_variance", "individuals/B/id",
                     "fields/cue", "regions/totals", "boundary", "injected", "run_state"):
            np.testing.assert_array_equal(file[f"it/{name}"], plain[name])


def settings_reach_groups():
    name = config("set.cfg", healthy(model(groups=(FAST, MAPS), runs=2)))
    cpu(name, "--set", "output.fast.every=0.5", "--set", "output[1].keep=totals", "--set",
        "output.maps.times=(0.5, 1)", "--set", "output.file=there.h5", status=2)
    cpu(name, "--set", "output.fast.every=0.5", "--set", "output[1].keep=totals", "--output",
        "there.h5", status=0)
    with h5py.File("there.h5", "r") as file:
        assert len(file["fast/time"]) == 5 and "counts" not in file["maps"]
    assert not pathlib.Path("set.h5").exists()
    page = cpu("check", name, status=0).stdout
    assert "            fast: 21 times, totals of 2 species, data of about " in page, page
    assert "            maps: 4 times, all of 4 species, data of about " in page, page


CASES = [groups_are_parts_of_the_whole,
         statistics_are_those_of_recorded_species,
         statistics_of_few_species_take_little,
         threads_and_batches_change_nothing,
         the_exact_solver_has_groups,
         stopped_and_killed_runs_are_resumed,
         a_run_that_goes_on_can_be_read,
         a_sweep_collects_each_group, compartments_have_totals,
         a_group_serves_as_a_start,
         one_group_without_a_name_is_the_root,
         settings_reach_groups]


if __name__ == "__main__":
    run_cases(CASES)
