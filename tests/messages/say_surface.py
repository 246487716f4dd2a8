"""say_surface - what `rdsim check` prints about surfaces, and the messages for wrong ones."""
import os
import pathlib
import subprocess

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """
grid = {{ voxels = ({n}); edge = 0.1; walls = {{ {walls} }}; }};
regions = ( {{ name = "cell"; {shape}; }}, {{ name = "outside"; complement = "cell"; }},
            {{ name = "shell"; touching = ("cell", "outside"); }} );
surfaces = ( {{ name = "membrane"; {surface} }}{more} );
species = ( {{ name = "A"; diffusion = 1.0; in = "cell"; }},
            {{ name = "O"; diffusion = 1.0; in = "outside"; }},
            {{ name = "M"; {species} }} );
reactions = ( {{ equation = "{equation}"; rate = 0.5; }} );
initial = ( {{ species = "A"; count = 10; }} );
time = {{ end = 0.1; }};
"""
USUAL = {"n": "20, 20, 20", "walls": "", "shape": "sphere = { centre = (1, 1, 1); radius = 0.8; }",
         "surface": 'of = "cell";', "more": "", "species": 'diffusion = 0.1; on = "membrane";',
         "equation": "A -> M"}
RESTING = """
grid = { voxels = (12, 12, 12); edge = 0.25; };
regions = ( { name = "cell"; sphere = { centre = (1.55, 1.5, 1.5); radius = 1; }; },
            { name = "outside"; complement = "cell"; },
            { name = "shell"; touching = ("cell", "outside"); } );
surfaces = ( { name = "membrane"; of = "cell"; } );
species = ( { name = "M"; diffusion = 0.2; on = "membrane"; }, { name = "N"; on = "membrane"; } );
reactions = ( { equation = "N -> 0"; rate = 1.0; } );
initial = ( { species = "N"; value = 3; }, { species = "M"; count = 100; } );
time = { end = 40; };
"""
# what is changed, and the message
WRONG = (
    ({"equation": "O -> M"}, "m.cfg:9: reaction 'O -> M': it can never happen: surface 'membrane' "
     '(side = "inside") has no voxel in which all its species live'),
    ({"species": 'in = "membrane";'}, "'membrane' is a surface; write on = \"membrane\""),
    ({"species": 'on = "membran";'}, "surface 'membran' is not declared; did you mean 'membrane'?"),
    ({"species": 'on = "rim";'}, "surface 'rim' is not declared; declare it in 'surfaces'"),
    ({"species": 'on = "cell";'}, "'cell' is a region, not a surface; write in = \"cell\""),
    ({"species": 'on = "membrane"; in = "cell";'}, "it has both 'on' and 'in'"),
    ({"species": 'on = "membrane"; drift = (1.0, 0, 0);'}, "drift on a surface is not possible"),
    ({"species": 'on = "membrane"; diffusion = (1.0, 1.0, 0);'},
     "diffusion on a surface is one number"),
    ({"species": 'on = "membrane"; diffusion = "x";'},
     "diffusion on a surface must be equal everywhere"),
    ({"species": 'on = "membrane"; individuals = { max = 4; attributes = ( { name = "u"; '
                 'initial = 0; } ); };'}, "species 'M': individuals cannot live on a surface"),
    ({"surface": 'of = "nucleus";'}, "region 'nucleus' is not declared"),
    ({"surface": 'of = "cell"; side = "up";'}, 'give "inside", "outside" or "both"'),
    ({"more": ', { name = "second"; of = "membrane"; }'},
     "'membrane' is a surface; name a region of the section 'regions'"),
    ({"more": ', { name = "cell"; of = "cell"; }'}, "region 'cell' is declared twice"),
    ({"shape": 'where = "1"', "equation": "A -> M"}, "region 'outside' contains no voxel"),
    ({"walls": 'x = "absorb";', "shape": 'where = "z < 1"'},
     "the surface 'membrane' reaches the wall xmin, which does not reflect; "
     'add rim = "reflect"'),
    ({"n": "20", "shape": 'where = "x < 1"'}, "a grid with one axis has no surfaces; use a region"),
)


def check(**changes):
    pathlib.Path("m.cfg").write_text(MODEL.format(**{**USUAL, **changes}))
    return subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)


def wrong_surfaces_are_refused():
    for changes, message in WRONG:
        done = check(**changes)
        assert done.returncode == 2, (changes, done)
        assert message in done.stderr, (changes, done.stderr)


def a_rim_ends_at_walls():
    done = check(walls='x = "absorb";', shape='where = "z < 1"',
                 surface='of = "cell"; rim = "reflect";')
    assert done.returncode == 0, done.stderr
    assert "surface     membrane: area 3.99596 around 'cell'" in done.stdout, done.stdout


def a_surface_of_a_plane_has_a_length():
    done = check(n="20, 20", shape="sphere = { centre = (1, 1); radius = 0.6; }")
    assert "surface     membrane: length 3.7" in done.stdout, done


def areas_and_rates_are_printed():
    done = check()
    line = next(x for x in unwrapped(done.stdout).splitlines() if x.startswith("surface"))
    assert "membrane: area 8.0" in line and "1 piece; exchanges with inside" in line, line
    warnings = [x for x in unwrapped(done.stdout).splitlines() if x.startswith("warning")]
    assert len(warnings) == 2 and "'A' moves in 'cell', whose boundary has steps" in warnings[0] and \
        "'O' occurs in no reaction" in warnings[1], warnings


def thin_regions_and_fast_exits_have_warnings():
    thin = unwrapped(check(surface='of = "shell";').stdout)
    assert "region 'shell' is less than 4 voxels thick somewhere" in thin, thin
    slow = unwrapped(check(equation="M -> A", species='on = "membrane"; diffusion = 1.0;').stdout)
    assert "leaves its surface" not in slow, slow
    fast = unwrapped(check(equation="M -> A", species='on = "membrane"; diffusion = 0.01;').stdout)
    assert "'M' leaves its surface after 2 on average, but takes 0.339" in fast, fast
    assert "changes are about 14 % slower" in fast, fast
    assert "or diffusion = 0, which has no delay" in fast, fast
    unmoved = unwrapped(check(equation="M -> A", species='on = "membrane"; diffusion = 0;').stdout)
    assert "leaves its surface" not in unmoved, unmoved


def fast_reactions_with_the_volume_have_warnings():
    # 10 molecules of A in 2176 voxels of 0.001, at rate 0.5
    fast = unwrapped(check(equation="M + A -> A",
                           species='on = "membrane"; diffusion = 0.01;').stdout)
    assert ("'M' reacts in 'M + A -> A' after 0.435 on average, at the densities of the start, but "
            "takes 0.339") in fast, fast
    few = unwrapped(check(equation="M + O -> O", surface='of = "cell"; side = "outside";',
                          species='on = "membrane"; diffusion = 0.01;').stdout)
    assert "reacts in" not in few, few


def fast_reactions_with_resting_molecules_have_warnings():
    # 3 of N in each of 144 voxels, on an area of 12.85: 33.6 in a unit of it
    for equation, rate, warning in (
            ("M -> N", 1.0, "'M' reacts in 'M -> N' after 1 on average, but takes"),
            ("M + N -> N", 0.05, "'M' reacts in 'M + N -> N' after 0.595 on average, at"),
            ("C + M -> N", 0.5, "'M' reacts in 'C + M -> N' after 0.2 on average, at"),
            ("M -> C", 9.0, ""), ("C -> M", 9.0, ""), ("M -> M + N", 1.0, ""),
            ("M -> 0", 1.0, ""), ("M -> N", 0.01, "")):
        text = RESTING.replace("N -> 0", equation).replace("rate = 1.0", f"rate = {rate}")
        text = text.replace("species = (", 'compartments = ( { name = "medium"; volume = 2; } );\n'
                            'species = ( { name = "C"; in = "medium"; },')
        text = text.replace("initial = (", 'initial = ( { species = "C"; count = 20; },')
        pathlib.Path("m.cfg").write_text(text.replace("diffusion = 0.2", "diffusion = 0.05"))
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True,
                              timeout=600, check=True)
        page = unwrapped(done.stdout)
        assert warning in page and ("changes are about" in page) == bool(warning), (equation, page)


def fast_uptake_has_warnings():
    # half an edge over D is 0.05; the surface has 10 of M on an area of 8.0
    for equation, warning in (("A -> M", "'A -> M' takes 'A' at 2 length/time, and diffusion across "
                               "half a voxel at 20: the uptake is up to 1.1 times too fast"),
                              ("A + M -> 0", "'A + M -> 0' takes 'A' at 2.4"),
                              ("A + M -> A", ""), ("M -> A", ""), ("A -> 0", "")):
        text = MODEL.format(**{**USUAL, "equation": equation}).replace("0.5;", "2.0;")
        text = text.replace("initial = (", 'initial = ( { species = "M"; count = 10; },')
        pathlib.Path("m.cfg").write_text(text)
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True,
                              timeout=600, check=True)
        page = unwrapped(done.stdout)
        assert warning in page and ("too fast" in page) == bool(warning), (equation, page)


def concentrations_on_a_surface_have_warnings():
    warning = "it reads [M], the number per volume of a voxel, which on a surface depends"
    for rate, warns in (("0.5 * [M]", True), ("0.5 * [A]", False), ("0.5 * M", False)):
        text = MODEL.format(**{**USUAL, "equation": "M -> A"}).replace("0.5;", f'"{rate}";')
        pathlib.Path("m.cfg").write_text(text)
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True,
                              timeout=600, check=True)
        assert (warning in unwrapped(done.stdout)) == warns, (rate, done.stdout)


def run_resting(more="", old="", new=""):
    pathlib.Path("resting.cfg").write_text(RESTING.replace(old, new, 1) + more)
    return subprocess.run([PROGRAM, "resting.cfg", "--force"], capture_output=True, text=True,
                          timeout=600, check=False)


def molecules_that_rest_are_where_they_react():
    assert run_resting().returncode == 0
    table = subprocess.run([PROGRAM, "table", "resting.h5", "--csv"], capture_output=True,
                           text=True, timeout=600, check=True).stdout.splitlines()
    assert table[1].endswith(",100,432") and table[-1].endswith(",100,0"), (table[1], table[-1])
    listed = run_resting("", "value = 3;", "value = 3; voxels = (222, 366);")
    assert listed.returncode == 2, listed
    assert "voxel number 222 holds no part of its surface" in listed.stderr, listed
    assert run_resting("", "value = 3;", "value = 3; voxels = (366);").returncode == 0
    for equation, place, status in (("M -> N", "", 2), ("M -> N", 'in = "cell";', 2),
                                    ("M -> N", 'in = "shell";', 0), ("N -> M", "", 0),
                                    ("M -> N", "voxel = (6, 6, 2);", 0),
                                    ("M -> N", "voxel = (6, 6, 1);", 2),
                                    ("M -> N", "voxels = (222, 366);", 2),
                                    ("M -> N", "voxels = (366);", 0)):
        done = run_resting(f'events = ( {{ time = 1; convert = {{ equation = "{equation}"; '
                           f"all = true; {place} }}; }} );")
        assert done.returncode == status, (equation, place, done)
        assert status == 0 or ("events[0]: may make 'N', which does not move, where 'membrane' "
                               "exchanges no molecules") in done.stderr, done
    for place, status in (("", 2), ('in = "shell";', 0)):
        done = run_resting("", "( { equation", '( { equation = "M -> N"; propensity = "M"; '
                           f"{place} }}, {{ equation")
        assert done.returncode == status, (place, done)
        assert status == 0 or ("reaction 'M -> N': may make 'N', which does not move, where "
                               "'membrane' exchanges no molecules") in done.stderr, done


def a_snapshot_has_no_resting_molecules_elsewhere():
    text = RESTING.replace('name = "N"; on = "membrane"', 'name = "N"')
    pathlib.Path("volume.cfg").write_text(text)
    subprocess.run([PROGRAM, "volume.cfg", "--force"], timeout=600, check=True)
    done = run_resting("", '{ species = "N"; value = 3; }',
                       '{ species = "N"; from = "volume.h5"; at_time = 0; }')
    assert done.returncode == 2, done
    assert "molecules of 'N' in voxel number" in done.stderr, done


def removals_may_find_no_molecule():
    for event in ('remove = { species = "N"; all = true; in = "outside"; }',
                  'divide = { stays = 0.5; in = "outside"; }'):
        done = run_resting(f"events = ( {{ time = 1; {event}; }} );")
        assert done.returncode == 0, (event, done)


CASES = [fast_uptake_has_warnings, a_surface_of_a_plane_has_a_length, wrong_surfaces_are_refused, a_rim_ends_at_walls,
         areas_and_rates_are_printed, thin_regions_and_fast_exits_have_warnings,
         fast_reactions_with_the_volume_have_warnings, molecules_that_rest_are_where_they_react,
         concentrations_on_a_surface_have_warnings,
         fast_reactions_with_resting_molecules_have_warnings,
         a_snapshot_has_no_resting_molecules_elsewhere, removals_may_find_no_molecule]

if __name__ == "__main__":
    run_cases(CASES)
