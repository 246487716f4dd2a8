"""say_export - what `rdsim export` writes and refuses: the documents are valid and make the round
trip, files are never replaced, and what SBML cannot say is named with its line, all at once."""
import pathlib
import re
import xml.etree.ElementTree

from say_main import SOURCE, assert_message, rdsim, run_cases
from sbml_models import lacks_sbml

CORE = "{http://www.sbml.org/sbml/level3/version1/core}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
START = ('grid = { voxels = 1; edge = 2.0; };\nparameters = { k = 0.5; n = 3; };\n'
         'species = ( { name = "A"; }, { name = "B"; } );\n')
END = 'time = { end = 1; };\n'
PLAIN = START + 'reactions = ( { equation = "A + B -> 2 A"; rate = "k"; } );\n' + END


def export(text, *words):
    """Returns the root of the document of a configuration."""
    pathlib.Path("m.cfg").write_text(text)
    return xml.etree.ElementTree.fromstring(rdsim("export", "m.cfg", *words, status=0).stdout)


def refuse(text, *messages):
    """Fails unless export refuses the configuration with all these messages: each a line and words.
    """
    pathlib.Path("m.cfg").write_text(text)
    done = rdsim("export", "m.cfg", status=2)
    assert not done.stdout, done.stdout
    for words in messages:
        assert_message(done, *words)
    assert done.stderr.count("\n") == len(messages), done.stderr


def formula(math):
    """Returns MathML as a text."""
    tag = math.tag.replace(MATH, "")
    if tag in ("cn", "ci", "csymbol"):
        return math.text
    parts = [formula(part) for part in math]
    return f"{parts[0]}({', '.join(parts[1:])})" if tag == "apply" else tag + (
        f"({', '.join(parts)})" if parts else "")


def laws(root):
    return [formula(law[0][0]) for law in root.iter(CORE + "kineticLaw")]


def mass_action():
    root = export(PLAIN.replace('"A + B -> 2 A"', '"3 A + B -> 2 A"'))
    assert laws(root) == [
        "divide(times(k, A, minus(A, 1), minus(A, 2), B), times(voxel, voxel, voxel))"], laws(root)
    assert laws(export(PLAIN.replace("A + B", "0"))) == ["times(k, voxel)"]
    assert laws(export(PLAIN.replace("A + B", "2 B"))) == [
        "divide(times(k, B, minus(B, 1)), voxel)"]
    assert laws(export(PLAIN.replace("A + B", "B"))) == ["times(k, B)"]
    assert next(root.iter(CORE + "compartment")).get("size") == "2"


def laws_by_expression():
    law = PLAIN.replace('"A + B -> 2 A"', '"0 -> A"').replace('rate = "k"', 'propensity = "LAW"')
    for written, expected in {
            "k * [A] + t": "plus(times(k, divide(A, voxel)), t)",
            "1.5e-7 * A": "times(0.00000015, A)", "2.5e12 * A": "times(2500000000000, A)",
            "1.5e25 * A": f"times(15{'0' * 24}, A)", "1e24 * A": f"times(1{'0' * 24}, A)",
            "-1.25e-3 * A": "times(minus(0.00125), A)", "123.25 * A": "times(123.25, A)",
            "1e-4": "0.0001", "max(A, 1)": "most_of(A, 1)", "x": "1",
            "A > 1": "piecewise(piece(1, gt(A, 1)), otherwise(0))",
            "if(A, 2, if(B < 3, 4, 5))":
                "piecewise(piece(2, neq(A, 0)), piece(4, lt(B, 3)), otherwise(5))",
            "if(A and not B, 2, 3)": "piecewise(piece(2, and(neq(A, 0), not(neq(B, 0)))), "
                                     "otherwise(3))",
            "(A or B) * 2": "times(piecewise(piece(1, or(neq(A, 0), neq(B, 0))), otherwise(0)), 2)",
            " + ".join(["A"] * 900) + " - B": f"minus(plus({', '.join(['A'] * 900)}), B)",
            "volume * ln(n) ^ -A": "times(voxel, power(ln(n), minus(A)))"}.items():
        found = laws(export(law.replace("LAW", written)))
        assert found == [expected], (written, found)


def laws_are_0_without_reactants():
    """A run does not evaluate a propensity where a reactant is missing; a document says so."""
    for equation, law, expected in (
            ("A + B -> A", "k * A * B", "times(k, A, B)"),
            ("A + B -> 2 A", "k * A / (A + B)", "piecewise(piece(divide(times(k, A), plus(A, B)), geq(B, 1)), otherwise(0))"),
            ("2 A -> B", "k * A * (A - 1)", "times(k, A, minus(A, 1))"),
            ("2 A -> B", "k * A ^ 2", "piecewise(piece(times(k, power(A, 2)), geq(A, 2)), otherwise(0))"),
            ("A + B -> 2 A", "if(A >= 1 and B >= 3, k * t, 0)",
             "piecewise(piece(times(k, t), and(geq(A, 1), geq(B, 3))), otherwise(0))"),
            ("3 A -> B", "if(A >= 2, k, 0)",
             "piecewise(piece(piecewise(piece(k, geq(A, 2)), otherwise(0)), geq(A, 3)), otherwise(0))")):
        text = PLAIN.replace("A + B -> 2 A", equation).replace('rate = "k"', f'propensity = "{law}"')
        assert laws(export(text)) == [expected], (equation, law, laws(export(text)))


def totals():
    text = START.replace('"B"; }', '"B"; in = "c"; }') + (
        'compartments = ( { name = "c"; volume = 3; }, { name = "d"; volume = "2 * n"; } );\n'
        'reactions = ( { equation = "A -> 0"; '
        'propensity = "A * (total(B) + total(B, c))"; } );\n') + END
    root = export(text)
    assert laws(root) == ["times(A, plus(B, B))"], laws(root)
    assert [c.get("size") for c in root.iter(CORE + "compartment")] == ["2", "3", "6"]
    assert [a.get("symbol") for a in root.iter(CORE + "initialAssignment")] == ["d"]


def modifiers_are_named():
    root = export(PLAIN.replace('"A + B -> 2 A"', '"0 -> A"').replace('"k"', '"k * B * B / (1 + A)"'))
    found = [m.get("species") for m in root.iter(CORE + "modifierSpeciesReference")]
    assert found == ["B"], found
    # each reaction names its own, once, and not its reactants and products
    rate = 'propensity = "k * [B] * B"; }'
    root = export(START.replace('"B"; }', '"B"; }, { name = "C"; }') + "reactions = ( "
                  + ", ".join(f'{{ equation = "{sides}"; {rate}' for sides in (
                      "0 -> A", "0 -> C", "0 -> B", "B -> 0", "A -> 0", "A -> B", "C -> A")) + " );" + END)
    found = [[m.get("species") for m in x.iter(CORE + "modifierSpeciesReference")]
             for x in root.iter(CORE + "reaction")]
    assert found == [["B"], ["B"], [], [], ["B"], [], ["B"]], found
    root = export(PLAIN.replace('"A + B -> 2 A"', '"0 -> A"').replace('rate = "k"', 'propensity = "k * [B]"'))
    assert [m.get("species") for m in root.iter(CORE + "modifierSpeciesReference")] == ["B"]


def an_amount_at_the_start():
    root = export(PLAIN + 'initial = ( { species = "A"; count = "2 * n"; }, '
                  '{ species = "A"; count = 4; }, { species = "B"; density = 2.5; } );\n')
    assert [s.get("initialAmount") for s in root.iter(CORE + "species")] == ["10", "5"]
    assert [formula(a[0][0]) for a in root.iter(CORE + "initialAssignment")] == [
        "plus(times(2, n), 4)"]


def events_at_intervals():
    event = 'events = ( { name = "e"; time = 0.3; every = 0.1; until = 0.6; set = { k = "k / 2"; }; } );'
    root = export(PLAIN + event)
    assert formula(next(root.iter(CORE + "trigger"))[0][0]) == (
        "and(geq(t, plus(0.3, times(0.1, e_count))), lt(e_count, 4))")
    assert [(a.get("variable"), formula(a[0][0])) for a in root.iter(CORE + "eventAssignment")] == [
        ("k", "divide(k, 2)"), ("e_count", "plus(e_count, 1)")]
    constant = {p.get("id"): p.get("constant") for p in root.iter(CORE + "parameter")}
    assert constant == {"k": "false", "n": "true", "e_count": "false"}, constant


def amounts_of_events_follow_what_they_set():
    event = ('events = ( { when = "total(A) > 2"; set = { k = "n"; n = "k + 1"; }; '
             'remove = { species = "A"; all = true; }; convert = { equation = "B -> A"; count = "n"; }; '
             'add = { species = "A"; count = "k"; }; } );')
    root = export(PLAIN.replace("0.5", "2") + event)
    assert formula(next(root.iter(CORE + "trigger"))[0][0]) == "and(gt(A, 2), eq(E1_count, 0))"
    assert {a.get("variable"): formula(a[0][0]) for a in root.iter(CORE + "eventAssignment")} == {
        "k": "n", "n": "plus(k, 1)", "A": "plus(k, 1, n)", "B": "minus(B, plus(k, 1))",
        "E1_count": "plus(E1_count, 1)"}


def amounts_of_events_are_molecules():
    """Tests means of events, and that the settings of an event count in its own amounts only."""
    events = ('events = ( { time = 0.3; set = { k = 2; }; add = ( { species = "A"; density = 2.5; }, '
              '{ species = "A"; count = "2 * k"; }, { species = "B"; value = 4; } ); }, '
              '{ time = 0.4; set = { n = "k * 2"; }; } );')
    found = [(a.get("variable"), formula(a[0][0]))
             for a in export(PLAIN + events).iter(CORE + "eventAssignment")]
    assert found == [("k", "2"), ("A", "plus(A, 5, times(2, 2))"), ("B", "plus(B, 4)"), ("n", "times(k, 2)")], found


def simultaneous_events_have_an_order():
    """Tests that those at times come before those with conditions, each in the order of the file;
    SBML takes the highest priority first."""
    events = ('events = ( { name = "w"; when = "k > 1"; set = { n = 1; }; }, '
              '{ name = "a"; time = 0.5; set = { k = 2; }; }, '
              '{ name = "b"; time = 0.5; set = { k = "k + n"; }; }, '
              '{ name = "v"; when = "n < 2"; set = { k = 0; }; } );')
    ranks = {e.get("name"): int(formula(e.find(CORE + "priority")[0][0]))
             for e in export(PLAIN + events).iter(CORE + "event")}
    assert sorted(ranks, key=ranks.get, reverse=True) == ["a", "b", "w", "v"], ranks
    assert len(set(ranks.values())) == 4, ranks
    alone = export(PLAIN + 'events = ( { time = 0.5; set = { k = 2; }; } );')
    assert next(alone.iter(CORE + "event")).find(CORE + "priority") is None


def texts_are_escaped():
    root = export('title = "a < b & \\"c\\" α";\n' + PLAIN.replace(
        '{ name = "A"; }', '{ name = "A"; label = "A\'<>&\\tx"; }'))
    assert root[0].get("name") == 'a < b & "c" α', root[0].attrib
    assert next(root.iter(CORE + "species")).get("name") == "A'<>& x"


def units():
    root = export('units = { length = "um"; time = "h"; };\n' + PLAIN)
    found = {u.get("id"): dict(u[0][0].attrib) for u in root.iter(CORE + "unitDefinition")}
    assert found["volume"] == {"kind": "metre", "exponent": "3", "scale": "-6", "multiplier": "1"}
    assert found["time"]["multiplier"] == "3600"
    assert root[0].get("timeUnits") == "time" and root[0].get("substanceUnits") == "item"
    root = export('units = { length = "pixel"; time = "frame"; };\n' + PLAIN)
    assert root[0].get("timeUnits") is None


def space():
    refuse(PLAIN.replace("voxels = 1", "voxels = (4, 3)"), ("m.cfg:1: grid.voxels: has 12 voxels",))
    refuse(PLAIN.replace("voxels = 1", "voxels = 4").replace('"A"; }', '"A"; diffusion = 1; }'),
           ("m.cfg:1: grid.voxels",), ("m.cfg:3: species 'A': moves",))
    refuse(PLAIN.replace("voxels = 1", "voxels = 4").replace('"A"; }', '"A"; drift = 1; }'),
           ("m.cfg:1: grid.voxels",), ("m.cfg:3: species 'A': moves",))
    refuse(PLAIN.replace("voxels = 1", "voxels = (6, 6)") + 'regions = ( { name = "r"; box = { from = (0, 0); '
           'to = (6, 6); }; }, { name = "s"; complement = "r"; } ); surfaces = ( { name = "m"; of = "r"; } );\n'
           'borders = ( { between = ("r", "s"); pass = 0.5; } );', ("m.cfg:1: grid.voxels",),
           ("m.cfg:6: region 'r': is a part of space",), ("m.cfg:6: region 's': is a part of space",),
           ("m.cfg:6: surface 'm': is a part of space",), ("m.cfg:7: borders[0]: is a part of space",))
    # species of compartments are in no voxel
    export('grid = { voxels = 4; edge = 2.0; }; species = ( { name = "A"; in = "c"; } );\n'
           'compartments = ( { name = "c"; volume = 3; } );' + END)
    refuse(PLAIN + 'regions = ( { name = "r"; box = { from = 0; to = 2; }; } );',
           ("m.cfg:6: region 'r': is a part of space",))
    refuse(PLAIN + 'fields = ( { name = "f"; value = 1; rate = "k"; } );', ("m.cfg:6: field 'f'",))
    walls = 'walls = { xmin = "absorb"; xmax = { kind = "reservoir"; mean = 2; }; }; }'
    refuse(PLAIN.replace('"A"; }', '"A"; diffusion = 1; ' + walls),
           ("m.cfg:3: species 'A': is absorbed at xmin",), ("m.cfg:3:", "a reservoir at xmax"))


def motion_in_one_voxel_is_noted():
    text = PLAIN.replace('"A"; }', '"A"; diffusion = 1; }')
    pathlib.Path("m.cfg").write_text(text)
    done = rdsim("export", "m.cfg", status=0)
    assert_message(done, "warning: m.cfg:3: species 'A': its motion is left out")
    assert not rdsim("export", "m.cfg", "--quiet", status=0).stderr


def reactions_that_change_nothing():
    """SBML has no reactions without species."""
    nothing = '{ name = "idle"; equation = "0 -> 0"; rate = 1.0; }'
    text = START + f"reactions = ( {nothing} );\n" + END
    pathlib.Path("m.cfg").write_text(text)
    done = rdsim("export", "m.cfg", status=0)
    assert_message(done, "warning: m.cfg:4: reaction 'idle': is left out, since it changes nothing")
    assert "listOfReactions" not in done.stdout
    assert laws(export(PLAIN.replace("reactions = (", f"reactions = ( {nothing},"))) == [
        "divide(times(k, A, B), voxel)"]


def individuals():
    refuse(PLAIN.replace('"B"; }', '"B"; individuals = { max = 5; }; }'),
           ("m.cfg:3: species 'B': has individuals",))
    refuse(PLAIN.replace('"B"; }', '"B"; diffusion = "u"; individuals = { max = 5; attributes = ( '
                         '{ name = "u"; initial = 1; } ); }; }').replace("voxels = 1", "voxels = 2"),
           ("m.cfg:1: grid.voxels: has 2 voxels",), ("m.cfg:3: species 'B': has individuals",),
           ("m.cfg:3: species 'B': moves",))


def random_numbers():
    refuse(PLAIN + 'initial = ( { species = "A"; density = 2; spread = "poisson"; },\n'
           '{ species = "B"; density = 1.1; } );',
           ("m.cfg:6: initial[0]: draws a Poisson number of 'A'",),
           ("m.cfg:7: initial[1]: the mean number of 'B' is not whole",))
    take = 'events = ( { time = 0.5; remove = { species = "A"; fraction = 0.5; }; },\n' \
           '{ time = 0.5; remove = { species = "A"; probability = 0.5; }; },\n' \
           '{ when = "t > 0.7"; divide = { stays = 0.5; }; } );'
    refuse(PLAIN + take, ("m.cfg:6: events[0]: takes a fraction",),
           ("m.cfg:7: events[1]: takes each molecule with a probability",),
           ("m.cfg:8: events[2]", "of 'A'"), ("m.cfg:8: events[2]", "of 'B'"))
    refuse(PLAIN + 'events = ( { time = 0.5; set = { k = 1; }; add = { species = "A"; value = "k"; }; } );',
           ("m.cfg:6: events[0]: the mean number of 'A' is a quantity that may change",))


def numbers_of_other_files():
    refuse(PLAIN.replace('"k"; } );', '"k * look(f, 1)"; } );')
           + 'tables = { f = { values = (1, 2, 3); }; };',
           ("m.cfg:6: table 'f': SBML has no tables",))
    pathlib.Path("one.cfg").write_text(PLAIN)
    rdsim("one.cfg", "--force", status=0)
    refuse(PLAIN + 'initial = ( { species = "A"; from = "one.h5"; } );',
           ("m.cfg:6: initial[0]: numbers from 'one.h5' depend on the run; give counts",))
    large = '{ species = "A"; count = 1073741824; }'
    refuse(PLAIN + f"initial = ( {large}, {large} );",
           ("m.cfg:3: species 'A': begins with 2147483648 molecules, and a voxel holds at most",))
    export(PLAIN + f'initial = ( {large}, {large.replace("4; }", "3; }")} );')


def stop_conditions():
    refuse(PLAIN.replace("end = 1;", 'end = 1; stop = "A > 3";'), ("m.cfg:5: time.stop: ends runs",))


def reactions_of_other_kinds():
    refuse(START.replace("voxels = 1", "voxels = (2, 2, 2)").replace('"A"; }', '"A"; diffusion = 1; }')
           + 'reactions = ( { equation = "A + B -> 0"; rate = 0.1; rate_model = "microscopic"; '
           'radius = 0.1; } );\n' + END, ("grid.voxels",), ("species 'A'",),
           ("m.cfg:4: reaction 'A + B -> 0': has a microscopic rate",))
    text = START.replace('"B"; }', '"B"; in = "c"; }') + (
        'compartments = ( { name = "c"; volume = 3; } );\nreactions = ( { equation = "A <-> B"; '
        'rate = 2; back = 1; rate_model = "instant"; } );\n') + END
    refuse(text, ("m.cfg:5: reaction 'A -> B': is instant",), ("m.cfg:5: reaction 'B -> A'",))


def all_at_once():
    refuse(PLAIN.replace("voxels = 1", "voxels = 2").replace("end = 1;", 'end = 1; stop = "A > 3";')
           .replace('"B"; }', '"B"; individuals = { max = 5; }; }')
           + 'fields = ( { name = "f"; value = 1; } );',
           ("grid.voxels",), ("species 'B'",), ("field 'f'",), ("time.stop",))


def wrong_inputs():
    pathlib.Path("m.cfg").write_text(PLAIN.replace("end = 1", "ende = 1"))
    assert_message(rdsim("export", "m.cfg", status=2), "m.cfg:5:", "ende")
    assert_message(rdsim("export", "none.cfg", status=2), "none.cfg: cannot be opened")
    assert_message(rdsim("export", status=2), "CONFIG is missing")
    assert_message(rdsim("export", "a.cfg", "b.cfg", status=2), "takes one CONFIG")
    assert_message(rdsim("export", "m.cfg", "--json", status=2), "--json is not an option")
    pathlib.Path("m.cfg").write_text("")
    assert_message(rdsim("export", "m.cfg", status=2), "m.cfg: is empty")
    pathlib.Path("m.cfg").write_text(PLAIN.replace('rate = "k"', 'rate = "k / 0"'))
    assert_message(rdsim("export", "m.cfg", status=2), "m.cfg:4: reaction 'A + B -> 2 A'")
    assert_message(rdsim("export", "m.cfg", "--set", "parameters.j=1", status=2), "--set")
    assert_message(rdsim("export", ".", status=2), "is a folder")


def files_are_not_lost():
    pathlib.Path("m.cfg").write_text(PLAIN)
    text = rdsim("export", "m.cfg", status=0).stdout
    rdsim("export", "m.cfg", "-o", "m.xml", status=0)
    assert pathlib.Path("m.xml").read_text() == text
    assert rdsim("export", "m.cfg", "-o", "-", status=0).stdout == text
    for word in ("--output", "-o"):
        done = rdsim("export", "m.cfg", word, "m.cfg", status=2)
        assert_message(done, "--output m.cfg: cannot be made: File exists; name another file")
    assert pathlib.Path("m.cfg").read_text() == PLAIN
    assert_message(rdsim("export", "m.cfg", "-o", "none/m.xml", status=2), "none/m.xml: cannot be")
    with open("/dev/full", "w", encoding="ascii") as full:
        rdsim("export", "m.cfg", status=1, stdout=full)


def values_of_the_command_line():
    assert laws(export(PLAIN, "--set", "reactions[0].rate=7")) == [
        "divide(times(7, A, B), voxel)"]


def import_model(name):
    """Returns a document as a configuration, and the reactions of it."""
    text = rdsim("import", name, status=0).stdout
    return text, re.findall(r"(?ms)^reactions = .*?^\);", text)


def every_model():
    """Each configuration is refused by name, or makes the round trip: what its document is read as
    keeps its reactions and propensities when it is written and read once more."""
    no_sbml = lacks_sbml()
    n_written = 0
    for path in sorted(SOURCE.glob("configs/*.cfg")) + sorted(SOURCE.glob("tests/models/*/*.cfg")):
        checked = rdsim_or_2("check", str(path))
        done = rdsim_or_2("export", str(path))
        if done.returncode == 2:
            assert done.stderr.startswith("rdsim: ") and not done.stdout, (path, done.stderr)
            assert checked.returncode == 2 or re.search(r"(?m)^rdsim: \S+:\d+: .+; .+", done.stderr), (
                path, done.stderr)
            continue
        n_written += 1
        pathlib.Path("one.xml").write_text(done.stdout)
        if no_sbml:
            continue
        text, reactions = import_model("one.xml")
        pathlib.Path("one.cfg").write_text(text)
        two = rdsim("export", "one.cfg", "--set", "time.end=1", status=0).stdout
        pathlib.Path("two.xml").write_text(two)
        names = [[s.get("id") for s in xml.etree.ElementTree.fromstring(text).iter(CORE + "species")]
                 for text in (done.stdout, two)]
        assert names[0] == names[1] or path.stem == "names", (path, names)
        if path.stem not in ("names", "expressions", "compartments"):  # other texts
            again = import_model("two.xml")[1]
            assert again == reactions, (path, again)
    assert n_written >= 12, n_written


def rdsim_or_2(*words):
    """Runs the program; fails unless it exits with status 0 or 2."""
    try:
        return rdsim(*words, status=0)
    except AssertionError:
        return rdsim(*words, status=2)


CASES = [mass_action, laws_by_expression, laws_are_0_without_reactants, totals, modifiers_are_named, an_amount_at_the_start,
         events_at_intervals, amounts_of_events_follow_what_they_set, amounts_of_events_are_molecules,
         simultaneous_events_have_an_order, texts_are_escaped, units, space,
         motion_in_one_voxel_is_noted, reactions_that_change_nothing, individuals, random_numbers, numbers_of_other_files,
         stop_conditions,
         reactions_of_other_kinds, all_at_once,
         wrong_inputs, files_are_not_lost, values_of_the_command_line, every_model]

if __name__ == "__main__":
    run_cases(CASES)
