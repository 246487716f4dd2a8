"""say_plot - tests the commands `rdsim plot` and `rdsim movie`: they work from a plain build, and wrong
requests and missing packages are reported with status 2."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
from matplotlib import animation
from PIL import Image
from say_main import PROGRAM, config, cpu, run_cases
from say_pictures import check_texts, make_box, make_plane
from say_sweep_pictures import RATES, SMALL, collected

from rdsim.pictures import command, figures, movies, result, style  # say_pictures adds its place


def plot(*words, **more):
    """Runs the command as a user does who installed nothing, with the Python of this test."""
    more.setdefault("env", {**os.environ, "RDSIM_PYTHON": sys.executable, "PYTHONPATH": ""})
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600,
                          check=False, **more)


def main_of(*words):
    """Returns the status and the messages of the command, run in this process."""
    stderr = io.StringIO()
    with contextlib.redirect_stderr(stderr), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = command.main(list(words))
        except SystemExit as end:
            status = end.code
    return status, stderr.getvalue()


def the_command_draws_from_a_plain_build():
    """Tests the command in a folder with files that have the names of modules."""
    make_plane(runs=2)
    for name in ("random.py", "style.py", "numpy.py"):
        Path(name).write_text("raise SystemExit('a file of the user was imported')")
    for words, output in ((["plane.h5"], "plane.png"), (["plane.h5", "-o", "a.svg"], "a.svg"),
                          (["plane.h5", "--kind", "kymograph", "--species", "A", "-o", "k.pdf"], "k.pdf"),
                          (["plane.h5", "plane.h5", "-o", "difference.png"], "difference.png")):
        done = plot("plot", *words)
        assert done.returncode == 0 and done.stdout == f"{output}\n", done.stderr
        assert Path(output).stat().st_size > 5000, output
    assert Path("plane.png").read_bytes()[:4] == b"\x89PNG"


WRONG = (
    (["nothere.h5"], "nothere.h5: is not there; name the file of a result"),
    (["plane.cfg"], "plane.cfg: is no result, since it is no HDF5 file; name"),
    (["empty.h5"], "empty.h5: is no result: it has no times"),
    (["none.h5"], "none.h5: has no snapshot yet; wait"),
    (["plane.h5", "--species", "Q"], "has no species 'Q'; choose from A, B"),
    (["plane.h5", "--times", "99"], "has no snapshot at t = 99; choose a time from 0 to 8"),
    (["plane.h5", "--times", "x"], "invalid list of numbers with commas value: 'x'"),
    (["plane.h5", "--run", "7"], "has no run 7; choose one from 0 to 1"),
    (["plane.h5", "--group", "slow"], "has no group 'slow', since its outputs have no groups"),
    (["plane.h5", "--regions", "up"], "has no region 'up'; choose from left"),
    (["plane.h5", "--region", "up", "--kind", "totals"], "has no totals of the region 'up'"),
    (["plane.h5", "--unit", "nM"], "has no concentrations in nM"),
    (["plane.h5", "--unit", "ounce"], "the unit 'ounce'; choose from voxel, volume"),
    (["plane.h5", "--unit", "area"], "needs the name of a surface"),
    (["plane.h5", "--kind", "sections"], "and sections need 3; draw maps"),
    (["plane.h5", "--kind", "tracks"], "has no individuals; record them"),
    (["plane.h5", "--kind", "lineage"], "has no lineage; record them"),
    (["plane.h5", "--kind", "stopped"], "has no run that stopped"),
    (["plane.h5", "--kind", "pie"], "invalid choice: 'pie'"),
    (["plane.h5", "--slice", "z=9", "--kind", "maps"], "has no slice at z = 9; choose a place from"),
    (["plane.h5", "--axis", "z", "--kind", "profile"], "has one voxel along z; choose from x, y"),
    (["plane.h5", "--kind", "radial", "--about", "9,1"], "does not reach x = 9"),
    (["plane.h5", "-o", "a.doc"], "a.doc: is no kind of picture; name a .png"),
    (["plane.h5", "-o", "no/where.png"], "no/where.png: cannot be written: No such file"),
    (["plane.h5", "small.h5"], "has not the species that small.h5 has"),
    (["small.h5", "--kind", "maps"], "has no numbers of voxels for maps; draw totals"),
    (["small.h5", "--kind", "kymograph"], "has one voxel, and so no axis; draw totals"),
    (["cut.h5"], "cut.h5: "),
    (["--spices", "A"], "see rdsim plot --help"),
    ([""], "'': is not the name of a file"), (["."], "'.': is not the name of a file"),
)


def wrong_requests_give_status_2():
    make_plane(runs=2)
    config("small.cfg", SMALL.replace("TIMES", "(0.5, 1.0)").replace("RUNS", "2")
           .replace('"A"', '"X"').replace("A ->", "X ->").replace('"B"', '"Y"').replace("-> B", "-> Y"))
    cpu("small.cfg", "--force", status=0)
    with h5py.File("empty.h5", "w") as file:
        file["numbers"] = [1, 2]
    shutil.copy("plane.h5", "none.h5")
    with h5py.File("none.h5", "r+") as file:
        file["run_state"][:] = 0
    Path("cut.h5").write_bytes(Path("plane.h5").read_bytes()[:4000])
    for words, message in WRONG:
        status, stderr = main_of("plot", *words)
        assert status == 2 and message in stderr, f"{words}: {stderr}"
        assert stderr.startswith("rdsim") and stderr.count("\n") == 1, f"{words}: {stderr}"
    for words, message in WRONG[:3]:
        done = plot("plot", *words)
        assert done.returncode == 2 and message in done.stderr, f"{words}: {done.stderr}"


def sweeps_refuse_what_they_do_not_have():
    collected(RATES)
    for words, message in ((["--run", "1"], "was collected by a sweep, and has no --run; draw"),
                           (["--species", "Q"], "has no species 'Q'; choose from A, B"),
                           (["--times", "7"], "has no snapshot at t = 7")):
        status, stderr = main_of("plot", "all.h5", *words)
        assert status == 2 and message in stderr, stderr


def missing_packages_are_named():
    """Tests the messages without a package and without Python, and that a test that needs the package
    is skipped."""
    for package in "h5py", "matplotlib":
        folder = Path(f"without_{package}").absolute()
        folder.mkdir()
        (folder / f"{package}.py").write_text(
            f"raise ModuleNotFoundError('none', name='{package}')")
        without = {**os.environ, "PYTHONPATH": str(folder), "RDSIM_PYTHON": sys.executable}
        done = plot("plot", "any.h5", env=without)
        message = f"rdsim plot: the Python package {package} is missing for {sys.executable}; install"
        assert done.returncode == 2 and done.stderr.startswith(message), done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        script = str(Path(__file__).parent.with_name("support") / "run_script.py")
        done = subprocess.run([sys.executable, script, __file__], env=without, timeout=600,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 77, done.stderr
        assert f"the Python package {package} is missing" in done.stdout, done.stdout
    done = plot("movie", "any.h5", env={**os.environ, "RDSIM_PYTHON": "/no/python"})
    assert done.returncode == 2, done.returncode
    assert "Python cannot be started as '/no/python': No such file" in done.stderr, done.stderr
    shutil.copy(PROGRAM, "alone")  # without the package beside it
    done = subprocess.run(["./alone", "plot", "any.h5"], capture_output=True, text=True, timeout=600,
                          check=False, env={**os.environ, "RDSIM_PYTHON": sys.executable,
                                            "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"})
    assert done.returncode == 2 and "rdsim plot: the Python package rdsim" in done.stderr, done.stderr


# ---- movies ----

def frames_of(path):
    """Returns the frames of a GIF as arrays."""
    with Image.open(path) as film:
        found = []
        for i in range(film.n_frames):
            film.seek(i)
            found.append(np.asarray(film.convert("RGB")))
    return found


def a_movie_has_a_frame_for_each_snapshot():
    make_plane(runs=2)
    done = plot("movie", "plane.h5", "-o", "a.gif", "--species", "A,cue", "--times", "0,2")
    assert done.returncode == 0 and done.stdout == "a.gif\n", done.stderr
    frames = frames_of("a.gif")
    assert len(frames) == 5, len(frames)
    assert all((frames[0] != frame).any() for frame in frames[1:]), "the frames are the same"
    edges = np.concatenate([[f[0].min(), f[-1].min(), f[:, 0].min(), f[:, -1].min()]
                            for f in frames])
    assert edges.min() > 200, "something is cut at the edge"
    make_box()
    done = plot("movie", "box.h5", "-o", "b.gif", "--slice", "z=0.6", "--unit", "volume")
    assert done.returncode == 0 and len(frames_of("b.gif")) == 9, done.stderr


def frames_show_the_counts_on_one_scale():
    make_plane()
    with style.settings(), result.opened("plane.h5") as file:
        options = figures.checked({"species": ["A"]})
        shown = figures.open_result(file, options)
        figure = style.new_figure(movies.height_for(shown, options))
        frames, _ = movies.make_frames(figure, shown, options)
        style.set_title(figure, "title\nt = 1")
        check_texts(figure)
        limits = set()
        for t in (0, 5, 16):
            frames.show(t)
            image = frames.shown[0][0]
            limits.add(image.get_clim())
            np.testing.assert_array_equal(image.get_array(), file["counts"][0, t, 0, 0])
    assert len(limits) == 1, limits


def mp4_needs_ffmpeg():
    """Tests an MP4 where ffmpeg is there, and the message and the default where it is not."""
    make_plane()
    nowhere = {**os.environ, "RDSIM_PYTHON": sys.executable, "PYTHONPATH": "", "PATH": "/nowhere"}
    done = plot("movie", "plane.h5", "-o", "a.mp4", env=nowhere)
    assert done.returncode == 2 and "a.mp4: needs the program ffmpeg, which is missing" in done.stderr
    done = plot("movie", "plane.h5", "--times", "0,1", env=nowhere)
    assert done.returncode == 0 and done.stdout == "plane.gif\n", done.stderr
    if animation.FFMpegWriter.isAvailable():
        done = plot("movie", "plane.h5", "-o", "a.mp4")
        assert done.returncode == 0, done.stderr
        assert Path("a.mp4").read_bytes()[4:8] == b"ftyp", "no MP4"


def wrong_movies_give_status_2():
    make_plane()
    cpu(config("small.cfg", SMALL.replace("TIMES", "(0.5, 1.0)").replace("RUNS", "2")), "--force",
        status=0)
    for words, message in ((["plane.h5", "-o", "a.avi"], "a.avi: is no kind of movie; name a .mp4"),
                           (["small.h5"], "for a movie; draw totals"),
                           (["plane.h5", "--times", "3"], "give two times"),
                           (["plane.h5", "--times", "0,1", "--fps", "0"], "fps 0: is not valid"),
                           (["plane.h5", "-o", "no/where.gif"], "no/where.gif: cannot be written"),
                           (["nothere.h5"], "nothere.h5: is not there")):
        status, stderr = main_of("movie", *words)
        assert status == 2 and message in stderr, f"{words}: {stderr}"


CASES = [
    the_command_draws_from_a_plain_build,
    wrong_requests_give_status_2,
    sweeps_refuse_what_they_do_not_have,
    missing_packages_are_named,
    a_movie_has_a_frame_for_each_snapshot,
    frames_show_the_counts_on_one_scale,
    mp4_needs_ffmpeg,
    wrong_movies_give_status_2,
]

if __name__ == "__main__":
    run_cases(CASES)
