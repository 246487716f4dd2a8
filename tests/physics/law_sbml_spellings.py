"""law_sbml_spellings - four stochastic processes, each in many spellings of SBML, at 50 times of 10,000
runs: amounts, concentrations, sizes, boundary species, functions, local parameters, rules, events."""
import pathlib

import numpy as np
from law_sbml import master
from sbml_models import compare, run, skip_without_sbml

RUNS = 10000
LEVEL = {2: ('xmlns="http://www.sbml.org/sbml/level2/version4" level="2" version="4"', ""),
         3: ('xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1"',
             ' substanceUnits="item" extentUnits="item"')}
TIME = '<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol>'
XMLNS = 'xmlns="http://www.w3.org/1998/Math/MathML"'


def call(name, *parts):
    """Returns an operation in MathML; parts are ids, numbers, or operations."""
    return f"<apply><{name}/>{''.join(map(math, parts))}</apply>"


def math(x):
    if isinstance(x, str) and x.startswith("<"):
        return x
    return f"<ci>{x}</ci>" if isinstance(x, str) else f"<cn>{x!r}</cn>"


def whole(x):
    return f"<math {XMLNS}>{math(x)}</math>"


def species(name, much=0, concentration=False, amounts=True, boundary=False, constant=False):
    kind = "initialConcentration" if concentration else "initialAmount"
    flags = (f'hasOnlySubstanceUnits="{str(amounts).lower()}" boundaryCondition='
             f'"{str(boundary).lower()}" constant="{str(constant).lower()}"')
    return f'<species id="{name}" compartment="cell" {kind}="{much}" {flags}/>'


def reaction(name, left, right, law, local=None, level=3, modifiers=()):
    def side(kind, all_species):
        more = 'constant="true"' if level > 2 else ""
        refs = "".join(f'<speciesReference species="{s}" stoichiometry="{n}" {more}/>'
                       for s, n in all_species.items())
        return f"<listOf{kind}>{refs}</listOf{kind}>" if refs else ""
    change = "".join(f'<modifierSpeciesReference species="{m}"/>' for m in modifiers)
    change = f"<listOfModifiers>{change}</listOfModifiers>" if change else ""
    kind = "LocalParameter" if level > 2 else "Parameter"
    own = "".join(f'<{kind[0].lower()}{kind[1:]} id="{k}" value="{v}"/>' for k, v in (local or {}).items())
    own = f"<listOf{kind}s>{own}</listOf{kind}s>" if own else ""
    return (f'<reaction id="{name}" reversible="false" fast="false">{side("Reactants", left)}'
            f'{side("Products", right)}{change}<kineticLaw>{whole(law)}{own}</kineticLaw></reaction>')


def event(name, trigger, level=3, delay=None, initial=True, persistent=True, priority=None, at_trigger=True,
          **assignments):
    flags = f' initialValue="{str(initial).lower()}" persistent="{str(persistent).lower()}"'
    values = "".join(f'<eventAssignment variable="{k}">{whole(v)}</eventAssignment>'
                     for k, v in assignments.items())
    return (f'<event id="{name}" useValuesFromTriggerTime="{str(at_trigger).lower()}">'
            f'<trigger{flags if level > 2 else ""}>{whole(trigger)}</trigger>'
            + (f"<priority>{whole(priority)}</priority>" if priority is not None else "")
            + (f"<delay>{whole(delay)}</delay>" if delay is not None else "")
            + f"<listOfEventAssignments>{values}</listOfEventAssignments></event>")


def model(name, all_species, reactions, parameters=None, size=1, rules="", events="", functions="",
          starts="", level=3):
    """Writes a model; returns its name without the ending."""
    def listed(kind, text):
        return f"<listOf{kind}>{text}</listOf{kind}>" if text else ""
    constants = "".join(f'<parameter id="{k}" value="{v}" constant="{"false" if k[0] == "v" else "true"}"/>'
                        for k, v in (parameters or {}).items())
    dimensions = 'spatialDimensions="3"'
    names, units = LEVEL[level]
    text = (f'<?xml version="1.0" encoding="UTF-8"?>\n<sbml {names}><model id="m"{units}>'
            + listed("FunctionDefinitions", functions)
            + listed("Compartments", f'<compartment id="cell" {dimensions} size="{size}" constant="true"/>')
            + listed("Species", "".join(all_species)) + listed("Parameters", constants)
            + listed("InitialAssignments", starts) + listed("Rules", rules)
            + listed("Reactions", "".join(reactions)) + listed("Events", events) + "</model></sbml>\n")
    path = pathlib.Path(f"{name}.xml").absolute()
    path.write_text(text)
    return str(path)[:-4]


def check(name, end, expected, *words, **parts):
    found, t = run(model(name, **parts), end, RUNS, *words, every=end / 50)
    for one, formula in expected.items():
        compare(found[one], RUNS, *formula(t), f"{name}: {one}")
    print(f"{name}: agrees")


# ---- birth and death ----

def growth(t, start=100, up=.1, down=.11):
    """Mean and variance of a birth and death process from `start` on."""
    mean = start * np.exp((up - down) * t)
    spread = (up + down) / (up - down) * (np.exp((up - down) * t) - 1)
    return mean, mean * spread


def birth_death():
    k = {"up": .1, "down": .11}
    X, E = {"X": 1}, {}
    up, down = call("times", "up", "X"), call("times", "down", "X")
    usual = {"X": growth}
    both = lambda one, other, **more: [reaction("birth", X, {"X": 2}, one, **more),
                                       reaction("death", X, E, other, **more)]
    check("amounts", 50, usual, all_species=[species("X", 100)], reactions=both(up, down), parameters=k,
          size=3)
    check("level_2", 50, usual, all_species=[species("X", 100)], parameters=k, level=2,
          reactions=both(up, down, level=2))
    check("concentrations", 50, usual, all_species=[species("X", 50, True, False)], parameters=k, size=2,
          reactions=both(call("times", up, "cell"), call("times", "cell", down)))
    check("amounts_of_concentrations", 50, usual, all_species=[species("X", 100, False, False)], size=4,
          parameters=k, reactions=both(call("times", "cell", up), call("times", down, "cell")))
    check("shadowing_parameters", 50, usual, all_species=[species("X", 100)],
          parameters={"up": 7, "down": 9}, reactions=both(up, down, local=k))
    check("factors_in_products", 50, usual, all_species=[species("X", 100), species("S", 3, boundary=True)],
          parameters=k, reactions=[reaction("birth", X, {"X": 2}, call("divide", call("times", "S", up), 3),
                                            modifiers=["S"]), reaction("death", X, {"S": 1}, down)])
    twice = (f'<functionDefinition id="rate"><math {XMLNS}><lambda><bvar><ci>X</ci></bvar><bvar><ci>k</ci>'
             f'</bvar>{call("times", "k", "X")}</lambda></math></functionDefinition>')
    use = lambda one, other: f"<apply><ci>rate</ci><ci>{one}</ci><ci>{other}</ci></apply>"
    check("functions", 50, usual, all_species=[species("X", 100)], parameters=k, functions=twice,
          reactions=both(use("X", "up"), use("X", "down")))
    check("total_by_rule", 50, {**usual, "y": lambda t: (2 * growth(t)[0], 4 * growth(t)[1])},
          all_species=[species("X", 100), species("y")], parameters=k, reactions=both(up, down),
          rules=f'<assignmentRule variable="y">{whole(call("times", 2, "X"))}</assignmentRule>')
    check("initial_assignments", 50, usual, all_species=[species("X", 1)],
          parameters={**k, "half": 50}, reactions=both(up, down), starts=
          f'<initialAssignment symbol="X">{whole(call("times", 2, "half"))}</initialAssignment>')
    check("constants_by_rule", 50, usual, all_species=[species("X", 100)],
          parameters={"v1": 0, "half": .05, "down": .11}, reactions=both(call("times", "v1", "X"), down),
          rules=f'<assignmentRule variable="v1">{whole(call("plus", "half", "half"))}</assignmentRule>')
    check("empty_set_species", 50, usual, parameters=k, all_species=[
        species("X", 100), species("Sink", boundary=True, constant=False)],
        reactions=[reaction("birth", X, {"X": 2}, up), reaction("death", X, {"Sink": 1}, down)])


# ---- immigration and death ----

def arrivals(t, start=0, a=1, u=.1):
    """Mean and variance with immigration at a and death at u per molecule."""
    stay = np.exp(-u * t)
    fresh = a / u * (1 - stay)
    return start * stay + fresh, start * stay * (1 - stay) + fresh


def restarted(at, number):
    """The same, with `number` molecules instead of those at that time."""
    def formula(t):
        before, after = arrivals(t), arrivals(np.maximum(t - at, 0), number)
        return tuple(np.where(t < at - 1e-9, b, a) for b, a in zip(before, after))
    return formula


def batches(t, a=1, u=.1, b=5):
    one, two = np.exp(-u * t), np.exp(-2 * u * t)
    return (a * b / u * (1 - one), a * b * b / (2 * u) * (1 - two)
            + a * b * ((1 - two) / (2 * u) - (one - two) / u))


def immigration_death():
    k = {"a": 1, "u": .1, "v2": 0}
    X, E = {"X": 1}, {}
    reactions = [reaction("come", E, X, "a"), reaction("go", X, E, call("times", "u", "X"))]
    parts = dict(all_species=[species("X")], reactions=reactions, parameters=k)
    check("arrivals", 50, {"X": arrivals}, **parts)
    check("arrivals_in_a_volume", 50, {"X": arrivals}, size=2.5, parameters={"a": .4, "u": .1},
          all_species=[species("X", amounts=False)],
          reactions=[reaction("come", E, X, call("times", "a", "cell")),
                     reaction("go", X, E, call("times", "u", "X", "cell"))])
    check("batches", 50, {"X": batches}, **{**parts, "reactions": [reaction("come", E, {"X": 5}, "a"),
                                                                  reactions[1]]})
    late = call("geq", TIME, 25)
    check("set_at_a_time", 50, {"X": restarted(25, 50)}, **parts, events=event("e", late, X=50))
    check("set_later", 50, {"X": restarted(25, 50)}, **parts,
          events=event("e", call("geq", TIME, 20), delay=5, X=50))
    check("set_at_the_start", 50, {"X": lambda t: arrivals(t, 20)}, **parts,
          events=event("e", call("geq", TIME, 0), initial=False, X=20))
    check("not_at_the_start", 50, {"X": arrivals}, **parts, events=event("e", call("geq", TIME, 0), X=20))
    check("not_persistent", 50, {"X": arrivals}, **parts,
          events=event("e", call("and", call("geq", TIME, 20), call("lt", TIME, 22)), delay=5,
                       persistent=False, X=50))
    check("priorities", 50, {"X": restarted(25, 50)}, **parts,
          events=event("last", late, priority=1, at_trigger=False, X=call("times", "v2", 25))
          + event("first", late, priority=2, v2=2))
    check("values_of_the_trigger", 50, {"X": restarted(25, 50)}, **parts,
          events=event("e", call("geq", TIME, 20), delay=5, X=call("plus", "v2", 50))
          + event("f", call("geq", TIME, 22), v2=7))
    check("values_of_the_assignment", 50, {"X": restarted(25, 57)}, **parts,
          events=event("e", call("geq", TIME, 20), delay=5, at_trigger=False, X=call("plus", "v2", 50))
          + event("f", call("geq", TIME, 22), v2=7))
    check("two_assignments", 50, {"X": restarted(25, 50), "Y": lambda t: (
        np.where(t < 24.99, 50, arrivals(25 + 0 * t)[0]), np.where(t < 24.99, 0, arrivals(25 + 0 * t)[1]))},
        **{**parts, "all_species": [species("X"), species("Y", 50)]},
        events=event("swap", late, X="Y", Y="X"))


# ---- thresholds and dimers ----

def cycle(size, t):
    """Means and variances of a number that rises by 1 at rate 1 and becomes 0 instead of `size`."""
    rates = np.zeros((size, size))
    for n in range(size):
        rates[(n + 1) % size, n] += 1
        rates[n, n] -= 1
    values, vectors = np.linalg.eig(rates)
    start = np.linalg.solve(vectors, np.eye(size)[0])
    p = np.array([(vectors @ (np.exp(values * x) * start)).real for x in t])
    mean = p @ np.arange(size)
    return mean, np.maximum(p @ np.arange(size)**2 - mean**2, 0)


def thresholds_and_dimers():
    E, X = {}, {"X": 1}
    check("threshold", 50, {"X": lambda t: cycle(10, t)}, all_species=[species("X")], parameters={"a": 1},
          reactions=[reaction("come", E, X, "a")], events=event("e", call("gt", "X", 9), X=0))
    k = {"k1": .002, "k2": .02}
    pairs = lambda t: master(31, lambda d: .001 * (60 - 2 * d) * (59 - 2 * d), lambda d: .02 * d, t)
    pair_law = call("divide", call("times", "k1", "P", call("minus", "P", 1)), 2)
    expected = {"D": pairs, "P": lambda t: (60 - 2 * pairs(t)[0], 4 * pairs(t)[1])}
    check("dimers", 50, expected, all_species=[species("P", 60), species("D")], parameters=k, reactions=[
        reaction("bind", {"P": 2}, {"D": 1}, pair_law),
        reaction("fall", {"D": 1}, {"P": 2}, call("times", "k2", "D"))])
    check("dimers_in_a_volume", 50, expected, size=2, parameters=k,
          all_species=[species("P", 30, True, False), species("D", amounts=False)], reactions=[
        reaction("bind", {"P": 2}, {"D": 1}, call("divide", call(
            "times", "k1", "P", "cell", call("minus", call("times", "P", "cell"), 1)), 2)),
        reaction("fall", {"D": 1}, {"P": 2}, call("times", "k2", "D", "cell"))])


if __name__ == "__main__":
    skip_without_sbml()
    birth_death()
    immigration_death()
    thresholds_and_dimers()
