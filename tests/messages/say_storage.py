"""say_storage - tests messages about `store`: lists in models that have none, and unknown words."""
from say_main import assert_message, config, cpu, run_cases

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


def refused(*parts, before="", a="", b=""):
    path = config("storage.cfg", MODEL.format(before=before, a=a, b=b))
    assert_message(cpu(path, status=2), "storage.cfg:5", *parts)


def lists_that_do_not_work_are_refused():
    refused("store = \"list\" of 'A' does not work with solver = \"exact\"; set \"auto\"",
            before='solver = "exact";')
    refused("'A' does not work with individuals", b="individuals = { max = 9; };")
    refused("'A' does not work with a reservoir",
            a='walls = { xmin = { kind = "reservoir"; mean = 1.0; }; };')


def a_reservoir_of_another_species_does_not_matter():
    walls = 'walls = { xmin = { kind = "reservoir"; mean = 1.0; }; };'
    cpu(config("beside.cfg", MODEL.format(before="", a="", b=walls)), status=0)


def a_changing_diffusivity_is_refused():
    changing = MODEL.replace("diffusion = 0.5; {b}", 'diffusion = "0.1 + 0.1 * A";')
    done = cpu(config("changing.cfg", changing.format(before="", a="")), status=2)
    assert_message(done, "'A' does not work with a diffusivity or drift that changes")


def other_words_are_refused():
    wrong = MODEL.replace('"list"', '"sparse"').format(before="", a="", b="")
    assert_message(cpu(config("wrong.cfg", wrong), status=2), "store", "auto", "grid", "list")


CASES = [lists_that_do_not_work_are_refused, a_reservoir_of_another_species_does_not_matter,
         a_changing_diffusivity_is_refused, other_words_are_refused]

if __name__ == "__main__":
    run_cases(CASES)
