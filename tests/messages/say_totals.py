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
    ("k = 1.0", 'k = "3 / volume(cell)"', "m.cfg:2: parameter 'k', value: '3 / volume(cell)', column 12: "
     "the size of 'cell' is not known yet when this is computed; use it in fields, species, "
     "reactions, initial or events"),
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


def a_division_by_no_molecules_is_reported():
    pathlib.Path("m.cfg").write_text(MODEL.replace("k * area / total(A)", "5 / (total(A) - 10)"))
    done = rdsim("check", "m.cfg", status=2)
    assert_message(done, "is negative or not a finite number at the start")


if __name__ == "__main__":
    run_cases([wrong_totals, a_division_by_no_molecules_is_reported])
