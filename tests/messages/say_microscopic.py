"""say_microscopic - the messages for wrong reactions with rate_model = "microscopic"."""
import os
import pathlib
import subprocess

from say_main import run_cases

PROGRAM = os.environ["RDSIM_PROGRAM"]
CUBES = "(8, 8, 8)"
MODEL = """grid = {{ voxels = {voxels}; edge = {edge}; }};
species = ( {{ name = "A"; diffusion = 1; }}, {{ name = "B"; diffusion = 1; }},
            {{ name = "M"; diffusion = "x"; }} );
reactions = ( {{ {reaction} }}{more} );
time = {{ end = 10; }};
"""
# the grid, the reaction, another one, and the message
WRONG = (
    ("(8, 8)",
     'equation = "A -> 0"; rate = 1; radius = 2;',
     '',
     'has radius, which belongs to rate_model = "microscopic"; add that, or '
     'leave'),
    ("(8, 8)",
     'equation = "A -> 0"; rate = 1; rate_model = "mass_action"; reverse = '
     '"0 -> A";',
     '',
     'has reverse, which belongs to rate_model = "microscopic"'),
    ("(8, 8)",
     'equation = "A + B -> 0"; rate = 1; rate_model = "microscopic"; radius '
     '= 0.1;',
     '',
     "m.cfg:4: reaction 'A + B -> 0': rate_model is \"microscopic\", which is "
     'for cubes in three dimensions; take such a grid, or give'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1;',
     '',
     "m.cfg:4: reaction 'A + B -> 0': rate_model is \"microscopic\", and "
     'radius is missing'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1; radius '
     '= "1 - 2";',
     '',
     "reaction 'A + B -> 0': radius is -1; give a finite number > 0"),
    (CUBES,
     'rate_model = "microscopic"; equation = "A -> 0"; rate = 1; radius = '
     '0.1;',
     '',
     'which is for two molecules that meet, not 1; leave it out'),
    (CUBES,
     'rate_model = "microscopic"; equation = "2 A + B -> 0"; rate = 1; '
     'radius = 0.1;',
     '',
     'which is for two molecules that meet, not 3; leave it out'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate_law = "[A]";'
     ' radius = 0.1;',
     '',
     'which has no propensity and no rate_law; give the intrinsic rate as '
     'rate'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = "x"; '
     'radius = 0.1;',
     '',
     'whose rate is a constant, not "x"; use parameters only'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + M -> 0"; rate = 1; radius '
     '= 0.1;',
     '',
     'but the movement of M is not the same everywhere and always; make it '
     'constant'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1; radius '
     '= 0.1; reverse = "0 -> A";',
     '',
     "m.cfg:4: reaction 'A + B -> 0': reverse is '0 -> A', which does not "
     'lead back; write'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1; radius '
     '= 0.1; reverse = "0 -> B + A";',
     '',
     "reverse is '0 -> B + A', and there are 0 such reactions; there must be"
     ' one'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1; radius '
     '= 0.1; reverse = "0 -> B + A";',
     ', { equation = "0 -> A + B"; propensity = 1; }',
     "reverse is '0 -> B + A', which has no rate; give it a rate constant of"
     ' its own'),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 2 B"; rate = 1; '
     'radius = 0.1; reverse = "2 B -> A + B";',
     ', { equation = "2 B -> A + B"; rate = 1; rate_model = "microscopic"; '
     'radius = 1; }',
     "reverse is '2 B -> A + B', which is corrected otherwise; give it"),
    (CUBES,
     'rate_model = "microscopic"; equation = "A + B -> 0"; rate = 1; radius '
     '= 0.1; reverse = "0 -> D";',
     '',
     "equation '0 -> D', column 6: species 'D' is not declared"),
)


# the voxels and the edges
REFUSED_GRIDS = (("(8, 8)", "1.0"), ("(1, 8, 8)", "1.0"), ("(8, 1, 8)", "1.0"), ("(8, 8, 1)", "1.0"),
                 ("(8, 8, 8)", "(2.0, 1.0, 1.0)"), ("(8, 8, 8)", "(1.0, 2.0, 1.0)"),
                 ("(8, 8, 8)", "(1.0, 1.0, 2.0)"))


def check(voxels, reaction, more="", edge="1.0"):
    pathlib.Path("m.cfg").write_text(MODEL.format(voxels=voxels, edge=edge, reaction=reaction,
                                                  more=more))
    return subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)


def wrong_reactions_are_refused():
    for voxels, reaction, more, message in WRONG:
        done = check(voxels, reaction, more)
        assert done.returncode == 2, (reaction, done)
        assert message in done.stderr, (reaction, done.stderr)


def only_cubes_in_three_dimensions_are_accepted():
    pair = 'equation = "A + B -> 0"; rate = 1; rate_model = "microscopic"; radius = 0.1;'
    for voxels, edge in REFUSED_GRIDS:
        done = check(voxels, pair, edge=edge)
        assert done.returncode == 2, (voxels, edge, done)
        assert "which is for cubes in three dimensions; take such a grid" in done.stderr, done
    done = check("(2, 2, 2)", pair, edge="(0.5, 0.5, 0.5)")
    assert done.returncode == 0, done


def reactions_on_surfaces_are_refused():
    """Tests a pair on a surface, and one of the volume that reacts on it."""
    for reaction in ('equation = "2 M -> 0";', 'equation = "2 A -> 0"; in = "skin";'):
        pathlib.Path("m.cfg").write_text(f"""grid = {{ voxels = (12, 12, 12); edge = 1; }};
regions = ( {{ name = "cell"; sphere = {{ centre = (6, 6, 6); radius = 3.5; }}; }} );
surfaces = ( {{ name = "skin"; of = "cell"; }} );
species = ( {{ name = "A"; diffusion = 1; }}, {{ name = "M"; on = "skin"; diffusion = 1; }} );
reactions = ( {{ {reaction} rate = 1; rate_model = "microscopic"; radius = 0.01; }} );
time = {{ end = 1; }};
""")
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True)
        assert done.returncode == 2, done
        assert ("which is for two molecules in a volume, not on the surface 'skin'; leave "
                "rate_model out") in done.stderr, done.stderr


if __name__ == "__main__":
    run_cases([wrong_reactions_are_refused, only_cubes_in_three_dimensions_are_accepted,
               reactions_on_surfaces_are_refused])
