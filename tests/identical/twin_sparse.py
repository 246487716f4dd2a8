"""twin_sparse - tests results whose counts are rows (output.layout = "sparse"): they hold the numbers
of a dense result for every sample, for ensembles with faulted runs, in groups, in batches, after
stops and kills, for every storage of species, and as a start; diff, again, info and sweeps read
both."""
import json
import os
import pathlib
import signal
import subprocess

import h5py
import numpy as np

import python_package  # noqa: F401
from say_main import SOURCE, assert_message, config, cpu, rdsim, run_cases
from twin_batches import CONDITIONS, FIELD, GROUPS, KEEPS, ODD, assert_same_data, data_sets, run_for

SAMPLES = sorted((SOURCE / "tests/models/support").glob("*.cfg"))


def groups_of(file):
    return [file[name] for name in ("/", *str(file.attrs.get("output_groups", "")).split())
            if "time" in file[name]]


def rows_of(group):
    return [group[f"sparse/{name}"][:] for name in ("row_start", "row_count", "voxel", "species",
                                                    "count")]


def array_of(group):
    """Returns the counts of a group as [run, time, species, z, y, x]; fails unless rows are sorted,
    without gaps, and none is 0."""
    if "counts" in group:
        return group["counts"][:]
    start, number, voxel, species, count = rows_of(group)
    shape = [len(group[axis]) for axis in ("run", "time", "species", "z", "y", "x")]
    counts = np.zeros((*shape[:3], int(np.prod(shape[3:]))), np.int32)
    end = 0
    for time in range(shape[1]):
        for run in range(shape[0]):
            assert start[time, run] == end, "the rows of times and runs follow each other"
            if number[time, run] < 0:
                counts[run, time] = -1
                continue
            end += number[time, run]
            here = slice(start[time, run], end)
            assert (np.diff(voxel[here] * shape[2] + species[here]) > 0).all(), "rows are sorted"
            counts[run, time, species[here], voxel[here]] = count[here]
    assert end == len(voxel) and (count > 0).all()
    return counts.reshape(shape)


def is_count(name):
    return name.split("/")[-1] == "counts" or "sparse/" in name


def assert_same_numbers(dense, sparse, what):
    """Fails unless both results hold the same numbers, and diff finds them identical."""
    with h5py.File(dense, "r") as one, h5py.File(sparse, "r") as two:
        assert str(one.attrs.get("output_groups")) == str(two.attrs.get("output_groups"))
        n_sparse = 0
        for a, b in zip(groups_of(one), groups_of(two)):
            assert ("counts" in a) == ("counts" in b or "sparse" in b), what
            n_sparse += "sparse" in b
            if "counts" in a:
                np.testing.assert_array_equal(array_of(a), array_of(b), err_msg=f"{what}: {a.name}")
    one, two = ({name: value for name, value in data_sets(path).items() if not is_count(name)}
                for path in (dense, sparse))
    assert list(one) == list(two), what
    for name, value in one.items():
        if not name.startswith(("faults/", "provenance")):
            np.testing.assert_array_equal(value, two[name], err_msg=f"{what}: {name}")
    for pair in ((dense, sparse), (sparse, dense)):
        assert rdsim("diff", *pair, status=0).stdout.startswith("identical: "), what
    assert rdsim("diff", sparse, sparse, status=0).stdout.startswith("identical: "), what
    return n_sparse


def with_layout(text, layout):
    """Returns a configuration in which each group of the output has the layout."""
    at = text.index("output =")
    end, depth = at, 0
    while depth > 0 or text[end] != ";":
        depth += (text[end] in "({") - (text[end] in ")}")
        end += 1
    return text[:at] + text[at:end].replace("{ ", '{ layout = "' + layout + '"; ') + text[end:]


def run(name, text, *words, status=0, **more):
    cpu(config(f"{name}.cfg", text), "--force", "--progress", "none", *words, status=status, **more)
    return f"{name}.h5"


def both(text, *words, status=0, **more):
    return (run("dense", with_layout(text, "dense"), *words, status=status, **more),
            run("sparse", with_layout(text, "sparse"), *words, status=status, **more))


def samples_hold_the_same_numbers():
    n, drawn = 0, os.environ.get("RDSIM_DRAW")
    for path in SAMPLES[int(drawn) % 10::10] if drawn else SAMPLES:
        text = path.read_text()
        done = subprocess.run([os.environ["RDSIM_PROGRAM"], config("one.cfg", text), "--backend",
                               "cpu", "--force", "--progress", "none"], capture_output=True,
                              timeout=600, check=False)
        if done.returncode not in (0, 1) or not os.path.exists("one.h5"):
            continue  # a sample that fails
        os.remove("one.h5")
        n += assert_same_numbers(*both(text, status=done.returncode), path.name)
    assert drawn or n >= 30, f"{n} samples have counts"


def ensembles_hold_the_same_numbers():
    """Tests runs that stop and fault, each kind of `keep`, and batches of one run and of several."""
    for text, status in ((ODD, 1), (FIELD, 0), (GROUPS, 1), (CONDITIONS, 1)):
        for keep in KEEPS:
            dense, sparse = both(text, "--set", f"output.keep={keep}", status=status)
            n = assert_same_numbers(dense, sparse, keep)
            assert n == (keep[1:4] in ("all", "fir")), keep
            for size, threads in (("1", "2"), ("4", "1")):
                other = run("batches", with_layout(text, "sparse"), "--set",
                            f"output.keep={keep}", "--at-once", size, threads=threads,
                            status=status)
                assert_same_data(sparse, other, f"{keep}, batches of {size}")
    with h5py.File(run("odd", with_layout(ODD, "sparse"), status=1)) as file:
        assert (rows_of(file)[1] < 0).any(), "faulted runs have the row count -1"


GROUP = 'name = "fast"; every = 0.1; keep = "totals";'
LARGE = 'name = "large"; every = 0.5; layout = "sparse";'
SOME = 'name = "some"; times = (0.5, 2); species = ("B", "D"); keep = "first 2"; layout = "sparse";'
DENSE = 'every = 0.5; layout = "dense"; species = ("D", "A"); compression = 0;'
PLAIN = """
grid = { voxels = (9, 5, 4); edge = 1.0; walls = { x = "absorb"; }; };
species = ( { name = "C"; OF_C }, { name = "A"; diffusion = 0.5; STORE }, { name = "D"; STORE },
    { name = "B"; diffusion = 0.2; individuals = { max = 99; }; walls = { x = "reflect"; }; } );
reactions = ( { equation = "A -> C + D"; rate = 0.3; }, { equation = "B -> A"; rate = 0.2; } );
initial = ( { species = "A"; count = 60; }, { species = "B"; count = 25; } );
time = { end = 2; step = 0.05; };
output = OUTPUT;
run = { seed = 11; runs = 4; };
"""


START = PLAIN[:PLAIN.index("initial =")].replace("STORE", "").replace("OF_C", "").replace(
    " individuals = { max = 99; };", "")


def plain(output, store="", of_c=""):
    return PLAIN.replace("OUTPUT", output).replace("STORE", store).replace("OF_C", of_c)


def groups_choose_from_rows():
    """Tests sparse groups with all or some species and runs, beside a dense group of others."""
    whole = run("whole", plain("( { %s }, { name = \"all\"; every = 0.5; layout = \"dense\"; } )" % GROUP))
    groups = run("groups", plain("( { %s }, { %s }, { %s }, { %s } )" % (GROUP, LARGE, SOME, DENSE)))
    with h5py.File(whole) as one, h5py.File(groups) as two:
        counts = one["all/counts"][:]
        np.testing.assert_array_equal(array_of(two["large"]), counts)
        np.testing.assert_array_equal(array_of(two["some"]), counts[:2, [1, 4]][:, :, [2, 3]])
        np.testing.assert_array_equal(two["counts"][:], counts[:, :, [1, 2]])
        assert "sparse" not in two and "sparse" not in two["fast"]
        assert two["large/sparse/count"].fletcher32 and two["large/sparse/count"].chunks
        assert two["large/sparse/voxel"].maxshape == (None,)
        for name in "mean", "variance", "min", "max":
            np.testing.assert_array_equal(two[f"large/statistics/voxel_{name}"],
                                          one[f"all/statistics/voxel_{name}"])
    for words in ("--at-once", "1"), ("--at-once", "3"):
        assert_same_data(groups, run("other", plain("( { %s }, { %s }, { %s }, { %s } )" % (
            GROUP, LARGE, SOME, DENSE)), *words), "batches")
    page = rdsim("info", groups, status=0).stdout
    assert "sparse counts: " in page and " rows, " in page, page
    found = json.loads(rdsim("info", groups, "--json", "-", status=0).stdout)
    with h5py.File(groups) as two:
        assert found["groups"]["large"]["sparse_rows"] == len(two["large/sparse/voxel"])


def storage_and_solver_change_nothing():
    """Tests that rows of the machine and arrays give the same bytes, and that counts agree with the
    dense layout for either solver."""
    def text(*stores):
        return plain('{ every = 0.5; layout = "sparse"; }', *stores).replace(
            " individuals = { max = 99; };", "")

    grid, rows = (f'store = "{word}";' for word in ("grid", "list"))
    results = [run(f"stored{i}", text(*stores))
               for i, stores in enumerate(((grid, grid), (rows, rows), (grid, rows)))]
    for other in results[1:]:
        assert_same_data(results[0], other, "another storage")
    for solver in "split", "exact":
        assert_same_numbers(*both(text().replace(' layout = "sparse";', ""), "--set",
                                  f"solver={solver}"), solver)


def many_voxels_and_rows_change_nothing():
    """Tests more voxels than are merged at a time, and more rows than are written at a time, in
    three storages, and with all or some species."""
    species = '{ every = 0.5; layout = "sparse"; species = ("D", "A"); }'
    grid, rows = (f'store = "{word}";' for word in ("grid", "list"))
    for output in '{ every = 0.5; layout = "sparse"; }', species:
        text = [plain(output, *stores).replace(" individuals = { max = 99; };", "").replace(
            "(9, 5, 4)", "(27, 15, 13)").replace("count = 60", "count = 15000")
                for stores in ((grid, grid), (rows, rows), (grid, rows))]
        results = [run(f"large{i}", one, "--set", "time.end=0.5") for i, one in enumerate(text)]
        for other in results[1:]:
            assert_same_data(results[0], other, "another storage")
        dense = run("dense", text[0].replace('"sparse"', '"dense"'), "--set", "time.end=0.5")
        rdsim("diff", dense, results[0], status=0)
        with h5py.File(results[0]) as file:
            assert (file["sparse/row_count"][:] > 16384 / 4).all(), "more than a portion in all"


def runs_are_resumed():
    """Tests runs that are stopped and killed, all at once and in batches."""
    for text, kill, size in ((ODD, False, "13"), (ODD, True, "13"), (GROUPS, True, "5")):
        text = with_layout(text, "sparse").replace(
            "step = 0.1", "step = 0.0002" if text is GROUPS else "step = 0.0001")
        whole = run("whole", text, status=1)
        left, name = 0, config("part.cfg", text)
        for turn in range(40):
            code, words = run_for(name, "--at-once", size, after=0.4 * 1.15 ** turn, kill=kill)
            if code == 1:
                break
            assert code in (75, -signal.SIGKILL, -signal.SIGTERM), f"{code}: {words}"
            left += 1
            if os.path.exists("part.h5"):
                done = subprocess.run([os.environ["RDSIM_PROGRAM"], "diff", "part.h5", whole],
                                      capture_output=True, text=True, check=False)
                assert done.returncode == 1 and "/counts" not in done.stdout, done.stdout
        assert left > 0 and code == 1, f"left {left} times: {code}: {words}"
        assert_same_data(whole, "part.h5", f"left {left} times")
        os.remove("part.h5")


def a_result_is_repeated_and_started_from():
    dense, sparse = both(plain("{ every = 0.5; }"))
    assert "identical: " in rdsim("again", sparse, status=0).stdout
    second = START + (
        'initial = ( { from = "FROM"; WHAT } );\ntime = { end = 0.2; };\n'
        "output = { every = 0.1; };\nrun = { seed = 5; runs = 4; };\n")
    for what in "", "at_time = 1.5;", 'species = "A"; at_time = 2;':
        one, two = (run(f"from_{of[:2]}", second.replace("FROM", of).replace("WHAT", what))
                    for of in (dense, sparse))
        np.testing.assert_array_equal(*(h5py.File(path)["counts"][:] for path in (one, two)))
    fewer = second.replace("FROM", sparse).replace("{ name = \"D\";  },\n", "").replace(
        "C + D", "C").replace("WHAT", "")
    done = cpu(config("fewer.cfg", fewer), "--force", status=2)
    assert_message(done, "molecules of 'D' at time 2, which is not declared")
    wide = second.replace("FROM", sparse).replace("(9, 5, 4)", "(9, 4, 4)").replace("WHAT", "")
    assert_message(cpu(config("wide.cfg", wide), "--force", status=2),
                   "has 9 x 5 x 4 voxels, and this grid has 9 x 4 x 4")


def densities_of_all_species_limit_the_step():
    """Tests that the last species, which is dense, counts with either layout."""
    many = plain("{ every = 0.5; }").replace("count = 25", "count = 2500").replace("max = 99", "max = 9999")
    second = START.replace("B -> A", "A + B -> B") + (
        'initial = ( { from = "FROM"; } );\ntime = { end = 0.2; };\noutput = { every = 0.1; };\n')
    pages = [rdsim("check", config("second.cfg", second.replace("FROM", path)), status=0).stdout
             for path in both(many)]
    steps = [page.split("\nstep ")[1].split(":")[0] for page in pages]
    assert steps[0] == steps[1] and "at most" in steps[0], pages


def differences_are_found():
    dense, sparse = both(plain("{ every = 0.5; }"))
    with h5py.File(sparse, "r+") as file:
        number = file["sparse/count"][3]
        file["sparse/count"][3] = number + 7
        voxel, name = file["sparse/voxel"][3], file["species"].asstr()[file["sparse/species"][3]]
    place = f"({voxel % 9}, {voxel // 9 % 5}, {voxel // 45})"
    for pair, values in (((dense, sparse), f"{number} and {number + 7}"),
                         ((sparse, dense), f"{number + 7} and {number}")):
        page = rdsim("diff", *pair, status=1).stdout
        assert f"/counts: 1 value differs, first at t = 0, run 0, species {name}, voxel {place}: " \
            f"{values}\n" in page, page
        assert "different: 1 values in 1 data sets, first at t = 0 in /counts" in page, page
    totals = run("totals", plain("{ every = 0.5; }"), "--set", "output.keep=totals")
    page = rdsim("diff", sparse, totals, status=1).stdout
    assert "/counts: only in sparse.h5" in page, page


def damaged_rows_are_refused():
    """Tests rows that no run writes: each is a message, and no file is lost."""
    sparse = both(plain("{ every = 0.5; }"))[1]
    bytes_of = pathlib.Path(sparse).read_bytes()
    second = START + (
        "initial = ( { from = \"sparse.h5\"; } );\ntime = { end = 0.2; };\noutput = { every = 0.1; "
        "};\n")
    config("second.cfg", second)
    for name, at, value, message in (
            ("voxel", -1, 180, "not sorted, or name voxels and species that do not exist"),
            ("species", -1, 4, "not sorted, or name voxels and species that do not exist"),
            ("count", -1, 0, "not sorted, or name voxels and species that do not exist"),
            ("voxel", -1, 0, "not sorted, or name voxels and species that do not exist"),
            ("row_start", (-1, -1), 10 ** 15, "names rows of counts that it does not have"),
            ("row_start", (-1, -1), -1, "names rows of counts that it does not have"),
            ("row_count", (-1, -1), 10 ** 15, "names rows of counts that it does not have"),
            ("row_count", (-1, 0), -1, "the snapshot of run 0 at time 2 is missing")):
        pathlib.Path(sparse).write_bytes(bytes_of)
        with h5py.File(sparse, "r+") as file:
            file[f"sparse/{name}"][at] = value
        number = "0" if name == "row_count" and value < 0 else "3"
        done = cpu("second.cfg", "--force", "--set", f"run.first={number}", status=2)
        assert_message(done, "sparse.h5: ", message)
    pathlib.Path(sparse).write_bytes(bytes_of)
    with h5py.File(sparse, "r+") as file:
        del file["sparse/voxel"]
    assert_message(cpu("second.cfg", "--force", status=2), "its rows of counts do not fit")
    damaged = bytearray(bytes_of)
    with h5py.File(sparse.replace("sparse", "dense")):
        pass
    pathlib.Path(sparse).write_bytes(bytes_of)
    with h5py.File(sparse) as file:
        offset = file["sparse/count"].id.get_chunk_info(0).byte_offset
    damaged[offset + 3] ^= 0x55
    pathlib.Path(sparse).write_bytes(bytes(damaged))
    assert_message(rdsim("diff", sparse, sparse, status=2), "counts cannot be read")


def sweeps_collect_both():
    config("base.cfg", "parameters = { k = 0.3; };\n" + plain("{ every = 0.5; }").replace(
        "rate = 0.3;", 'rate = "k";'))
    found = []
    for layout in "dense", "sparse":
        config(f"{layout}.cfg", 'base = "base.cfg"; seed = 3; repeats = 2; output = "' + layout
               + '{task}.h5"; vary = ( { path = "parameters.k"; values = (0.2, 0.9); }, '
               + '{ path = "output.layout"; values = ("' + layout + '"); } );\n')
        cpu("sweep", f"{layout}.cfg", "--jobs", "2", "--progress", "none", status=0)
        rdsim("sweep", f"{layout}.cfg", "--collect", f"{layout}_all.h5", status=0)
        with h5py.File(f"{layout}_all.h5") as file:
            found.append({name: file[name][:] for name in ("totals", "total_mean",
                                                           "total_variance")})
    for name, values in found[0].items():
        np.testing.assert_array_equal(values, found[1][name])
    assert_same_numbers("dense2.h5", "sparse2.h5", "a task")


def tables_and_python_read_both():
    dense, sparse = both(plain("{ every = 0.5; }"))
    for words in ("--csv",), ("--csv", "--mean"):
        assert rdsim("table", dense, *words, status=0).stdout == \
            rdsim("table", sparse, *words, status=0).stdout
    import rdsim as package
    one, two = (package.open(path) for path in (dense, sparse))
    assert "counts" in one and "counts" not in two
    for species, run_number, time in (("A", 3, 1.4), ("D", None, None), ("C", 0, 0)):
        there = [at.rd.counts(species, run_number, time) for at in (one, two)]
        np.testing.assert_array_equal(there[0].values, there[1].values)
        assert float(there[0].time) == float(there[1].time) and there[1].dims == ("z", "y", "x")
    from rdsim.pictures.result import Result
    with h5py.File(dense) as a, h5py.File(sparse) as b:
        first, second = Result(a, run=2), Result(b, run=2)
        for quantity in range(3):
            np.testing.assert_array_equal(first.numbers(first.species[quantity], 3),
                                          second.numbers(second.species[quantity], 3))


def the_lines_of_the_page_read_one_species():
    """Runs the lines of docs/output.md that read one species, for one of this model."""
    page = (SOURCE / "docs/output.md").read_text()
    lines = page[page.index("### Sparse counts"):].split("```")[1].removeprefix("python\n")
    dense, sparse = both(plain("{ every = 0.5; }"))
    assert '"cell.h5"' in lines and '"P7"' in lines and len(lines.splitlines()) <= 7, lines
    names = {}
    exec(lines.replace("cell.h5", sparse).replace("P7", "D"), names)  # pylint: disable=exec-used
    with h5py.File(dense) as file:
        np.testing.assert_array_equal(names["counts"], file["counts"][0, -1, 2])
    names["file"].close()


def the_layout_follows_from_the_configuration():
    """Tests the limit of 2^27 species times voxels with models that are checked only."""
    large = plain("{ every = 0.5; OTHER }").replace("(9, 5, 4)", "(512, 512, 129)").replace(
        "runs = 4", "runs = RUNS").replace('individuals = { max = 99; };', "")

    def check(other="", runs=1, status=0):
        return rdsim("check", config("large.cfg", large.replace("OTHER", other).replace(
            "RUNS", str(runs))), status=status)

    assert "sparse counts" in check().stdout
    assert "sparse counts" in check("keep = \"all\"; layout = \"auto\";").stdout
    assert "sparse counts" not in check("layout = \"dense\";").stdout
    assert "sparse counts" not in check("species = (\"A\", \"D\");").stdout
    assert "sparse counts" in check("species = (\"A\", \"D\"); layout = \"sparse\";").stdout
    number = f"statistics of 4 species in {512 * 512 * 129} voxels are {512 * 512 * 129 * 4} numbers"
    for keep in "statistics", "first 1":
        assert_message(check(f"keep = \"{keep}\";", runs=2, status=2), number,
                       "keep \"all\" or \"totals\"")
    page = " ".join(check(runs=2).stdout.split())
    assert "warning" in page and number in page and "they are left out" in page, page
    assert number not in " ".join(check("keep = \"totals\";", runs=2).stdout.split())
    assert number not in " ".join(check("layout = \"dense\";", runs=2).stdout.split())
    assert_message(check("layout = \"rows\";", status=2), "layout", "rows")
    assert_message(rdsim("check", config("named.cfg", plain("( { name = \"sparse\"; every = 1; } )")),
                         status=2), "every result has its own /sparse")


if __name__ == "__main__":
    run_cases([samples_hold_the_same_numbers, ensembles_hold_the_same_numbers,
               groups_choose_from_rows, storage_and_solver_change_nothing,
               many_voxels_and_rows_change_nothing, runs_are_resumed,
               a_result_is_repeated_and_started_from,
               densities_of_all_species_limit_the_step, differences_are_found,
               damaged_rows_are_refused, sweeps_collect_both, tables_and_python_read_both,
               the_lines_of_the_page_read_one_species,
               the_layout_follows_from_the_configuration])
