"""say_sbml_sides - which reactants and products reactions of SBML have after `rdsim import`: their
stoichiometry, mass action of pairs, and catalysts; and functions of many arguments."""
import pathlib
import re

from say_main import rdsim, run_cases
from say_sbml import DEATH, GOOD, XMLNS, ap, changed, converted, refuse
from sbml_models import skip_without_sbml


REFERENCE = '<speciesReference species="X" stoichiometry="2" constant="true"/>'


def with_stoichiometry(given, more="", before="</listOfParameters>"):
    """Returns the birth-death model in which a stoichiometry has the id n."""
    text = changed(REFERENCE, f'<speciesReference id="n" species="X" {given}/>')
    return text.replace(before, before + more, 1)


def stoichiometries():
    """A stoichiometry by a rule or an assignment is a number; one that changes is refused."""
    free, fixed = 'constant="false"', 'constant="true"'
    def of(kind, variable, math):
        attribute = "symbol" if kind == "initialAssignment" else "variable"
        folder = "listOfInitialAssignments" if kind == "initialAssignment" else "listOfRules"
        return f'<{folder}><{kind} {attribute}="{variable}"><math {XMLNS}>{math}</math></{kind}></{folder}>'
    def births(*words):
        return converted(with_stoichiometry(*words))[0].split('"')[1]
    assert births('stoichiometry="5" ' + fixed) == "X -> 5 X"
    assert births(free, of("assignmentRule", "n", ap("plus", 1, 2))) == "X -> 3 X"
    assert births(fixed, of("initialAssignment", "n", ap("times", 2, 2))) == "X -> 4 X"
    assert converted(with_stoichiometry(fixed), "reaction 'birth': a stoichiometry of 'X' is not given; "
                     "it is 1")[0].startswith('equation = "X -> X"')
    law = with_stoichiometry('stoichiometry="3" ' + fixed).replace("<ci>mu</ci>", "<ci>n</ci>")
    assert converted(law)[1] == 'equation = "X -> 0"; rate = "3"'
    start = with_stoichiometry('stoichiometry="3" ' + fixed, of("initialAssignment", "X", "<ci>n</ci>"))
    pathlib.Path("m.xml").write_text(start)
    assert "count = 3;" in rdsim("import", "m.xml", status=0).stdout
    for kind in "assignmentRule", "rateRule":
        refuse(with_stoichiometry('stoichiometry="2" ' + free, of(kind, "n", "<ci>X</ci>")),
               "a rule changes the stoichiometry 'n'; write a number")
    late = ap("gt", '<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol>', 3)
    event = ('<listOfEvents><event useValuesFromTriggerTime="true"><trigger initialValue="true" persistent="true">'
             f"<math {XMLNS}>{late}</math></trigger><listOfEventAssignments><eventAssignment variable=\"n\">"
             f"<math {XMLNS}><cn>3</cn></math></eventAssignment></listOfEventAssignments></event></listOfEvents>")
    refuse(with_stoichiometry('stoichiometry="2" ' + free, event, "</listOfReactions>"),
           "m.xml:15: reaction 'birth': an event changes the stoichiometry 'n'; write a number")


def stoichiometries_of_level_2():
    """Math gives a stoichiometry of level 2: a number, as long as nothing in it changes."""
    text = re.sub(' (fast|substanceUnits|timeUnits|extentUnits)="[a-z]*"', "", GOOD.read_text())
    text = text.replace("level3/version1/core", "level2/version4").replace('3" version="1"', '2" version="4"', 1)
    text = re.sub('(<speciesReference .*) constant="true"', r"\1", text)
    def births(math, constant="true"):
        given = '<speciesReference species="X" stoichiometry="2"/>'
        assert given in text and 'id="mu" value="0.11" constant="true"' in text, text
        own = (f'<speciesReference species="X"><stoichiometryMath><math {XMLNS}>{math}</math>'
               "</stoichiometryMath></speciesReference>")
        return text.replace(given, own).replace('id="mu" value="0.11" constant="true"',
                                                f'id="mu" value="2" constant="{constant}"')
    assert converted(births(ap("plus", "<ci>mu</ci>", 1)))[0].split('"')[1] == "X -> 3 X"
    pathlib.Path("m.xml").write_text(text.replace(' stoichiometry="1"', ""))  # 1 is the default
    for command in "import", "modes":
        assert "is not given" not in rdsim(command, "m.xml", status=0).stderr, command
    refuse(births("<ci>X</ci>"), "reaction 'birth': stoichiometryMath changes the stoichiometry 'X'; write a number")
    rule = f'<listOfRules><rateRule variable="mu"><math {XMLNS}><cn>1</cn></math></rateRule></listOfRules>'
    refuse(births("<ci>mu</ci>", "false").replace("</listOfParameters>", "</listOfParameters>" + rule),
           "reaction 'birth': stoichiometryMath changes the stoichiometry 'X'")


def in_level_2_version_1():
    """Returns the birth-death model of that level, in items."""
    text = re.sub(' (fast|substanceUnits|timeUnits|extentUnits|constant)="[a-z]*"', "", GOOD.read_text())
    text = text.replace("level3/version1/core", "level2").replace('level="3"', 'level="2"')
    text = re.sub(' (boundaryCondition|hasOnlySubstanceUnits)="[a-z]*"', "", text)
    item = '<listOfUnitDefinitions><unitDefinition id="substance"><listOfUnits><unit kind="item"/></listOfUnits>'
    minute = '<unitDefinition id="minute"><listOfUnits><unit kind="second" multiplier="60"/></listOfUnits>'
    return text.replace("<listOfCompartments>", f"{item}</unitDefinition>{minute}</unitDefinition>"
                        "</listOfUnitDefinitions><listOfCompartments>")


def units_of_laws():
    """A law of level 2 version 1 may have units; those of the model are accepted."""
    text = in_level_2_version_1()
    def units(given):
        return text.replace("<kineticLaw>", f"<kineticLaw {given}>", 1)
    for given in "", 'timeUnits="second" substanceUnits="item"', 'timeUnits="time" substanceUnits="substance"':
        assert converted(units(given))[0].startswith('equation = "X -> 2 X"; rate = ')
    refuse(units('timeUnits="minute"'), "reaction 'birth': its law is per 'minute'; convert it")
    refuse(units('substanceUnits="mole"'), "reaction 'birth': its law is in 'mole'; convert it to the model's unit")


def units_of_delays():
    """The same for the time unit of an event, which its delay has."""
    late = ap("gt", "<ci>X</ci>", 150)
    def event(given, delay):
        own = (f"<listOfEvents><event {given}><trigger><math {XMLNS}>{late}</math></trigger>{delay}"
               f'<listOfEventAssignments><eventAssignment variable="X"><math {XMLNS}><cn>9</cn></math>'
               "</eventAssignment></listOfEventAssignments></event></listOfEvents>")
        return in_level_2_version_1().replace("</listOfReactions>", "</listOfReactions>" + own)
    delay = f"<delay><math {XMLNS}><cn>2</cn></math></delay>"
    for given in ("", delay), ('timeUnits="second"', delay), ('timeUnits="minute"', ""):
        pathlib.Path("m.xml").write_text(event(*given))
        assert "when = " in rdsim("import", "m.xml", status=0).stdout
    refuse(event('timeUnits="minute"', delay), "its delay is in 'minute'; convert it to the time unit")


def pairs_of_concentrations():
    """k [A] ([A] - 1) is mass action only in a size of 1, where concentrations are numbers."""
    amount = 'hasOnlySubstanceUnits="true"'
    concentration = changed(amount, amount.replace("true", "false"))
    one = '<speciesReference species="X" stoichiometry="1" constant="true"/>'
    before, after = concentration.rsplit(one, 1)
    x = "<ci>X</ci>"
    text = (before + one.replace('"1"', '"2"') + after).replace(
        DEATH, ap("times", "<ci>mu</ci>", x, ap("minus", x, 1)))
    assert converted(text)[1].startswith('equation = "2 X -> 0"; rate = ')
    assert converted(text.replace('size="1"', 'size="4"'))[1] == (
        'equation = "2 X -> 0"; propensity = "if(X >= 2, mu * [X] * ([X] - 1), 0)"')


def catalysts():
    """A law that is not 0 without a molecule of both sides needs no such molecule."""
    both = '<speciesReference species="X" stoichiometry="1" constant="true"/>'
    def births(law, left=1, right=2):
        text = changed("<apply><times/><ci>lambda</ci><ci>X</ci></apply>", law)
        text = text.replace(both.replace("1", "2"), both.replace('"1"', f'"{right}"'), 1)
        return converted(text.replace(both, both.replace('"1"', f'"{left}"'), 1))[0]
    basal = ap("plus", "<ci>lambda</ci>", ap("times", "<ci>mu</ci>", "<ci>X</ci>"))
    assert births(basal) == 'equation = "0 -> X"; propensity = "lambda + mu * X"'
    assert births(ap("times", basal, "<ci>X</ci>")).startswith('equation = "X -> 2 X"; propensity')
    assert births("<ci>lambda</ci>", 2, 5) == 'equation = "0 -> 3 X"; rate = "lambda"'
    assert births(basal, 3, 2) == 'equation = "X -> 0"; propensity = "if(X >= 1, lambda + mu * X, 0)"'
    assert births(ap("times", "<ci>X</ci>", basal), 3, 2).startswith('equation = "X -> 0"; propensity = "X * ')


def functions_of_many_arguments():
    """A function has at most 64 arguments."""
    for n in 64, 65:
        names = [f"p{i}" for i in range(n)]
        body = "".join(f"<bvar><ci>{name}</ci></bvar>" for name in names) + "<ci>p0</ci>"
        text = changed("<ci>lambda</ci>", "<apply><ci>first</ci><ci>lambda</ci>"
                       + "<cn>1</cn>" * (n - 1) + "</apply>").replace(
            "<listOfCompartments>", '<listOfFunctionDefinitions><functionDefinition id="first">'
            f"<math {XMLNS}><lambda>{body}</lambda></math></functionDefinition>"
            "</listOfFunctionDefinitions><listOfCompartments>", 1)
        if n == 64:
            assert 'rate = "lambda"' in converted(text)[0]
        else:
            refuse(text, "reaction 'birth': calls 'first' with 65 arguments; use at most 64")


def boundaries():
    """A reaction of boundary species alone changes nothing; in several compartments it runs, too."""
    own = 'id="C" compartment="nucleus" initialAmount="0" hasOnlySubstanceUnits="false" boundaryCondition='
    text = changed(own + '"false"', own + '"true"', "mixed-compartments")
    assert 'equation = "0 -> 0"; propensity = "d * (total(C) / nucleus) * nucleus"' in converted(text)
    rdsim("m.xml", "--set", "time.end=1", status=0)


def units_of_sizes():
    """Concentrations in the unit of their compartment are read; others need a conversion."""
    text = """<?xml version="1.0"?>
<sbml xmlns="http://www.sbml.org/sbml/level2" level="2" version="1"><model id="old">
<listOfUnitDefinitions><unitDefinition id="substance"><listOfUnits><unit kind="item"/></listOfUnits></unitDefinition>
</listOfUnitDefinitions><listOfCompartments><compartment id="c" size="2"/></listOfCompartments><listOfSpecies>
<species id="A" compartment="c" initialAmount="9" spatialSizeUnits="volume"/></listOfSpecies></model></sbml>"""
    for spelled in text, text.replace("?>", " encoding='ISO-8859-1'?>").replace('id="old"', 'name="\xb5"'):
        pathlib.Path("m.xml").write_bytes(spelled.encode("latin-1"))
        done = rdsim("import", "m.xml", status=0)
        assert 'species = "A"; count = 9;' in done.stdout, done.stdout
        assert "m.xml:1: has " in done.stderr and ("\xb5" in done.stdout) == ("\xb5" in spelled), done
    refuse(text.replace('"volume"', '"litre"'), "m.xml:5: species 'A': has spatialSizeUnits other than")


CASES = [stoichiometries, stoichiometries_of_level_2, units_of_laws, units_of_delays, units_of_sizes,
         pairs_of_concentrations, catalysts, functions_of_many_arguments, boundaries]


if __name__ == "__main__":
    skip_without_sbml()
    run_cases(CASES)
