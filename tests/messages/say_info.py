"""say_info - compares the page and the JSON of `rdsim info` with what h5py reads from results."""
import json
import os
import pathlib

import h5py
import numpy as np

from say_main import assert_message, cpu, rdsim, run_cases

MODEL = """include = ("title.cfg", "more.cfg");
grid = { voxels = (4, 3, 2); edge = (0.5, 1.0, 2.0); };
regions = ( { name = "low"; where = "x < 1"; }, { name = "high"; where = "x > 1"; } );
fields = ( { name = "f"; value = "x + 0.25"; }, { name = "g"; value = "y"; rate = "-g"; } );
species = ( { name = "A"; diffusion = 1; }, { name = "B"; },
    { name = "W"; diffusion = 1; individuals = { max = 500; record = "lineage"; attributes = (
        { name = "age"; initial = 1; }, { name = "v"; initial = "f"; } ); }; } );
observables = ( { name = "all"; sum = "A + 2 * B"; } );
reactions = ( { equation = "A -> B"; rate = 0.5; }, { equation = "W -> 2 W"; rate = 0.5; },
              { equation = "W -> 0"; rate = 0.25; } );
initial = ( { species = "A"; count = 50; }, { species = "W"; count = 9; } );
time = { end = 2; step = 0.1; };
output = { every = 0.5; };
run = { seed = 7; runs = 3; first = 4; };
"""
GROUPS = ('output=( { every = 1.0; keep = "totals"; }, { name = "maps"; times = (1.5); '
          'species = "A"; } )')
# the settings, and the line of runs
RESULTS = (
    ([], "3, numbers 4 to 6"),
    (["run.runs=1"], "1, number 4"),
    (['output.keep="first 2"'], "3, from number 4; the first 2 are kept"),
    (["output.keep=statistics"], "3, numbers 4 to 6"),
    (["output.keep=totals", "output.species=B", "title="], "3, numbers 4 to 6"),
    (["output.compression=0", "fields=()", "species.W.individuals.attributes=()",
      "species.W.individuals.record=state"], "3, numbers 4 to 6"),
    ([GROUPS], "3, numbers 4 to 6"),
    (["species.W.individuals.max=17", "run.runs=12"], "12, numbers 4 to 15"),
    (["species.W.individuals.max=12", "run.runs=12"], "12, numbers 4 to 15"),
)
COLUMNS = {"row", "id", "parent", "born", "voxel", "x", "y", "z", "row_start", "row_count"}


def make(settings):
    pathlib.Path("m.cfg").write_text(MODEL)
    pathlib.Path("more.cfg").write_text("")
    pathlib.Path("title.cfg").write_text('title = "pages";\n')
    words = [word for setting in settings for word in ("--set", setting)]
    rdsim_status = 1 if any("max=1" in setting for setting in settings) else 0
    cpu("m.cfg", "--force", "--progress", "none", *words, status=rdsim_status)
    return h5py.File("m.h5")


def texts(at, name):
    return [text.decode() for text in at[name]] if name in at else []


def means(at, name, statistic=None):
    """Returns means over runs at the last time; faulted runs have -1. None if not stored."""
    if statistic and f"statistics/{statistic}_mean" in at:
        return at[f"statistics/{statistic}_mean"][-1]
    if name not in at:
        return None
    last = np.asarray(at[name][:, -1], dtype=float)
    return last[last.reshape(len(last), -1)[:, 0] >= 0].mean(axis=0)


def close(found, expected_one):
    return found == expected_one or np.isclose(float(found), float(expected_one), rtol=1e-9)


def assert_words(line, words):
    """Compares a line with words. A name is padded to 30 characters, its value follows a space."""
    found = line.split()
    if line.startswith("  ") and line[2] != " ":
        assert line[32:33].strip() == line[31:32].strip() == "", line
        assert len(line) < 34 or line[33] != " ", line
    assert len(found) == len(words), (line, words)
    for one, other in zip(found, words):
        try:
            assert close(one.rstrip(",;"), str(other).rstrip(",;")), (line, words)
        except ValueError as different:
            raise AssertionError((line, words)) from different


def contents(file, at, n_valid):
    """Yields the words of each line that describes snapshots; [] is an empty line."""
    for names, data, statistic, title in (
            ("species", "totals", "total", "in all voxels at the last time, mean over runs"),
            ("observable", "observables", "observable",
             "in all voxels at the last time, mean over runs")):
        yield from items(texts(at, names), means(at, data, statistic), names, title)
    regions = means(at, "regions/totals", "region")
    yield from ([], "region in its voxels at the last time, mean over runs".split())
    for name, row in zip(texts(at, "region"), regions):
        pairs = [f"{species} {mean:.12g}," for species, mean in zip(texts(at, "species"), row)]
        yield [name, *" ".join(pairs).rstrip(",").split()]
    yield from items(texts(at, "reaction"), means(at, "reactions"), "reaction",
                     "fired by the last time, mean over runs")
    if "individuals" in at:
        yield from ([], "individuals at the last time, mean over runs".split())
        for name, group in at["individuals"].items():
            own = [x for x in group if x not in COLUMNS]
            number = group["row_count"][-1].sum() / n_valid
            after = ("; attributes " + ", ".join(own)).split() if own else []
            yield [name, f"{number:.12g}" + (after.pop(0) if after else ""), *after]
    if "fields" in at:
        yield from ([], "fields in all voxels; in the first run at the last time".split())
        for name in sorted(at["fields"], reverse=True):
            data = at["fields"][name]
            plane = data[0, -1] if data.ndim == 5 else data[...]
            least, most = np.min(plane), np.max(plane)
            good = ["to"] if np.isfinite(least) else []
            yield [name, *([f"{least:.12g}", "to", f"{most:.12g}" + ("" if data.ndim == 5 else ",")]
                           if good else []), *(["always"] if data.ndim == 3 else [])]


def items(names, mean, title, about):
    if names:
        yield from ([], [title, *(about.split() if mean is not None else [])])
    for i, name in enumerate(names):
        yield [*name.split(), *([f"{mean[i]:.12g}"] if mean is not None else [])]


def header(file, at, runs, whole):
    """Yields the words of the lines on times, runs and size."""
    time = at["time"][:]
    yield ["times", f"{len(time)},", "from", time[0], "to", time[-1]]
    yield ["runs", *runs.split()]
    words = ["size"]
    if whole:
        words += [f"{os.path.getsize('m.h5') / 1e6:.6g}", "MB;" if not has_groups(file) else "MB"]
    if "counts" in at:
        stored = at["counts"].id.get_storage_size()
        bytes_ = at["counts"].size * 4
        words += f"counts {bytes_ / 1e6:.6g} MB, compressed to {stored / 1e6:.6g} MB".split()
    elif not (whole and has_groups(file)):
        words += "no counts of voxels".split()
    yield words


def has_groups(file):
    return "maps" in file


def expected(file, runs):
    faults = texts(file, "faults/message")
    yield ["result", "m.h5"]
    yield ["state", "faulted" if faults else "complete"]
    if faults:
        yield ["faults", len(faults), "of", runs.split(",")[0], "runs"]
        yield from (text.split() for text in faults[:5])
        if len(faults) > 5:
            yield "... and so on, in /faults/message".split()
    if file.attrs["title"]:
        yield ["title", "pages"]
    yield ["written", "by", *file.attrs["source"].split()]
    yield ["made", "from", "title.cfg"]
    yield ["more.cfg"]
    yield ["m.cfg"]
    yield "grid 4 x 3 x 2 voxels of 0.5 x 1 x 2".split()
    states = file["run_state"][:] if "run_state" in file else np.array([])
    yield from header(file, file, runs, True)
    n_valid = len(file["run"]) - np.sum(states < len(file["time"]))
    yield from contents(file, file, n_valid)
    if has_groups(file):
        yield from ([], ["group", "maps"])
        yield from header(file, file["maps"], runs, False)
        yield from contents(file, file["maps"], n_valid)
    if "lineage" in file:
        yield from ([], "lineage recorded in all runs".split())
        lives = file["lineage/W"]
        yield ["W", len(lives["births/id"]), "births,", len(lives["deaths/id"]), "deaths"]
    yield []
    yield ["derived"]


def the_page_is_what_the_file_has():
    for settings, runs in RESULTS:
        with make(settings) as file:
            lines = rdsim("info", "m.h5", status=0).stdout.splitlines()
            for line, words in zip(lines, expected(file, runs)):
                assert_words(line, words)
            assert "derived" in lines, settings


def assert_group(found, at):
    assert found["snapshots"] == len(at["time"]), found
    for names, data, statistic in (("species", "totals", "total"),
                                   ("observable", "observables", "observable"),
                                   ("reaction", "reactions", None)):
        mean = means(at, data, statistic)
        assert list(found[names]) == texts(at, names), found[names]
        if mean is not None:
            assert np.allclose(list(found[names].values()), mean, rtol=1e-12), (names, found)
    regions = [[*row.values()] for row in found["region"].values()]
    assert np.allclose(regions, means(at, "regions/totals", "region"), rtol=1e-12), found
    assert set(found["fields"]) == set(at.get("fields", [])), found


def the_json_is_what_the_file_has():
    for settings, runs in RESULTS:
        with make(settings) as file:
            found = json.loads(rdsim("info", "m.h5", "--json", "-", status=0).stdout)
            faults = texts(file, "faults/message")
            assert found["state"] == ("faulted" if faults else "complete")
            assert found["runs_faulted"] == len(faults)
            assert found["bytes"] == os.path.getsize("m.h5")
            assert found["runs"] == int(runs.split(",")[0]) and found["first_run"] == 4
            assert found["voxels"] == [4, 3, 2] and found["edges"] == [0.5, 1, 2]
            maps = found["groups"].get("maps")
            assert (maps is not None) == has_groups(file)
            found["snapshots"] -= maps["snapshots"] if maps else 0
            assert_group(found, file)
            if maps:
                assert_group(maps, file["maps"])
            if "lineage" in file:
                lives = file["lineage/W"]
                assert found["lineage"] == {"W": {"births": len(lives["births/id"]),
                                                  "deaths": len(lives["deaths/id"])}}


def the_number_of_snapshots_is_what_the_file_states():
    make(RESULTS[0][0]).close()
    for number in (0, None):
        with h5py.File("m.h5", "r+") as file:
            attributes = file["model/derived"].attrs
            assert (attributes["snapshots"] > 0) == (number == 0), attributes["snapshots"]
            attributes["snapshots"] = 0
            if number is None:
                del attributes["snapshots"]
        found = json.loads(rdsim("info", "m.h5", "--json", "-", status=0).stdout)
        assert found["snapshots_wanted"] == number, found


def a_missing_state_is_no_state():
    make(RESULTS[0][0]).close()
    with h5py.File("m.h5", "r+") as file:
        del file["provenance"].attrs["state"]
    assert "state          not in the file\n" in rdsim("info", "m.h5", status=0).stdout
    assert json.loads(rdsim("info", "m.h5", "--json", "-", status=0).stdout)["state"] is None


def a_result_that_is_not_written_yet_has_parts():
    make(RESULTS[0][0]).close()
    pathlib.Path("later.h5.parts").mkdir(exist_ok=True)
    for words in ("info", "later.h5"), ("diff", "m.h5", "later.h5"):
        assert_message(rdsim(*words, status=2), "later.h5: is not written yet, and its run has data in "
                       "later.h5.parts; wait, or continue")


if __name__ == "__main__":
    run_cases([the_page_is_what_the_file_has, a_result_that_is_not_written_yet_has_parts, the_json_is_what_the_file_has,
               the_number_of_snapshots_is_what_the_file_states, a_missing_state_is_no_state])
