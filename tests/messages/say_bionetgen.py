"""say_bionetgen - tests what networks of BioNetGen become, that they react as they should, and the
messages about those that cannot be converted."""
import json
import math
import pathlib
import time

import numpy as np
import python_package  # noqa: F401
import rdsim as package

from make_network import network
from say_main import SOURCE, assert_message, config, cpu, rdsim, run_cases

NETWORK = (SOURCE / "tests/models/formats/ligand.net").read_text()
SUM = "L_r + 2 * L_r_1_R_l_1"
CONVERTED = f"""
# One voxel of volume 1: rate constants are per molecule and time.
grid = {{ voxels = 1; edge = 1.0; }};
parameters = {{
    kp1 = 0.01;
    km1 = 0.1;
    L0 = 100.0;
    rate = "2 * kp1"; # _rate
    e_2 = "3^(-1)"; # e
    ksyn = 2.0;
}};
species = (
    {{ name = "L_r"; label = "L(r)"; }},
    {{ name = "R_l"; label = "R(l)"; }},
    {{ name = "L_r_1_R_l_1"; label = "L(r!1).R(l!1)"; }},
    {{ name = "Source"; }}, # constant
    {{ name = "c0_P_x_1_y_2"; label = "@c0::P(x~1,y~2!+)"; }}
);
reactions = (
    {{ equation = "L_r + R_l -> L_r_1_R_l_1"; rate = "kp1"; }},
    {{ equation = "L_r_1_R_l_1 -> L_r + R_l"; rate = "km1"; }},
    {{ equation = "Source -> L_r + Source"; rate = "ksyn"; }},
    {{ equation = "2 L_r -> c0_P_x_1_y_2"; rate = "0.5 * rate"; }},
    {{ equation = "L_r + Source -> Source"; rate = "if({SUM} > 5 and t < 3, \
kp1 * ({SUM}) / (10 + ({SUM}))^2, log(2))"; }},
    {{ equation = "0 -> R_l"; rate = "e_2 * (kp1 * ({SUM}) / (10 + ({SUM}))^2)"; }},
    {{ equation = "R_l -> 0"; rate = 0.001; }}
);
"""


def a_network_becomes_a_configuration():
    done = rdsim("import", config("m.net", NETWORK), status=0)
    head, rest = done.stdout.split("\n", 1)
    assert head.startswith("# Converted by rdsim from m.net (BioNetGen, "), head
    assert rest.startswith(CONVERTED), rest
    for part in ('{ species = "L_r"; count = "L0"; }', '{ species = "R_l"; count = 50.0; }',
                 '{ species = "c0_P_x_1_y_2"; count = "1.5 * L0"; }', 'solver = "exact";',
                 f'observables = (\n    {{ name = "Ltot"; sum = "{SUM}"; }}',
                 '{ name = "Empty"; sum = "0"; }'):
        assert part in rest, rest
    assert_message(done, "m.net:35: 'simulate({method=>\"ssa\",t_end=>10})' is left out")
    assert_message(done, "m.net:17: species 'R(l)': begins with 50.4 molecules, rounded to 50")
    config("m.cfg", done.stdout)
    cpu("m.cfg", "--set", "time.end=2", "-o", "a.h5", status=0)
    cpu("m.net", "--set", "time.end=2", "-o", "b.h5", status=0)
    assert "identical" in rdsim("diff", "a.h5", "b.h5", status=0).stdout
    assert "identical" in rdsim("again", "b.h5", status=0).stdout
    assert_message(rdsim("m.net", status=2), "m.net: has no end of the simulation")
    config("space.cfg", 'include = "m.net"; grid = { voxels = (4, 4); edge = 0.25; };\n'
           'species = ( { name = "L_r"; diffusion = 0.1; } ); time = { end = 1; };\n'
           'solver = "split";')
    assert "4 x 4 voxels" in rdsim("check", "space.cfg", status=0).stdout


def lines_go_on_after_a_backslash():
    text = NETWORK.replace("kp1*Ltot/(10", "kp1*Ltot/ \\ # goes on\n  \\\n (10")
    assert text.count("\n") == NETWORK.count("\n") + 2, text
    shown = [rdsim("import", config("m.net", x), status=0) for x in (NETWORK, text)]
    assert shown[0].stdout.split("\n", 1)[1] == shown[1].stdout.split("\n", 1)[1], shown
    assert_message(shown[1], "m.net:37: 'simulate(")


def a_byte_order_mark_is_skipped():
    shown = [rdsim("import", config("m.net", x), status=0).stdout for x in (NETWORK, "\ufeff" + NETWORK)]
    assert shown[0].split("\n", 1)[1] == shown[1].split("\n", 1)[1], shown


def lines_of_what_import_prints_are_named():
    text = NETWORK.replace("2 0 0.001", "5 5 0.001")
    printed = rdsim("import", config("m.net", text), status=0).stdout
    lines = [i + 1 for i, line in enumerate(printed.splitlines()) if "y_2 -> c0" in line]
    done = rdsim("m.net", "--set", "time.end=1", status=0)
    assert_message(done, f"m.net (converted):{lines[0]}: reaction", "it changes nothing")
    done = rdsim(config("kept.cfg", printed), "--set", "time.end=1", status=0)
    assert_message(done, f"kept.cfg:{lines[0]}: reaction", "it changes nothing")


def the_two_kinds_of_net_files_are_distinguished():
    config("m.net", NETWORK)
    # $Source is not balanced; Sat and other rate laws do not matter
    done = rdsim("modes", "m.net", "--net", status=0)
    assert " : 2 Source => 0" in done.stdout and "'Source -> L_r'" in done.stdout, done.stdout
    assert "Source" not in rdsim("modes", "m.net", "--laws", status=0).stdout
    page = rdsim("modes", "m.net", "--report", status=0).stdout
    assert "largest     L_r: " in page and "Source:" not in page, page
    for line in 'setOption("SpeciesLabel","Quasi")', 'version("2.5.0")':
        config("m.net", NETWORK.replace("substanceUnits", f"{line}\nsubstanceUnits"))
        assert "Source" in rdsim("modes", "m.net", "--net", status=0).stdout, line
    config("other.net", "R1 : A => B\nR2 : B => A\n")
    assert "1 mode" in rdsim("modes", "other.net", status=0).stdout


def identical_reactants_have_their_statistical_factor():
    """2 A -> B with 0.5 * k from 12 A, A -> 0 with h: against the master equation."""
    k, h, n = 0.1, 0.3, 12
    text = f"""begin parameters
 1 k {k}
 2 h {h}
end parameters
begin species
 1 A() {n}
 2 B() 0
end species
begin reactions
 1 1,1 2 0.5*k
 2 1 0 h
end reactions
"""
    cpu(config("pairs.net", text), "--set", "time.end=4", "--set", "output.every=1", "--runs",
        "4000", "--seed", "11", status=0)
    rows = ["time,A-mean,A-sd"]
    matrix = np.zeros((n + 1, n + 1))
    for a in range(n + 1):
        for left, rate in ((a - 2, 0.5 * k * a * (a - 1)), (a - 1, h * a)):
            if rate > 0:
                matrix[left, a] += rate
                matrix[a, a] -= rate
    number, start = np.arange(n + 1), np.eye(n + 1)[n]
    for t in range(5):
        step = np.linalg.matrix_power(np.eye(n + 1) + matrix * t / 2**20, 2**20) @ start
        mean = number @ step
        rows.append(f"{t},{mean!r},{max(0, number**2 @ step - mean**2)**0.5!r}".replace(
            "np.float64(", "").replace(")", ""))
    page = rdsim("compare", "pairs.h5", config("exact.csv", "\n".join(rows)), status=0).stdout
    assert "agree: none of 8 comparisons" in page, page
    # the wrong factor is found
    cpu("pairs.net", "--set", "time.end=4", "--set", "output.every=1", "--runs", "4000", "--seed",
        "12", "--set", "parameters.k=0.2", "-o", "wrong.h5", status=0)
    rdsim("compare", "wrong.h5", "exact.csv", status=1)


def constant_species_stay():
    text = """begin species
 1 $A 5
 2 B 0
 3 C 100
end species
begin reactions
 1 1 2 1
 2 3 1,1 1
 3 1,2 0 0.1
end reactions
"""
    done = rdsim("import", config("c.net", text), status=0)
    for equation in ("A -> B + A", "C -> 0", "A + B -> A"):
        assert f'equation = "{equation}"' in done.stdout, done.stdout
    page = json.loads(rdsim("check", "c.net", "--set", "time.end=1", "--json", status=0).stdout)
    assert page["report"]["conserved"] == ["A"], page["report"]


def timed_import(path):
    """Imports a network within a second; returns the configuration."""
    start = time.monotonic()
    done = rdsim("import", path, status=0)
    seconds = time.monotonic() - start
    assert seconds < 1, seconds
    return done.stdout


def a_large_network_is_fast():
    config("large.net", network(356, 3749))
    assert timed_import("large.net").count("equation = ") == 3749
    cpu("large.net", "--set", "time.end=1e-6", "-q", status=0)


def long_patterns_have_numbered_names():
    """Names end after 48 characters, so that all of these begin alike, also those that look like a
    number behind another."""
    same = "Receptor_with_a_name_that_is_too_long_to_be_kept"
    lines = "".join(f" {i + 1} {same}(site~{i}) 5\n" for i in range(5000))
    text = f"begin species\n{lines} 5001 {same[:-2]}_3 5\n 5002 x 5\n 5003 x() 5\nend species\n"
    done = rdsim("import", config("x.net", text), status=2)
    assert_message(done, "species 'x()'", "has the pattern of line 5003")
    config("long.net", text.replace(" 5003 x()", " 5003 x_2()").replace(" 5002 x ", " 5002 _ ") +
           "begin reactions\nend reactions\n")
    page = timed_import("long.net")
    for name in (same, f"{same}_2", f"{same}_4999", f"{same}_5000", f"{same[:-2]}_3", "n", "x_2"):
        assert page.count(f'name = "{name}"') == 1, name


def wrong(replace, by, *words):
    """Replaces a part of the network; w.net:* in the words is the line of the new part."""
    assert replace in NETWORK, replace
    line = NETWORK[:NETWORK.index(replace)].count("\n") + 1
    text = NETWORK.replace(replace, by, 1)
    assert_message(rdsim("import", config("w.net", text), status=2),
                   *(word.replace("w.net:*", f"w.net:{line}") for word in words))


def wrong_networks_are_refused():
    wrong("km1            0.1", "km1            0.1*(", "w.net:*: parameter 'km1': the expression "
          "ends after an operator")
    wrong("2*kp1", "2*kp2", "w.net:*: parameter '_rate': 'kp2' is not declared")
    wrong("3^-1", "3 4", "w.net:*: parameter 'e': found '4' after the expression")
    wrong("3^-1", "nolog(3)", "w.net:*: parameter 'e': the function 'nolog' with these arguments")
    wrong("3^-1", "log(3)", "w.net:*: parameter 'e': the function 'log' is ambiguous")
    for value in "Ltot", "f1()", "2*time()", "km1 + e":
        wrong("3^-1", value, "w.net:*: parameter 'e': its value is not a number, or depends on itself, a group")
    wrong("f1() kp1*Ltot", "f1() f2()*Ltot", "its value depends on itself")
    wrong("f1() kp1", "f1(x) kp1", "w.net:*: function 'f1': has arguments")
    wrong("1,2*3", "1,2*9", "w.net:*: group 'Ltot': '9' is no number of a species; give one from "
          "1 to 5")
    wrong("1,2*3", "1,0.5*3", "w.net:*: group 'Ltot': '0.5*3' is no member; write 3, or 2*3")
    wrong("1,2*3", "1,x*3", "w.net:*: group 'Ltot': 'x*3' is no member; write 3, or 2*3 with a whole number")
    wrong("3 1,2 km1", "6 1,2 km1", "w.net:*: reaction '6 -> 1,2': '6' is no number of a species")
    wrong("3 1,2 km1", "3 1,,2 km1", "w.net:*: reaction '3 -> 1,,2': '' is no number")
    wrong("3 1,2 km1", "3 1,2", "w.net:*: reaction '3 -> 1,2': has no value; write a line as")
    wrong("3 1,2 km1", "3 1,2 Sat 1 2", "w.net:*: reaction '3 -> 1,2': the rate law 'Sat' cannot "
          "be converted; write it as a function")
    wrong("3 1,2 km1", "3 1,2 Arrhenius(0.5,1)", "the rate law 'Arrhenius' cannot be converted")
    wrong("begin groups", "begin surprises", "the block 'surprises' cannot be converted")
    wrong("end reactions\n", "", "the block 'reactions' has no end; add 'end reactions'")
    wrong("end groups", "", "the block 'groups' has no end")
    wrong("begin groups", "begin groups\nend groups\nbegin species\nend species\nbegin groups",
          "there are two blocks 'species'; join them")
    wrong("L0             1e2", "kp1            1e2", "w.net:*: parameter 'kp1': has the name of "
          "line 4; rename one")
    wrong("1 L(r) L0", "1 L(r) -L0", "w.net:*: species 'L(r)': begins with -100 molecules")
    wrong("2 R(l) 50.4", "7 R(l) 50.4", "w.net:*: species 'R(l)': has the number 7, but stands at place 2; "
          "number the species in order")
    wrong("2 R(l) 50.4", "2 L(r) 50.4", "w.net:*: species 'L(r)': has the pattern of line 16; keep one of them")
    wrong("2 R(l) 50.4", "2 $Source() 5", "w.net:19: species 'Source': has the pattern of line 17; keep one")
    wrong("1 L(r) L0", "1 L(r) Ltot", "w.net:*: species 'L(r)': begins with nan molecules")
    wrong('("Number")', '("Concentration")', "w.net:*: amounts are concentrations")
    rules = "begin model\nbegin molecule types\nA(b)\nend molecule types\nend model\n"
    assert_message(rdsim("import", config("rules.bngl", rules), status=2), "rules.bngl:1: has no "
                   "block 'species', so it is no network; generate one")
    assert_message(rdsim("check", "rules.bngl", status=2), "rules.bngl:1: has no block 'species'")
    rules = "begin seed species\n A() 5\n B() 0\nend seed species\nbegin reaction rules\n A()->B() 1\nend reaction rules\n" \
        "begin energy patterns\n A() 5\nend energy patterns\nbegin actions\nsimulate({})\nend actions\n"
    for command in "import", "modes", "check":
        assert_message(rdsim(command, config("rules.bngl", rules), status=2), "rules.bngl:1: has no "
                       "block 'reactions', so it is no network; generate one")
    rdsim("import", config("none.net", rules + "begin reactions\nend reactions\n"), status=0)
    deep = NETWORK.replace("3^-1", "(" * 5000 + "1" + ")" * 5000)
    assert_message(rdsim("import", config("deep.net", deep), status=2), "nested too deeply")


def functions_have_their_values():
    """Tests each function and operator at numbers that distinguish it from its neighbours."""
    cases = (
        ("exp(0.7)", math.exp(0.7)), ("ln(0.7)", math.log(0.7)), ("log10(70)", math.log10(70)),
        ("log2(70)", math.log2(70)), ("sqrt(70)", math.sqrt(70)), ("abs(-0.7)", 0.7),
        ("sin(0.7)", math.sin(0.7)), ("cos(0.7)", math.cos(0.7)), ("tan(0.7)", math.tan(0.7)),
        ("asinh(0.7)", math.asinh(0.7)), ("asinh(-1e9)", math.asinh(-1e9)),
        ("acosh(1.7)", math.acosh(1.7)), ("atanh(0.7)", math.atanh(0.7)),
        ("sinh(0.7)", math.sinh(0.7)), ("cosh(0.7)", math.cosh(0.7)), ("tanh(0.7)", math.tanh(0.7)),
        ("rint(2.6)", 3), ("rint(2.4)", 2), ("sign(-3)", -1), ("sign(0)", 0), ("sign(5)", 1),
        ("min(4,2,3)", 2), ("max(4,5,3)", 5), ("min(7)", 7), ("sum(1,2,4)", 7), ("avg(1,2,6)", 3),
        ("if(2>1,5,6)", 5), ("if(1>2,5,6)", 6), ("_pi", math.pi), ("_e", math.e), ("7-2-1", 4),
        ("12/3/2", 2), ("2^3^2", 512), ("-2^2", -4), ("2+3*4", 14), ("if(!0,5,6)", 5),
        ("if(1>2||3>2,5,6)", 5), ("if(1>2&&3>2,5,6)", 6), ("if(2>=2,5,6)", 5), ("if(2<=1,5,6)", 6),
        # the truth of numbers, as in run_network of BioNetGen 2.9.3
        ("if(0.5,5,6)", 6), ("if(0.51,5,6)", 5), ("if(-2,5,6)", 6), ("0.3&&0.3", 0),
        ("0.3||0.3", 0), ("-2||0", 1), ("5&&2", 1), ("if(-2&&1,5,6)", 5),
        ("if(2==2,5,6)", 5), ("if(2!=2,5,6)", 6), ("if(2<2,5,6)", 6), ("if(2>2,5,6)", 6),
    )
    lines = "".join(f"    {i + 1} p{i} {text}\n" for i, (text, _) in enumerate(cases))
    pathlib.Path("f.net").write_text(f"begin parameters\n{lines}end parameters\nbegin species\n    1 A() 5\n"
                                     "    2 B() if(p0>1,7,8)\nend species\nbegin reactions\n"
                                     "    1 1 0 p0\nend reactions\n")
    assert "count = \"if(p0 > 1, 7, 8)\"" in rdsim("import", "f.net", status=0).stdout
    found = package.Model("f.net", **{"time.end": 1}).parameters
    for i, (text, value) in enumerate(cases):
        here = found[f"p{i}"]
        assert abs(here - value) <= 1e-14 * max(1, abs(value)), f"{text}: {here} and not {value}"


CASES = [
    functions_have_their_values,
    lines_go_on_after_a_backslash,
    a_byte_order_mark_is_skipped,
    a_network_becomes_a_configuration,
    lines_of_what_import_prints_are_named,
    the_two_kinds_of_net_files_are_distinguished,
    identical_reactants_have_their_statistical_factor,
    constant_species_stay,
    a_large_network_is_fast,
    long_patterns_have_numbered_names,
    wrong_networks_are_refused,
]

if __name__ == "__main__":
    run_cases(CASES)
