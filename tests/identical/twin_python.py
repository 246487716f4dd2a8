"""twin_python - a model that Python runs or steps has the bytes of the program's result, and `again`
repeats every edit of a run."""
import copy
import locale
import os
import pickle
import subprocess
import sys
from pathlib import Path

import python_package  # noqa: F401
import rdsim
import xarray

from say_main import PROGRAM, config

# Counts, regions, individuals with an attribute, and reactions of each.
MODEL = """
grid = { voxels = (6, 5); edge = 1.0; };
parameters = { k = 0.3; };
regions = ( { name = "left"; where = "x < 3"; } );
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; diffusion = 0.1; },
    { name = "C"; diffusion = 0.2; individuals = { max = 500; record = "lineage";
        attributes = ( { name = "age"; initial = "uniform(0, 1)"; } ); }; } );
reactions = ( { equation = "A -> B"; rate = "k"; }, { equation = "C -> 2 C"; rate = 0.05; },
    { equation = "0 -> A"; rate = 0.2; } );
initial = ( { species = "A"; count = 90; }, { species = "C"; count = 20; } );
time = { end = 6.0; };
output = { every = 1.5; };
"""


def program(*words):
    """Runs the program, and returns its status and page."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def assert_same(one, other):
    status, page = program("diff", one, other)
    assert status == 0 and "identical" in page, page


def assert_again(path):
    status, page = program("again", path)
    assert status == 0 and "identical" in page, page


def command(path, *sets):
    """Runs the model by the command."""
    config("twin.cfg", MODEL)
    words = [word for each in sets for word in ("--set", each)]
    status, page = program("run", "twin.cfg", "--output", path, "--force", "--quiet", *words)
    assert status == 0, page


def test_run():
    rdsim.Model(MODEL).run(to="run.h5", runs=3, seed=5, k=0.2, force=True)
    command("command.h5", "run.runs=3", "run.seed=5", "parameters.k=0.2")
    assert_same("run.h5", "command.h5")


THREADS = """
import threading, sys
from concurrent.futures import ThreadPoolExecutor
import python_package, rdsim
begin = threading.Barrier(8)
def run(i):
    begin.wait()
    return rdsim.Model(sys.argv[1]).run(seed=i % 2, threads=1).totals.values.tolist()
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(run, range(8)))
assert found == found[:2] * 4 and found[0] != found[1], found
"""


def test_threads():
    """Threads that use the package for the first time together do not disturb each other."""
    path = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", THREADS, MODEL],
                          env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


COMMA = 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n'


def set_comma():
    """Gives this process a locale in which 0.5 is written 0,5; returns whether it is possible."""
    Path("comma.txt").write_text(COMMA)
    try:
        subprocess.run(["localedef", "-c", "--no-archive", "-i", "./comma.txt",
                        "-f", "ANSI_X3.4-1968", "./comma"], capture_output=True)
        os.environ["LOCPATH"] = os.getcwd()
        locale.setlocale(locale.LC_NUMERIC, "comma")
    except (OSError, locale.Error):
        return False
    return True


def test_locale():
    """A process whose numbers have a comma, as graphical toolkits set it, has the same model, report
    and bytes."""
    plain = rdsim.Model(MODEL)
    pages = str(plain.check()), plain.configuration
    if not set_comma():
        print("test_locale: skipped: there is no localedef")
        return
    try:
        model = rdsim.Model(MODEL)
        assert (str(model.check()), model.configuration) == pages
        with model.start(to="comma.h5", every=0.4, k=0.2, force=True) as session:
            while not session.is_over:
                session.remove("A", fraction=0.5)
                session.set(k=0.7)
                session.advance()
        with model.start(to="run.h5", runs=3, seed=5, k=0.2, force=True) as session:
            session.advance(6.0)
    finally:
        locale.setlocale(locale.LC_NUMERIC, "C")
    assert_again("comma.h5")
    command("command.h5", "run.runs=3", "run.seed=5", "parameters.k=0.2")
    assert_same("run.h5", "command.h5")


def test_in_memory():
    """A result in memory has what xarray reads in the file of the same run."""
    more = 'observables = ( { name = "AB"; sum = "A + 2 B"; } ); title = "two";'
    for name, text in ("one", MODEL), ("units", MODEL + 'units = { length = "um"; time = "s"; };' + more):
        found = rdsim.Model(text).run(runs=3)
        rdsim.Model(text).run(runs=3, to=f"{name}.h5", force=True)
        with xarray.load_dataset(f"{name}.h5", engine="h5netcdf") as wanted:
            found.attrs["history"] = wanted.attrs["history"]  # it has the time and the path
            xarray.testing.assert_identical(found, wanted)
            assert list(found.data_vars) == list(wanted.data_vars)
            for each, variable in wanted.variables.items():
                assert found[each].dtype == variable.dtype, each
                assert found[each].encoding.get("_FillValue") == variable.encoding.get("_FillValue"), each
                for key, value in variable.attrs.items():
                    assert type(found[each].attrs[key]) is type(value), (each, key)


def look(session):
    """Reads all of the state."""
    session.totals()
    session.counts("A").copy()
    session.individuals("C")
    session.parameter("k")


def test_look():
    """A program that only looks: at times of `every`, at steps between them, and both."""
    for every, dt in ((0.4, None), (None, 0.07), (0.9, 0.25)):
        with rdsim.Model(MODEL).start(to="look.h5", every=every, runs=2, force=True) as session:
            while not session.is_over:
                look(session)
                session.advance(dt)
        command("command.h5", "run.runs=2", *([f"time.control={every}"] if every else []))
        assert_same("look.h5", "command.h5")


def edit(session, number):
    """Makes an edit of another kind in each call."""
    edits = (
        lambda: session.set(k=0.8),
        lambda: session.add("A", 40),
        lambda: session.add("B", 7, region="left"),
        lambda: session.add("A", voxels=[3, 3, 17]),
        lambda: session.add("C", voxels=[2, 5], attributes={"age": [1.5, 2.5]}),
        lambda: session.remove("A", 5),
        lambda: session.convert("A", "B", where=session.counts("A") > 4),
        lambda: session.remove("C", fraction=0.5),
        lambda: session.convert("C", "A", probability=0.3),
        lambda: session.remove("B", where=session.counts("B") > 0),
    )
    edits[number % len(edits)]()


def test_edits():
    """Edits at declared times and at steps are repeated from the file alone."""
    for every, dt in ((0.4, None), (None, 0.23)):
        with rdsim.Model(MODEL).start(to="edits.h5", every=every, force=True) as session:
            number = 0
            while not session.is_over:
                edit(session, number)
                edit(session, number + 3)
                session.advance(dt)
                number += 1
        assert number > 12, number
        assert_again("edits.h5")
        command("command.h5", *([f"time.control={every}"] if every else []))
        status, page = program("diff", "edits.h5", "command.h5")
        assert status == 1, "the edits changed nothing: " + page


def scattered(session, number, more):
    """Makes an edit of listed voxels. `more` is an entry of the event that lists none, and does
    nothing: with it, all counts are read and written."""
    few, one, spread = [3, 77, 78, 400], [number % 512], list(range(5, 500, 13))
    edits = (
        (few, 'add = ( { species = "A"; value = 3; } %s );'),
        (spread, 'add = ( { species = "A"; count = 100; } %s );'),
        (one, 'remove = ( { species = "A"; all = true; } ); add = ( { species = "B"; count = 2; } %s );'),
        (few, 'convert = ( { equation = "A -> B"; probability = 0.4; } ); '
              'add = ( { species = "A"; value = 1; }, { species = "A"; count = 5; } %s );'),
        (spread, 'remove = ( { species = "B"; fraction = 0.5; } ); '
                 'add = ( { species = "A"; value = 1; in = "left"; } %s );'),
        (spread, 'remove = ( { species = "A"; count = 20; }, { species = "A"; all = true; } ); '
                 'add = ( { species = "B"; value = 0.3; spread = "poisson"; } %s );'),
    )
    voxels, text = edits[number % len(edits)]
    if number % 3 == 2:
        text = "run = 0; " + text
    session.edit(text % more, voxels)


COUNTED = """
grid = { voxels = (32, 16); edge = 1.0; };
regions = ( { name = "left"; where = "x < 3"; } );
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; diffusion = 0.1; } );
reactions = ( { equation = "A -> B"; rate = 0.3; } );
initial = ( { species = "A"; count = 900; } );
time = { end = 4; };
output = { every = 1; };
"""


def test_scattered():
    """Edits of few voxels change those alone; the bytes are those of an edit that copies all. One
    that is impossible changes nothing, or ends one run of an ensemble."""
    too_many = 'add = ( { species = "A"; value = 1; }, { species = "A"; value = 2147483647; } %s );'
    for runs in (1, 3):
        for more, path in (("", "few.h5"), (', { species = "A"; count = 0; in = "left"; }', "all.h5")):
            with rdsim.Model(COUNTED).start(to=path, every=0.25, runs=runs, force=True) as session:
                for number in range(16):
                    scattered(session, number, more)
                    if runs == 1:
                        before = session.counts("A").copy()
                        try:
                            session.edit(too_many % more, [9, 11])
                        except rdsim.Error as why:
                            assert "2147483647" in str(why), why
                        assert (session.counts("A") == before).all()
                    elif number == 11:
                        session.edit("run = 1; " + too_many % more, [9, 11])
                    session.advance()
                assert session.is_over
            if runs == 1:
                assert_again(path)
        assert_same("few.h5", "all.h5")


def test_masks():
    """A mask of counts is that of NumPy, wherever it is made and however the species are stored; an
    edit of a mask is that of its voxels. 7 x 11 x 3 voxels end in the middle of a word."""
    import numpy as np
    text = """grid = { voxels = (7, 11, 3); edge = 1.0; };
        species = ( { name = "A"; diffusion = 0.4; STORE }, { name = "B"; diffusion = 0.1; STORE } );
        initial = ( { species = "A"; count = 300; } );
        time = { end = 2.0; step = 0.1; };"""
    draw = np.random.default_rng(5)
    for store in ("", "store = \"list\";"):
        model = rdsim.Model(text.replace("STORE", store))
        with model.start(to="masks.h5", force=True) as s, model.start(seed=1) as other:
            shape, handle = s.counts("A").shape, s._handle
            for low, high in ((0, 0), (1, 1), (1, 2**31 - 1), (-2**31, 0), (2, 3), (9, 2)):
                mask = np.full(shape, 7, np.uint8)
                handle.call("where", b"A", low, high, handle.ffi.from_buffer("uint8_t[]", mask))
                counts = s.counts("A").copy()
                assert np.array_equal(mask, (counts >= low) & (counts <= high)), (low, high)
            for share in (0, 0.01, 0.3, 1):
                mask = draw.random(shape) < share
                before, total = s.counts("B").copy(), s.totals()
                s.add("B", voxels=mask, each=3)
                assert np.array_equal(s.counts("B").copy(), before + 3 * mask)
                assert s.totals() == {"A": total["A"], "B": total["B"] + 3 * int(mask.sum())}
                other.add("B", voxels=np.flatnonzero(mask), each=3)
                s.convert("B", "A", where=mask.transpose(2, 1, 0).copy().transpose(2, 1, 0))
                other.convert("B", "A", where=np.nonzero(mask))
                assert np.array_equal(s.counts("A").copy(), other.counts("A").copy())
                s.advance(0.4)
                other.advance(0.4)
            assert np.array_equal(s.counts("A") > 1, s.counts("A").copy() > 1)
        assert_again("masks.h5")


def test_runs():
    """Edits of an ensemble, all runs or one, are the same if the runs are repeated in batches."""
    with rdsim.Model(MODEL).start(to="runs.h5", every=1, runs=5, force=True) as session:
        session.add("A", 30)
        session.advance()
        session.add("C", voxels=[4, 8], run=3)
        session.remove("A", fraction=0.5, run=1)
        while not session.is_over:
            session.advance()
    assert_again("runs.h5")
    status, page = program("again", "runs.h5", "--at-once", "2")
    assert status == 0, page


def test_stopped():
    """A run that the program leaves early is repeated as far as it went."""
    with rdsim.Model(MODEL).start(to="early.h5", every=0.5, force=True) as session:
        for _ in range(7):
            session.add("A", 10)
            session.advance()
    assert_again("early.h5")


def test_exact():
    """The exact solver stops and goes on, too."""
    model = rdsim.Model("""grid = { voxels = 4; edge = 1.0; }; solver = "exact";
        species = ( { name = "A"; diffusion = 1.0; } ); initial = ( { species = "A"; count = 50; } );
        time = { end = 3.0; }; output = { every = 1.0; };""")
    with model.start(to="exact.h5", every=0.3, force=True) as session:
        while not session.is_over:
            session.remove("A", 2)
            session.advance()
    assert_again("exact.h5")


def test_paths():
    """Relative paths of a model count from the folder in which it was made."""
    here = os.getcwd()
    for folder, title in (("makers", "first"), ("others", "second")):
        os.makedirs(folder, exist_ok=True)
        Path(folder, "m.cfg").write_text('include = "part.cfg";' + MODEL)
        Path(folder, "part.cfg").write_text(f'title = "{title}";')
    try:
        os.chdir("makers")
        models = [rdsim.Model("m.cfg"), rdsim.Model(Path("m.cfg").read_text())]
        os.chdir("../others")
        for model in [*models, *map(copy.copy, models), *pickle.loads(pickle.dumps(models))]:
            assert model.run().attrs["title"] == "first"
            assert 'title = "first"' in model.set(seed=5).configuration
        os.chdir("../makers")
        assert repr(models[0]).startswith("<rdsim.Model m.cfg:")
    finally:
        os.chdir(here)


def test_keys_outside_of_groups():
    """set() takes them as --set does; a parameter of the same name comes first."""
    rdsim.Model(MODEL, splitting="lie").set({"initial": [{"species": "A", "count": 9}]}) \
        .run(to="set.h5", force=True)
    command("command.h5", "splitting=lie", 'initial=( { species = "A"; count = 9; } )')
    assert_same("set.h5", "command.h5")
    model = rdsim.Model(MODEL.replace("k = 0.3;", "k = 0.3; title = 1;")).set(title=2)
    assert model.parameters["title"] == 2 and 'title = "";' in model.configuration


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: passed")


if __name__ == "__main__":
    main()
