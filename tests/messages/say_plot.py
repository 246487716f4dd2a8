"""say_plot - tests the pictures that tools/plot.py draws of a result: no panel is empty, and the
data are visible."""
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(os.environ["RDSIM_SOURCE"]) / "tools"))
import plot  # noqa: E402
from say_main import config, cpu, rdsim, run_cases  # noqa: E402

MODEL = """
grid = { voxels = VOXELS; edge = 0.5; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = 1.0; } );
initial = ( { species = "A"; count = 40; } );
time = { end = 4.0; };
output = { times = TIMES; };
run = { runs = 50; };
"""


def panels(voxels, times, *options, chosen=()):
    """Returns (title, panel) of the picture of such a model's result."""
    cpu(config("model.cfg", MODEL.replace("VOXELS", voxels).replace("TIMES", times)), *options,
        "--force", status=0)
    with h5py.File("model.h5", "r") as file:
        figure = plot.picture(plot.Result(file, None), plot.options(["model.h5", *chosen]))
    figure.savefig("model.png")
    return {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}


def on_a_line_one_time_has_no_map_of_time():
    drawn = panels("6", "(1.0)")
    assert list(drawn) == ["A", "B", "Totals of 50 runs at t = 1"], list(drawn)
    edges = drawn["A"].patches[0].get_data().edges
    assert np.allclose(edges, np.linspace(0, 3, 7)), edges  # from wall to wall
    drawn = panels("6", "(1.0, 2.0)")
    assert "A in space and time" in drawn, list(drawn)
    assert "Totals: mean of 50 runs, and one standard deviation" in drawn, list(drawn)


def a_histogram_contains_all_runs():
    bars = panels("1", "(1.0)")["Totals of 50 runs at t = 1"].patches
    with h5py.File("model.h5", "r") as file:
        totals = file["totals"][:, 0, :]
    assert sum(bar.get_height() for bar in bars) == totals.size
    for bar in bars:
        middle = bar.get_x() + bar.get_width() / 2
        assert bar.get_height() <= (totals == round(middle)).sum(), middle


def stop_times_have_a_panel():
    stop = ("--set", 'time.stop="A <= 20"', "--set", "time.step=0.05",
            "--set", 'time.stop_at="steps"')
    # without time.stop there is no panel of stop times
    assert not any("stopped" in title for title in panels("1", "(1.0, 4.0)"))
    drawn = panels("1", "(1.0, 4.0)", *stop)
    with h5py.File("model.h5", "r") as file:
        n = int(np.isfinite(file["stopped"][:]).sum())
    bars = drawn[f"When runs stopped: {n} of 50"].patches
    assert sum(bar.get_height() for bar in bars) == n > 40, n


def wrong_requests_are_reported():
    panels("1", "(1.0)")
    tool = str(Path(plot.__file__))
    for words, message in ((["nothere.h5"], "nothere.h5: is not a file"),
                           (["model.cfg"], "model.cfg: cannot be drawn: "),
                           (["model.h5", "--species", "Q"], "has no species Q; choose from A, B")):
        done = subprocess.run([sys.executable, tool, *words], capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode == 1 and message in done.stderr, done.stderr


BLEACHED = """
grid = { voxels = (12, 10); edge = 0.5; };
species = ( { name = "A"; diffusion = 0.05; } );
fields = ( { name = "cue"; value = "x"; rate = "1"; } );
initial = ( { species = "A"; value = "if(x < 1, 20, 0)"; } );
time = { end = 8.0; };
output = { every = 1.0; };
"""


def images_of(path, *chosen):
    """Returns (smallest, largest, colour limits) of each map of the picture."""
    with h5py.File(path, "r") as file:
        figure = plot.picture_of_file(file, plot.options([path, *chosen]))
    return [(ax.images[0].get_array().min(), ax.images[0].get_array().max(),
             ax.images[0].get_clim()) for ax in figure.axes if ax.images]


def all_times_of_a_species_have_one_colour_scale():
    cpu(config("frap.cfg", BLEACHED), status=0)
    for species in "A", "cue":
        drawn = images_of("frap.h5", "--species", species)
        assert len(drawn) == 4, len(drawn)
        assert len({limits for _, _, limits in drawn}) == 1, f"{species}: {drawn}"
        low, high = drawn[0][2]
        assert low <= min(least for least, _, _ in drawn) <= high / 2, f"{species}: {drawn}"
        assert np.isclose(high, max(most for _, most, _ in drawn)), f"{species}: {drawn}"
        single = images_of("frap.h5", "--species", species, "--time", "8")
        assert [limits for _, _, limits in single] == [(low, high)], f"{species}: {single}"


BASE = """
grid = { voxels = 1; edge = 1.0; };
parameters = { k = 1.0; n = 50; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; value = "n"; } );
time = { end = 1.0; };
output = { keep = "totals"; times = TIMES; };
run = { runs = RUNS; };
"""
RATES = '{ path = "parameters.k"; values = (2.0, 0.1, 0.5); }'
NUMBERS = '{ path = "parameters.n"; values = (50, 100); }'
SOLVERS = '{ path = "solver"; values = ("exact", "split"); }'


GROUPS = """
grid = { voxels = (8, 6); edge = 0.5; };
regions = ( { name = "left"; where = "x < 2"; } );
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; }, { name = "C"; } );
reactions = ( { equation = "A -> B"; rate = 1.0; } );
initial = ( { species = "A"; count = 40; }, { species = "C"; count = 9; } );
time = { end = 4.0; };
output = ( { name = "fast"; every = 0.5; keep = "totals"; species = ("B", "A"); },
           { name = "maps"; times = (1, 4); } );
run = { runs = 3; };
"""


def groups_are_drawn_together():
    """Tests maps of the group with counts, totals of the one with most totals, by their names."""
    cpu(config("model.cfg", GROUPS), "--force", status=0)
    with h5py.File("model.h5", "r") as file:
        figure = plot.picture(plot.Result(file, None),
                              plot.options(["model.h5", "--species", "C,B", "--regions", "left"]))
        total = file["fast/statistics/total_mean"][:, 1]
    maps = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title("left") for ax in maps] == [
        "C   t = 1", "C   t = 4", "B   t = 1", "B   t = 4"], [ax.get_title("left") for ax in maps]
    assert all(ax.collections for ax in maps), "no outline of the region"
    [lines] = [ax for ax in figure.axes if ax.get_xlabel() == "time" and not ax.images]
    [mean] = [line for line in lines.lines if line.get_label() == "B"]
    assert np.array_equal(mean.get_xdata(), np.arange(0, 4.1, 0.5)), mean.get_xdata()
    assert np.array_equal(mean.get_ydata(), total), mean.get_ydata()
    with h5py.File("model.h5", "r") as file:
        figure = plot.picture_of_file(file, plot.options(["model.h5", "--group", "fast"]))
    assert not any(ax.images for ax in figure.axes), "totals only"


MIXED = """compartments = ( { name = "pool"; volume = 1.0; } );
grid = { voxels = (6, 5); edge = 0.5; };
species = ( { name = "A"; }, { name = "P"; in = "pool"; } );
reactions = ( { equation = "A -> P"; rate = 0.5; } );
initial = ( { species = "A"; count = 300; } );
time = { end = 4.0; };
output = { times = (1.0, 4.0); };
"""


def compartments_have_no_map():
    """Molecules of a compartment stand in voxel 0 of the counts, but have no place."""
    cpu(config("mixed.cfg", MIXED), "--force", status=0)
    with h5py.File("mixed.h5", "r") as file:
        assert list(file["species_compartment"].asstr()[:]) == ["", "pool"]
        result = plot.Result(file, None)
        figure = plot.picture(result, plot.options(["mixed.h5"]))
        only = plot.picture(result, plot.options(["mixed.h5", "--species", "P"]))
    maps = [ax.get_title("left") for ax in figure.axes if ax.images]
    assert maps == ["A   t = 1", "A   t = 4"], maps
    assert "no map of P: well mixed" in figure.get_suptitle(), figure.get_suptitle()
    assert [line.get_label() for ax in figure.axes for line in ax.lines] == ["A", "P"]
    assert not any(ax.images for ax in only.axes), "totals only"


def wrong_groups_are_reported():
    cpu(config("model.cfg", GROUPS), "--force", status=0)
    cpu(config("plain.cfg", MODEL.replace("VOXELS", "6").replace("TIMES", "(1.0)")), status=0)
    for words, message in (
            (("model.h5", "--group", "slow"), "has no group slow; choose from fast, maps"),
            (("plain.h5", "--group", "slow"), "has no group slow; its output has no groups"),
            (("model.h5", "--regions", "left,up"), "has no region up; choose from left"),
            (("plain.h5", "--regions", "up"), "has no region up; choose from none"),
            (("model.h5", "--group", "fast", "--species", "C"), "has no species C; choose from A, B")):
        done = run_tool(*words)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def collected(vary, times="(0.5, 1.0)", runs="20", more=""):
    """Runs a sweep of such a model and collects it in all.h5."""
    config("base.cfg", BASE.replace("TIMES", times).replace("RUNS", runs))
    config("sweep.cfg", f'base = "base.cfg"; vary = ( {vary} ); {more}')
    subprocess.run(["rm", "-rf", "sweep", "all.h5"], check=True)
    cpu("sweep", "sweep.cfg", status=0)
    rdsim("sweep", "sweep.cfg", "--collect", "all.h5", status=0)


def panels_of_sweep(*chosen):
    with h5py.File("all.h5", "r") as file:
        figure = plot.picture_of_file(file, plot.options(["all.h5", *chosen]))
    figure.savefig("all.png")
    return {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}


def a_sweep_shows_end_values_against_what_was_varied():
    collected(RATES)
    drawn = panels_of_sweep()
    assert list(drawn) == ["A   t = 1", "B   t = 1", "A: 3 of 3 points",
                           "B: 3 of 3 points"], list(drawn)
    line, = drawn["A   t = 1"].get_lines()
    with h5py.File("all.h5", "r") as file:
        assert np.allclose(line.get_xdata(), [0.1, 0.5, 2.0])
        assert np.allclose(line.get_ydata(), file["total_mean"][:][[1, 2, 0], -1, 0])
    assert list(panels_of_sweep("--species", "B", "--time", "0.4")) == ["B   t = 0.5",
                                                                        "B: 3 of 3 points"]
    collected(f"{RATES}, {NUMBERS}")
    lines = panels_of_sweep()["A   t = 1"].get_lines()
    assert [line.get_label() for line in lines] == ["n = 50", "n = 100"]
    assert all(len(line.get_xdata()) == 3 for line in lines)


def sweeps_of_any_form_are_drawn():
    """Tests paired values, texts as values, one run, one time, many points."""
    collected(f"{RATES}, {NUMBERS.replace('100', '100, 70')}", more='combine = "zip";')
    assert len(panels_of_sweep()["A   t = 1"].get_lines()) == 1
    collected(SOLVERS, runs="1", times="(1.0)")
    assert list(panels_of_sweep()) == ["A   t = 1", "B   t = 1"]
    collected('{ path = "parameters.k"; values = { from = 0.01; to = 1.0; points = 25; '
              'scale = "log"; }; }', runs="2")
    drawn = panels_of_sweep()
    assert drawn["A   t = 1"].get_xscale() == "log" and "A: 20 of 25 points" in drawn, list(drawn)


def run_tool(*words, **more):
    return subprocess.run([sys.executable, plot.__file__, *words], capture_output=True, text=True,
                          timeout=600, check=False, **more)


def the_tool_draws_a_sweep():
    collected(RATES)
    done = run_tool("all.h5")
    assert done.returncode == 0 and done.stdout == "all.png\n", done.stderr
    for words, message in ((("--run", "1"), "was collected by a sweep, and has no --run; draw"),
                           (("--species", "Q"), "has no species Q; choose from A, B")):
        done = run_tool("all.h5", *words)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def a_missing_package_gives_one_message():
    """Tests the message of the tool, and that a test that needs the package is skipped."""
    for package in "h5py", "matplotlib":
        folder = Path(f"without_{package}").absolute()
        folder.mkdir()
        (folder / f"{package}.py").write_text(
            f"raise ModuleNotFoundError('none', name='{package}')")
        without = dict(os.environ, PYTHONPATH=str(folder))
        done = run_tool("all.h5", env=without)
        message = f"plot.py: the Python package {package} is missing; install it"
        assert done.returncode == 2 and done.stderr.startswith(message), done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        script = str(Path(__file__).parent.with_name("support") / "run_script.py")
        done = subprocess.run([sys.executable, script, __file__], env=without, timeout=600,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 77, done.stderr
        assert f"the Python package {package} is missing" in done.stdout, done.stdout


CASES = [
    on_a_line_one_time_has_no_map_of_time,
    a_histogram_contains_all_runs,
    stop_times_have_a_panel,
    wrong_requests_are_reported,
    all_times_of_a_species_have_one_colour_scale,
    groups_are_drawn_together,
    compartments_have_no_map,
    wrong_groups_are_reported,
    a_sweep_shows_end_values_against_what_was_varied,
    sweeps_of_any_form_are_drawn,
    the_tool_draws_a_sweep,
    a_missing_package_gives_one_message,
]

if __name__ == "__main__":
    run_cases(CASES)
