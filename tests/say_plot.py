"""say_plot - what tools/plot.py draws of a result: no panel is empty, and what is in the file is seen."""
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

if not importlib.util.find_spec("matplotlib"):
    print("matplotlib is not there, so nothing is drawn")
    sys.exit(77)

import h5py
import numpy as np

sys.path.insert(0, str(Path(os.environ["RDSIM_SOURCE"]) / "tools"))
import plot  # noqa: E402
from say_main import config, cpu, run_cases  # noqa: E402

MODEL = """
grid = { cells = CELLS; edge = 0.5; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = 1.0; } );
initial = ( { species = "A"; count = 40; } );
time = { end = 4.0; };
output = { times = TIMES; };
run = { runs = 50; };
"""


def panels(cells, times, *options, asked=()):
    """(title, panel) of the picture of such a model's result."""
    cpu(config("model.cfg", MODEL.replace("CELLS", cells).replace("TIMES", times)), *options,
        "--force", status=0)
    with h5py.File("model.h5", "r") as file:
        figure = plot.picture(plot.Result(file, None), plot.options(["model.h5", *asked]))
    figure.savefig("model.png")
    return {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}


def on_a_line_one_time_has_no_map_of_time():
    seen = panels("6", "(1.0)")
    assert list(seen) == ["A", "B", "Totals of 50 runs at t = 1"], list(seen)
    edges = seen["A"].patches[0].get_data().edges
    assert np.allclose(edges, np.linspace(0, 3, 7)), edges  # from wall to wall
    seen = panels("6", "(1.0, 2.0)")
    assert "A in space and time" in seen and "Totals: mean of 50 runs, and one standard deviation" \
        in seen, list(seen)


def at_one_time_all_runs_are_seen():
    bars = panels("1", "(1.0)")["Totals of 50 runs at t = 1"].patches
    with h5py.File("model.h5", "r") as file:
        totals = file["totals"][:, 0, :]
    assert sum(bar.get_height() for bar in bars) == totals.size
    for bar in bars:
        middle = bar.get_x() + bar.get_width() / 2
        assert bar.get_height() <= (totals == round(middle)).sum(), middle


def when_runs_stopped_is_seen():
    stop = ("--set", 'time.stop="A <= 20"', "--set", "time.step=0.05",
            "--set", 'time.stop_at="steps"')
    # without it stopping stands nowhere
    assert not any("stopped" in title for title in panels("1", "(1.0, 4.0)"))
    seen = panels("1", "(1.0, 4.0)", *stop)
    with h5py.File("model.h5", "r") as file:
        n = int(np.isfinite(file["stopped"][:]).sum())
    bars = seen[f"When runs stopped: {n} of 50"].patches
    assert sum(bar.get_height() for bar in bars) == n > 40, n


def what_cannot_be_drawn_is_told():
    panels("1", "(1.0)")
    tool = str(Path(plot.__file__))
    for words, sentence in ((["nothere.h5"], "nothere.h5: cannot be drawn: there is no such file"),
                            (["model.cfg"], "model.cfg: cannot be drawn: "),
                            (["model.h5", "--species", "Q"], "species Q is not in it; it has A, B")):
        done = subprocess.run([sys.executable, tool, *words], capture_output=True, text=True,
                              timeout=100, check=False)
        assert done.returncode == 1 and sentence in done.stderr, done.stderr


CASES = [
    on_a_line_one_time_has_no_map_of_time,
    at_one_time_all_runs_are_seen,
    when_runs_stopped_is_seen,
    what_cannot_be_drawn_is_told,
]

if __name__ == "__main__":
    run_cases(CASES)
