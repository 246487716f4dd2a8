"""law_sbml_features - one small process for each feature of SBML that the families of the field's
stochastic test suite combine: several compartments, sizes and species that rules or events change,
nested functions, names that shadow others, conversion factors, numbers without a size."""
import pathlib

import numpy as np
from law_sbml import master
from law_sbml_spellings import TIME, XMLNS, arrivals, batches, call, event, reaction, whole
from sbml_models import compare, run, skip_without_sbml

RUNS = 10000


def rule(variable, formula, kind="assignmentRule"):
    return f'<{kind} variable="{variable}">{whole(formula)}</{kind}>'


def start(symbol, formula):
    return f'<initialAssignment symbol="{symbol}">{whole(formula)}</initialAssignment>'


def one(name, compartment="cell", amounts=True, boundary=False, constant=False, **more):
    """Returns a species; more: initialAmount, initialConcentration and other attributes."""
    words = "".join(f' {k}="{v}"' for k, v in more.items())
    return (f'<species id="{name}" compartment="{compartment}"{words} hasOnlySubstanceUnits='
            f'"{str(amounts).lower()}" boundaryCondition="{str(boundary).lower()}" '
            f'constant="{str(constant).lower()}"/>')


def size(name, volume=1, constant=True, dimensions=3):
    has = "" if volume is None else f' size="{volume}"'
    return (f'<compartment id="{name}" spatialDimensions="{dimensions}"{has} '
            f'constant="{str(constant).lower()}"/>')


def number(name, value=None, constant=True):
    has = "" if value is None else f' value="{value}"'
    return f'<parameter id="{name}"{has} constant="{str(constant).lower()}"/>'


def function(name, names, formula):
    bound = "".join(f"<bvar><ci>{x}</ci></bvar>" for x in names)
    return f'<functionDefinition id="{name}"><math {XMLNS}><lambda>{bound}{formula}</lambda></math></functionDefinition>'


def use(name, *parts):
    return f"<apply><ci>{name}</ci>" + call("x", *parts)[len("<apply><x/>"):]


def check(name, end, expected, model="", every=None, **parts):
    """Writes a model and compares its species with (mean, variance)(t)."""
    order = ("FunctionDefinitions", "UnitDefinitions", "Compartments", "Species", "Parameters",
             "InitialAssignments", "Rules", "Reactions", "Events")
    lists = "".join(f"<listOf{k}>{''.join(parts[k])}</listOf{k}>" for k in order if parts.get(k))
    pathlib.Path(f"{name}.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" '
        f'level="3" version="1"><model id="m" substanceUnits="item" extentUnits="item"{model}>{lists}'
        "</model></sbml>\n")
    found, t = run(pathlib.Path(name).absolute(), end, RUNS, every=every or end / 50)
    for what, formula in expected.items():
        compare(found[what], RUNS, *formula(t), f"{name}: {what}")
    print(f"{name}: agrees")


def binomial(n, share):
    return lambda t: (n * share(t), n * share(t) * (1 - share(t)))


def poisson(mean):
    return lambda t: (mean(t) + 0 * t, mean(t) + 0 * t)


def fixed(value):
    return lambda t: (value(t) + 0. * t, 0. * t)


CELL = [size("cell")]
COME = lambda law, product="X", **more: reaction("come", {}, {product: 1}, law, **more)
GO = lambda law, reactant="X", **more: reaction("go", {reactant: 1}, {}, law, **more)


def compartments():
    share = lambda t: .3 / .8 * (1 - np.exp(-.8 * t))
    law = call("minus", call("times", "c1", "kf", "A"), call("times", "c2", "kb", "B"))
    both = [reaction("move", {"A": 1}, {"B": 1}, law).replace('reversible="false"', 'reversible="true"')]
    check("reversible_between_sizes", 10, {"B": binomial(20, share), "A": binomial(20, lambda t: 1 - share(t))},
          Compartments=[size("c1", 2.5), size("c2", .4)], Reactions=both,
          Species=[one("A", "c1", False, initialConcentration=8), one("B", "c2", False, initialConcentration=0)],
          Parameters=[number("kf", .3), number("kb", .5)])
    pairs = lambda t: master(16, lambda d: .02 / 2.5 * (30 - 2 * d) * (29 - 2 * d), lambda d: .3 * d, t)
    check("dimers_of_concentrations", 10, {"D": pairs},
          Compartments=[size("c1", 2.5), size("c2", 7)],
          Species=[one("P", "c1", False, initialConcentration=12), one("D", "c1", False, initialAmount=0),
                   one("Q", "c2", False, initialConcentration=2)],
          Reactions=[reaction("bind", {"P": 2}, {"D": 1}, call(
              "times", "c1", "k", "P", call("minus", "P", call("divide", 1, "c1")))),
                     reaction("fall", {"D": 1}, {"P": 2}, call("times", "c1", .3, "D"))],
          Parameters=[number("k", .02)])
    check("a_membrane_and_a_point", 10, {"X": lambda t: arrivals(t, 0, 2, .1), "M": fixed(lambda t: 6)},
          Compartments=[size("cell", 3), size("membrane", 2, dimensions=2), size("point", None, dimensions=0)],
          Species=[one("X", initialAmount=0), one("M", "membrane", False, initialConcentration=3),
                   one("N", "point", False, initialAmount=4)],
          Reactions=[COME(call("divide", call("times", "M", "N"), 6), modifiers=["M", "N"]), GO(call("times", .1, "X"))])


def species_that_others_change():
    steps = lambda t: 2 * np.where(t < 4, 5 * t, 20 + 2 * (t - 4))
    check("boundary_by_an_event", 10, {"P": poisson(steps), "S": fixed(lambda t: np.where(t < 4, 5, 2))},
          Compartments=CELL, Species=[one("S", boundary=True, initialAmount=5), one("P", initialAmount=0)],
          Reactions=[COME(call("times", 2, "S"), "P", modifiers=["S"])], every=1,
          Events=[event("e", call("geq", TIME, 4), S=2)])
    check("boundary_by_a_rule", 10, {"P": poisson(lambda t: 3 * t + t**2 / 2), "S": fixed(lambda t: 3 + t)},
          Compartments=[size("cell", 2)], Species=[one("S", amounts=False, boundary=True), one("P", initialAmount=0)],
          Reactions=[COME("S", "P", modifiers=["S"])], Rules=[rule("S", call("plus", 3, TIME))])
    square = lambda t: master(400, lambda n: (8 - n)**2 / (9. - n) if n < 8 else 0, lambda n: 0, t)
    check("rule_in_a_law", 5, {"Y": square}, Compartments=CELL,
          Species=[one("X", initialAmount=8), one("Y", initialAmount=0), one("R", constant=False)],
          Rules=[rule("R", call("divide", call("power", "X", 2), call("plus", "X", 1)))],
          Reactions=[reaction("turn", {"X": 1}, {"Y": 1}, "R", modifiers=["R"])])
    check("constant_and_zero", 10, {"X": lambda t: arrivals(t, 0, 2.5, .1), "A": fixed(lambda t: 4)}, Compartments=CELL,
          Species=[one("C", constant=True, boundary=True, initialAmount=2.5), one("X", initialAmount=0),
                   one("A", initialAmount=4)],
          Reactions=[reaction("come", {"A": 2}, {"A": 2, "X": 1}, "C", modifiers=["C"]), GO(call("times", .1, "X"))])
    check("set_as_a_concentration", 10, {"X": lambda t: tuple(np.where(t < 4.99, a, b) for a, b in zip(
        arrivals(t), arrivals(np.maximum(t - 5, 0), 10)))}, Compartments=[size("cell", 2.5)],
          Species=[one("X", amounts=False, initialConcentration=0)],
          Reactions=[COME(1), GO(call("times", "cell", .1, "X"))],
          Events=[event("e", call("geq", TIME, 5), X=4)])


def sizes_that_change():
    mean = lambda t: 4 * (2 * (1 - np.exp(-.1 * t)) / .1 + .5 * (t / .1 - (1 - np.exp(-.1 * t)) / .01))
    parts = dict(Species=[one("X", amounts=False, initialAmount=0)],
                 Reactions=[COME(call("times", 4, "cell")), GO(call("times", .1, "X", "cell"))])
    check("size_by_a_rule", 10, {"X": poisson(mean)}, Compartments=[size("cell", 2, False)],
          Rules=[rule("cell", call("plus", 2, call("divide", TIME, 2)))], **parts)
    def stepped(t):
        late = np.maximum(t - 4, 0)
        return np.where(t < 4, 80 * (1 - np.exp(-.1 * t)),
                        80 * (1 - np.exp(-.4)) * np.exp(-.1 * late) + 200 * (1 - np.exp(-.1 * late)))
    check("size_by_an_event", 10, {"X": poisson(stepped)}, Compartments=[size("cell", 2, False)],
          Events=[event("e", call("geq", TIME, 4), cell=5)], **parts)
    check("size_by_an_assignment", 10, {"X": poisson(lambda t: 80 * (1 - np.exp(-.1 * t)))},
          Compartments=[size("cell", 9)], Parameters=[number("half", 1)],
          InitialAssignments=[start("cell", call("times", 2, "half"))], **parts)


def functions_and_names():
    f, g = function("f", ["x"], call("times", 2, "x")), function(
        "g", ["x", "y"], call("plus", call("times", use("f", "x"), "y"), use("f", "y")))
    check("nested_functions", 10, {"X": lambda t: arrivals(t, 0, 5 * .4, .1)}, Compartments=CELL,
          FunctionDefinitions=[f, g], Species=[one("X", initialAmount=0)], Parameters=[number("a", .2), number("b", 2)],
          Reactions=[COME(call("minus", use("g", "a", "b"), 2.8)), GO(call("times", .1, "X"))])
    check("local_names_of_others", 10, {"X": lambda t: arrivals(t, 0, 2, .1)}, Compartments=CELL,
          Species=[one("X", initialAmount=0), one("Y", initialAmount=100)],
          Parameters=[number("k", 77)], Reactions=[
              COME(call("times", "Y", "cell"), local={"Y": .5, "cell": 4}), GO(call("times", "k", "X"), local={"k": .1})])
    check("rates_of_reactions", 10, {"X": lambda t: arrivals(t, 0, 2, .1), "Y": poisson(lambda t: 6 * t)}, Compartments=CELL,
          Species=[one("X", initialAmount=0), one("Y", initialAmount=0)],
          Reactions=[COME("k"), GO(call("times", .1, "X")), reaction("other", {}, {"Y": 1}, call("times", 3, "come"))],
          Parameters=[number("k", 2)])
    check("conversion_factor", 10, {"X": lambda t: tuple(a * b for a, b in zip((2, 4), poisson(lambda s: 3 * s)(t))),
                                    "Y": poisson(lambda t: 3 * t)},
          model=' conversionFactor="two"', Compartments=CELL, Parameters=[number("two", 2), number("one", 1)],
          Species=[one("X", initialAmount=0), one("Y", initialAmount=0, conversionFactor="one")],
          Reactions=[reaction("make", {}, {"X": 1, "Y": 1}, 3)])
    check("stoichiometry_by_a_rule", 10, {"X": lambda t: batches(t)}, Compartments=CELL, Parameters=[number("n", 4)],
          Species=[one("X", initialAmount=0)], Rules=[rule("much", call("plus", "n", 1))], Reactions=[
              COME(1).replace('stoichiometry="1" constant="true"', 'id="much" constant="false"'), GO(call("times", .1, "X"))])
    check("reserved_name_of_a_rule", 10, {"y": lambda t: tuple(a * b for a, b in zip((2, 4), arrivals(t)))},
          Compartments=CELL, Species=[one("X", initialAmount=0)], Reactions=[COME(1), GO(call("times", .1, "X"))],
          Parameters=[number("y", None, False)], Rules=[rule("y", call("times", 2, "X"))])
    check("piecewise_and_logic", 10, {"X": lambda t: arrivals(t, 0, 3, .1)}, Compartments=CELL,
          Species=[one("X", initialAmount=0)], Reactions=[GO(call("times", .1, "X")), COME(
              "<piecewise><piece><cn>3</cn>" + call("xor", call("gt", "X", 1e6), call("not", call("lt", TIME, 0)))
              + "</piece><otherwise><cn>900</cn></otherwise></piecewise>")])


def events_at_the_start_and_later():
    parts = dict(Compartments=CELL, Species=[one("X", initialAmount=3), one("N", initialAmount=0)],
                 Reactions=[reaction("go", {"X": 1}, {}, call("times", .1, "X"))])
    stays = lambda n: binomial(n, lambda t: np.exp(-.1 * t))
    check("initially_false", 10, {"X": stays(40)}, Events=[event("e", call("geq", "X", 2), initial=False, X=40)], **parts)
    check("initially_true", 10, every=5, expected={"X": stays(3), "N": lambda t: binomial(1, lambda s: (1 - np.exp(-.1 * s))**3)(t)},
          Events=[event("e", call("leq", "X", 3), X=50), event("f", call("eq", "X", 0), N=1)], **parts)
    check("chain_of_events", 10, {"N": fixed(lambda t: np.where(t < 2, 0, 7))}, every=1, Events=[
        event("a", call("geq", TIME, 2), N=1), event("b", call("eq", "N", 1), N=5), event("c", call("eq", "N", 5), N=7)], **parts)
    check("persistent_or_not", 12, {"N": fixed(lambda t: np.where(t < 5, 0, 20))}, every=1, Events=[
        event("keeps", call("and", call("geq", TIME, 1), call("leq", TIME, 3)), delay=4, persistent=True,
              N=call("plus", "N", 20)),
        event("drops", call("and", call("geq", TIME, 1), call("leq", TIME, 3)), delay=4, persistent=False,
              N=call("plus", "N", 300))], **parts)
    check("two_at_once_by_priority", 8, {"N": fixed(lambda t: np.where(t < 3, 0, 14))}, every=1, Events=[
        event("second", call("geq", TIME, 3), priority=1, at_trigger=False, N=call("times", "N", 2)),
        event("first", call("geq", TIME, 3), priority=9, N=7)], **parts)


def simultaneous_events():
    """At 2 the priorities decide the order; values are those of the trigger, or of the event."""
    late = lambda formula, **more: event(formula, call("geq", TIME, 2), **more)
    above = lambda name, **more: event(name, call("gt", "X", 4), **more)
    N = lambda x: dict(N=call("plus", "N", x))
    sets_x = event("sets", call("geq", TIME, 2), X=5)
    for name, n, events in (
            ("old_values", 12, [late("second", priority=1, **N(2)), late("first", priority=2, N=70)]),
            ("new_values", 72, [late("second", priority=1, at_trigger=False, **N(2)), late("first", priority=2, N=70)]),
            ("cancelled_by_another", 10, [sets_x, above("first", priority=2, X=1), above(
                "second", priority=1, persistent=False, N=99)]),
            ("not_cancelled", 15, [sets_x, above("first", priority=2, X=1), above(
                "second", priority=1, N=call("plus", "N", "X"))]),
            ("a_condition_before_a_time", 7, [late("second", priority=1, N=7), event(
                "first", call("and", call("geq", TIME, 2), call("geq", "N", 3)), priority=2, N=70)]),
            ("a_new_event_before_a_waiting_one", 32, [
                late("last", priority=1, at_trigger=False, **N(2)), late("first", priority=3, N=20),
                event("between", call("eq", "N", 20), priority=2, N=30)]),
            ("a_delay_from_a_number", 17, [event("e", call("geq", TIME, 1), delay=call("divide", "N", 10), N=17)])):
        check(name, 4, {"N": fixed(lambda t: np.where(t < 2, 10, n))}, every=1, Compartments=CELL,
              Species=[one("X", initialAmount=0), one("N", initialAmount=10)], Events=events,
              Reactions=[reaction("none", {"X": 1}, {}, call("times", 0, "X"))])
    check("five_delays_at_once", 12, {"N": fixed(lambda t: np.maximum(np.floor(t - 4.5) - 1, 0))}, every=1,
          Compartments=CELL, Species=[one("X", initialAmount=0), one("N", initialAmount=0)],
          Parameters=[number("last", 0, False)],
          Reactions=[reaction("none", {"X": 1}, {}, call("times", 0, "X"))],
          Events=[event("e", call("geq", call("minus", TIME, "last"), 1), last=TIME, X=call("plus", "X", 1)),
                  event("f", call("geq", call("minus", TIME, "last"), 1), delay=4.5, N="X")])


LAWS = [compartments, species_that_others_change, sizes_that_change, functions_and_names,
        events_at_the_start_and_later, simultaneous_events]

if __name__ == "__main__":
    skip_without_sbml()
    for law in LAWS:
        law()
