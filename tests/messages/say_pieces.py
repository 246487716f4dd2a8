"""say_pieces - `rdsim check` warns about regions that confine a moving species and are not connected
by common faces of voxels, or have a boundary with steps."""
import os
import pathlib
import subprocess

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
BALL = """
grid = { voxels = (30, 30, 30); edge = 0.2; };
regions = ( { name = "ball"; sphere = { centre = (3, 3, 3); radius = 2.5; }; },
            { name = "outside"; complement = "ball"; },
            { name = "membrane"; touching = ("ball", "outside"); } );
species = ( { name = "A"; diffusion = 1.0; in = "membrane"; },
            { name = "B"; in = "membrane"; },
            { name = "C"; diffusion = 1.0; in = "ball"; } );
initial = ( { species = "A"; density = 1; in = "membrane"; } );
time = { end = 0.1; };
"""
SPLIT = """
grid = {{ voxels = (10, 4); edge = 1.0; walls = {{ {axis} = "periodic"; }}; }};
regions = ( {{ name = "ends"; where = "x < 2 or x > 7"; }} );
species = ( {{ name = "A"; diffusion = 1.0; in = "ends"; }} );
time = {{ end = 1.0; }};
"""


def warnings(text):
    pathlib.Path("m.cfg").write_text(text)
    done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in unwrapped(done.stdout).splitlines() if "pieces" in line]


def the_shell_of_a_ball_is_in_pieces():
    found = warnings(BALL)
    assert len(found) == 1 and found[0].startswith("warning     m.cfg:6: 'A' moves in 'membrane', "
                                                   "whose 1536 voxels form 134 pieces"), found


def periodic_walls_join_pieces():
    assert warnings(SPLIT.format(axis="x")) == []
    found = warnings(SPLIT.format(axis="y"))
    assert len(found) == 1 and "whose 20 voxels form 2 pieces" in found[0], found
    assert "(the largest has 12)" in found[0], found


def the_warning_says_what_to_do():
    found = warnings(BALL)
    assert found[0].endswith("unless this is meant, make the region thicker, or let the species live "
                             "on a surface (docs/keys.md)"), found
    text = BALL.replace("species = (", 'surfaces = ( { name = "skin"; of = "both"; } );\nspecies = ('
                        ).replace('"A"; diffusion = 1.0; in = "membrane"',
                                  '"A"; diffusion = 1.0; on = "skin"').replace(
        '{ name = "ball"; sphere = { centre = (3, 3, 3); radius = 2.5; }; }',
        '{ name = "ball"; sphere = { centre = (1.5, 3, 3); radius = 1; }; },'
        '{ name = "moon"; sphere = { centre = (4.5, 3, 3); radius = 1; }; },'
        '{ name = "both"; union = ("ball", "moon"); }').replace('; in = "membrane"; } );\ntime',
                                                              "; } );\ntime")
    found = warnings(text)
    assert len(found) == 2 and "; 2 pieces; exchanges with inside" in found[0], found
    assert found[1].endswith("'A' moves in 'skin', whose 2680 voxels form 2 pieces without a common "
                             "face (the largest has 1340), and no molecule leaves its piece; see "
                             "whether the boundary of the region has so many parts"), found


TUBE = """grid = {{ voxels = (40, 30, 24); edge = 0.1; }};
regions = ( {{ name = "tube"; cylinder = {{ from = (0.5, 1, 1); to = {end}; radius = {radius}; }}; }} );
species = ( {{ name = "A"; diffusion = 1.0; in = "tube"; }},
            {{ name = "B"; diffusion = 1.0; in = "tube"; }} );
initial = ( {{ species = "A"; count = 1; }}, {{ species = "B"; count = 1; }} );
time = {{ end = 1; }};
"""


def steps_of_tilted_regions_have_warnings():
    for end, radius, part in (("(3.5, 2.2, 1.6)", 0.25, "30 %"), ("(3.5, 1, 1)", 0.9, "")):
        pathlib.Path("m.cfg").write_text(TUBE.format(end=end, radius=radius))
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True,
                              timeout=600, check=True)
        found = [line for line in unwrapped(done.stdout).splitlines() if "has steps" in line]
        assert len(found) == bool(part), (end, found)
        assert not part or (f"m.cfg:3: 'A' moves in 'tube', whose boundary has steps of voxels: "
                            f"diffusion across the steps is up to about {part} slower") in found[0], found


CASES = [steps_of_tilted_regions_have_warnings, the_warning_says_what_to_do,
         the_shell_of_a_ball_is_in_pieces, periodic_walls_join_pieces]

if __name__ == "__main__":
    run_cases(CASES)
