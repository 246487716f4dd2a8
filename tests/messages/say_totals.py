"""say_totals - totals and sizes of regions in wrong places, and the message for each."""
import pathlib

from say_main import assert_message, rdsim, run_cases

MODEL = """grid = { voxels = (8, 8); edge = 1.0; };
parameters = { k = 1.0; area = 2.0; };
regions = (
    { name = "cell"; sphere = { centre = (4, 4); radius = 3.0; }; } );
surfaces = ( { name = "skin"; of = "cell"; } );
species = (
    { name = "A"; diffusion = 1.0; in = "cell"; },
    { name = "M"; diffusion = 0.1; on = "skin"; } );
reactions = (
    { equation = "A -> 0"; rate = "k * area / total(A)"; } );
initial = (
    { species = "A"; density = "10 / volume(cell)"; in = "cell"; },
    { species = "M"; count = 9; } );
time = { end = 1.0; };
"""

# what is changed, what to, and the message
WRONG = (
    ("k = 1.0", 'k = "1 / (voxels(cell) - 32)"', "m.cfg:2: parameter 'k': value is inf, since it "
     "divides by (voxels(cell) - 32), which is 0; give a finite number"),
    ("k = 1.0", 'k = "q"; q = "k + voxels(cell)"', "m.cfg:2: parameter 'k': depends on itself "
     "(k -> q -> k); give one of them a number"),
    ("k = 1.0", 'k = "volume(skin)"', "parameter 'k', value: 'volume(skin)', column 8: 'skin' is a "
     "surface, which has an area and no volume; use area(skin)"),
    ("k = 1.0", 'k = "volume(cel)"', "unknown region 'cel'; did you mean 'cell'?"),
    ("radius = 3.0", 'radius = "voxels(skin)"', "the size of 'skin' is not known yet"),
    ("total(A)", "total(A, skin)", "m.cfg:10: total(A, skin): A does not live on this surface; name "
     "a region that contains it, or a species that lives on the surface"),
    ("total(A)", "total(k)", "'k' is a parameter; expected the name of a species"),
    ("total(A)", "total(A, cel)", "unknown region 'cel'; did you mean 'cell'?"),
    ("volume(cell)", "volume(skin)", "'skin' is a surface, which has an area and no volume; use "
     "area(skin)"),
    ("volume(cell)", "area(cell)", "'cell' is no surface, so it has no area"),
    ("volume(cell)", "total(A)", "'total' is not allowed here; use only parameters, x, y, z"),
    ("end = 1.0", 'end = "total(A)"', "'total' is not allowed here; use only parameters"),
    ("diffusion = 1.0; in", 'diffusion = "0.01 * total(A)"; in', None),
)


def wrong_totals():
    for old, new, message in WRONG:
        for solver in ("split", "exact"):
            text = MODEL.replace(old, new, 1) + f'solver = "{solver}";\n'
            assert text.count(new) >= 1, new
            pathlib.Path("m.cfg").write_text(text)
            wanted = message or solver == "exact" and (
                '"exact" supports no diffusion or drift that changes with t or counts, as that of A '
                'does; use "split"')
            done = rdsim("check", "m.cfg", status=2 if wanted else 0)
            if wanted:
                assert_message(done, wanted)


def observables_have_different_names():
    for first, second in (('sum = "A"', 'value = "total(A)"'), ('value = "k"', 'sum = "A"'),
                          ('sum = "A"', 'sum = "M"'), ('value = "k"', 'value = "area"')):
        pathlib.Path("m.cfg").write_text(MODEL + f'observables = ( {{ name = "s"; {first}; }},\n'
                                         f'{{ name = "s"; {second}; }} );\n')
        assert_message(rdsim("check", "m.cfg", status=2),
                       "m.cfg:16: observable 's' is declared twice; rename one of them")


def circles_of_parameters_and_regions():
    wrong = ("uses 'k', which is computed from the size of a region, but regions and the grid are "
             "made first; use a parameter that needs no region")
    late = MODEL.replace("k = 1.0", 'k = "2 * q"; q = "voxels(cell)"; r = 3.0')
    for old, new, place in (("radius = 3.0", 'radius = "k"', "m.cfg:4: region 'cell': radius "),
                            ("edge = 1.0", 'edge = "k"', "m.cfg:1: grid: edge "),
                            ("sphere = { centre = (4, 4); radius = 3.0; }", 'where = "x < q + k"',
                             "m.cfg:4: region 'cell': where ")):
        pathlib.Path("m.cfg").write_text(late.replace(old, new))
        wanted = wrong.replace("'k'", "'q'") if "where" in place else wrong
        assert_message(rdsim("check", "m.cfg", status=2), place + wanted)
    pathlib.Path("m.cfg").write_text(late.replace("radius = 3.0", 'radius = "r"'))
    page = rdsim("check", "m.cfg", status=0).stdout
    pathlib.Path("m.cfg").write_text(MODEL.replace("k = 1.0", "k = 64"))
    same = rdsim("check", "m.cfg", status=0).stdout
    assert page == same and "propensity" in page, page


def a_division_by_no_molecules_is_reported():
    pathlib.Path("m.cfg").write_text(MODEL.replace("k * area / total(A)", "5 / (total(A) - 10)"))
    done = rdsim("check", "m.cfg", status=2)
    assert_message(done, "is negative or not a finite number at the start")


if __name__ == "__main__":
    run_cases([wrong_totals, observables_have_different_names, circles_of_parameters_and_regions,
               a_division_by_no_molecules_is_reported])
