"""twin_units - tests that a model written with units gives the bytes of the same one with plain
numbers: in runs of both solvers, again, --set, events and sweeps."""
import itertools
import pathlib
import re

import h5py
import numpy as np

from say_main import cpu, rdsim, run_cases

UNITS = 'units = { length = "um"; time = "s"; };\n'
# Each <plain|with units> is the same number in two forms.
MODEL = """
grid = { voxels = (8, 6, 4); edge = (<0.5|"500 nm">, <0.5|"5e-4 mm">, 0.5);
    origin = (<-2|"-2 um">, 0, 0); };
parameters = { D = <0.25|"15 um^2/min">; k = <0.5|"30 /min">; on = "k / 2"; T = <2|"2 s">;
    K = <0.6|"0.6 /um^3">; n = 2; vmax = <0.3|"0.3 /um^3/s">; c = "K / 2"; w = <1.2|"1200 nm">; };
regions = ( { name = "cell"; sphere = { centre = (0, <1.5|"1.5 um">, 1); radius = <1.4|"1.4 um">; }; },
    { name = "half"; where = "x < w"; } );
surfaces = ( { name = "skin"; of = "cell"; } );
fields = ( { name = "cue"; value = "K * volume"; } );
species = (
    { name = "A"; diffusion = "D"; drift = (<0.1|"0.1 um/s">, 0, 0);
      walls = { xmin = { kind = "reservoir"; density = <3.01107038|"5 nM">; }; }; },
    { name = "B"; diffusion = "D / 2"; in = "cell"; },
    { name = "S"; diffusion = <0.05|"0.05 um^2/s">; on = "skin"; },
    { name = "M"; diffusion = 0.1; individuals = { max = 500; }; } );
reactions = (
    { equation = "A -> 0"; rate = "k"; },
    { equation = "2 A -> A"; rate = <0.01|"0.01 um^3/s">; },
    { equation = "0 -> A"; rate_law = "vmax * [A]^n / (K^n + [A]^n) + 0.1 * vmax"; },
    { equation = "A -> S"; rate = <0.2|"0.2 um/s">; },
    { equation = "S -> B"; rate = "on * (t > T)"; in = "skin"; },
    { equation = "2 S -> S"; rate = <0.003|"0.003 um^2/s">; },
    { equation = "M -> 0"; propensity = "on * M * exp(-cue)"; } );
initial = ( { species = "A"; density = "c"; }, { species = "S"; density = <2|"2 /um^2">; },
    { species = "B"; count = <9|"9 molecules">; at = (0, <1.5|"1.5 um">, 1); },
    { species = "M"; value = 1; } );
events = ( { time = <1|"1000 ms">; every = <0.5|"0.5 s">; until = <2|"2 s">;
    set = { k = <0.25|"0.25 /s">; }; add = { species = "A"; density = <1|"1 /um^3">; }; } );
time = { end = <3|"0.05 min">; step = <0.05|"50 ms">; };
run = { seed = 3; };
"""
# what the exact solver can do
EXACT = """
grid = { voxels = (8, 6, 4); edge = <0.5|"500 nm">; };
parameters = { D = <0.25|"15 um^2/min">; k = <0.5|"30 /min">; };
species = ( { name = "A"; diffusion = "D"; }, { name = "B"; diffusion = "D / 2"; } );
reactions = ( { equation = "A + B -> 0"; rate = <0.02|"0.02 um^3/s">; },
    { equation = "0 -> A"; rate = <0.5|"0.5 /um^3/s">; }, { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "B"; density = <30.1107038|"50 nM">; } );
time = { end = <3|"0.05 min">; };
solver = "exact";
"""


def written(model, which):
    text = re.sub(r"<(.*?)\|(.*?)>", lambda m: m[which], model)
    return UNITS + text


def data(path):
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, x: found.update({name: np.asarray(x[()])})
                     if isinstance(x, h5py.Dataset) and not name.startswith("timing") else None)
    return found


def assert_same(a, b):
    one, other = data(a), data(b)
    assert one.keys() == other.keys()
    assert one["counts"].sum() > 0
    for name in one:
        if one[name].dtype.kind in "iuf":
            assert np.array_equal(one[name], other[name], one[name].dtype.kind == "f"), name


def units_give_the_same_bytes():
    for i, model in enumerate((MODEL, EXACT)):
        for which in (1, 2):
            pathlib.Path(f"m{i}{which}.cfg").write_text(written(model, which))
            cpu("run", f"m{i}{which}.cfg", "--output", f"m{i}{which}.h5", status=0)
        assert_same(f"m{i}1.h5", f"m{i}2.h5")


def each_quantity_alone_gives_the_same_bytes():
    n = len(re.findall(r"<.*?\|.*?>", MODEL))
    pathlib.Path("p.cfg").write_text(written(MODEL, 1))
    cpu("run", "p.cfg", "--set", "time.end=0.3", "--output", "p.h5", status=0)
    for only in range(n):
        at = itertools.count()
        text = re.sub(r"<(.*?)\|(.*?)>", lambda m: m[2 if next(at) == only else 1], MODEL)
        pathlib.Path("q.cfg").write_text(UNITS + text)
        cpu("run", "q.cfg", "--set", "time.end=0.3", "--output", f"q{only}.h5", status=0)
        assert_same("p.h5", f"q{only}.h5")


def again_and_resume_know_units():
    pathlib.Path("m.cfg").write_text(written(MODEL, 2))
    cpu("run", "m.cfg", status=0)
    rdsim("again", "m.h5", status=0)
    done = cpu("run", "m.cfg", "--resume", status=0)
    assert "complete" in done.stdout + done.stderr, done.stderr


def set_takes_units():
    text = written(MODEL, 1)
    pathlib.Path("s.cfg").write_text(text)
    sets = ("parameters.D=15 um^2/min", "parameters.k=30 /min", "time.end=0.05min",
            "grid.edge=500 nm", "parameters.on=0.25/s", "events[0].set.k=0.25 1/s",
            'initial[1].density="2 /um^2"')
    words = itertools.chain.from_iterable(("--set", s) for s in sets)
    cpu("run", "s.cfg", "--output", "a.h5", *words, status=0)
    cpu("run", "s.cfg", "--output", "b.h5", "--set", "parameters.on=0.25", status=0)
    assert_same("a.h5", "b.h5")


def sweeps_vary_quantities():
    pathlib.Path("base.cfg").write_text(written(MODEL, 2).replace('"0.05 min"', '"300 ms"'))
    values = {"list": '("30 /min", 0.25)', "series":
              '{ from = "30 /min"; to = "15 /min"; points = 2; }'}
    for name, text in values.items():
        pathlib.Path(f"{name}.cfg").write_text(
            f'base = "base.cfg"; vary = ( {{ path = "parameters.k"; values = {text}; }} );')
        rdsim("sweep", f"{name}.cfg", "--threads", "1", "--backend", "cpu", status=0)
    for i in (1, 2):
        assert_same(f"list/{i}.h5", f"series/{i}.h5")
    wrong = pathlib.Path("wrong.cfg")
    wrong.write_text('base = "base.cfg"; vary = ( { path = "parameters.k"; '
                     'values = { from = "1 /min"; to = "1 /s"; points = 2; }; } );')
    done = rdsim("sweep", "wrong.cfg", status=2)
    assert "have different units; give both the same" in done.stderr, done.stderr


if __name__ == "__main__":
    run_cases([units_give_the_same_bytes, each_quantity_alone_gives_the_same_bytes,
               again_and_resume_know_units, set_takes_units, sweeps_vary_quantities])
