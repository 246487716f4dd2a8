"""say_units - wrong quantities: units that are none, of the wrong dimension, in the wrong place."""
import pathlib
import re

from say_main import SOURCE, assert_message, rdsim, run_cases

MODEL = """units = { length = "um"; time = "s"; };
grid = { voxels = (8, 6, 4); edge = 0.5; origin = (0, 0, 0); };
parameters = { D = "1 um^2/s"; k = "2 /s"; c = "50 nM"; n = 2; plain = 3; };
regions = ( { name = "cell"; sphere = { centre = (2, 1.5, 1); radius = 1.0; }; },
    { name = "rest"; complement = "cell"; } );
surfaces = ( { name = "skin"; of = "cell"; } );
fields = ( { name = "cue"; value = 1; rate = "0.1 * k"; } );
species = ( { name = "A"; diffusion = "D"; drift = (0, 0, 0);
      walls = { xmin = { kind = "reservoir"; mean = 1; };
                xmax = { kind = "absorb"; probability = 0.5; }; }; },
    { name = "S"; diffusion = 0.1; on = "skin"; } );
borders = ( { from = "cell"; to = "rest"; pass = 0.5; } );
reactions = ( { equation = "A -> 0"; rate = "k"; },
    { equation = "2 A -> A"; rate = 0.1; },
    { equation = "A -> S"; rate = 0.1; },
    { equation = "2 S -> S"; rate = 0.1; },
    { equation = "0 -> A"; rate_law = "k * c * c^n / (c^n + [A]^n)"; },
    { equation = "A -> 0"; propensity = "k * A"; } );
initial = ( { species = "A"; density = "c"; in = "cell"; }, { species = "A"; count = 5; at = (1, 1, 1); },
    { species = "S"; density = 1; } );
events = ( { time = 0.5; every = 0.1; until = 0.8; set = { k = "1 /s"; n = 3; }; } );
time = { end = 1; step = 0.05; };
output = { every = 0.5; };
"""

# a setting, and the message: every key that has a dimension, and quantities that do not fit
WRONG = (
    ("species.A.diffusion=5 s", "species 'A': \"5 s\" is a time; diffusion is length^2/time, as \"0.5 um^2/s\""),
    ("species.A.diffusion=2 * k", "\"2 * k\" is 1/time; diffusion is length^2/time, as \"0.5 um^2/s\""),
    ("species.A.drift=(\"1 s\", 0, 0)", "\"1 s\" is a time; drift is length/time, as \"0.5 um/s\""),
    ("species.A.walls.xmin.mean=50 nM", "\"50 nM\" is molecules/volume; mean is a pure number, as 100"),
    ("species.A.walls.xmax.probability=1 s", "\"1 s\" is a time; probability is a pure number"),
    ("grid.edge=1 s", "\"1 s\" is a time; edge is a length, as \"0.5 um\""),
    ("grid.origin=(\"1 s\", 0, 0)", "origin is a length"),
    ("grid.voxels=(\"8 um\", 8, 8)", "\"8 um\" is a length; voxels is a pure number"),
    ("regions[0].sphere.radius=1 um^2", "\"1 um^2\" is an area; radius is a length"),
    ("regions[0].sphere.centre=(\"1 /um\", 1, 1)", "\"1 /um\" is molecules/length; centre is a length"),
    ("borders[0].pass=1 um", "pass is a pure number"),
    ("reactions[0].rate=5 s", "\"5 s\" is a time; rate is 1/time, as \"0.5 /s\""),
    ("reactions[1].rate=5 /s", "\"5 /s\" is 1/time; rate is volume/time, as \"1e6 /M/s\""),
    ("reactions[2].rate=5 /s", "\"5 /s\" is 1/time; rate is length/time, as \"0.5 um/s\""),
    ("reactions[3].rate=5 /M/s", "\"5 /M/s\" is volume/time; rate is length^2/time"),
    ("reactions[4].rate_law=k", "\"k\" is 1/time; rate_law is molecules/volume/time, as \"0.5 /um^3/s\""),
    ("reactions[5].propensity=c * A", "\"c * A\" is molecules/volume; propensity is 1/time"),
    ("reactions[5].propensity=k * A / (c + A)", "adds or compares molecules/volume and a pure number; "
     "write [A] for the density of A, or divide by volume"),
    ("reactions[0].rate=k * exp(D)", "has length^2/time as the argument of a function, which must be a "
     "pure number"),
    ("reactions[0].rate=k + D", "reaction 'A -> 0': rate: \"k + D\" adds or compares 1/time and "
     "length^2/time; give both the same dimension"),
    ("initial[0].density=5 /s", "\"5 /s\" is 1/time; density is molecules/volume, as \"50 nM\""),
    ("initial[2].density=50 nM", "\"50 nM\" is molecules/volume; density is molecules/area, as "
     "\"0.5 /um^2\""),
    ("initial[1].count=5 nM", "\"5 nM\" is molecules/volume; count is a pure number"),
    ("initial[1].at=(\"1 s\", 1, 1)", "at is a length"),
    ("events[0].set={ D = \"1 s\"; }", "\"1 s\" is a time; D is length^2/time"),
    ("events[0].time=1 um", "\"1 um\" is a length; time is a time, as \"0.5 s\""),
    ("events[0].every=1 um", "every is a time"),
    ("events[0].until=1 um", "until is a time"),
    ("events[0].set.k=5 s", "\"5 s\" is a time; k is 1/time"),
    ("events[0].set.k=D", "\"D\" is length^2/time; k is 1/time"),
    ("time.end=1 um", "\"1 um\" is a length; end is a time"),
    ("time.step=1 um", "step is a time"),
    ("output.every=1 um", "every is a time"),
    ("parameters.plain=37 \u00b0C", "value is \"37 \u00b0C\", and '\u00b0C' is not a unit; use units "
     "of the table in docs/units.md"),
    ("parameters.plain=5 foo", "'foo' is not a unit"),
    ("parameters.plain=5 s + 2", "'+' is not a unit"),
    ("parameters.plain=D + k", "parameter 'plain'"),
    ("parameters.plain=5 km", "'km' is not a unit"),
    ("species.A.diffusion=-1 um^2/s", "diffusion is -1; give a finite number >= 0"),
    ("time.end=1e308 d", "time: end is inf; give a finite number > 0"),
    ("parameters.plain=5 M/", "'/' is not a unit"),
    ("time.stop=t > 5 s", "a quantity stands alone; make \"5 s\" a parameter"),
    ("parameters.plain=n * 5 nM", "a quantity stands alone; make \"5 nM\" a parameter"),
    ("units.length=pixel", "\"1 um^2/s\" is a quantity, which cannot be converted, since units.length is "
     "\"pixel\" and units.time is \"s\"; give a plain number, or units of the table in docs/units.md"),
    ("units.time=\"\"", "units.length is \"um\" and units.time is \"\""),
    ("units.time=generations", "cannot be converted"),
    ("units.length=s", "units: length is \"s\", which is a time; give a unit of length, as \"um\", or "
     "a name that is not in the table in docs/units.md"),
    ("units.length=Hours", "units: length is \"Hours\", which is a time"),
    ("units.length=um^2", "units: length is \"um^2\", which is an area"),
    ("units.length=M", "units: length is \"M\", which is molecules/volume"),
    ("units.time=um", "units: time is \"um\", which is a length; give a unit of time, as \"s\""),
    ("units.time=m", "units: time is \"m\", which is a length"),
)

RIGHT = (
    "reactions[3].rate=5 um^2/s", "reactions[2].rate=5 um/s", "initial[2].density=5 /um^2",
    "reactions[0].rate=plain * k", "reactions[0].rate=plain", "reactions[0].rate=D / plain^2",
    "species.A.diffusion=plain", "parameters.plain=1", "reactions[0].rate=k * exp(-x / 10)",
    "reactions[0].rate=k * (1 + x / 10)", "events[0].set.n=4", "initial[0].density=2 * c",
    "reactions[1].rate=k / c", "initial[1].count=5 molecules", "time.step=50 ms",
    "reactions[5].propensity=0.1 * A", "reactions[5].propensity=k * A * (A - 1) / 2",
    "initial[0].density=5 / volume(cell)", "reactions[0].rate=k * (t > 0.5)",
)


def wrong_quantities():
    pathlib.Path("m.cfg").write_text(MODEL)
    rdsim("check", "m.cfg", status=0)
    for setting, message in WRONG:
        assert_message(rdsim("check", "m.cfg", "--set", setting, status=2), message)


def right_quantities():
    pathlib.Path("m.cfg").write_text(MODEL)
    for setting in RIGHT:
        rdsim("check", "m.cfg", "--set", setting, status=0)


def names_of_units_are_taken():
    for name in ("h", "d", "m", "s", "L", "M", "nM", "mol", "ms", "day", "um"):
        text = MODEL.replace("plain = 3;", f"plain = 3; {name} = 1;")
        pathlib.Path("m.cfg").write_text(text)
        assert_message(rdsim("check", "m.cfg", status=2), f"m.cfg:3: parameter '{name}': has the "
                       "name of a unit", "choose another name")
    plain = """grid = { voxels = 8; edge = "h"; };
parameters = { h = 0.5; s = 2; M = 3; };
species = ( { name = "A"; diffusion = "s / M"; } );
time = { end = 1; };
"""
    for units in ("", 'units = { length = "pixel"; time = "s"; };\n',
                  'units = { length = "um"; };\n'):
        pathlib.Path("p.cfg").write_text(units + plain)
        rdsim("check", "p.cfg", status=0)


def concentrations_need_three_dimensions():
    for voxels, axes, words in (("8", 1, "molecules/length, as \"0.5 /um\""),
                                ("(8, 8)", 2, "molecules/area, as \"0.5 /um^2\"")):
        text = f"""units = {{ length = "um"; time = "s"; }};
grid = {{ voxels = {voxels}; edge = 0.5; }};
parameters = {{ c = 3; }};
species = ( {{ name = "A"; }} );
reactions = ( {{ equation = "2 A -> 0"; rate = "c"; }} );
initial = ( {{ species = "A"; density = 2; }} );
time = {{ end = 1; }};
"""
        pathlib.Path("f.cfg").write_text(text)
        rdsim("check", "f.cfg", status=0)
        for setting in ("initial[0].density=50 nM", "reactions[0].rate=1e6 /M/s",
                        "parameters.c=50 nM"):
            assert_message(rdsim("check", "f.cfg", "--set", setting, status=2),
                           "has concentrations, which need three dimensions, and the grid has "
                           f"{axes}; densities here are {words}")
        rdsim("check", "f.cfg", "--set", f"initial[0].density=5 /um^{axes}",
              "--set", f"reactions[0].rate=5 um^{axes}/s", status=0)
    pathlib.Path("layer.cfg").write_text(text.replace("(8, 8)", "(8, 8, 1)"))
    rdsim("check", "layer.cfg", "--set", "initial[0].density=50 nM", status=0)


def names_of_the_model_win():
    """10 / M is a quotient where M is a species."""
    text = """units = { length = "um"; time = "s"; };
grid = { voxels = (8, 8, 8); edge = 0.5; };
species = ( { name = "M"; } );
reactions = ( { equation = "M -> 0"; propensity = "10 / M"; } );
initial = ( { species = "M"; value = 2; } );
time = { end = 1; };
"""
    pathlib.Path("n.cfg").write_text(text)
    done = rdsim("check", "n.cfg", status=0)
    assert "propensity 10 / M in each voxel" in done.stdout, done.stdout
    assert_message(rdsim("check", "n.cfg", "--set", "reactions[0].propensity=10 /M/s", status=2),
                   '"10 /M/s" is volume/time; propensity is 1/time')


def keys_without_a_dimension_take_any():
    """Fields, attributes and conditions of regions have no unit; their parts must fit."""
    text = """units = { length = "um"; time = "s"; };
grid = { voxels = (8, 8, 8); edge = 0.5; };
parameters = { w = "2 um"; c = "3 nM"; };
regions = ( { name = "left"; where = "x < w"; } );
fields = ( { name = "map"; value = "w * c"; } );
species = ( { name = "A"; individuals = { max = 9; attributes = ( { name = "v"; initial = "w"; } ); }; } );
reactions = ( { equation = "A -> 0"; rate = 1.0; weight = "v * w"; } );
initial = ( { species = "A"; count = 2; } );
time = { end = 1; };
"""
    pathlib.Path("a.cfg").write_text(text)
    rdsim("check", "a.cfg", status=0)
    for key in ("fields.map.value", "species.A.individuals.attributes.v.initial",
                "reactions[0].weight", "regions.left.where"):
        assert_message(rdsim("check", "a.cfg", "--set", f"{key}=w + c", status=2),
                       '"w + c" adds or compares a length and molecules/volume')


def the_page_lists_the_table():
    """Every symbol of docs/units.md with each prefix, and every word, is a unit."""
    page = (SOURCE / "docs" / "units.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|([^|]*)\|$", page, re.M)
    assert len(rows) == 11, rows
    names = []
    for symbol, _, prefixes, words in rows:
        names += [symbol] + [p + symbol for p in prefixes.split()] + \
            [w for w in re.split(", ", words.strip()) if w]
    pathlib.Path("m.cfg").write_text(MODEL)
    sets = [word for name in names for word in ("--set", f"parameters.plain=1 {name}")]
    assert len(names) > 50, names
    rdsim("check", "m.cfg", *sets, status=0)
    example = re.search(r"dimension must be that of its key:\n\n(.*?)\n\n\|", page, re.S)[1]
    pathlib.Path("e.cfg").write_text(re.sub("^    ", "", example, flags=re.M))
    done = rdsim("check", "e.cfg", status=0)
    assert "propensity 1.66053907 A B" in done.stdout, done.stdout


if __name__ == "__main__":
    run_cases([wrong_quantities, right_quantities, names_of_units_are_taken,
               concentrations_need_three_dimensions, names_of_the_model_win,
               keys_without_a_dimension_take_any, the_page_lists_the_table])
