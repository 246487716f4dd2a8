"""say_full_disk - tests what commands print about files that do not fit, here by a limit of the
size of files: no part of a file is left, an earlier file stays, and no command crashes."""
import importlib.util
import os
import pathlib
import resource
import sys

from say_main import GOOD, assert_message, config, cpu, rdsim, run_cases

NETWORK = "in : => A\nout : A =>\n"
ONE = """
parameters = { k = 1.0; };
grid = { voxels = 1; edge = 1.0; };
species = ( { name = "A"; } );
time = { end = 1; };
"""


def limited(size, *words, status):
    """Runs the program with files of at most `size` bytes; returns it and the files that it made.
    Python would leave parts of compiled modules in the packages that it imports."""
    before = set(os.listdir())
    done = rdsim(*words, status=status, env={**os.environ, "RDSIM_PYTHON": sys.executable,
                                             "PYTHONDONTWRITEBYTECODE": "1"},
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    return done, set(os.listdir()) - before


def modes_that_do_not_fit_are_refused():
    config("n.net", NETWORK)
    for size in 0, 1, 1000, 2048, 8192, 500000:
        done, made = limited(size, "modes", "n.net", "--hdf5", "n.h5", status=1)
        assert_message(done, "n.h5: cannot be written: File too large; make room there, or name a")
        assert not made and done.stdout == "", made
    assert limited(10 << 20, "modes", "n.net", "--hdf5", "n.h5", status=0)[1] == {"n.h5"}
    os.remove("n.h5")


def documents_that_do_not_fit_are_removed():
    cpu(config("good.cfg", GOOD), status=0)
    config("one.cfg", ONE)
    for status, words in ((2, ("check", "one.cfg", "--json", "new")),
                          (1, ("info", "good.h5", "--json", "new")),
                          (1, ("export", "one.cfg", "--output", "new"))):
        done, made = limited(100, *words, status=status)
        assert_message(done, "new: cannot be written: File too large; make room there, or name a")
        assert not made, made
        open("new", "x", encoding="ascii").close()
        assert_message(rdsim(*words, status=2), "new: cannot be made: File exists; name another")
        os.remove("new")


def results_that_do_not_fit_keep_the_earlier_one():
    cpu(config("good.cfg", GOOD), "--force", status=0)
    whole = pathlib.Path("good.h5").read_bytes()
    for size in 0, 4096:
        done, made = limited(size, "good.cfg", "--force", "--seed", "2", "--backend", "cpu", status=1)
        assert_message(done, "cannot be written: File too large; make room there, or name a file")
        assert not made and pathlib.Path("good.h5").read_bytes() == whole, f"{size}: {made}"
    config("s.cfg", 'base = "one.cfg"; vary = ( { path = "parameters.k"; values = (1, 2); } );')
    config("one.cfg", ONE)
    rdsim("sweep", "s.cfg", "--backend", "cpu", status=0)
    done, made = limited(2000, "sweep", "s.cfg", "--collect", "good.h5", "--force", status=1)
    assert_message(done, "good.h5: cannot be written: File too large; make room there")
    assert not made and pathlib.Path("good.h5").read_bytes() == whole, made
    assert_message(rdsim("sweep", "s.cfg", "--collect", "no/all.h5", status=2),
                   "no/all.h5: there is no folder 'no'; create it")


def pictures_that_do_not_fit_keep_the_earlier_one():
    if not importlib.util.find_spec("matplotlib"):
        print("matplotlib is missing: pictures are not tested here")
        return
    cpu(config("good.cfg", GOOD), "--force", status=0)
    for command, name in ("plot", "a.png"), ("movie", "a.gif"):
        for earlier in None, b"a drawing by hand":
            if earlier:
                pathlib.Path(name).write_bytes(earlier)
            done, made = limited(1000, command, "good.h5", "--output", name, status=2)
            assert_message(done, f"{name}: cannot be written: File too large; name another file")
            assert not made, made
            assert not earlier or pathlib.Path(name).read_bytes() == earlier
    os.mkdir("folder")
    assert_message(limited(1000, "plot", "folder", "--output", "b.png", status=2)[0],
                   "folder: is a folder, not a result; name a file in it")


CASES = [
    modes_that_do_not_fit_are_refused,
    documents_that_do_not_fit_are_removed,
    results_that_do_not_fit_keep_the_earlier_one,
    pictures_that_do_not_fit_keep_the_earlier_one,
]

if __name__ == "__main__":
    run_cases(CASES)
