"""say_groups - the messages for wrong groups of an output, for wrong names of a group, and for
results whose groups differ."""
import shutil

import h5py

from say_main import assert_message, config, cpu, rdsim, run_cases

MODEL = """grid = { voxels = (4, 4); edge = 1.0; };
regions = ( { name = "left"; where = "x < 2"; } );
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; } );
time = { end = 2; };
"""
A = 'name = "a"; every = 1;'
# the output, and the message after "m.cfg:5: "
WRONG = (
    (f"( {{ {A} }}, {{ {A} }} )", "output 'a': is declared twice; rename one of them"),
    ("( { every = 1; }, { times = (1); } )",
     "output: has no name, like an earlier group; name one of them"),
    ("()", "output: is a list of 0 groups; give 1 to 64"),
    (f'( {{ {A} }}, {{ name = "b"; keep = "totals"; }} )',
     "output 'b': has neither every nor times; give one of them"),
    ('{ name = "b"; every = 1; times = (1, 2); }', "output 'b': has both every and times"),
    ('( { name = "b"; every = -1; } )', "output[0].every is -1; give a number or"),
    ('( { name = "b"; times = (1, 3); } )', "output 'b': time 3 is after the end, 2"),
    ('( { name = "counts"; every = 1; } )',
     "output 'counts': every result has its own /counts; choose another name for the group"),
    ('{ name = "provenance"; every = 1; }', "every result has its own /provenance"),
    ('{ name = "species_2"; every = 1; }', "every result has its own /species_2"),
    ('{ name = "two words"; every = 1; }', "output 'two words': is not a name; write a letter"),
    ('{ name = "a/b"; every = 1; }', "output 'a/b': is not a name; write a letter"),
    ('{ name = ""; every = 1; }', "is not a name; write a letter, then letters, digits or _"),
    ('{ name = "%s"; every = 1; }' % ("n" * 63), "has a name of 63 characters; use at most 62"),
    ('{ every = 1; species = ("A", "X"); }', "output: species 'X' is not declared"),
    ('{ every = 1; species = ("A", "A"); }', "output: 'A' stands twice in the list; name it once"),
    ("{ every = 1; species = (); }", "output.species is a list of 0; give a"),
    ('{ every = 1; regions = "right"; }', "output: region 'right' is not declared"),
    ('{ every = 1; regions = ("left", "left"); }', "output: 'left' stands twice in the list"),
    ("{ every = 1; regions = 3; }", "output.regions is 3; give a"),
    ('( { name = "a"; every = 1; file = "x.h5"; }, { name = "b"; every = 1; file = "y.h5"; } )',
     "output: file is given twice; all groups have one file, so give it once"),
    ('{ every = 1; file = ""; }', "output: file is empty; give a path"),
    ('{ every = 1; file = "-"; }', "output: file is '-', but a result is no stream; give a path"),
    ('( { name = "a"; evry = 1; } )', "'evry' is not a key of output[0]; did you mean 'every'?"),
    ('( 3 )', "output[0] is 3; give"),
    ('"a"', "output is \"a\"; give"),
    ("(%s)" % ", ".join('{ name = "g%d"; every = 1; }' % i for i in range(65)),
     "output: is a list of 65 groups; give 1 to 64"),
    ('( { name = "a"; every = 1; quantiles = (0.5, 0.1); } )',
     "output 'a': quantile 0.1 stands after 0.5"),
)


def wrong_groups_are_refused():
    for output, message in WRONG:
        done = rdsim("check", config("m.cfg", f"{MODEL}output = {output};\n"), status=2)
        assert_message(done, message)
        assert "m.cfg:5: " in done.stderr, done.stderr


def wrong_settings_are_refused():
    name = config("m.cfg", MODEL + f'output = ( {{ {A} }}, {{ name = "b"; every = 2; }} );\n')
    for words, message in (
            ("output.c.every=1", "the configuration has no 'c' in output; add it"),
            ("output.every=1", "the configuration has no 'every' in output"),
            ("output[2].every=1", "output has no element [2]; choose one of its 2 elements"),
            ("output.a=1", "'output.a' has no key after it; add '.' and a key"),
            ("output.a.evry=1", "'evry' is not a key of output[0]; did you mean 'every'?"),
            ("output.a.name=b", "output 'b': is declared twice")):
        assert_message(rdsim("check", name, "--set", words, status=2), message)
    for words in ("output.a.every=0.5", "output[1].keep=totals", "output.file=there.h5"):
        rdsim("check", name, "--set", words, status=0)
    alone = config("m.cfg", MODEL + f"output = {{ {A} }};\n")
    for words in ("output.a.every=0.5", "output.every=0.5", "output[0].every=0.5"):
        page = rdsim("check", alone, "--set", words, status=0).stdout
        assert "            a: 5 times, " in page, page


def a_region_has_not_the_name_of_a_data_set():
    done = rdsim("check", config("m.cfg", MODEL.replace('"left"', '"totals"')), status=2)
    assert_message(done, "m.cfg:2: region 'totals': results have their own /regions/totals; choose")


def differences_name_their_group():
    config("m.cfg", MODEL + 'output = ( { every = 1; }, { name = "late"; every = 2; } );\n'
           'initial = ( { species = "A"; count = 100; } );\n')
    for seed in "12":
        cpu("m.cfg", "--seed", seed, "--output", f"{seed}.h5", status=0)
    done = rdsim("diff", "1.h5", "2.h5", status=1)
    sets = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert [name for name in sets if name.endswith("/counts")] == ["/late/counts", "/counts"], sets


def tables_have_the_group_with_most_totals():
    """A group beside the unnamed one is not taken in its place, unless it has more times."""
    for first, second, n in ((1, 2, 3), (2, 1, 3)):
        config("m.cfg", f"{MODEL}output = ( {{ every = {first}; }}, "
               f'{{ name = "late"; every = {second}; }} );\n')
        cpu("m.cfg", "--force", "--output", "groups.h5", status=0)
        page = rdsim("table", "groups.h5", "--csv", status=0).stdout
        assert len(page.splitlines()) == 1 + n, page


def a_sweep_keeps_the_names_of_groups():
    """Of no group with a name, of one beside the unnamed one, of one alone, and of two."""
    late, few = '{ name = "late"; every = 2; }', '{ name = "few"; every = 1; }'
    config("s.cfg", 'base = "m.cfg"; repeats = 2; vary = ( { path = "time.end"; values = (2.0); } );\n')
    for groups, names in (("{ every = 1; }", None), (f"( {{ every = 1; }}, {late} )", "late"),
                          (late, "late"), (f"( {late}, {few} )", "late few")):
        config("m.cfg", f"{MODEL}output = {groups};\n")
        shutil.rmtree("s", ignore_errors=True)
        cpu("sweep", "s.cfg", "--progress", "none", status=0)
        rdsim("sweep", "s.cfg", "--collect", "all.h5", "--force", status=0)
        with h5py.File("all.h5") as all_tasks:
            assert all_tasks.attrs.get("output_groups") == names, (groups, dict(all_tasks.attrs))
            for name in (names or "").split():
                assert all_tasks[f"{name}/totals"].shape[:2] == (1, 2), name


def the_root_names_a_single_run_and_species():
    """A root without snapshots names runs, species, voxels and reactions, also if there is one."""
    config("m.cfg", 'grid = { voxels = 1; edge = 1.0; }; species = ( { name = "A"; label = "a"; } );\n'
           'reactions = ( { equation = "0 -> A"; rate = 1.0; } ); time = { end = 1; };\n'
           'output = ( { name = "late"; every = 1; } );\n')
    cpu("m.cfg", "--force", status=0)
    with h5py.File("m.h5") as file:
        assert list(file["species"].asstr()) == ["A"] and list(file["species_label"].asstr()) == ["a"]
        assert list(file["reaction"].asstr()) == ["0 -> A"] and list(file["run"]) == [0], list(file)
        assert [len(file[axis]) for axis in "xyz"] == [1, 1, 1]


CASES = [wrong_groups_are_refused,
         a_sweep_keeps_the_names_of_groups,
         the_root_names_a_single_run_and_species,
         tables_have_the_group_with_most_totals,
         differences_name_their_group,
         wrong_settings_are_refused,
         a_region_has_not_the_name_of_a_data_set]


if __name__ == "__main__":
    run_cases(CASES)
