"""say_page - the form of the report of `rdsim check`: lines of at most 100 columns, warnings last,
and the figures in units of the field."""
import json
import os
import pathlib
import subprocess

from say_main import PROGRAM, SOURCE, rdsim, run_cases, unwrapped

UNITS = """units = { length = "nm"; time = "ms"; };
grid = { voxels = (8, 8, 8); edge = "100 nm"; };
species = ( { name = "A"; diffusion = "0.5 um^2/s"; }, { name = "B"; diffusion = "1 um^2/s"; },
    { name = "C"; } );
reactions = ( { equation = "A + B -> C"; rate = "1e6 /M/s"; }, { equation = "C -> A + B";
    rate = "2 /s"; }, { equation = "0 -> A"; rate = "10 nM/s"; } );
initial = ( { species = "A"; density = "50 nM"; }, { species = "B"; count = 512; } );
time = { end = "1 s"; };
"""


def assert_form(page, place):
    lines = page.splitlines()
    for line in lines:
        assert len(line) <= 100, f"{place}: {len(line)} columns: {line}"
    first = next((i for i, x in enumerate(lines) if x.startswith("warning ")), len(lines))
    for line in lines[first:]:
        assert line.startswith(("warning ", "            ")), f"{place}: after a warning: {line}"


def reports_of_all_models_are_narrow():
    models = [*sorted((SOURCE / "configs").glob("*.cfg")),
              *sorted((SOURCE / "tests" / "models").glob("*/*.cfg"))]
    n = 0
    here = os.getcwd()
    os.chdir(SOURCE)
    for model in models:
        if (SOURCE / "tests/models/fuzz") in model.parents or "sweep" in model.name:
            continue
        done = rdsim_check(model.relative_to(SOURCE))
        if done.returncode == 0:
            assert_form(done.stdout, model)
            n += 1
    os.chdir(here)
    assert n > 40, n


def events_are_listed():
    """Each event stands in the report: when it happens, and all that it does."""
    for model, expected in (
            ("configs/everything.cfg", (
                "at t = 1, every 1 until 5: add dose drug in wide",
                "at t = 3: set bind to 0; set push to 0; remove 100 receptor",
                "at t = 6: set bind to 0.02 * t / 6; remove all P in nucleus; remove all complex; "
                "add 2 per voxel P in fibre; add 0.5 per volume drug; "
                "add 20 cargo in voxel (20, 12, 3)",
                "at t = 7: remove 10 motor")),
            ("tests/models/physics/event_shares.cfg", (
                "at t = 1: remove 0.21 of all F; divide: each D stays with probability 0.3; "
                "convert each P to Q with probability 0.4; convert 30 C to E",)),
            ("tests/models/physics/thresholds.cfg", (
                "once total(A) >= 10: set k to 3 * k; add 1 B",
                "each time that total(A) >= 15: divide: each A stays with probability 0.5"))):
        page = subprocess.run([PROGRAM, "check", "--json", "-", model], cwd=SOURCE, timeout=600,
                              capture_output=True, text=True, check=True).stdout
        found = json.loads(page)["report"]["event"]
        assert found == list(expected), f"{model}: {found}"


def rdsim_check(model):
    return subprocess.run([PROGRAM, "check", str(model)], capture_output=True, text=True,
                          timeout=600, check=False)


def long_words_stay_whole():
    name = "A>=" + "0" * 110 + "9"
    title = " ".join(("\u00e4" * 4, "\u00e9" * 30, "\u00f6" * 60, "\u00fc" * 10))
    pathlib.Path("m.cfg").write_text(f"""title = "{title}";
grid = {{ voxels = 4; edge = 1; }};
parameters = {{ unused = 2; }};
species = ( {{ name = "A"; diffusion = 1; }} );
reactions = ( {{ equation = "A -> 0"; rate = "{" + ".join(["0.001"] * 40)}"; }} );
time = {{ end = 5; step = 4; stop = "{name}"; }};
""")
    done = rdsim("check", "m.cfg", status=0)
    report = json.loads(rdsim("check", "m.cfg", "--json", status=0).stdout)["report"]
    lines = [line[12:] for line in unwrapped(done.stdout).splitlines()]
    for texts in report.values():
        for text in texts:
            assert text in lines, text
    assert all(len(x) <= 100 or name in x for x in done.stdout.splitlines()), done.stdout


def figures_are_in_units_of_the_field():
    pathlib.Path("u.cfg").write_text(UNITS)
    page = unwrapped(rdsim("check", "u.cfg", status=0).stdout)
    for line in ("            diffusivity 500 nm^2/ms = 0.5 um^2/s; mean time to cross a voxel 10 ms = "
                 "0.01 s (h^2/2D)",
                 "            rate 1660.54 nm^3/ms = 1e+06 1/(M s)",
                 "            rate 0.002 /ms = 2 /s",
                 "            rate 6.02214e-12 /nm^3/ms = 10 nM/s",
                 "initial     A: density 3.01107e-08 /nm^3 = 50 nM",
                 "initial     B: density 1e-06 /nm^3 = 1661 nM"):
        assert line in page.splitlines(), f"{line} not in\n{page}"
    assert "rate 1656 = 9.972e+05 1/(M s), 99.7 % of 1660.54" in page, page
    report = json.loads(rdsim("check", "u.cfg", "--json", status=0).stdout)
    one = report["diffusivities"][0]
    assert one["species"] == "A" and one["unit"] == "nm^2/ms" and one["crossing_time"] == 10
    assert one["axes"] == "xyz", one
    assert one["value"] == 500 and abs(one["usual_value"] - 0.5) < 1e-15, one
    assert [x["usual_unit"] for x in report["rates"]] == ["1/(M s)", "/s", "nM/s"], report["rates"]
    assert abs(report["densities"][0]["usual_value"] - 50) < 1e-13, report["densities"]
    pathlib.Path("p.cfg").write_text("""grid = { voxels = (8, 4); edge = (2, 0.5); };
species = ( { name = "A"; diffusion = 0.5; } );
time = { end = 1; };
""")
    page = rdsim("check", "p.cfg", status=0).stdout
    assert "            diffusivity 0.5; mean time to cross a voxel 0.25 to 4 (h^2/2D)" in page, page


def axes_differ():
    """Each axis has its diffusivity, and a strong drift makes the time to cross a voxel shorter."""
    cases = (  # diffusion, drift, the line without its end, and axes, diffusivity and time in JSON
        ("(0.5, 0.25)", "(0, 0)", "x 0.5, y 0.25; mean time to cross a voxel 0.5 to 4 (h^2/2D)",
         [("x", 0.5, 4), ("y", 0.25, 0.5)]),
        ("(0.5, 0)", "(0, 0)", "x 0.5, y 0; mean time to cross a voxel 4 (h^2/2D)",
         [("x", 0.5, 4), ("y", 0, None)]),
        ("1", "(3, 0.1)",
         "1; mean time to cross a voxel 0.125 to 0.666667 (h^2/2D, with D >= |v|h/2)",
         [("xy", 1, 2 / 3)]),
        ("0", "(-1, 0)", "0; mean time to cross a voxel 2 (h^2/2D, with D >= |v|h/2)",
         [("xy", 0, 2)]),
        ("1", "(\"x\", 0)", "1; mean time to cross a voxel at most 2 (h^2/2D)", [("xy", 1, 2)]))
    for diffusion, drift, line, expected in cases:
        pathlib.Path("d.cfg").write_text(f"""grid = {{ voxels = (8, 4); edge = (2, 0.5); }};
species = ( {{ name = "A"; diffusion = {diffusion}; drift = {drift}; }} );
time = {{ end = 1; }};
""")
        page = unwrapped(rdsim("check", "d.cfg", status=0).stdout)
        assert f"            diffusivity {line}" in page.splitlines(), f"{line} not in\n{page}"
        found = json.loads(rdsim("check", "d.cfg", "--json", status=0).stdout)["diffusivities"]
        assert len(found) == len(expected), found
        for one, (axes, value, time) in zip(found, expected):
            assert one["axes"] == axes and one["value"] == value, (one, axes)
            assert one["crossing_time"] == time or abs(one["crossing_time"] - time) < 1e-12, one


if __name__ == "__main__":
    run_cases([events_are_listed, reports_of_all_models_are_narrow, long_words_stay_whole,
               figures_are_in_units_of_the_field, axes_differ])
