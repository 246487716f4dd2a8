"""say_sbml_networks - what `rdsim modes` reads and refuses in SBML models: only the reactions are read.
"""
import pathlib

from say_main import assert_message, rdsim, run_cases
from sbml_models import MODELS, skip_without_sbml

XMLNS = 'xmlns="http://www.w3.org/1998/Math/MathML"'
NETWORK = """<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
<model><listOfCompartments><compartment id="c" constant="true"/></listOfCompartments>
<listOfSpecies>SPECIES</listOfSpecies>
<listOfReactions>
REACTIONS
</listOfReactions></model></sbml>
"""


def network(*reactions, boundary=("out", "bio", "unused")):
    """Returns a model with reactions (id, reversible, {species: stoichiometry}, the same)."""
    def side(kind, species):
        one = '<speciesReference species="%s" stoichiometry="%s" constant="true"/>'
        return f"<listOf{kind}>{''.join(one % x for x in species.items())}</listOf{kind}>"
    kind = ('<species id="%s" compartment="c" hasOnlySubstanceUnits="true" constant="false" '
            'boundaryCondition="%s"/>')
    return NETWORK.replace("SPECIES", "".join(
        kind % (x, str(x in boundary).lower()) for x in ("A", "B", *boundary))).replace(
        "REACTIONS", "\n".join(
            f'<reaction id="{name}" reversible="{both}" fast="false">'
            f'{side("Reactants", left)}{side("Products", right)}</reaction>'
            for name, both, left, right in reactions))


def networks_need_no_rates():
    """Boundary species are external, and coefficients are exact decimals."""
    up = ("up", "true", {"out": 1}, {"A": 1})
    grow = ("grow", "false", {"B": 3}, {"bio": "1e-2"})
    text = network(up, ("turn", "true", {"A": "0.000223"}, {"B": 1.5}), grow)
    pathlib.Path("m.xml").write_text(text)
    assert rdsim("modes", "m.xml", "--net", status=0).stdout.splitlines()[1:] == [
        "223 up + 1000000 turn + 500000 grow : 223 out => 5000 bio"]
    assert rdsim("modes", "m.xml", "--laws", status=0).stdout == "# 0 laws over 0 species\n"
    page = rdsim("modes", "m.xml", "--report", status=0).stdout
    assert "largest     A: not bounded" in page and "bio:" not in page, page
    assert_message(rdsim("import", "m.xml", status=2), "m.xml:6: reaction 'up'")
    turn = ("turn", "true", {"A": -1}, {"B": 1.5})
    pathlib.Path("m.xml").write_text(network(up, turn, grow))
    assert_message(rdsim("modes", "m.xml", status=2), "m.xml:7: reaction 'turn': the stoichiometry "
                   "of 'A' is -1; give 0 or more")
    pathlib.Path("m.xml").write_text(network(up, ("turn", "true", {"A": "1e-30"}, {"B": 1})))
    assert_message(rdsim("modes", "m.xml", status=2), "m.xml:7: ", "does not fit")
    pathlib.Path("m.xml").write_text(network(up))
    assert_message(rdsim("modes", "m.xml", status=2), "m.xml: no reaction can run")
    text = rdsim("modes", str(MODELS / "dimerisation.xml"), "--report", status=0).stdout
    assert "law         P + 2 P2 = 60" in text and "modes       1" in text, text


def computed_stoichiometries_are_refused():
    """The first of two assignments or rules computes the stoichiometry."""
    up = ("up", "true", {"out": 1}, {"A": 1})
    grow = ("grow", "false", {"B": 3}, {"bio": "1e-2"})
    text = network(up, ("turn", "true", {"A": 1}, {"B": 1}), grow).replace(
        '<speciesReference species="B"', '<speciesReference id="n" species="B"', 1).replace(
        'constant="true"/></listOfProducts>', 'constant="false"/></listOfProducts>').replace(
        "</listOfSpecies>", '</listOfSpecies><listOfParameters><parameter id="k" constant="false"/></listOfParameters>')
    for folder, kind, attribute in (("listOfInitialAssignments", "initialAssignment", "symbol"),
                                    ("listOfRules", "assignmentRule", "variable")):
        entries = "".join(f'<{kind} {attribute}="{name}"><math {XMLNS}><cn>2</cn></math></{kind}>'
                          for name in ("n", "k"))
        pathlib.Path("m.xml").write_text(text.replace(
            "<listOfReactions>", f"<{folder}>{entries}</{folder}><listOfReactions>"))
        assert_message(rdsim("modes", "m.xml", status=2), "reaction 'turn': the stoichiometry of 'B' "
                       "is computed; write a number")


def data_of_packages_are_not_used():
    """Errors inside of packages do not matter, whatever their prefix, if the model does not need them."""
    space = "http://www.sbml.org/sbml/level3/version1/"
    association = ('<f:geneProductAssociation><f:geneProductRef f:geneProduct="none"/>'
                   "</f:geneProductAssociation></reaction>")
    layout = ('<layout:listOfLayouts><layout:layout layout:id="A"><layout:dimensions layout:width="x"/>'
              "</layout:layout></layout:listOfLayouts></model>")
    text = network(("up", "true", {"out": 1}, {"A": 1}), ("end", "false", {"A": 1}, {"bio": 1})).replace(
        'version="1">', f'version="1" xmlns:f="{space}fbc/version2" f:required="false" '
        f'xmlns:layout="{space}layout/version1" layout:required="false">', 1).replace(
        "</reaction>", association, 1).replace("</model>", layout).replace(
        '<species ', '<species f:charge="many" ')
    pathlib.Path("m.xml").write_text(text)
    done = rdsim("modes", "m.xml", "--net", status=0)
    assert done.stdout.splitlines()[1:] == ["up + end : out => bio"], done.stdout
    assert [line.split("'")[1] for line in done.stderr.splitlines()] == ["fbc", "layout"], done.stderr
    pathlib.Path("m.xml").write_text(text.replace('f:required="false"', 'f:required="true"'))
    assert_message(rdsim("modes", "m.xml", status=2), "m.xml:1: needs the package 'fbc'")
    pathlib.Path("m.xml").write_text(text.replace('<reaction id="end"', '<reaction id="up"'))
    assert_message(rdsim("modes", "m.xml", status=2), "m.xml:7: is not valid SBML (rule 10301)")


CASES = [networks_need_no_rates, data_of_packages_are_not_used, computed_stoichiometries_are_refused]

if __name__ == "__main__":
    skip_without_sbml()
    run_cases(CASES)
