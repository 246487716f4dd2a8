"""say_borders - what `rdsim check` prints about borders with a permeability, and wrong ones."""
import os
import pathlib
import subprocess

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """units = {{ length = "um"; time = "s"; }};
grid = {{ voxels = (16, 16, 16); edge = 0.25; origin = (-2, -2, -2); }};
parameters = {{ P = 0.05; fast = 0; }};
regions = ( {{ name = "cell"; sphere = {{ centre = (0.03, 0.01, 0.02); radius = 1.5; }}; }},
            {{ name = "medium"; complement = "cell"; }}, {{ name = "west"; where = "x < 0"; }},
            {{ name = "east"; complement = "west"; }} );
surfaces = ( {{ name = "membrane"; of = "cell"; }} );
borders = ( {{ {border} }} );
species = ( {{ name = "A"; {movement} }}, {{ name = "M"; on = "membrane"; diffusion = 0.1; }} );
initial = ( {{ species = "A"; count = 10; }}, {{ species = "M"; count = 10; }} );
time = {{ end = 1; }};
{more}"""
USUAL = {"border": 'between = ("cell", "medium"); permeability = 0.05;',
         "movement": "diffusion = 1.0;", "more": ""}
ACROSS = 'between = ("west", "east"); '
# what is changed, and the message
WRONG = (
    ({"border": 'between = ("cell", "medium"); permeability = 0.05; pass = 0.5;'},
     "m.cfg:8: borders[0]: has both pass and permeability; give one of them"),
    ({"border": 'between = ("cell", "medium");'},
     "m.cfg:8: borders[0]: has neither pass nor permeability; give one of them"),
    ({"border": 'between = ("cell", "medium"); permeability = -1;'}, "permeability is -1"),
    ({"border": 'between = ("cell", "medium"); permeability = "P - 1";'},
     "permeability is -0.95; give a finite number >= 0"),
    ({"border": 'between = ("cell", "medium"); permeability = "2 um^2/s";'},
     "permeability is length/time"),
    ({"border": ACROSS + "permeability = 0.05;"},
     "a permeability is not possible for 'M', which lives on a surface, which crosses the border; "
     "give this species a border of its own with pass"),
    ({"movement": 'individuals = { max = 10; }; diffusion = 1.0;'},
     "a permeability is not possible for 'A', which has individuals"),
    ({"movement": 'diffusion = "1 + t";'},
     "a permeability is not possible for 'A', which moves at rates that change"),
    ({"more": 'events = ( { when = "total(A) > 3"; set = { P = 1; }; } );',
      "border": 'between = ("cell", "medium"); permeability = "P";'},
     "permeability uses 'P', which an event sets in each run by itself"),
)


def run(*words, **changes):
    pathlib.Path("m.cfg").write_text(MODEL.format(**{**USUAL, **changes}))
    return subprocess.run([PROGRAM, *words, "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)


def border_of(done):
    assert done.returncode == 0, done.stderr
    return next(x for x in unwrapped(done.stdout).splitlines() if x.startswith("border"))


def wrong_permeabilities_are_refused():
    for changes, message in WRONG:
        done = run("check", **changes)
        assert done.returncode == 2, (changes, done)
        assert message in unwrapped(done.stderr), (changes, done.stderr)


def areas_are_printed():
    line = border_of(run("check", border='between = ("medium", "cell"); permeability = "50 nm/s";'))
    assert "all species pass with permeability 0.05 through an area of 28." in line, line
    line = border_of(run("check", border='between = ("cell", "medium"); pass = 0.1;'))
    assert "with probability 0.1 at faces of voxels with 1.52 times its area" in line, line
    line = border_of(run("check", border=ACROSS + "pass = 0.1;"))
    assert line.endswith("with probability 0.1"), line


def species_of_a_surface_along_the_border_are_not_limited():
    border = 'between = ("cell", "medium"); pass = 0; species = ("A", "M");'
    page = unwrapped(run("check", border=border).stdout)
    assert ("m.cfg:8: borders[0]: the border runs along the surface of 'M', and does not limit it; "
            "leave that species out") in page, page


def events_change_a_permeability():
    more = 'events = ( { time = 0.5; set = { P = VALUE; }; } );'
    border = 'between = ("cell", "medium"); permeability = "P";'
    assert run(border=border, more=more.replace("VALUE", "2")).returncode == 0
    done = run("--force", border=border, more=more.replace("VALUE", "-2"))
    assert done.returncode == 2 and "borders[0]: permeability is -2; give a number >= 0" in \
        unwrapped(done.stderr), done


CASES = [wrong_permeabilities_are_refused, areas_are_printed,
         species_of_a_surface_along_the_border_are_not_limited, events_change_a_permeability]

if __name__ == "__main__":
    run_cases(CASES)
