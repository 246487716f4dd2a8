"""test_altered - compares what commands print about results in which one object is another, with a
checksum for each result and command in tests/pages/altered.txt.

If a change is meant: RDSIM_PAGES=write makes the checksums anew. To see what changed, run
`python3 tests/unit/test_altered.py RESULT` with RDSIM_SOURCE set to the checkout and RDSIM_PROGRAM to
this program, then to that of the commit before.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import sys
import zlib

import h5py
import numpy as np

import test_pages

SEED = 1
KEPT = test_pages.PAGES / "altered.txt"
MODEL = """title = "altered";
grid = { voxels = (4, 3, 2); edge = (0.5, 1.0, 2.0); walls = { x = "absorb"; }; };
parameters = { k = 0.5; };
regions = ( { name = "low"; where = "x < 1"; }, { name = "high"; where = "x > 1"; } );
fields = ( { name = "f"; value = "x + 0.25"; }, { name = "g"; value = "y"; rate = "-g"; } );
species = ( { name = "A"; diffusion = 1; },
    { name = "B"; diffusion = 0.5; walls = { y = { kind = "reservoir"; mean = 1; }; }; },
    { name = "W"; diffusion = 1; individuals = { max = 200; record = "lineage"; attributes = (
        { name = "age"; initial = 1; },
        { name = "kind"; kind = "integer"; initial = "floor(uniform(0, 3))"; birth = "parent.kind"; } ); }; } );
observables = ( { name = "all"; sum = "A + 2 B"; }, { name = "part"; value = "total(A) / (1 + t)"; } );
reactions = ( { equation = "A -> B"; rate = "k"; }, { equation = "W -> 2 W"; rate = 0.5; },
              { equation = "W -> 0"; rate = 0.25; } );
initial = ( { species = "A"; count = 50; }, { species = "W"; count = 9; } );
events = ( { name = "half"; when = "total(A) < 25"; add = { species = "A"; count = 5; }; } );
time = { end = 2; step = 0.1; stop = "A < 5"; };
run = { seed = 7; runs = 3; };
"""
BY = 'by = ( { species = "W"; attribute = "kind"; range = (0, 2); } ); '
WHOLE = MODEL + "output = { every = 0.5; " + BY + "};"
# One voxel, whose parameters are those of a table
ROWS = """include = "title.cfg";
grid = { voxels = 1; edge = 2.0; };
parameters = { make = 10.0; decay = 1.0; start = 30; };
species = ( { name = "A"; }, { name = "B"; } );
odes = ( { name = "v"; value = 1; rate = "decay * total(A) - v"; } );
observables = ( { name = "share"; value = "total(A) / (1 + t)"; } );
reactions = ( { equation = "0 -> A"; rate = "make"; }, { equation = "A -> 0"; rate = "decay"; },
    { equation = "2 A -> B"; rate = "0.1"; } );
initial = ( { species = "A"; count = "start"; } );
solver = "exact";
time = { end = 4.0; stop = "A < 15"; stop_at = "steps"; };
output = { every = 1.0; };
run = { rows = { file = "theta.csv"; }; runs = 2; seed = 5; };
"""
FROM = """grid = { voxels = (4, 3, 2); edge = (0.5, 1.0, 2.0); };
species = ( { name = "A"; }, { name = "B"; } );
initial = ( { species = "A"; from = "altered.h5"; },
    { name = "early"; species = "B"; from = "altered.h5"; at_time = 1; } );
time = { end = 1; step = 0.5; };
run = { runs = 3; };
"""
GROUPS = ('output = ( { every = 1.0; keep = "totals"; }, { name = "maps"; times = (0.5, 1.5); species = "A"; }, '
          '{ name = "fast"; every = 0.25; keep = "statistics"; ' + BY + '} );')
FILES = {"theta.csv": "make,start\n1,20\n5,40\n", "title.cfg": 'title = "rows";\n', "from.cfg": FROM}
TABLES = ("", " --csv", " --mean", " --mean --csv", " --region low", " --by W_kind")
PRINTED = ("info altered.h5", "info --json - altered.h5", "diff ../good.h5 altered.h5",
           "diff altered.h5 ../good.h5", "table altered.h5")
ENSEMBLE = ("compare ../good.h5 altered.h5", "compare altered.h5 ../good.h5 --json -",
            "compare --all altered.h5 ../good.h5")
AGAIN = "again --progress none altered.h5"
RESUME = "run ../model.cfg --resume --progress none --output altered.h5"
# the model, options of the run, the number of objects that are altered, and further commands
RESULTS = {
    "whole": (WHOLE, [], 100, ("check from.cfg",)),
    "faulted": (WHOLE, ["--runs", "6", "--set", "species.W.individuals.max=10"], 50,
                ("check from.cfg --set run.first=2",)),
    "sparse": (WHOLE, ["--set", 'output.layout="sparse"', "--set", 'output.keep="first 2"'], 50,
               ("check from.cfg --runs 2",)),
    "groups": (MODEL + GROUPS, [], 50, ("table altered.h5 --group maps",
               "check from.cfg --set initial.early.species=A --set initial.early.at_time=0.5")),
    "rows": (ROWS, [], 50, ("check from.cfg --set grid.voxels=1 --set grid.edge=2 --runs 4",)),
    "ensemble": (WHOLE, ["--runs", "12", "--set", 'output.keep="totals"'], 50, ENSEMBLE),
}
# Attributes that netCDF readers need; the program never reads these.
OF_NETCDF = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_FillValue", "long_name", "units")
KEPT_PROVENANCE = ("state", "program", "stream_version", "seed", "steps_done")  # the same on all machines
# what depends on the machine, the program's version or that of HDF5
OF_MACHINE = re.compile(r"^(size|memory) .*\n|(?<=HDF5 reports ').*|(?<=this program is ).*|(?<=again-)\d+", re.M)


def remove_origin(path):
    """Removes from a result what depends on the machine, the day and the program's version."""
    with h5py.File(path, "r+") as file:
        provenance = file["provenance"].attrs
        for name in set(provenance).difference(KEPT_PROVENANCE):
            del provenance[name]
        provenance["program"] = file.attrs["source"] = "rdsim 0"
        file.attrs["history"] = ""


def objects(path):
    """Returns the path of each object of a result, and the attribute's name if it is one."""
    found = []
    with h5py.File(path, "r") as file:
        def note(name, item):
            found.append((name, ""))
            found.extend((name, key) for key in item.attrs if key not in OF_NETCDF)
        note("/", file)
        file.visititems(note)
    return sorted(found[1:])


def other_value(value, dice):
    """Returns another value of the same type."""
    if isinstance(value, (bytes, str)):
        return dice.choice(("", "another", 'a "b",\n\\', "y" * 400))
    if isinstance(value, np.integer):
        range_ = np.iinfo(value.dtype)
        return dice.choice((0, max(-1, range_.min), int(value) + 1, range_.min, range_.max))
    return dice.choice((0, -1, value + 1, np.nan, np.finfo(value.dtype).max))


def with_other_value(values, dice):
    values = values.copy()
    if values.size:
        at = dice.randrange(values.size)
        values.flat[at] = other_value(values.flat[at], dice)
    return values


def with_other_values(values, dice):
    return np.full_like(values, other_value(values.flat[0], dice)) if values.size else values


def of_other_type(values, dice):
    if values.dtype.kind == "O":
        return np.reshape([len(text) for text in values.flat], values.shape)
    if dice.random() < 0.5:
        return np.reshape(np.array([str(number) for number in values.flat], dtype=object), values.shape)
    return values.astype(float) if values.dtype.kind in "iu" else np.nan_to_num(values).astype(int)


def shorter(values, dice):
    return values[:-1] if values.ndim == 1 else \
        np.delete(values, -1, axis=dice.randrange(values.ndim)) if values.ndim else values[None][:0]


def longer(values, dice):
    values = np.atleast_1d(values)
    axis = dice.randrange(values.ndim)
    return np.concatenate([values, np.take(values, [-1], axis=axis)], axis=axis) if values.size else values


def of_other_rank(values, dice):
    return dice.choice((values[None], values.reshape(*values.shape, 1), values.reshape(-1),
                        values.reshape(-1)[:1].reshape(()) if values.size else values))


def unwritten(values, dice):
    """Returns the shape of a data set that is never written; HDF5 reads its texts as null pointers."""
    return values.shape


def empty(values, dice):
    return h5py.Empty(values.dtype if values.dtype.kind != "O" else h5py.string_dtype())


WAYS = (with_other_value, with_other_value, with_other_values, of_other_type, shorter, longer,
        of_other_rank, empty)


def values_of(stored):
    """Returns the values of a data set or attribute as an array, texts as objects."""
    texts = isinstance(stored, (str, bytes)) or getattr(stored, "dtype", None) == object
    return np.asarray(stored, dtype=object if texts else None)


def type_of(values):
    return h5py.string_dtype() if values.dtype == object else values.dtype


def alter_attribute(attributes, name, dice):
    if dice.random() < 0.2:
        del attributes[name]
        return "deleted"
    way = dice.choice(WAYS)
    values = way(values_of(attributes[name]), dice)
    if isinstance(values, h5py.Empty):
        attributes[name] = values
    else:
        attributes.create(name, values, dtype=type_of(values))
    return way.__name__


def replace_object(file, path, dice):
    """Deletes an object; puts a group, a data set, a link or nothing in its place."""
    other = dice.choice(("deleted", "group", "data set", "soft link", "link to the root"))
    del file[path]
    if other == "group":
        file.create_group(path + "/inside")
    elif other == "data set":
        file[path] = np.arange(3)
    elif other == "soft link":
        file[path] = h5py.SoftLink("/nowhere")
    elif other == "link to the root":
        file[path] = file["/"]
    return other


def alter_data_set(file, path, dice):
    way, old = dice.choice((*WAYS, unwritten)), file[path]
    stored = values_of(old[()])
    values = way(stored, dice)
    kept = {name: value for name, value in old.attrs.items() if name not in OF_NETCDF}
    del file[path]
    if isinstance(values, h5py.Empty):
        new = file.create_dataset(path, data=values)
    elif isinstance(values, tuple):
        new = file.create_dataset(path, shape=values, dtype=type_of(stored))
    else:
        new = file.create_dataset(path, data=values, dtype=type_of(values))
    new.attrs.update(kept)
    return way.__name__


def alter(path, name, attribute, dice):
    """Alters one object of a result; returns how."""
    with h5py.File(path, "r+") as file:
        if attribute:
            return alter_attribute(file[name].attrs, attribute, dice)
        if isinstance(file[name], h5py.Group) or dice.random() < 0.4:
            return replace_object(file, name, dice)
        return alter_data_set(file, name, dice)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def without_machine(command, done):
    """Returns what a command printed, without what depends on the machine."""
    page = done.stdout
    if "info --json" in command and page:
        facts = json.loads(page, object_pairs_hook=list, parse_constant=refuse)
        page = "".join(f"{fact}\n" for fact in facts if fact[0] != "bytes")
    elif "--json" in command and page:
        json.loads(page, parse_constant=refuse)
    return OF_MACHINE.sub("", page + done.stderr)


def commands(result, name, attribute, dice):
    """Yields a name for each command that reads an altered result, and the command."""
    for command in (*PRINTED, *RESULTS[result][3]):
        yield command, command + (dice.choice(TABLES) if command == "table altered.h5" else "")
    if name == "/" or name.startswith("model") or dice.random() < 0.05:
        yield AGAIN, AGAIN
    if name == "/" or name.startswith("provenance") or attribute == "checksum" or dice.random() < 0.2:
        yield RESUME, RESUME  # the last, since it may write the result again


def printed(result, number, name, attribute):
    """Returns what each command prints about a copy of a result in which this object is altered."""
    dice = random.Random(zlib.crc32(f"{SEED} {result} {name} {attribute}".encode()))
    folder = pathlib.Path(result, str(number))
    folder.mkdir()
    for file, text in FILES.items():
        (folder / file).write_text(text)
    shutil.copy(folder / "../good.h5", folder / "altered.h5")
    how = f"{name} {attribute}: {alter(folder / 'altered.h5', name, attribute, dice)}"
    pages = {}
    for title, command in commands(result, name, attribute, dice):
        host = test_pages.HOST if command.split()[0] in ("check", "again", "run") else []
        host = [*host, *RESULTS[result][1]] if title == RESUME else host
        done = test_pages.run_program(*command.split(), *host, folder=folder)
        for word in "out of memory", "HDF5 crashes", "(null)", "runtime error":
            assert word not in done.stderr + done.stdout, f"{how}: {command}: {done.stderr}"
        pages[title] = f"==== {how}: {command}: status {done.returncode}\n{without_machine(command, done)}"
    shutil.rmtree(folder)
    return pages


def pages_of(result, pool):
    """Makes a result; returns what each command prints about all of its altered copies."""
    model, options, number, _ = RESULTS[result]
    folder = pathlib.Path(result)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file, text in {**FILES, "model.cfg": model}.items():
        (folder / file).write_text(text)
    test_pages.run_program("run", "model.cfg", *test_pages.HOST, "--quiet", *options, "--output", "good.h5",
                           folder=folder)
    remove_origin(folder / "good.h5")
    of = objects(folder / "good.h5")
    of = random.Random(result).sample(of, min(number, len(of)))
    pages = {}
    for some in pool.map(lambda each: printed(result, each[0], *each[1]), enumerate(of)):
        for title, page in some.items():
            pages[title] = pages.get(title, "") + page
    return pages


def main(words):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if words:
            print(*pages_of(words[0], pool).values(), sep="")
            return 0
        pages = {f"{result}: {title}": page for result in RESULTS
                 for title, page in pages_of(result, pool).items()}
    return test_pages.compare_checksums(KEPT, pages, __doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
