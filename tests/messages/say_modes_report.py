"""say_modes_report - what `rdsim modes --report` prints about networks, and `rdsim check` about
reactions that can never happen."""
import random

from say_main import GOOD, SOURCE, assert_message, config, rdsim, run_cases, unwrapped
from say_modes import modes

REPORT = """
grid = { voxels = 4; edge = 1.0; };
species = ( { name = "A"; }, { name = "B"; }, { name = "E"; }, { name = "S"; }, { name = "ES"; },
            { name = "X"; } );
reactions = ( { equation = "2 A -> 2 B"; rate = 1; }, { equation = "2 B -> 2 A"; rate = 1; },
              { equation = "E + S -> ES"; rate = 1; }, { equation = "ES -> E + S"; rate = 1; },
              { equation = "X -> 2 X"; rate = 1; }, { equation = "2 X -> X"; rate = 1; } );
initial = ( { species = "A"; count = 11; }, { species = "E"; count = 3; },
            { species = "S"; value = 4; } );
time = { end = 1; };
output = { every = 1; };
"""


def report(text):
    config("model.cfg", text)
    return rdsim("modes", "--report", "model.cfg", status=0).stdout


def the_report_explains_a_network():
    page = report(REPORT)
    for line in ("network     6 species, 6 reactions, rank 3", "law         A + B = 11",
                 "law         S + ES", "follows     B, S, ES:", "largest     ES: 3",
                 "largest     S: bounded by the total of S + ES", "modes       3",
                 "largest     X: not bounded by a law", "deficiency  0: 6 complexes, 3 linkage",
                 "independent Poisson", "multiples   A changes by multiples of 2 only",
                 "siphon      X: not there at the start, and never made"):
        assert line in page, f"{line} is not in: {page}"
    assert page.count("siphon ") == 1 and "in no mode" not in page
    page = report(REPORT.replace("2 A -> 2 B", "A -> 2 B").replace("2 B -> 2 A", "2 B -> A"))
    assert "law         2 A + B = 22" in page and "largest     B: 22" in page, page
    assert "largest     A: 11" in page and "multiples   B changes by multiples of 2 only" in page
    # a species that changes by 2 does not reach the total of its law
    for start, most in ((11, "A: 11"), (11, "B: 10"), (10, "A: 10"), (10, "B: 10")):
        page = report(REPORT.replace("count = 11", f"count = {start}"))
        assert f"largest     {most}\n" in page, page
    page = report(REPORT.replace("2 A -> 2 B", "3 A -> 2 B").replace("2 B -> 2 A", "2 B -> 3 A")
                  .replace("count = 11; }", 'count = 2; }, { species = "B"; count = 1; }'))
    assert "largest     A: 2\n" in page and "largest     B: 1\n" in page, page
    # E can run out where there is none at the start; a propensity of another form is no mass action
    some = REPORT.replace('{ species = "E"', '{ species = "X"; count = 1; }, { species = "E"')
    assert "siphon      X: once gone, never back" in report(some)
    assert "siphon      E, ES: not there at" in report(REPORT.replace("count = 3", "count = 0"))
    assert "siphon      none" in report(REPORT.replace("X -> 2 X", "0 -> X"))
    event = 'events = ( { time = 0.5; add = { species = "X"; count = 3; }; } ); time = '
    page = report(some.replace("time = ", event))
    assert "siphon      X: once gone, back only by events or reservoirs" in page, page
    assert "equilibrium" not in page and "law         A + B\n" in page, page
    assert "Poisson" not in report(REPORT.replace("rate = 1; }, { equation = \"2 B",
                                                  "propensity = \"A\"; }, { equation = \"2 B"))
    page = report(REPORT.replace("2 X -> X", "2 X -> A"))
    assert "no weighted" not in page and "largest     A: not bounded" in page
    page = report(REPORT.replace('"ES -> E + S"', '"ES -> X"'))
    assert "in no mode  'E + S -> ES': no reaction that can run makes E" in page, page
    hares = rdsim("modes", "--report", SOURCE / "configs" / "quickstart.cfg", status=0).stdout
    for line in ("law         none", "modes       2", "siphon      hare", "siphon      fox"):
        assert line in hares, hares


def laws_and_bounds_need_no_positive_weights():
    """A law may have a negative total, and what no reaction makes has its start as its bound."""
    text = REPORT.replace('"E + S -> ES"', '"E + S -> 0"').replace('"ES -> E + S"', '"ES -> 2 ES"')
    page = report(text.replace("value = 4", "count = 4"))
    assert "law         E - S = -1\n" in page, page
    assert "largest     E: 3\n" in page and "largest     S: 4\n" in page, page
    assert "largest     ES: not bounded by a law\n" in page, page
    assert "largest     S: not bounded by a law\n" in report(text)


def rows_of_parameters_leave_the_start_open():
    """A number at the start that differs between runs has no total, and may be above 0."""
    config("rows.csv", "n\n0\n7\n")
    text = REPORT.replace("count = 11", 'count = "n"').replace("count = 3", 'count = "many"')
    text = 'parameters = { n = 0; many = "2 * n"; };\n' + text
    page = report(text)
    assert "law         A + B = 0\n" in page and "siphon      A, B: not there" in page, page
    page = report(text + 'run = { rows = { file = "rows.csv"; }; };\n')
    assert "law         A + B\n" in page and "law         E + ES\n" in page, page
    assert "largest     ES: bounded by the total of E + ES\n" in page, page
    assert page.count("siphon ") == 1 and "siphon      X: not there" in page, page
    page = unwrapped(rdsim("check", "model.cfg", status=0).stdout)
    assert page.count("can never happen") == 1 and "X is not there at the start" in page, page


def choices(n):
    """A chain of n conversions with two reactions each: 2^n modes."""
    steps = [f"{way}{i} : X{i} => X{i + 1}\n" for i in range(n) for way in "ab"]
    config("chain.net", "# external: X0 X%d\nlost : X1 => Y\n%s" % (n, "".join(steps)))
    return rdsim("modes", "--report", "chain.net", status=0).stdout


def the_report_says_what_it_did_not_count():
    assert "modes       1024\n" in choices(10)
    page = choices(20)
    assert "modes       at least " in page and "--count" in page, page
    assert "in no mode  lost: no reaction that can run consumes Y" in page, page
    assert page.count("in no mode") == 1 and "not decided" not in page, page


def the_report_decides_reactions_without_counting():
    """Each reaction of the trap makes more molecules than it consumes, so none is in a mode."""
    pairs = [one + other for one in "PQR" for other in "PQR" if one != other]
    trap = "".join(f"{pair} : {pair[0]} => 2 {pair[1]}\n" for pair in pairs)
    steps = "".join(f"{way}{i} : X{i} => X{i + 1}\n" for i in range(20) for way in "ab")
    page = modes("# external: X0 X20\n" + steps + trap, "--report").stdout
    assert "modes       at least " in page and "not decided" not in page, page
    for name in pairs:
        assert f"in no mode  {name}: directions and balances together" in page, page
    assert page.count("in no mode") == len(pairs), page


def the_report_says_which_laws_it_lacks():
    text = """: 123456789 A => 7 B
: 5 B => 1000003 C
: D => E
"""
    assert "# 1 law over 2 species; 1 more was not found" in modes(text, "--laws").stdout
    page = modes(text, "--report").stdout
    assert "law         1 more was not found: a weight is 2^29 or more" in page, page
    assert "rank 3\n" in page and "law         none" not in page, page
    assert "deficiency  0: 6 complexes, 3 linkage classes, rank 3" in page, page
    # the rank modulo the first prime, 2^61 - 1, is less
    page = modes(f": {2**61 - 1} A => 0\n: {2**61 - 1} A + B => C\n", "--report").stdout
    assert "rank 2\n" in page and "law         B + C\n" in page, page
    assert page.count("law  ") == 1, page
    # and that modulo each of the first two primes
    page = modes(f": {2**61 - 1} A => 0\n: {2**61 - 31} B => 0\n", "--report").stdout
    assert "rank 2\n" in page and "law         none" in page, page


def chain(n):
    """Returns a chain in which one molecule at the start becomes 2^n at the end, and back."""
    return "".join(f": A{i} <=> 2 A{i + 1}\n" for i in range(n))


def weights_may_be_too_large():
    """What is conserved is no siphon, also where no integer holds the weights."""
    page = modes(chain(40), "--report").stdout
    assert f"bounded by the total of {2**40} A0 + {2**39} A1 + " in page, page
    assert f"{2**33} A7 + 33 more species\n" in page and "\nsemiflows" not in page, page
    assert "siphon      none" in page and page.count("1 more was not found") == 1, page
    page = modes(chain(70) + ": B <=> C\n", "--report").stdout
    assert "semiflows   1 more has weights that do not fit into 64 bits\n" in page, page
    assert page.count("bounded by a semiflow that was not found") == 71, page
    assert page.count("bounded by the total of B + C") == 2 and "siphon      none" in page, page
    done = modes(chain(70) + "".join(f": B{i} <=> B{i + 1}\n" for i in range(80)), "--semiflows", status=1)
    assert len(done.stdout.splitlines()) == 2 and done.stdout.endswith(" + B79 + B80\n"), done.stdout
    assert_message(done, "small.net: 1 semiflow is not printed: the weights do not fit")
    page = modes(chain(400) + ": => B\n: C =>\n", "--report").stdout
    assert "semiflows   not found: the coefficients of the nullspace" in page, page
    assert page.count("siphon  ") == 2 and "\nsiphon      C: once gone, never back" in page, page
    assert "A400: not known whether it can become empty\n" in page, page


def the_report_bounds_its_searches():
    """A chain of 20 pairs has 2^21 semiflows; a dense network has siphons of many species each."""
    text = "".join(f"a{i} : A{i} + B{i} => A{i + 1} + B{i + 1}\n" for i in range(20))
    page = modes(text, "--report").stdout
    assert "semiflows   not all were found" in page and page.count("largest ") == 42, page
    assert page.count("not known") == 0 and page.count("not bounded") == 0, page
    draw = random.Random("dense")
    text = "".join("r%d : S%d + S%d => S%d + S%d\n" % (i, *draw.sample(range(100), 4))
                   for i in range(300))
    page = modes(text, "--report").stdout
    assert "siphons     larger ones may be missing: the search ended after a fixed" in page, page
    assert page.count("siphon  ") > 10, page


def check_names_impossible_reactions():
    def warnings(text):
        config("model.cfg", text)
        page = unwrapped(rdsim("check", "model.cfg", status=0).stdout)
        return [line.split(": ", 1)[1] for line in page.splitlines() if "can never happen" in line]
    advice = "; add it to initial, or remove the reaction"
    absent = " is not there at the start, and nothing makes it" + advice
    circle = " is not there at the start, and no reaction that can happen makes it" + advice
    text = REPORT.replace("2 A -> 2 B", "A + X -> B").replace("2 X -> X", "0 -> E")
    assert warnings(text) == ["'A + X -> B' and 2 more reactions can never happen: X" + absent + "s"]
    # one line for a cause: only reactions that need E make ES, and those need ES that make E
    text = REPORT.replace('{ species = "E"; count = 3; },', "").replace("X -> 2 X", "ES + A -> X")
    assert warnings(text) == ["'E + S -> ES' and 3 more reactions can never happen: E" + circle + "s"]
    text = REPORT.replace("E + S -> ES", "2 X -> E + ES").replace("2 X -> X", "X + B -> A")
    assert warnings(text.replace("count = 3", "count = 0")) == [
        "'2 X -> E + ES' and 3 more reactions can never happen: X" + absent + "s"]
    # one cause, E, although B and X make each other before it is seen that E makes B
    text = REPORT.replace('{ species = "E"; count = 3; },', "").replace("2 B -> 2 A", "E -> B")
    text = text.replace('"2 A -> 2 B"', '"B <-> X"; back = 1').replace("X -> 2 X", "X -> A")
    assert warnings(text) == ["'B -> X' and 6 more reactions can never happen: E" + circle + "s"]
    text = REPORT.replace('"X -> 2 X"', '"A -> 2 X"').replace('"2 X -> X"', '"E + S -> A"')
    text = text.replace('{ species = "E"; count = 3; },', "").replace('"ES -> E + S"', '"X -> S"')
    assert warnings(text) == ["'E + S -> ES' and 1 more reaction can never happen: E" + absent + "s"]
    config("model.cfg", GOOD)
    assert "can never happen" not in rdsim("check", "model.cfg", status=0).stdout
    # each reaction makes what the one before it needs
    text = REPORT.replace("2 A -> 2 B", "X -> S").replace("2 B -> 2 A", "ES -> X")
    text = text.replace('"E + S -> ES"', '"B -> ES"').replace('"ES -> E + S"', '"A -> B"')
    assert not warnings(text.replace('{ species = "S"; value = 4; }', '{ species = "E"; count = 1; }'))


CASES = [
    the_report_explains_a_network,
    laws_and_bounds_need_no_positive_weights,
    rows_of_parameters_leave_the_start_open,
    the_report_says_what_it_did_not_count,
    the_report_decides_reactions_without_counting,
    the_report_says_which_laws_it_lacks,
    weights_may_be_too_large,
    the_report_bounds_its_searches,
    check_names_impossible_reactions,
]

if __name__ == "__main__":
    run_cases(CASES)
