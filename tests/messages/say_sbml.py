"""say_sbml - what `rdsim import` and `rdsim MODEL.xml` say of SBML models that cannot be converted:
status 2, the file, the line, what is wrong and what to do."""
import math
import pathlib
import re

import python_package  # noqa: F401
import rdsim as package

from say_main import assert_message, rdsim, run_cases
from sbml_models import MODELS, skip_without_sbml

GOOD = MODELS / "birth-death.xml"


def refuse(text, *words, name="m.xml"):
    """Fails unless import refuses the model with these words in one message."""
    pathlib.Path(name).write_text(text)
    done = rdsim("import", name, status=2)
    assert not done.stdout, done.stdout
    assert_message(done, *words)


def changed(old, new, model="birth-death"):
    """Returns the text of a model with one part changed."""
    text = (MODELS / f"{model}.xml").read_text()
    assert old in text, old
    return text.replace(old, new, 1)


def a_run_needs_an_end():
    done = rdsim(str(GOOD), status=2)
    assert_message(done, "birth-death.xml: has no end of the simulation", "--set time.end=50")


def a_converted_text_is_a_configuration():
    text = rdsim("import", str(GOOD), status=0).stdout
    assert text.startswith("# Converted by rdsim from birth-death.xml (SBML, "), text
    pathlib.Path("m.cfg").write_text(text)
    assert_message(rdsim("m.cfg", status=2), "m.cfg: has no end of the simulation")
    rdsim("m.cfg", "--set", "time.end=1", status=0)
    rdsim("again", "m.h5", status=0)


def a_result_of_a_model_repeats_without_it():
    pathlib.Path("own.xml").write_text(GOOD.read_text())
    rdsim("own.xml", "--set", "time.end=1", status=0)
    pathlib.Path("own.xml").unlink()
    rdsim("again", "own.h5", status=0)
    rdsim(str(MODELS / "mixed-compartments.xml"), "--set", "time.end=1", status=0)
    rdsim("again", "mixed-compartments.h5", status=0)


def other_files():
    refuse("hello\n", "m.xml: is not a model of another program")
    refuse("<html></html>\n", "m.xml: is not a model", "a web page")
    pathlib.Path("m.zip").write_bytes(b"PK\3\4" + bytes(100))
    assert_message(rdsim("import", "m.zip", status=2), "m.zip: ", "zip archive; unpack it first")
    assert_message(rdsim("import", "none.xml", status=2), "none.xml: cannot be opened")
    pathlib.Path("wide.xml").write_text(GOOD.read_text(), encoding="utf-16")
    assert_message(rdsim("import", "wide.xml", status=2), "wide.xml: ", "save it as UTF-8")


def invalid_sbml():
    text = GOOD.read_text()
    refuse(text[:len(text) // 2], "m.xml:", "not valid SBML")
    refuse(changed("<ci>mu</ci>", "<ci>nu</ci>"), "m.xml:30: is not valid SBML", "'nu'")
    refuse(changed("</listOfSpecies>", "</listOfSpeciez>"), "m.xml:9: is not valid SBML")
    for number in ">\n1,5 ", ">1 500", ">2d-1", " type='e-notation'>1,5<sep/>2", " type='integer'>1e3":
        refuse(death_law(f"<m:cn{number}</m:cn>"), "in place of a", "integer;" if "1e3" in number else "as 1.5e-3")


def names_are_labels():
    """The name of a species is its label, also after an export, unless two have the same."""
    species = '<species id="{}" name="{}" compartment="cell" initialAmount="2" constant="false" ' \
              'boundaryCondition="false" hasOnlySubstanceUnits="true"/>'.format
    labels = {"A": ("Ca &lt;2+&gt; &quot;\u03b1&quot; \\ &#9;", 'Ca <2+> \\"\u03b1\\" \\\\  '), "B": ("B", None),
              "C": ("same", None), "D": ("same", None), "E": ("", None)}
    text = changed("</listOfSpecies>", "".join(species(x, name) for x, (name, _) in labels.items())
                   + "</listOfSpecies>").replace('id="birth_death"', 'id="birth_death" name="&quot;title&quot;"')
    pathlib.Path("m.xml").write_text(text)
    exported = rdsim("export", "m.xml", "--set", "time.end=1", status=0).stdout
    pathlib.Path("e.xml").write_text(exported)
    for file in "m.xml", "e.xml":
        done = rdsim("import", file, status=0).stdout
        for x, (_, label) in labels.items():
            entry = f'{{ name = "{x}"; ' + (f'label = "{label}"; }}' if label else "}")
            assert entry in done, (entry, done)
        assert 'title = "\\"title\\"";' in done, done


def rules_of_form_are_noted():
    """Models that break a rule of form alone are read; all other rules are checked, too."""
    empty = changed("<listOfReactions>", "<listOfConstraints>\n</listOfConstraints><listOfReactions>")
    other = changed("</listOfSpecies>", '<species id="E" compartment="cell" initialAmount="2" constant="false" '
                    'boundaryCondition="false" hasOnlySubstanceUnits="true"/></listOfSpecies>')
    for text, note in ((empty, "m.xml:3: has an empty list (rule 20203 of SBML); it is read"),
                       (other.replace("<ci>mu</ci>", "<ci>E</ci>"), "has a law of a species that is "
                        "not listed as its modifier (rule 21121 of SBML)")):
        pathlib.Path("m.xml").write_text(text)
        done = rdsim("import", "m.xml", status=0)
        assert done.stdout.count("equation") == 2 and done.stderr.count("of SBML)") == 1, done.stderr
        assert_message(done, note)
    refuse(empty.replace('id="mu" value', 'id="X" value'), "m.xml:12: is not valid SBML (rule 10301)", "'X'")
    one = f'<initialAssignment symbol="mu"><math {XMLNS}><cn>1</cn></math></initialAssignment>'
    two = f"<listOfInitialAssignments>{one}{one}</listOfInitialAssignments>"
    for text, words in (empty, "(rule 20802)"), (large(4001), "is the second one for 'mu'; keep one of them"):
        refuse(text.replace("</listOfParameters>", "</listOfParameters>" + two), words)


DEATH = "<apply><times/><ci>mu</ci><ci>X</ci></apply>"
XMLNS = 'xmlns="http://www.w3.org/1998/Math/MathML"'


def death_law(math, old=DEATH):
    """Returns the birth-death model with another law of death."""
    return changed(old, math)


def rule(kind, variable, math):
    """Returns the birth-death model with a rule, and the parameter v."""
    name = f' variable="{variable}"' if variable else ""
    text = changed("</listOfParameters>", '<parameter id="v" value="1" constant="false"/>'
                   f'<parameter id="w" value="1" constant="false"/></listOfParameters><listOfRules>'
                   f"<{kind}Rule{name}><math {XMLNS}>{math}</math></{kind}Rule></listOfRules>")
    return text


def what_cannot_be_stochastic():
    refuse(rule("algebraic", "", "<apply><plus/><ci>v</ci><ci>X</ci></apply>"),
           "m.xml:13: rule: is algebraic")
    refuse(changed('stoichiometry="2"', 'stoichiometry="1.5"'), "m.xml:15: reaction 'birth': ",
           "changes 'X' by 1.5 molecules")
    refuse(changed('fast="false"', 'fast="true"'), "m.xml:15: reaction 'birth': is fast")
    url = "http://www.sbml.org/sbml/symbols/delay"
    refuse(death_law(f'<apply><csymbol encoding="text" definitionURL="{url}">d</csymbol><ci>X</ci>'
                     "<cn>1</cn></apply>"), "m.xml:30: reaction 'death': uses delay()")
    refuse(death_law("<apply><arcsin/><ci>X</ci></apply>"), "reaction 'death': uses arcsin")
    refuse(death_law("<apply><factorial/><ci>X</ci></apply>"), "takes the factorial")
    refuse(death_law("<infinity/>"), "reaction 'death': has a number that is not finite")
    refuse(changed('version="1">', 'version="1" xmlns:distrib="http://www.sbml.org/sbml/level3/'
                   'version1/distrib/version1" distrib:required="true">'),
           "m.xml:1: needs the package 'distrib'")
    for kind, scale in ("item", 2000000000), ("item", -2000000000), ("gram", 0):
        unit = f'<unitDefinition id="own"><listOfUnits><unit kind="{kind}" exponent="1" ' \
               f'scale="{scale}" multiplier="1"/></listOfUnits></unitDefinition>'
        refuse(changed('substanceUnits="item"', 'substanceUnits="own"').replace(
            "<listOfCompartments>", f"<listOfUnitDefinitions>{unit}</listOfUnitDefinitions>"
            "<listOfCompartments>"), "unit 'own' measures no number of molecules; use item or mole")
    for spelling in 'required = "true"', "required\n='1'":
        refuse(changed('version="1">', f'version="1" xmlns:own="http://example.org/" own:{spelling}>'),
               "m.xml:1: needs the package 'own'")


def ap(*parts):
    """Returns an application in MathML: the name of a function, then numbers, texts or more."""
    return f"<apply><{parts[0]}/>" + "".join(part if isinstance(part, str) else f"<cn>{part}</cn>"
                                             for part in parts[1:]) + "</apply>"


def functions_have_their_values():
    """Tests each function of MathML at numbers that distinguish it from its neighbours."""
    base, degree = "<logbase><cn>2</cn></logbase>", "<degree><cn>3</cn></degree>"
    piece = "<piece><cn>{}</cn>{}</piece>".format
    cases = (
        (ap("tan", 0.7), math.tan(0.7)), (ap("cot", 0.7), 1 / math.tan(0.7)),
        (ap("sec", 0.7), 1 / math.cos(0.7)), (ap("csc", 0.7), 1 / math.sin(0.7)),
        (ap("sinh", 0.7), math.sinh(0.7)), (ap("cosh", 0.7), math.cosh(0.7)),
        (ap("tanh", 0.7), math.tanh(0.7)), (ap("coth", 0.7), 1 / math.tanh(0.7)),
        (ap("sech", 0.7), 1 / math.cosh(0.7)), (ap("csch", 0.7), 1 / math.sinh(0.7)),
        (ap("arcsinh", 0.7), math.asinh(0.7)), (ap("arccosh", 1.7), math.acosh(1.7)),
        (ap("arcsinh", -1e9), math.asinh(-1e9)), (ap("arctanh", 0.7), math.atanh(0.7)), (ap("exp", 0.7), math.exp(0.7)),
        (ap("ln", 0.7), math.log(0.7)), (ap("log", 70), math.log10(70)),
        (ap("log", base, 70), math.log2(70)), (ap("root", 70), math.sqrt(70)),
        (ap("root", degree, 70), 70 ** (1 / 3)), (ap("power", 0.7, 3), 0.7 ** 3),
        (ap("abs", -0.7), 0.7), (ap("floor", -0.7), -1), (ap("ceiling", -1.7), -1),
        (ap("ceiling", 1.2), 2), (ap("factorial", 5), 120), (ap("factorial", 0), 1),
        (ap("max", 1, 5, 3), 5), (ap("min", 4, 2, 3), 2), (ap("max", 7), 7),
        (ap("quotient", -7, 3), -2), (ap("quotient", 7, 3), 2), (ap("rem", -7, 3), -1),
        (ap("rem", 7, -3), 1), (ap("minus", 3), -3), (ap("minus", 3, 5), -2), (ap("divide", 3, 4), 0.75),
        (ap("plus"), 0), (ap("times"), 1), (ap("plus", 3), 3), (ap("times", 2, 3, 4), 24),
        ("<pi/>", math.pi), ("<exponentiale/>", math.e),
        (f"<piecewise>{piece(3, '<false/>')}{piece(4, '<true/>')}</piecewise>", 4),
        (f"<piecewise>{piece(3, '<false/>')}<otherwise><cn>6</cn></otherwise></piecewise>", 6),
    )
    truths = (
        (ap("and"), 1), (ap("or"), 0), (ap("xor"), 0),
        *((ap("xor", *(f"<{word}/>" for word in words)), words.count("true") % 2)
          for words in (("true",), ("true", "false"), ("true", "true"), ("true", "true", "true"))),
        *((ap("implies", f"<{a}/>", f"<{b}/>"), int(a == "false" or b == "true"))
          for a in ("false", "true") for b in ("false", "true")),
        (ap("not", "<true/>"), 0), (ap("and", "<true/>", "<true/>", "<false/>"), 0),
        (ap("eq", 3, 3), 1), (ap("neq", 3, 3), 0), (ap("lt", 3, 3), 0), (ap("leq", 3, 3), 1),
        (ap("gt", 3, 3), 0), (ap("geq", 3, 3), 1),
    )
    cases += tuple((f"<piecewise>{piece(1, truth)}<otherwise><cn>0</cn></otherwise></piecewise>", value)
                   for truth, value in truths)
    names = [f"p{i}" for i in range(len(cases))]
    parameters = "".join(f'<parameter id="{name}" value="9" constant="true"/>' for name in names)
    starts = "".join(f'<initialAssignment symbol="{name}"><math {XMLNS}>{text}</math></initialAssignment>'
                     for name, (text, _) in zip(names, cases))
    pathlib.Path("m.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<sbml level="3" version="2" '
        'xmlns="http://www.sbml.org/sbml/level3/version2/core"><model substanceUnits="item" '
        'extentUnits="item"><listOfCompartments><compartment id="c" size="1" constant="true"/>'
        '</listOfCompartments><listOfSpecies><species id="X" compartment="c" initialAmount="5" '
        'hasOnlySubstanceUnits="true" boundaryCondition="false" constant="false"/></listOfSpecies>'
        f"<listOfParameters>{parameters}</listOfParameters>"
        f"<listOfInitialAssignments>{starts}</listOfInitialAssignments></model></sbml>\n")
    found_of = package.Model("m.xml", **{"time.end": 1}).parameters
    for name, (text, value) in zip(names, cases):
        found = found_of[name]
        assert abs(found - value) <= 1e-14 * max(1, abs(value)), f"{text}: {found} and not {value}"


def reversible_laws():
    text = changed('id="death" reversible="false"', 'id="death" reversible="true"')
    def with_law(math):
        return text.replace(DEATH, math)
    refuse(with_law("<apply><sin/><ci>X</ci></apply>"), "m.xml:26: reaction 'death': is reversible",
           "not the difference of two terms")
    negative = f"<apply><minus/>{DEATH}</apply>"
    for parts in (negative, DEATH), (DEATH, negative):  # min() comes with version 2
        smaller = with_law(ap("min", *parts)).replace("version1/core", "version2/core")
        smaller = smaller.replace(' fast="false"', "")
        refuse(smaller.replace('level="3" version="1"', 'level="3" version="2"', 1),
               "reaction 'death': is reversible", "not the difference of two terms")
    pathlib.Path("m.xml").write_text(with_law(DEATH))
    assert rdsim("import", "m.xml", status=0).stdout.count("equation") == 2
    pathlib.Path("m.xml").write_text(with_law(f"<apply><minus/>{DEATH}<ci>mu</ci></apply>"))
    done = rdsim("import", "m.xml", status=0).stdout
    assert 'equation = "0 -> X"; rate = "mu"; }' in done, done
    both = f"<apply><minus/>{DEATH}<ci>mu</ci></apply>"
    birth = changed('id="birth" reversible="false"', 'id="birth" reversible="true"')
    refuse(birth.replace("<apply><times/><ci>lambda</ci><ci>X</ci></apply>", both),
           "reaction 'birth': is reversible, but the subtracted term of its law uses no product")


def converted(text, *notes):
    """Returns the entries of `reactions` of a converted model, which has these notes."""
    pathlib.Path("m.xml").write_text(text)
    done = rdsim("import", "m.xml", status=0)
    assert all(note in done.stderr for note in notes), done.stderr
    return [line.split("; ", 1)[1].split("; }")[0] for line in done.stdout.splitlines()
            if "equation = " in line]


def reversible(math):
    """Returns the model A <-> B with this law."""
    text = changed("</listOfSpecies>", '<species id="A" compartment="cell" initialAmount="9" '
                   'constant="false" boundaryCondition="false" hasOnlySubstanceUnits="true"/></listOfSpecies>')
    start, end = text.index('      <reaction id="birth"'), text.index('      <reaction id="death"')
    return (text[:start] + text[end:]).replace(DEATH, math).replace(
        'id="death" reversible="false"', 'id="death" reversible="true"').replace(
        "</listOfReactants>", '</listOfReactants><listOfProducts><speciesReference species="A" '
        'stoichiometry="1" constant="true"/></listOfProducts>')


def laws_are_split():
    """A reversible law of any form becomes two propensities that are never negative."""
    x, a, k, mu = "<ci>X</ci>", "<ci>A</ci>", "<ci>lambda</ci>", "<ci>mu</ci>"
    on, off = ap("times", k, x), ap("times", mu, a)
    rates = ['equation = "X -> A"; rate = "lambda"', 'equation = "A -> X"; rate = "mu"']
    for law in (ap("minus", on, off), ap("plus", on, ap("minus", off)),
                ap("minus", ap("minus", off, on)), ap("plus", ap("minus", off), on)):
        assert converted(reversible(law)) == rates, law
    for law, forward, back in (
            (ap("plus", on, ap("minus", off), ap("times", 2, x)),
             'propensity = "if(X >= 1, lambda * X + 2 * X, 0)"', 'rate = "mu"'),
            (ap("divide", ap("minus", on, off), ap("plus", k, x, a)),
             'propensity = "lambda * X / (lambda + X + A)"', 'propensity = "mu * A / (lambda + X + A)"'),
            (ap("times", k, ap("minus", x, ap("divide", a, mu))),
             'rate = "lambda"', 'rate = "lambda / mu"'),
            (ap("minus", ap("times", k, ap("power", x, 2)), ap("times", mu, ap("power", a, 2))),
             'propensity = "lambda * X^2"', 'propensity = "mu * A^2"'),
            (ap("minus", ap("abs", ap("minus", x, a)), off),
             'propensity = "if(X >= 1, abs(X - A), 0)"', 'rate = "mu"'),
            (ap("minus", ap("exp", ap("minus", x, a)), off),
             'propensity = "if(X >= 1, exp(X - A), 0)"', 'rate = "mu"'),
            (ap("minus", ap("floor", x), off), 'propensity = "if(X >= 1, floor(X), 0)"', 'rate = "mu"'),
            (ap("plus", on, ap("times", -3, a)),
             'propensity = "if(X >= 1, lambda * X + 0 * A, 0)"', 'rate = "3"'),
            (ap("minus", on, ap("times", ap("minus", x, a), a)),
             'propensity = "if(X >= 1, lambda * X + A * A, 0)"', 'propensity = "X * A"'),
            (ap("minus", ap("power", ap("minus", x, a), 2), off),
             'propensity = "if(X >= 1, (X - A)^2, 0)"', 'rate = "mu"')):
        assert converted(reversible(law)) == [f'equation = "X -> A"; {forward}',
                                              f'equation = "A -> X"; {back}'], converted(reversible(law))
    for law in (ap("power", ap("minus", x, a), 3), ap("times", ap("minus", x, a), ap("minus", on, off)),
                ap("divide", ap("minus", on, off), ap("minus", x, a)), ap("sin", x),
                ap("minus", ap("floor", ap("minus", x, a)), off)):
        refuse(reversible(law), "reaction 'death': is reversible, but its law is not the difference")
    refuse(reversible(ap("minus", on, 3)), "the subtracted term of its law uses no product")
    logistic = ap("times", mu, ap("minus", 1, mu))  # mu' = mu (1 - mu) has no solution as an expression
    for law, start, rates in ((ap("times", mu, x), 0.11, ['equation = "X -> A"; propensity = "mu * X"']),
                              (ap("times", mu, ap("minus", x, a)), 0.11,
                               [f'equation = "{one} -> {two}"; propensity = "mu * {one}"'
                               for one, two in ("XA", "AX")]),
                              (ap("times", mu, x), -0.11, None)):
        text = reversible(law).replace('value="0.11" constant="true"', f'value="{start}" constant="false"')
        text = text.replace("<listOfReactions>", '<listOfRules><rateRule variable="mu"><math xmlns='
                            f'"http://www.w3.org/1998/Math/MathML">{logistic}</math></rateRule>'
                            "</listOfRules><listOfReactions>")
        if rates:
            assert converted(text) == rates, converted(text)
        else:
            refuse(text, "is reversible, but its law is not the difference")


def values_of_laws():
    refuse(changed('value="0.11"', 'value="INF"'), "m.xml:12: parameter 'mu': its value is inf; give a finite")
    law = GOOD.read_text()[GOOD.read_text().index("<kineticLaw>"):].split("</kineticLaw>")[0] + "</kineticLaw>"
    refuse(changed(law, ""), "m.xml:15: reaction 'birth': has no kinetic law; give it one")
    def with_locals(n):
        each = "".join(f'<localParameter id="p{i}" value="{i}.5"/>' for i in range(n))
        return changed("</kineticLaw>", f"<listOfLocalParameters>{each}</listOfLocalParameters></kineticLaw>").replace(
            "<ci>lambda</ci>", f"<ci>p{n - 1}</ci>")
    refuse(with_locals(257), "reaction 'birth': has more than 256 parameters of its own; use fewer")
    assert 'rate = "p255"' in converted(with_locals(256))[0]
    pathlib.Path("m.xml").write_text(changed('value="0.11"', 'value="5000000000"'))
    assert "mu = 5000000000.0;" in rdsim("import", "m.xml", status=0).stdout
    text = changed("</listOfParameters>", '<parameter id="w" constant="false"/></listOfParameters>'
                   f'<listOfInitialAssignments><initialAssignment symbol="X"><math {XMLNS}>'
                   f'{ap("times", "<ci>w</ci>", 5)}</math></initialAssignment></listOfInitialAssignments>'
                   f'<listOfRules><assignmentRule variable="w"><math {XMLNS}><cn>8</cn></math>'
                   "</assignmentRule></listOfRules>")
    pathlib.Path("m.xml").write_text(text)
    assert 'count = "floor(8 * 5 + 0.5)"' in rdsim("import", "m.xml", status=0).stdout
    assert package.Model("m.xml", **{"time.end": 1e-9}).run().totals.values[0, 0].tolist() == [40]

def steps_end_where_laws_change():
    """Each comparison of a law with the time ends a step, also one in the last part of another."""
    url = "http://www.sbml.org/sbml/symbols/time"
    def until(end, value, otherwise):
        before = f'<apply><lt/><csymbol encoding="text" definitionURL="{url}">t</csymbol><cn>{end}</cn></apply>'
        return (f"<piecewise><piece><cn>{value}</cn>{before}</piece>"
                f"<otherwise>{otherwise}</otherwise></piecewise>")
    law = until(5, 1, until(7, 2, "<cn>3</cn>"))
    pathlib.Path("m.xml").write_text(death_law(f"<apply><times/>{DEATH}{law}</apply>"))
    pathlib.Path("e.xml").write_text(rdsim("export", "m.xml", "--set", "time.end=9", status=0).stdout)
    for file in "m.xml", "e.xml":  # an event at this time ends a step, too
        text = rdsim("import", file, status=0).stdout
        assert re.findall(r"{ time = ([0-9.]+); set = { law_changes", text) == ["5", "7"], text


def rules_and_values():
    refuse(rule("assignment", "v", "<ci>w</ci>").replace("</assignmentRule>", "</assignmentRule>"
           f'<assignmentRule variable="w"><math {XMLNS}><apply><plus/><ci>v</ci><cn>1</cn></apply>'
           "</math></assignmentRule>"), "m.xml:13:")
    refuse(changed(' value="0.11"', ""), "m.xml:12: parameter 'mu': has no value")
    refuse(changed('initialAmount="100"', 'initialAmount="-3"'), "m.xml:8: species 'X': begins with -3 molecules")
    refuse(changed('initialAmount="100"', 'initialAmount="1e12"'),
           "m.xml:8: species 'X': begins with 1e+12 molecules")
    refuse(changed('substanceUnits="item"', 'substanceUnits="gram"'), "unit 'gram' measures no")
    pathlib.Path("m.xml").write_text(changed('initialAmount="100"', 'initialAmount="2.6"'))
    done = rdsim("import", "m.xml", status=0)
    assert_message(done, "warning: ", "2.6 molecules; rounded to 3")
    assert 'species = "X"; count = 3; }' in done.stdout, done.stdout
    # a trigger that is true for the rounded number at the start waits until it has been false
    for amount, is_true in (("2.6", True), ("2.4", False)):
        text = changed('id="X" compartment="cell" initialAmount="0"',
                       f'id="X" compartment="cell" initialAmount="{amount}"', "conditions")
        pathlib.Path("m.xml").write_text(text.replace("<geq/><ci>X</ci><cn>10</cn>", "<geq/><ci>X</ci><cn>2.8</cn>"))
        assert ("full_armed = 0;" in rdsim("import", "m.xml", status=0).stdout) == is_true, amount


def large(reactions):
    """Returns a model of so many reactions."""
    text = GOOD.read_text()
    start, end = text.index('      <reaction id="birth"'), text.index('      <reaction id="death"')
    one = text[start:end]
    return text[:start] + "".join(one.replace('"birth"', f'"birth{i}"')
                                  for i in range(reactions)) + text[end:]


def ten_megabytes():
    text = large(26000)
    assert len(text) > 10_000_000
    pathlib.Path("large.xml").write_text(text)
    done = rdsim("import", "large.xml", status=0).stdout
    assert done.count("equation") == 26001


def deep_and_wide_math():
    """libSBML would exhaust the stack, or take hours."""
    for parts in ("<apply><sin/>" * 20000 + "<ci>X</ci>" + "</apply>" * 20000, "<b>" * 3000 + "</b>" * 3000):
        refuse(death_law(parts), "m.xml:31: elements are nested more than 2000 times")
    refuse(death_law("<apply><plus/>" + "<ci>X</ci>" * 100000 + "</apply>"),
           "m.xml:31: math has an operation on more than 5000 parts")
    deep = "elements are nested more than 2000 times"
    for tag in ('<b a="/>">', "<b a='/>'>", """<b a='"/>'>""", """<b a="'/>">"""):
        refuse(death_law(tag * 3000), deep)
    refuse(changed("<sbml ", "<sbml\n").replace(DEATH, "<!--\n-->" + "<b>" * 3000), "m.xml:33: " + deep)
    for start, end in (("<m:apply>", "</m:apply>"), ("<piecewise>", "</piecewise>")):
        refuse(death_law(start + "<ci/>" * 5001 + end), "math has an operation on more than 5000 parts")
    refuse(death_law("<apply>" + "<ci/>" * 5000 + "</apply>"), "is not valid SBML")
    # what stands in comments, in CDATA and behind the end of an empty element is not nested
    for text in ("<!-- " + "<b>" * 3000 + " -->", '<notes><p xmlns="http://www.w3.org/1999/xhtml"><![CDATA['
                 + "<b>" * 3000 + "]]>" + "<br/>" * 3000 + "</p></notes>"):
        pathlib.Path("m.xml").write_text(changed('extentUnits="item">', 'extentUnits="item">' + text))
        rdsim("import", "m.xml", status=0)


def long_chains_of_rules():
    """Each rule uses the next one; the last one uses no rule, or the first one, which is a circle."""
    def chain(last):
        names = [f"r{i}" for i in range(90)]
        rules = "".join(f'<assignmentRule variable="{one}"><math {XMLNS}><apply><plus/><ci>{next_one}</ci>'
                        "<cn>1</cn></apply></math></assignmentRule>"
                        for one, next_one in zip(names, [*names[1:], last]))
        parameters = "".join(f'<parameter id="{one}" constant="false"/>' for one in names)
        return changed("</listOfParameters>", f"{parameters}</listOfParameters><listOfRules>{rules}</listOfRules>")
    pathlib.Path("m.xml").write_text(chain("mu"))
    done = rdsim("import", "m.xml", status=0).stdout
    assert 'name = "r89"; value = "mu + 1"' in done, done[-3000:]
    refuse(chain("r0"), "m.xml:13: ", "is computed from itself; remove the circle")


def sizes_of_compartments():
    """An event that sets a size and a concentration gives the number in the new size."""
    def say(old, new):
        return changed(old, new, "mixed-compartments")
    refuse(say('size="0.5"', 'size="-1"'), "m.xml:9: compartment 'nucleus': its size is -1")
    refuse(say('size="0.5"', 'size="0"'), "m.xml:14: species 'B'", "'nucleus' of size 0")
    one = f'<eventAssignment variable="nucleus"><math {XMLNS}><cn>1</cn></math></eventAssignment>'
    text = say('size="0.5" constant="true"', 'size="0.5" constant="false"')
    pathlib.Path("m.xml").write_text(text.replace("<listOfEventAssignments>",
                                                  "<listOfEventAssignments>" + one))
    done = rdsim("import", "m.xml", status=0).stdout
    assert 'count = "floor(total(C) / refill_before + 60 + 0.5)"' in done, done
    rdsim("m.xml", "--set", "time.end=6", status=0)


LEVEL_1 = """<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level1" level="1" version="2">
<model name="old"><listOfCompartments><compartment name="c" volume="2"/></listOfCompartments>
<listOfSpecies><species name="X" compartment="c" initialAmount="100"/></listOfSpecies>
<listOfParameters><parameter name="k" value="0.1"/></listOfParameters>
<listOfReactions><reaction name="d" reversible="false">
<listOfReactants><speciesReference species="X"/></listOfReactants>
<kineticLaw formula="k*X*c"/></reaction></listOfReactions></model></sbml>
"""


def level_1():
    pathlib.Path("m.xml").write_text(LEVEL_1)
    done = rdsim("import", "m.xml", status=0)
    assert_message(done, "m.xml:1: is SBML level 1; converted to level 2 version 4")
    assert '"X -> 0"; rate = "k";' in done.stdout, done.stdout
    more = '<parameter name="p" value="3"/><parameter name="q" value="7"/></listOfParameters>'
    pathlib.Path("m.xml").write_text(LEVEL_1.replace("k*X*c", "k*p*q*X*c/(q*p)")
                                     .replace("</listOfParameters>", more))
    done = rdsim("import", "m.xml", status=0)
    assert '"X -> 0"; rate = "k";' in done.stdout, "all common factors cancel: " + done.stdout
    refuse(LEVEL_1.replace("k*X*c", "k*Y"), "m.xml:8: is not valid SBML", "'k*Y'")
    refuse(LEVEL_1.replace('version="2"', 'version="7"'), "m.xml:", "not valid SBML")


def amounts_have_names():
    """Options, sweeps and including files find the entries of a model by the ids of SBML."""
    words = ("--set", "time.end=0.1", "--force")
    rdsim(str(GOOD), *words, "--set", "initial.X.count=7", "--set", "parameters.mu=0", status=0)
    shown = rdsim("check", str(GOOD), *words[:2], "--set", "parameters.mu=0.5", status=0).stdout
    assert "propensity 0.5 X" in shown, shown
    assert_message(rdsim(str(GOOD), *words, "--set", "mu=1", status=2), "write parameters.mu")
    pathlib.Path("s.cfg").write_text(f"""base = "{GOOD}";
vary = ( {{ path = "initial.X.count"; values = (3, 4); }}, {{ path = "time.end"; values = [0.1]; }} );
""")
    assert "2 of 2 tasks done" in rdsim("sweep", "s.cfg", status=0).stderr


def species_of_a_compartment_get_a_place():
    """An including file adds a grid and puts a species of a compartment into a region. What the law
    divides by the size of the compartment does not depend on the voxels."""
    pathlib.Path("place.cfg").write_text(f"""include = "{MODELS / "mixed-compartments.xml"}";
grid = {{ voxels = (8); edge = 0.25; }};
regions = ( {{ name = "inside"; box = {{ from = (0.0); to = (1.0); }}; }} );
species = ( {{ name = "A"; in = "inside"; diffusion = 1.0; }} );
compartments = ( {{ name = "nucleus"; volume = 2.0; }} );
time = {{ end = 6; }};
""")
    shown = rdsim("check", "place.cfg", status=0).stdout
    for line in ("compartment nucleus: volume 2, well mixed; B, C",
                 "species     A: hops x -16 +16 per time; lives in inside",
                 "transport, A -> B + both: propensity 0.075 A in each voxel",
                 "make, 0 -> C: propensity 12 in the compartment nucleus"):
        assert line in shown, shown


CASES = [what_cannot_be_stochastic, reversible_laws, laws_are_split, values_of_laws,
         steps_end_where_laws_change, rules_and_values,
         ten_megabytes, deep_and_wide_math, long_chains_of_rules, a_run_needs_an_end, a_converted_text_is_a_configuration,
         a_result_of_a_model_repeats_without_it, other_files, invalid_sbml, rules_of_form_are_noted, names_are_labels, level_1,
         sizes_of_compartments, functions_have_their_values,
         amounts_have_names, species_of_a_compartment_get_a_place]


if __name__ == "__main__":
    skip_without_sbml()
    run_cases(CASES)
