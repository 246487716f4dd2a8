"""say_python - what the Python package says about wrong arguments, models and results, and that no
call in any order crashes the interpreter.

usage: say_python.py [SECONDS of random calls, default 5]
"""
import copy
import gc
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import python_package  # noqa: F401
import rdsim

from say_main import PROGRAM, config

MODEL = """
grid = { voxels = (4, 3); edge = 1.0; };
parameters = { k = 0.3; };
regions = ( { name = "left"; where = "x < 2"; } );
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; in = "left"; },
    { name = "C"; individuals = { max = 50;
        attributes = ( { name = "age"; initial = 0; kind = "integer"; } ); }; } );
reactions = ( { equation = "A -> B"; rate = "k"; in = "left"; } );
initial = ( { species = "A"; count = 20; }, { species = "C"; count = 5; } );
time = { end = 2.0; };
"""

NETWORK = """begin parameters
 1 k 0.5
end parameters
begin species
 1 A() 20
end species
begin reactions
 1 1 0 k
end reactions
"""


def message(call, error=rdsim.Error):
    """Returns the message of a call that must fail."""
    try:
        found = call()
    except error as why:
        return str(why)
    raise AssertionError(f"no error, but {found!r}")


def assert_says(call, *parts, error=rdsim.Error):
    text = message(call, error)
    for part in parts:
        assert part in text, f"{part!r} is not in {text!r}"


def test_resume():
    """What a program cannot continue, and what there is nothing to continue of."""
    model = rdsim.Model(MODEL)
    assert_says(lambda: model.start(resume=True), "name it with to", error=rdsim.ModelError)
    assert_says(lambda: model.run(resume=True), "name it with to", error=rdsim.ModelError)
    assert_says(lambda: model.run(to="resume.h5", checkpoint_every="soon"), "soon", error=rdsim.ModelError)
    session = model.start(to="resume.h5", every=0.5, force=True)
    session.add("A", 10)
    session.checkpoint()
    session.add("A", 7)
    del session  # the process might as well be killed: the file of a checkpoint is there
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_says(lambda: model.run(to="resume.h5", resume=True), "no checkpoint")
        assert_says(lambda: model.start(to="resume.h5", every=0.4, resume=True), "no checkpoint")
    done = subprocess.run([PROGRAM, config("resume.cfg", MODEL), "--resume", "--set",
                           "time.control=0.5"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "edited by a program" in done.stderr, done
    with model.start(to="resume.h5", every=0.5, resume=True) as session:
        assert session.time == 0 and session.totals()["A"] == 30, session.totals()
        while not session.is_over:
            session.advance()
        assert_says(session.checkpoint, "over")
    with model.start(to="resume.h5", every=0.5, resume=True) as session:
        assert session.is_over and session.time == 2 and repr(session).endswith("to t = 2 of 2>"), repr(session)
        assert_says(session.totals, "complete")
        assert_says(lambda: session.add("A", 1), "complete")
        assert_says(session.advance, "complete")
        assert_says(session.checkpoint, "complete")
    assert len(session.result().time) > 1


def test_models():
    for source, part in (("none.cfg", "cannot be opened"), ("k=2/none.cfg", "k=2/none.cfg: cannot"), ("grid = 5;", "grid"), (3, "is a int"),
                         ({"grid": {"voxels": 3, "edge": float("nan")}}, "grid.edge: is nan"),
                         ({"a b": 3}, "is not a name"), (MODEL + "what = 1;", "what"), ("", "source: is empty")):
        assert_says(lambda: rdsim.Model(source), part, error=rdsim.ModelError)
    assert rdsim.Model(config("k=2.cfg", MODEL)).shape == rdsim.Model(MODEL).shape
    assert_says(lambda: rdsim.Model(NETWORK), "model: has no end", error=rdsim.ModelError)
    assert_says(lambda: rdsim.Model("<sbml/>\n", name="mine"), "mine:", error=rdsim.ModelError)
    network = rdsim.Model(NETWORK, end=1).set(output={"every": 0.5})
    assert network.species == ["A"] and network.run(to="net.h5", force=True).sizes["time"] == 3
    model = rdsim.Model(MODEL)
    assert_says(lambda: model.start(every=1).result(), "call finish(), which closes and returns it")
    assert_says(lambda: model.set(q=1), "has no 'q'", error=rdsim.ModelError)
    assert_says(lambda: model.set(k=float("inf")), "k: is inf", error=rdsim.ModelError)
    assert_says(lambda: model.set(k=object()), "is a object", error=rdsim.ModelError)
    assert_says(lambda: model.set(3), "give a dictionary", error=rdsim.ModelError)
    assert_says(lambda: model.set(k="a\0b"), "zero character")
    assert_says(lambda: model.run(runs=0), "run.runs", error=rdsim.ModelError)
    assert_says(lambda: model.run(backend="abacus"), "abacus", error=rdsim.ModelError)
    assert_says(lambda: model.run(to="no/folder/x.h5"), "no/folder")
    assert_says(lambda: model.run(to=3), "to: is a int", error=rdsim.ModelError)
    for path, part in (("none.h5", "No such file"), (__file__, "no HDF5 file"), (".", "Is a directory"),
                       ("a\0b", "null"), (3.5, "cannot be opened")):
        assert_says(lambda: rdsim.open(path), part)
    Path("later.h5.parts").mkdir(exist_ok=True)
    assert_says(lambda: rdsim.open("later.h5"), "later.h5: is not written yet, and its run has data")
    result = model.run()
    assert_says(lambda: result.rd.kymograph("X"), "has no species 'X'")
    assert "row" not in result.rd.individuals("C")
    assert model.parameters == {"k": 0.3}, "a refused value was kept"


def test_two_runs_of_one_result():
    """The first of two runs in one process that write the same result is not disturbed."""
    with rdsim.Model(MODEL).start(to="two.h5", force=True) as first:
        first.advance(0.5)
        for _ in range(2):
            assert_says(lambda: rdsim.Model(MODEL).start(to="two.h5", force=True), "two.h5",
                        "another run is writing it")
        while not first.is_over:
            first.advance(0.5)
    rdsim.Model(MODEL).run(to="two.h5", force=True)


def test_change_of_folder():
    """A run writes its result where the name led when it began."""
    here = os.getcwd()
    with rdsim.Model(MODEL).start(to="folder.h5", force=True) as s:
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")
        try:
            while not s.is_over:
                s.advance(0.5)
            assert s.finish().sizes["time"] > 1
        finally:
            os.chdir(here)
    assert rdsim.open("folder.h5").sizes["time"] > 1 and not os.listdir("elsewhere")


def test_edits():
    with rdsim.Model(MODEL).start(every=0.5) as s:
        before = s.totals()
        for call, *parts in (
                (lambda: s.remove("A", 21), "only 20", "remove what is there"),
                (lambda: s.remove("X"), "species 'X' is not declared"),
                (lambda: s.add("B", voxels=[1, 3]), "lie outside", "leave them out"),
                (lambda: s.add("A", voxels=[12]), "voxels has 12", "at most 11"),
                (lambda: s.add("A", voxels=[-1]), "-1"),
                (lambda: s.add("A", voxels=[0.5]), "float64"),
                (lambda: s.add("A", voxels="all"), "voxels"),
                (lambda: s.add("A", voxels=[True] * 3), "shape"),
                (lambda: s.add("A", 5, region="none"), "none"),
                (lambda: s.add("A", 1.5), "whole number"),
                (lambda: s.add("A", -5), "-5"),
                (lambda: s.add("A", voxels=[1], each=[1, 2]), "each"),
                (lambda: s.add("A", each=1.5), "each: is 1.5", "give a whole number"),
                (lambda: s.remove("A", each=float("nan"), region="left"), "each: is nan"),
                (lambda: s.remove("A", each=[1]), "each: is [1]"),
                (lambda: s.add("C", 1, attributes=[1]), "attributes: is a list", "give a dictionary"),
                (lambda: s.add("C", voxels=[1], attributes="age"), "attributes: is a str"),
                (lambda: s.add("C", 100), "more than max"),
                (lambda: s.add("C", 1, attributes={"size": 3}), "no attribute 'size'"),
                (lambda: s.add("C", 1, attributes={"age": 0.5}), "whole number"),
                (lambda: s.add("A", 1, attributes={"age": 1}), "no individuals"),
                (lambda: s.edit('add = { species = "C"; count = 1; attributes = { age = "x / 8"; }; };'),
                 "attribute 'age' of 'C' begins as", "give an integer"),
                (lambda: s.convert("A", "A"), "converts 'A -> A'"),
                (lambda: s.convert("A", "B"), "outside of its region 'left'"),
                (lambda: s.remove("A", 1, fraction=0.5), "give one of"),
                (lambda: s.remove("A", fraction=2), "fraction"),
                (lambda: s.set(q=3), "parameter 'q' is not declared"),
                (lambda: s.set(k=-1.0), "rate"),
                (lambda: s.set(k=float("nan")), "nan"),
                (lambda: s.edit("add = {"), "edit"),
                (lambda: s.edit(""), "does nothing"),
                (lambda: s.edit("step = 3; set = { k = 1; };"), "'step' is given twice; remove one"),
                (lambda: s.edit("set = { k = 1; }; }, { set = { k = 2; };"), "2 entries"),
                (lambda: s.edit('add = { species = "A"; value = 1; };', [3, 99]), "outside of the grid"),
                (lambda: s.edit('add = { species = "A"; value = 1; };', []), "voxels is empty"),
                (lambda: s.edit('voxels = (4, 3); add = { species = "A"; value = 1; };'), "3 after 4"),
                (lambda: s.edit('voxels = 3; add = { species = "A"; value = 1; };', [3]), "give it once"),
                (lambda: s.add("A", 1, run=7), "run is 7"),
                (lambda: s.add("A", 1, run=1), "run is 1; give one from 0 to 0"),
                (lambda: s.add("A", 1, run=1.0), "run: is 1.0"),
                (lambda: s.advance(-1), "positive"),
                (lambda: s.advance("x"), "positive"),
                (lambda: s.counts("X"), "has no species 'X'"),
                (lambda: s.field("X"), "has no field 'X'"),
                (lambda: s.individuals("A"), "has no individuals")):
            assert_says(call, *parts)
        assert s.totals() == before, "a refused edit changed the state"
        view = s.counts("A")
        assert view.sum() == 20 and (view + 1).sum() == 32
        s.advance()
        assert_says(lambda: view.sum(), "has changed", error=rdsim.StaleView)
        array = s.counts("A").array()
        while not s.is_over:
            s.advance()
        assert_says(s.advance, "is over")
        assert_says(lambda: s.add("A", 1), "is over")
    assert_says(s.advance, "does not run")
    assert s.result().sizes["time"] == 101
    sum_before = array.sum()
    del s, view
    gc.collect()
    assert array.sum() == sum_before, "a window on the state outlives the session"


def test_arguments():
    """Keywords: None is no value of a parameter, numbers of numpy are numbers, and a call that is
    refused leaves no file."""
    import numpy as np
    model, tempfile.tempdir = rdsim.Model(MODEL), tempfile.mkdtemp(dir=".")
    for call in (model.run, model.start):
        assert_says(lambda: call(k=None), "parameters.k: is a NoneType; give a number", error=rdsim.ModelError)
        assert_says(lambda: call(q=1), "no 'q' in parameters", error=rdsim.ModelError)
    assert not list(Path(tempfile.tempdir).iterdir()), "the file of a refused run"
    tempfile.tempdir = None
    with model.start(seed=None, every=None, k=np.float32(0.25)) as s:
        assert s.advance(np.float32(0.5)) >= 0.5 and s.parameter("k") == 0.25
        assert_says(lambda: s.advance(np.float32(-1)), "dt is", error=rdsim.ModelError)


def test_names_of_options():
    """Messages name options as Python does, and settings as keywords and paths."""
    model = rdsim.Model(MODEL)
    model.run(to="there.h5", force=True)
    for how, begin in (
            ({"to": "there.h5"}, "there.h5: exists; use force=True to replace it, or to=FILE"),
            ({"to": "there.h5", "resume": True, "k": 1}, "there.h5: is the complete result of "
             "another configuration; replace it with force=True"),
            ({"to": "there.h5", "resume": True, "force": True},
             "force=True begins again and resume=True continues"),
            ({"kk": 1}, "kk=1: the configuration has no 'kk'"), ({"runs": 0}, "runs=0: "),
            ({"end": -1}, "end=-1: "), ({"backend": "gpu"}, 'backend="gpu": is not valid; give auto'),
            ({"threads": -1}, "threads=-1: "),
            ({"to": "there.h5", "checkpoint_every": -1}, "checkpoint_every=-1: ")):
        said = message(lambda: model.run(**how))
        assert said.startswith(begin), said
    said = message(lambda: model.set({"species.X.diffusion": 2}))
    assert said.startswith("species.X.diffusion=2: "), said
    assert message(lambda: model.start(every=-1)).startswith("every=-1: ")


def test_copies():
    """A model can be copied and sent to other processes; a run cannot."""
    model = rdsim.Model(MODEL, k=0.7, seed=3)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert other.parameters == {"k": 0.7}
        assert (other.run().totals == model.run().totals).all()
    copied = copy.copy(model).set(k=0.1)
    assert (model.parameters, copied.parameters) == ({"k": 0.7}, {"k": 0.1})
    assert_says(lambda: pickle.dumps(model.start()), "pickle", error=TypeError)


def test_dlpack():
    """Other libraries take a view by DLPack; a stale one raises an exception. The capsule of device
    memory is tested with memory of the host."""
    import numpy as np
    from rdsim.dlpack import CPU, _held, int32_capsule
    with rdsim.Model(MODEL).start(every=0.5) as s:
        view = s.counts("A")
        taken = np.from_dlpack(view)
        assert (taken == view.array()).all() and view.__dlpack_device__() == (CPU, 0)
        s.advance()
        assert_says(lambda: np.from_dlpack(view), "has changed", error=rdsim.StaleView)
        assert_says(view.__dlpack_device__, "has changed", error=rdsim.StaleView)
    numbers = np.arange(12, dtype=np.int32)

    class Holder:
        def __dlpack_device__(self):
            return (CPU, 0)

        def __dlpack__(self, **options):
            return int32_capsule(numbers.ctypes.data, (3, 4), (CPU, 0), numbers)

    array = np.from_dlpack(Holder())
    assert (array == numbers.reshape(3, 4)).all() and len(_held) == 1
    del array
    gc.collect()
    assert not _held, "the consumer has freed the array"
    Holder().__dlpack__()  # no library takes it
    gc.collect()
    assert not _held, "a capsule that is not used keeps its memory"


def test_rows():
    """Tables of parameters: of all forms, wrong ones, and rows that cannot run."""
    import numpy as np
    import pandas
    import warnings
    import xarray
    model = rdsim.Model(MODEL)
    forms = (pandas.DataFrame({"k": [0.1, 2]}), {"k": [0.1, 2]}, np.array([[0.1], [2]]),
             np.array([(0.1,), (2,)], dtype=[("k", float)]), xarray.Dataset({"k": ("row", [0.1, 2])}))
    results = [model.run(rows=rows, runs=3, seed=4) for rows in forms]
    for result in results:
        assert result.totals.dims[:2] == ("row", "run") and result.totals.shape[:2] == (2, 3)
        assert (result.k.values == (0.1, 2)).all() and (result.totals == results[0].totals).all()
    alone = model.run(runs=3, seed=4, k=0.1).totals
    assert (results[0].totals.isel(row=0).values == alone.values).all()
    for rows, part in ((np.zeros((2, 3)), "shape (2, 3)"), ({"q": [1]}, "'q' is not declared"),
                       ({"k": [float("nan")]}, "k is nan"), ({"k": ["a"]}, "give numbers"), ({}, "no columns"),
                       ({"k": []}, "a number for each row"), ({"k": [1], "left": [1, 2]}, "different lengths"),
                       (3, "shape ()"), ({"a/b": [1]}, "not the name"), ({"k": [[1, 2]]}, "give numbers")):
        text = message(lambda: model.run(rows=rows), rdsim.ModelError)
        assert part in text and "/tmp" not in text, text
    assert_says(lambda: model.run(rows={"k": [1]}, share="all"), "run.share", error=rdsim.ModelError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = model.run(rows={"k": [1, -1, 2]})
    assert any("row 1" in str(each.message) for each in caught), caught
    assert result.totals.isnull().any(("run", "time", "species")).values.tolist() == [False, True, False]


def test_resumed_rows():
    """A run of rows that are in memory goes on in another process, where they have the same path."""
    model, rows = rdsim.Model(MODEL), {"k": [0.1, 2.0]}
    model.run(rows=rows, seed=4, to="whole.h5", force=True)
    how = {"backend": "cpu", "threads": 1, "force": True, "resume": False, "checkpoint_every": None}
    handle, _ = model._prepare_rows(rows, "part.h5", how, {"run.seed": 4})
    handle.start(0)
    handle.call("advance", 1.0, 1e9)
    handle.call("checkpoint")
    handle.close()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert_says(lambda: model.run(rows={"k": [0.1, 2.5]}, seed=4, to="part.h5", resume=True),
                    "no checkpoint")
    assert any("belongs to other rows" in str(each.message) for each in caught), caught
    Path("part.h5.rows").write_text("mine")
    assert_says(lambda: model.run(rows=rows, seed=4, to="part.h5", resume=True), "'part.h5.rows' exists",
                error=rdsim.ModelError)
    assert Path("part.h5.rows").read_text() == "mine"
    Path("part.h5.rows").unlink()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.run(rows=rows, seed=4, to="part.h5", resume=True)
    assert all("all rows take steps" in str(each.message) for each in caught), caught
    assert not Path("part.h5.rows").exists()
    done = subprocess.run([PROGRAM, "diff", "whole.h5", "part.h5"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done


def test_statuses():
    """Functions of the library return 0 after success, as programs in C test."""
    import numpy as np
    with rdsim.Model(MODEL).start(every=0.5) as s:
        handle, ffi = s._handle, s._handle.ffi
        number, count, field = ffi.new("double *"), ffi.new("const int32_t **"), ffi.new("int64_t[3]")
        mark = ffi.from_buffer("uint8_t[]", np.zeros(12, np.uint8))
        for name, *arguments in (("totals", field), ("counts", b"A", count), ("parameter", b"k", number),
                                 ("where", b"A", 0, 1, mark), ("device_counts", b"A", count, ffi.new("int *")),
                                 ("individuals", b"C", ffi.new("struct rdsim_individuals *")),
                                 ("edit", b'remove = { species = "A"; count = 1; };'),
                                 ("edit_where", b'remove = { species = "A"; all = true; };', mark),
                                 ("finish",)):
            assert handle.call(name, *arguments) == 0, name


def test_interrupted():
    """An exception in the program ends the run; its result is as far as it went."""
    for to in (None, "interrupted.h5"):
        try:
            with rdsim.Model(MODEL).start(to=to, every=0.5, force=True) as s:
                s.remove("C")
                assert len(s.individuals("C")) == 0
                s.advance()
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        assert s.result().sizes["time"] == 26, s.result().sizes


def test_results_in_memory():
    """The file of a result in memory is there as long as the result or a part of it, and no longer."""
    model = rdsim.Model(MODEL)
    gc.disable()  # as between two collections: nothing may wait for one
    try:
        for part in (lambda r: r, lambda r: r.isel(run=[0]), lambda r: copy.deepcopy(r), lambda r: r[["totals"]]):
            kept = part(model.run())
            path = str(kept.encoding["source"])
            assert os.path.exists(path) and kept.rd.counts("A").sizes["x"] == 4
            computed = kept.where(kept.time > 1)
            assert_says(lambda: computed.rd.counts("A"), "has no file, since it was computed")
            pickled = pickle.loads(pickle.dumps(model.run()))
            assert type(pickled.encoding["source"]) is str
            assert_says(lambda: pickled.rd.counts("A"), "cannot be opened: No such file")
        path = str(model.run().encoding["source"])
        assert not os.path.exists(path), path
        with model.start() as session:
            session.advance()
        path = str(session.result().encoding["source"])
        del session
        assert not os.path.exists(path), path
    finally:
        gc.enable()


def run_on_two_threads(model):
    return int(model.run(threads=2, seed=1).totals.sel(species="A")[-1, -1])


def test_forks():
    """A process that forks after a run on several threads has children that can run, but that cannot
    continue its runs."""
    model = rdsim.Model(MODEL.replace("(4, 3)", "(40, 30)").replace("count = 20", "count = 20000"))
    here = run_on_two_threads(model)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(run_on_two_threads, (model,)).get(60) == here
    with model.start(every=0.5, threads=2) as session:
        session.advance()
        child = os.fork()
        if child == 0:
            said = message(session.advance)
            del session
            gc.collect()
            os._exit(0 if "belongs to the process that started it" in said else 1)
        assert os.waitpid(child, 0)[1] == 0
        while not session.is_over:
            session.advance()
    assert session.result().sizes["time"] > 1


def test_ends_while_a_thread_runs():
    """The interpreter can end while a thread of it runs a model."""
    code = "; ".join(("import sys, threading, time", "import rdsim",
                      "model = rdsim.Model(sys.argv[1], end=1e9)",
                      "threading.Thread(target=model.run, daemon=True).start()",
                      "time.sleep(float(sys.argv[2]))"))
    for seconds in "0.3", "0.45", "0.6":
        done = subprocess.run([sys.executable, "-c", code, MODEL, seconds], capture_output=True,
                              text=True, timeout=60, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        assert (done.returncode, done.stderr) == (0, ""), done


def random_value(draw):
    return draw.choice((None, 0, -1, 3, 2**70, 0.5, float("nan"), "A", "C", "left", "", "\0", [], [1, 5],
                        [99], {}, {"age": 1}, (1, 2), True, b"x", object()))


def random_call(draw, sessions):
    """Makes one call with random arguments; only exceptions of Python may come out."""
    if len(sessions) < 3:
        sessions.append(rdsim.Model(MODEL).start(every=0.5))
    s = draw.choice(sessions)
    if draw.random() < 0.1:
        rows = {draw.choice(("k", "q", "", 3)): random_value(draw) for _ in range(draw.randrange(3))}
        rdsim.Model(draw.choice((MODEL, MODEL, "", random_value(draw)))).run(
            rows=draw.choice((rows, {"k": [0.1, 5.0]}, random_value(draw))), end=0.1,
            **{draw.choice(("runs", "seed", "share", "k", "to")): draw.choice((1, -1, "none", 2.5, None))})
        return
    name = draw.choice(("advance", "totals", "counts", "field", "individuals", "parameter", "set", "add",
                        "remove", "convert", "edit", "finish", "result", "steps", "drop"))
    if name == "drop":
        sessions.remove(s)
    elif name == "steps":
        s.steps
    else:
        values = [random_value(draw) for _ in range(draw.randrange(3))]
        keys = draw.sample(("voxels", "region", "each", "attributes", "run", "where", "k"), draw.randrange(3))
        getattr(s, name)(*values, **{key: random_value(draw) for key in keys})


def try_random_calls(seconds):
    draw, sessions, end, n = random.Random(21), [], time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n += 1
        try:
            random_call(draw, sessions)
        except (rdsim.Error, TypeError, ValueError, KeyError, AttributeError, OverflowError):
            pass
    print(f"{n} calls")


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
    try_random_calls(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)


if __name__ == "__main__":
    main()
