"""say_sweep_pictures - tests the pictures of collected sweeps and of tables of parameters: end values
against what was varied."""
import shutil
from pathlib import Path

import h5py
import numpy as np

from say_main import config, cpu, rdsim, run_cases
from say_pictures import figure_of

SMALL = """
units = { length = "um"; time = "s"; };
grid = { voxels = 1; edge = 1.0; };
parameters = { k = 1.0; n = 50; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; value = "n"; } );
time = { end = 1.0; };
output = { keep = "totals"; times = TIMES; };
run = { runs = RUNS; };
"""
FULL = """
grid = { voxels = (4, 3); edge = 1.0; }; parameters = { n = 50; };
regions = ( { name = "left"; where = "x < 2"; }, { name = "right"; where = "x > 2"; } );
species = ( { name = "A"; diffusion = 1.0; },
    { name = "M"; individuals = { max = 9; attributes = ( { name = "kind"; kind = "integer";
      initial = 1; } ); }; } );
observables = ( { name = "AM"; sum = "A + M"; }, { name = "AA"; sum = "2 A"; } );
initial = ( { species = "A"; count = "n"; }, { species = "M"; count = 5; } );
time = { end = 1.0; }; run = { runs = 2; };
output = { every = 0.5; by = ( { species = "M"; attribute = "kind"; range = (0, 2); } ); };
"""
RATES = '{ path = "parameters.k"; values = (2.0, 0.1, 0.5); }'
NUMBERS = '{ path = "parameters.n"; values = (50, 100); }'
SOLVERS = '{ path = "solver"; values = ("exact", "split"); }'


def collected(vary, times="(0.5, 1.0)", runs="20", more=""):
    """Runs a sweep of such a model and collects it in all.h5."""
    config("base.cfg", SMALL.replace("TIMES", times).replace("RUNS", runs))
    config("sweep.cfg", f'base = "base.cfg"; vary = ( {vary} ); {more}')
    shutil.rmtree("sweep", ignore_errors=True)
    cpu("sweep", "sweep.cfg", status=0)
    rdsim("sweep", "sweep.cfg", "--collect", "all.h5", "--force", status=0)


def sweeps_show_end_values_against_what_was_varied():
    collected(RATES)
    figure = figure_of("all.h5")
    line, = figure.axes[0].get_lines()
    with h5py.File("all.h5") as file:
        assert np.allclose(line.get_xdata(), [0.1, 0.5, 2.0])
        assert np.allclose(line.get_ydata(), file["total_mean"][:][[1, 2, 0], -1, 0])
    titles = [ax.get_title("left") for ax in figure.axes if ax.get_title("left")]
    assert [title.split(",")[0] for title in titles] == ["A", "B", "A", "B"], titles
    assert "t = 0.5" in figure_of("all.h5", species="B", times=[0.6]).axes[0].get_title("left")
    collected(f"{RATES}, {NUMBERS}")
    figure = figure_of("all.h5")
    assert [line.get_label() for line in figure.axes[0].lines] == ["n = 50", "n = 100"]
    labels = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert labels == ["n = 50", "n = 100", "mean ± 1 SD of runs"], labels


def sweeps_of_any_form_are_drawn():
    """Tests paired values, texts as values, one run, one time, many points."""
    collected(f"{RATES}, {NUMBERS.replace('100', '100, 70')}", more='combine = "zip";')
    assert len(figure_of("all.h5").axes[0].get_lines()) == 1
    collected(SOLVERS, runs="1", times="(1.0)")
    assert len(figure_of("all.h5").axes) == 2
    collected('{ path = "parameters.k"; values = { from = 0.01; to = 1.0; points = 25; '
              'scale = "log"; }; }', runs="2")
    assert figure_of("all.h5").axes[0].get_xscale() == "log"


def rows_show_end_values_against_parameters():
    """The rows of a table are points; a row that cannot run has none, and --run draws a run."""
    Path("theta.csv").write_text("k\n0.1\n-1\n2\n0.5\n")
    config("rows.cfg", SMALL.replace("TIMES", "(0.5, 1.0)").replace("RUNS", "20")
           .replace("run = {", 'run = { rows = { file = "theta.csv"; };'))
    cpu("rows.cfg", "--force", "-q", "-o", "rows.h5", status=1)  # one row cannot run
    figure = figure_of("rows.h5")
    line, = figure.axes[0].get_lines()
    with h5py.File("rows.h5") as file:
        mean = file["totals"][:].reshape(4, 20, 2, -1).mean(axis=1)[[1, 0, 3, 2], -1, 0]
    assert np.allclose(line.get_xdata(), [-1, 0.1, 0.5, 2]) and np.allclose(line.get_ydata()[1:], mean[1:])
    assert np.isnan(line.get_ydata()[0])
    assert "4 of 4 rows" in figure.axes[2].get_title("left"), figure.axes[2].get_title("left")
    assert "run 3" in figure_of("rows.h5", kind="totals", run=3).axes[0].get_title("left")


def sweeps_of_any_content_are_drawn():
    """Only what was varied is varied: not regions, observables or numbers by an attribute, of which
    there are as many here as points."""
    config("base.cfg", FULL)
    config("sweep.cfg", f'base = "base.cfg"; vary = ( {NUMBERS} );')
    shutil.rmtree("sweep", ignore_errors=True)
    cpu("sweep", "sweep.cfg", "-q", status=0)
    rdsim("sweep", "sweep.cfg", "--collect", "all.h5", "--force", status=0)
    with h5py.File("all.h5") as file:
        assert {"by", "region", "observable", "region_mean", "value"} <= {*file, *file["by/M_kind"]}
    line, = figure_of("all.h5", species="A").axes[0].get_lines()
    assert np.allclose(line.get_xdata(), [50, 100])


CASES = [
    sweeps_show_end_values_against_what_was_varied,
    sweeps_of_any_form_are_drawn,
    sweeps_of_any_content_are_drawn,
    rows_show_end_values_against_parameters,
]

if __name__ == "__main__":
    run_cases(CASES)
