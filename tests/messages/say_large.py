"""say_large - what `rdsim check` prints of models with thousands of species and reactions, the limits
of their numbers, and that the time stays in proportion to the model, also of a start from a result."""
import json
import os
import resource
import subprocess

PROGRAM = os.environ["RDSIM_PROGRAM"]
GRID = "grid = { voxels = 1; edge = 1.0; };\ntime = { end = 1; };\n"


def model(name, n, reactions, initial):
    """Writes a model of the species s0 to s(n - 1)."""
    with open(name, "w", encoding="utf-8") as file:
        file.write(GRID + "species = (" + ", ".join(f'{{ name = "s{i}"; }}' for i in range(n))
                   + ");\nreactions = (\n" + ",\n".join(reactions) + ");\ninitial = ("
                   + ", ".join(f'{{ species = "{s}"; count = 1; }}' for s in initial) + ");\n")
    return name


def check(name, *options, rc=0):
    """Runs `rdsim check`; returns what it prints and the CPU seconds that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([PROGRAM, "check", name, *options], capture_output=True, text=True,
                          check=False)
    assert done.returncode == rc, (name, done.returncode, done.stderr[:1000])
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return done.stdout + done.stderr, seconds


def many_lines_are_cut():
    """200 species and 300 reactions: the page has the first, and the document has all."""
    reactions = [f'{{ equation = "s{i % 200} -> s{(7 * i + 1) % 200}"; rate = 0.{i + 1:03d}; }}'
                 for i in range(300)]
    name = model("many.cfg", 200, reactions, [f"s{i}" for i in range(200)])
    page, _ = check(name)
    lines = page.splitlines()
    assert sum(line.startswith("species ") for line in lines) == 21, page
    assert sum(line.startswith("reaction ") for line in lines) == 21, page
    assert "species     ... and 180 more of these lines; rdsim check --json prints all" in lines
    assert "reaction    ... and 280 more of these lines; rdsim check --json prints all" in lines
    network = " ".join(page[page.index("network"):page.index("species     s0")].split())
    assert network == ("network 200 species, of which 0 move; 300 reactions: 0 without reactants, "
                       "300 of one molecule, 0 of two, 0 of more; constants of propensities from "
                       "0.001 to 0.3"), network
    document = json.loads(check(name, "--json")[0])
    assert len(document["report"]["species"]) == 200
    assert len(document["report"]["reaction"]) == 300
    assert len(document["warnings"]) == 0, document["warnings"][:3]


def warnings_of_a_kind_are_cut():
    """70 species that nothing uses give 20 warnings; another warning stays visible."""
    reactions = ['{ equation = "s0 -> s0"; rate = 1; }']
    page, _ = check(model("idle.cfg", 71, reactions, ["s0"]))
    warnings = [line for line in page.splitlines() if line.startswith("warning ")]
    assert len(warnings) == 22, page
    assert "warning     ... and 50 more with this advice; rdsim check --json prints all" in warnings
    assert sum("'s0 -> s0'" in line for line in warnings) == 1, page


def long_laws_are_cut():
    """A law of 3,000 species takes a few lines, and its search takes no square of that."""
    reactions = [f'{{ equation = "s{i} -> s{i - 1}"; rate = 0.1; }}' for i in range(1, 30000)]
    page, seconds = check(model("chain.cfg", 30000, reactions, ["s29999"]))
    laws = page[page.index("conserved "):page.index("time  ")].splitlines()
    assert len(laws) < 20 and laws[0].startswith("conserved   s0 + s1 + s2 "), laws
    assert "more characters; rdsim check --json prints all" in laws[-1], laws
    assert seconds < 20, seconds


def many_laws_are_found():
    """20,000 pairs have 20,000 laws."""
    reactions = [f'{{ equation = "s{2 * i} <-> s{2 * i + 1}"; rate = 0.1; back = 0.2; }}'
                 for i in range(20000)]
    page, seconds = check(model("pairs.cfg", 40000, reactions, ["s0"]))
    lines = page.splitlines()
    assert "conserved   s38 + s39" in lines, lines
    assert "conserved   ... and 19980 more of these lines; rdsim check --json prints all" in lines
    assert "there may be more laws" not in page
    assert seconds < 20, seconds


def limits_are_reported():
    """One more than the largest number of species, and of reactions."""
    reactions = ['{ equation = "s0 -> s1"; rate = 1; }']
    said, _ = check(model("species.cfg", 65537, reactions, ["s0"]), rc=2)
    assert said == "rdsim: species.cfg:3: there are 65537 species; use at most 65536\n", said
    said, _ = check(model("reactions.cfg", 2, ['{ equation = "s0 -> s1"; rate = 1; }'] * 1048577,
                          ["s0"]), rc=2)
    assert said == ("rdsim: reactions.cfg:4: there are 1048577 reactions; use at most 1048576\n"
                    ), said


def results_are_read_by_name():
    """A start from a result of 65,536 species compares no name with all others."""
    reactions = [f'{{ equation = "s{i - 1} -> s{i}"; rate = 0.1; }}' for i in range(1, 65536)]
    name = model("first.cfg", 65536, reactions, ["s0", "s65535"])
    subprocess.run([PROGRAM, name, "-q", "--force", "--backend", "cpu"], check=True)
    with open(name, encoding="utf-8") as file:
        text = file.read()
    with open("second.cfg", "w", encoding="utf-8") as file:
        file.write(text[:text.index("initial = ")] + 'initial = ( { from = "first.h5"; } );\n')
    _, without = check(name)
    page, seconds = check("second.cfg")
    assert "output      second.h5" in page, page
    assert seconds < 5 * without + 5, (seconds, without)


many_lines_are_cut()
warnings_of_a_kind_are_cut()
long_laws_are_cut()
many_laws_are_found()
limits_are_reported()
results_are_read_by_name()
