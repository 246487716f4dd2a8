"""say_storage - tests messages about `store`: lists in models that have none, and unknown words."""
import h5py

from say_main import assert_message, config, cpu, rdsim, run_cases

MODEL = """
grid = {{ voxels = (4, 3); edge = 1.0; }};
{before}
species = (
    {{ name = "A"; store = "list"; diffusion = 0.5; {a} }},
    {{ name = "B"; diffusion = 0.5; {b} }}
);
initial = ( {{ species = "A"; count = 3; }} );
time = {{ end = 1; step = 0.1; }};
"""


CHANGING = MODEL.replace("diffusion = 0.5; {b}", 'diffusion = "0.1 + 0.1 * A";')
FIELD = 'fields = ( {{ name = "cue"; value = 0; rate = "mean_x({})"; }} );'


def refused(*parts, before="", a="", b=""):
    path = config("storage.cfg", MODEL.format(before=before, a=a, b=b))
    assert_message(cpu(path, status=2), "storage.cfg:5", *parts)


def lists_that_do_not_work_are_refused():
    one = config("storage.cfg", MODEL.format(before='solver = "exact";', a="", b=""))
    assert_message(cpu(one, "--set", "grid.voxels=(1,1)", status=2), "storage.cfg:5",
                   "store = \"list\" of 'A' does not work with solver = \"exact\" in one voxel; set")
    refused("'A' does not work with individuals", a="individuals = { max = 9; };")
    refused("'A' does not work with a reservoir",
            a='walls = { xmin = { kind = "reservoir"; mean = 1.0; }; };')
    refused("'A' does not work with its mean position in an expression", before=FIELD.format("A"))


def another_species_does_not_matter():
    """Tests what gives a column to B only."""
    walls = 'walls = { xmin = { kind = "reservoir"; mean = 1.0; }; };'
    individuals = "individuals = { max = 9; };"
    for before, b in ("", walls), (FIELD.format("B"), ""), ("", individuals):
        path = config("beside.cfg", MODEL.format(before=before, a="", b=b))
        cpu(path, "--force", status=0)
        assert "lists of the voxels' molecules for 1 species; arrays over all voxels for 1: B (" \
            in page(path)


def a_changing_diffusivity_gives_a_column():
    path = config("changing.cfg", CHANGING.format(before="", a="", b=""))
    assert "for 1: B (a diffusivity or drift that changes)" in page(path)
    refused("'A' does not work with a diffusivity or drift that changes", a='drift = ("t", 0);')
    refused("'A' does not work with its slope in an expression", b='drift = ("slope_x(A)", 0);')


def other_words_are_refused():
    wrong = MODEL.replace('"list"', '"sparse"').format(before="", a="", b="")
    assert_message(cpu(config("wrong.cfg", wrong), status=2), "store", "auto", "grid", "list")


SOURCES = """
grid = { voxels = (6, 5, 4); edge = 1.0; };
regions = ( { name = "left"; where = "x < 2"; }, { name = "low"; where = "z < 1"; } );
fields = ( { name = "food"; value = "1"; rate = "-0.1 * food * A"; in = "low"; },
           { name = "still"; value = "x"; } );
species = ( { name = "A"; store = "list"; diffusion = 0.5; },
            { name = "B"; store = "list"; diffusion = 0.5; }, { name = "C"; } );
reactions = ( { equation = "0 -> A"; rate = 0.2; in = "left"; name = "birth"; },
              { equation = "0 -> B"; rate = 0.1; in = "low"; name = "growth"; },
              { equation = "A -> C"; rate = 1; }, { equation = "A + C -> B"; rate = 1; } );
time = { end = 2; step = 0.1; };
run = { seed = 3; };
"""


def page(*args):
    return " ".join(rdsim("check", *args, status=0).stdout.split())


def check_names_what_visits_voxels_without_molecules():
    path = config("sources.cfg", SOURCES)
    text = page(path)
    assert "lists of the voxels' molecules for 2 species; arrays over all voxels for 1: C (" in text
    assert "visits, whatever they contain, 30 voxels of low for field 'food' twice, " \
        "40 voxels of left for 'birth', 30 voxels of low for 'growth'; 130 visits in all" in text, text
    text = page(config("everywhere.cfg", SOURCES.replace(' in = "low"; name = "g', ' name = "g')))
    assert "visits, whatever they contain, 120 voxels for 'growth', 30 voxels of low for field" in text
    text = page(config("none.cfg", MODEL.format(before="", a="", b="")))
    assert "lists of the voxels' molecules for 1 species; arrays" in text and "visits" not in text


def many_species_have_arrays_for_a_reason():
    many = ", ".join(f'{{ name = "S{i}"; }}' for i in range(64))
    text = MODEL.format(before="", a="", b="").replace("species = (", f"species = ( {many},", 1)
    assert "storage lists of the voxels' molecules for 66 species" in page(config("many.cfg", text))
    text = text.replace('store = "list";', "")
    for before, storage in (
            ('diffusion = "0.1 + 0.1 * B";', "lists of the voxels' molecules for 65 species; arrays "
             "over all voxels for 1: A (a diffusivity or drift that changes)"),
            ("individuals = { max = 9; };", "lists of the voxels' molecules for 65 species; arrays "
             "over all voxels for 1: A (individuals)")):
        path = config("many.cfg", text.replace("diffusion = 0.5;", before, 1))
        assert f"storage {storage} " in page(path), page(path)
    path = config("many.cfg", FIELD.format("S0") + text.replace(
        "diffusion = 0.5;", "individuals = { max = 9; };", 1))
    assert "over all voxels for 2: A (individuals), S0 (its mean position" in page(path), page(path)


def sources_in_regions_reach_empty_voxels():
    text = SOURCES.replace('name = "C"; ', 'name = "C"; store = "list"; ')
    cpu(config("listed.cfg", text), status=0)
    cpu(config("arrays.cfg", text.replace('store = "list"; ', "")), status=0)
    rdsim("diff", "listed.h5", "arrays.h5", status=0)


POOL = SOURCES.replace('species = (', """compartments = ( { name = "pool"; volume = 2.0; } );
species = ( { name = "P"; in = "pool"; }, { name = "Q"; in = "pool"; store = "list"; },""").replace(
    "reactions = (", """reactions = ( { equation = "C <-> P"; rate = 2; back = 1; },
              { equation = "P <-> Q"; rate = 2; back = 1; },""")


def compartments_have_lists():
    """Tests that an exchange gives columns, and that the molecules of a compartment, which stand in
    voxel 0 of the regions there, are in no total of these."""
    cpu(config("listed.cfg", POOL), status=0)
    cpu(config("arrays.cfg", POOL.replace('store = "list"; ', "")), status=0)
    rdsim("diff", "listed.h5", "arrays.h5", status=0)
    with h5py.File("listed.h5") as file:
        species = list(file["species"].asstr()).index("Q")
        of = dict(zip(file["region"].asstr(), file["regions/totals"][0, -1, :, species]))
    assert of["pool"] > 0 and of["left"] == of["low"] == 0, of
    text = page("listed.cfg")
    assert "for 3 species; arrays over all voxels for 2: C (an exchange with a compartment), P (an " \
        "exchange with a compartment)" in text, text
    for name in "P", "C":
        wrong = POOL.replace('store = "list"; ', "").replace(
            f'name = "{name}"; ', f'name = "{name}"; store = "list"; ')
        assert_message(cpu(config("wrong.cfg", wrong), status=2),
                       f"'{name}' does not work with an exchange with a compartment; set \"auto\"")


def exchanged_species_are_in_lists_of_the_exact_solver():
    """Tests that the exact solver needs no columns for an exchange."""
    exact = "--set", "solver=exact", "--set", "fields=()"
    text = POOL
    for name in "P", "C":
        text = text.replace(f'name = "{name}"; ', f'name = "{name}"; store = "list"; ')
    cpu(config("listed.cfg", text), *exact, status=0)
    cpu(config("arrays.cfg", text.replace('store = "list"; ', "")), *exact, status=0)
    rdsim("diff", "listed.h5", "arrays.h5", status=0)
    assert "arrays over all voxels" not in page("listed.cfg", *exact)


CASES = [check_names_what_visits_voxels_without_molecules, many_species_have_arrays_for_a_reason,
         sources_in_regions_reach_empty_voxels, lists_that_do_not_work_are_refused, another_species_does_not_matter,
         compartments_have_lists, exchanged_species_are_in_lists_of_the_exact_solver,
         a_changing_diffusivity_gives_a_column, other_words_are_refused]

if __name__ == "__main__":
    run_cases(CASES)
