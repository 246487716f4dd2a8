"""say_rates - `rdsim check` prints the effective rate of two molecules that must meet, and warns if it
is far below the rate."""
import json
import os
import pathlib
import subprocess

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """
grid = { voxels = VOXELS; edge = EDGE; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; } );
reactions = ( { equation = "A + B -> 0"; rate = 0.5; },
              { equation = "2 A -> 0"; rate = "0.25 * x"; } );
initial = ( { species = "A"; count = 100; }, { species = "B"; count = 100; } );
time = { end = 1.0; };
"""


def checked(voxels, edge, *words):
    pathlib.Path("m.cfg").write_text(MODEL.replace("VOXELS", voxels).replace("EDGE", edge))
    done = subprocess.run([PROGRAM, "check", "m.cfg", *words], capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return unwrapped(done.stdout)


def small_voxels_slow_reactions():
    page = checked("(32, 32, 32)", "0.02")
    assert ("effective   A + B -> 0: rate 0.1202, 24 % of 0.5, for one pair in a large lattice\n"
            "effective   2 A -> 0: not known, since its rate is an expression\n") in page, page
    assert ("warning     m.cfg:4: 'A + B -> 0' happens at 24 % of its rate for one pair in a large "
            "lattice; take voxels of edge 0.57 or more, or see docs/voxels.md\n") in page, page
    assert "24 %" not in checked("(32, 32, 32)", "0.6"), "voxels are large"
    assert "of its rate" not in checked("(32, 32, 32)", "0.58"), "90.2 %"
    assert "happens at 89.9 % of its rate" in checked("(32, 32, 32)", "0.56")


def three_slow_reactions_are_named():
    for products, named, last in (
            (("A", "B", "2 A", "2 B"), ["A", "B", "2 A"],
             "warning     2 more reactions happen at less than 90 % of their rate\n"),
            (("A", "B"), ["A", "B", "0"], None)):
        more = "".join(f'{{ equation = "A + B -> {p}"; rate = 0.5; }}, ' for p in products)
        text = MODEL.replace("reactions = ( ", "reactions = ( " + more)
        pathlib.Path("m.cfg").write_text(
            text.replace("VOXELS", "(32, 32, 32)").replace("EDGE", "0.02"))
        done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True,
                              timeout=600, check=False)
        page = unwrapped(done.stdout)
        assert [line.split("'")[1] for line in page.splitlines() if "happens at 24 %" in line] == [
            f"A + B -> {product}" for product in named], page
        assert last in page if last else "more reactions happen" not in page, page


def a_square_depends_on_its_size():
    page = checked("(32, 32)", "0.02")
    assert ("effective   A + B -> 0: rate 0.4347, 86.9 % of 0.5, for one pair in a periodic square of "
            "this size\n") in page, page
    assert "periodic square of this size; see docs/voxels.md\n" in page, page
    assert "rate 0.4934, 98.7 % of 0.5, for one pair on a periodic line of this length" in checked(
        "32", "0.02")


def surfaces_have_no_formula():
    """The equation's rate is a constant; the reason is where it happens."""
    pathlib.Path("m.cfg").write_text("""
grid = { voxels = (16, 16, 16); edge = 0.1; };
regions = ( { name = "ball"; sphere = { centre = (0.8, 0.8, 0.8); radius = 0.5; }; } );
surfaces = ( { name = "skin"; of = "ball"; } );
species = ( { name = "A"; diffusion = 1.0; on = "skin"; }, { name = "B"; diffusion = 1.0; on = "skin"; } );
reactions = ( { equation = "A + B -> 0"; rate = 0.5; } );
initial = ( { species = "A"; count = 100; }, { species = "B"; count = 100; } );
time = { end = 1.0; };
""")
    done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)
    line = "effective   A + B -> 0: not known, since it happens on a surface\n"
    assert line in unwrapped(done.stdout), done


def json_has_the_rates():
    page = json.loads(checked("(32, 32, 32)", "0.02", "--json"))
    first, second = page["effective_rates"]
    assert first["reaction"] == "A + B -> 0" and first["rate"] == 0.5, first
    assert abs(first["effective"] - 0.120226) < 1e-5 and first["why"] is None, first
    assert second == {"reaction": "2 A -> 0", "rate": None, "effective": None,
                      "why": "its rate is an expression"}, second
    assert any("'A + B -> 0' happens at 24 %" in w["text"] for w in page["warnings"]), page


def molecules_that_touch_have_their_own_rate():
    """1 / (1 / k_r + 1 / (4 pi D s)) = .2507 for s = .02, k_r = .5, D = 2; h* = 3.176 s / (1 + 4 pi D s
    / k_r) = .03168; and V / 4 k with 1 / k = 1 / .2507 - .252731 / (D h)."""
    page = checked("(8, 8, 8)", "0.08", "--set", 'reactions[0].rate_model="microscopic"', "--set",
                   "reactions[0].radius=0.02")
    assert ("effective   A + B -> 0: rate 0.2507, as of molecules that touch at 0.02 and then react at "
            "0.5; voxels must be larger than 0.03168, and the split solver needs a step of at most "
            "0.000308\n") in page, page
    assert "of its rate" not in page, page


def faults_name_the_reaction():
    """A reaction that has a name is called by it, at the start and during the run."""
    text = MODEL.replace("VOXELS", "(4, 4)").replace("EDGE", "1.0").replace(
        'rate = "0.25 * x"', 'name = "pairs"; rate = "RATE"')
    for rate in ("1 - x", "0.5 - t"):
        pathlib.Path("m.cfg").write_text(text.replace("RATE", rate))
        done = subprocess.run([PROGRAM, "m.cfg", "--force"], capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode in (1, 2), done
        assert "the propensity of reaction 'pairs' is negative" in done.stderr, done.stderr


CASES = [small_voxels_slow_reactions, three_slow_reactions_are_named, a_square_depends_on_its_size, surfaces_have_no_formula,
         json_has_the_rates, molecules_that_touch_have_their_own_rate, faults_name_the_reaction]

if __name__ == "__main__":
    run_cases(CASES)
