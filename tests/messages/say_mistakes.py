"""say_mistakes - warnings about probable mistakes in a configuration: `rdsim check` prints all, a run
those that concern what it computes."""
import os
import pathlib
import subprocess

from say_main import run_cases, unwrapped

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """
grid = { voxels = (10, 10); edge = 1.0; };
parameters = { k = 0.1; K = 5.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; }, { name = "C"; } );
reactions = ( { equation = "A + B -> C"; RATE; }, { equation = "C -> A"; rate = "k / K"; } );
initial = ( { species = "A"; count = 100; }, { species = "B"; count = 100; } );
time = { end = 1.0; };
"""


def rdsim(text, *words):
    """Returns what is printed on both streams."""
    pathlib.Path("m.cfg").write_text(text)
    done = subprocess.run([PROGRAM, *words, "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return unwrapped(done.stdout) + done.stderr


def warnings(text):
    return [line for line in rdsim(text, "check").splitlines() if line.startswith("warning")]


def mass_action_twice():
    wrong = MODEL.replace("RATE", 'rate = "k * A * [B]"')
    words = ("m.cfg:5: reaction 'A + B -> C': rate = \"k * A * [B]\" has the reactant A as a factor, and "
             "mass action multiplies by it once more; write the rate constant alone, or all of it as "
             "rate_law (concentration per time) or propensity (events per time in a voxel)")
    assert warnings(wrong) == ["warning     " + words], warnings(wrong)
    assert "rdsim: warning: " + words in rdsim(wrong, "run", "--force", "--backend", "cpu")
    power = warnings(MODEL.replace("RATE", 'rate = "k * B^2"'))
    assert "has the reactant B as a factor" in power[0], power
    for right in ('rate = "k"', 'rate = "k / (K + A)"', 'rate = "k * C"', 'rate = "k * (1 + A)"',
                  'rate_law = "k * [A] * [B]"', 'propensity = "k * A * B / volume"'):
        assert not any("factor" in line for line in warnings(MODEL.replace("RATE", right))), right


COUNTER = """
grid = { voxels = 4; edge = 1.0; };
species = ( { name = "out"; individuals = { max = 9; attributes = (
                { name = "trips"; initial = 0; birth = "RULE"; } ); }; },
            { name = "back"; individuals = { max = 9; attributes = (
                { name = "NAME"; initial = 0; birth = 1; }, { name = "since"; initial = 0; birth = "t"; } ); }; } );
reactions = ( { equation = "out -> back"; rate = 1; }, { equation = "back -> OUT"; rate = 1; } );
initial = ( { species = "out"; count = 4; } );
time = { end = 1.0; };
"""


def births_that_no_reaction_uses():
    def counted(rule, name="trips", out="out"):
        return warnings(COUNTER.replace("RULE", rule).replace("NAME", name).replace("OUT", out))
    words = ("m.cfg:4: species 'out', attribute 'trips': no reaction uses its birth: 'back' becomes "
             "'out' and keeps its own 'trips'; give the attribute another name in one of them, or "
             "leave birth out")
    back = words.replace("cfg:4", "cfg:6").replace("'out'", "'OUT'").replace("'back'", "'out'")
    assert counted("parent.trips + 1") == ["warning     " + words,
                                           "warning     " + back.replace("'OUT'", "'back'")]
    assert counted("parent.number + 1", "number") == counted("parent.trips", "number", "0") == []
    assert counted("1", out="2 out") == ["warning     " + back.replace("'OUT'", "'back'")]
    assert len(counted("parent.trips")) == 1


UNUSED = """
grid = { voxels = "n"; edge = 1.0; };
parameters = { first = 0.0; n = 10; D = 1.0; used = 2.0; lost = "2 * used";
               pulse = 1.0; when = 3.0; };
fields = ( { name = "food"; value = "D"; } );
species = ( { name = "A"; diffusion = 1.0; },
            { name = "idle"; }, { name = "read"; }, { name = "fed";
              walls = { xmin = { kind = "reservoir"; mean = 1; }; }; },
            { name = "made"; }, { name = "later"; } );
reactions = ( { equation = "A -> A + made"; rate = "used * (1 + read)"; } );
initial = ( { species = "A"; count = 100; } );
events = ( { time = "when"; set = { pulse = 2.0; }; add = { species = "later"; count = 1; }; } );
time = { end = 10.0; };
"""


def what_nothing_uses():
    assert warnings(UNUSED) == [
        "warning     m.cfg:3: nothing uses the parameter 'first'; remove it, or use it",
        "warning     m.cfg:3: nothing uses the parameter 'lost'; remove it, or use it",
        "warning     m.cfg:4: nothing uses the parameter 'pulse'; remove it, or use it",
        "warning     m.cfg:7: species 'idle' occurs in no reaction, initial, event or expression; "
        "remove it, or use it"], warnings(UNUSED)
    assert "nothing uses" not in rdsim(UNUSED, "run", "--force", "--backend", "cpu")


def what_can_never_happen():
    text = MODEL.replace("RATE", "rate = \"k\"").replace('"B"; count = 100', '"A"; count = 1')
    assert warnings(text) == [
        "warning     m.cfg:5: 'A + B -> C' and 1 more reaction can never happen: B is not there at the "
        "start, and nothing makes it; add it to initial, or remove the reactions"], warnings(text)


FEW = """
grid = { voxels = (10, 10); edge = 2.0; };
species = ( { name = "A"; diffusion = DA; }, { name = "B"; }, { name = "C"; } );
reactions = ( { equation = "A + B -> C"; rate = K; }, { equation = "C -> 0"; rate = 1e-6; } );
initial = ( { species = "A"; count = 10; }, { species = "B"; count = 20; WHERE } );
MORE
time = { end = 5.0; };
run = { runs = RUNS; };
"""


def few(speed="1.0", k="0.01", runs="2", where="", more=""):
    return [line for line in
            warnings(FEW.replace("DA", speed).replace("K", k).replace("RUNS", runs)
                     .replace("WHERE", where).replace("MORE", more)) if "expected" in line]


def fewer_than_one_event():
    """10 A and 20 B on an area of 400 meet 200 k / 400 times: 5 k in 2 runs of length 5. A molecule
    hops D / 4 times in each of four directions: 100 D hops in 2 runs. Nothing follows for C, which
    is made later."""
    assert few() == [
        "warning     m.cfg:4: 'A + B -> C' is expected to happen 0.05 times in all runs together; "
        "check its rate, time.end and the units"], few()
    assert few(k="0.21") == [], few(k="0.21")
    assert "0.025 times in the whole run" in few(runs="1")[0], few(runs="1")
    assert few(where="voxel = (0, 0);") == [], "B is dense"
    assert few(where='in = "right";',
               more='regions = ( { name = "right"; where = "x > 3"; } );') == [], "B is dense"
    assert few(more='parameters = { k = 1; }; events = ( { time = 1; set = { k = 1; }; } );'
               ) == [], "rates may change"
    assert few(more='events = ( { time = 1; add = { species = "A"; count = 1; }; } );') == []
    assert few(k="1.0", speed="0.009") == [
        "warning     m.cfg:3: 'A' is expected to make 0.9 hops in all runs together; check its "
        "diffusion, time.end and the units"], few(k="1.0", speed="0.009")
    assert few(k="1.0", speed="0.011") == [], few(k="1.0", speed="0.011")


def a_rate_of_zero():
    zero = STEP.replace("STEP", "0.1").replace("rate = 1.0", 'rate = "k"')
    assert warnings(zero + "parameters = { k = 0.0; };") == [
        "warning     m.cfg:4: 'A -> 0' can never happen: its rate is 0; give another one, or remove "
        "the reaction"], warnings(zero + "parameters = { k = 0.0; };")
    assert warnings(zero + "parameters = { k = 0.0; };"
                    "events = ( { time = 1; set = { k = 1; }; } );") == [], "an event sets it"
    pathlib.Path("rows.csv").write_text("k\n0\n1\n")
    assert warnings(zero + 'parameters = { k = 0.0; }; run = { rows = { file = "rows.csv"; }; };'
                    ) == [], "a row sets it"
    exchange = zero.replace("A -> 0", "A -> P").replace('diffusion = 1.0; }', 'diffusion = 1.0; }, '
                                                         '{ name = "P"; in = "pool"; }')
    assert warnings(exchange + 'parameters = { k = 1.0; }; '
                    'compartments = ( { name = "pool"; volume = 1.0; } );') == [], "exchange"


STEP = """
grid = { voxels = (10, 10); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; } );
reactions = ( { equation = "A -> 0"; rate = 1.0; } );
initial = ( { species = "A"; count = 100; } );
time = { end = 5.0; step = STEP; };
"""


def a_step_that_is_longer_than_the_automatic_one():
    words = ("time.step: 0.2 is longer than the automatic step of 0.166667 (D tau / h^2 = 1/6 for "
             "'A' along x); leave it out, or measure its error with rdsim check --halve")
    rare = STEP + "output = { every = 1.0; };"
    long = rare.replace("STEP", "0.2")
    assert warnings(long) == ["warning     " + words]
    assert "rdsim: warning: " + words in rdsim(long, "run", "--force", "--backend", "cpu")
    assert warnings(rare.replace("STEP", "0.16")) == []
    assert warnings(rare.replace("STEP", '"auto"')) == []
    assert warnings(long + 'solver = "exact";') == []
    assert warnings(STEP.replace("STEP", "0.2")) == [], "outputs divide the steps"


ROBOTS = """
grid = { voxels = 6; edge = 1.0; };
parameters = { k = 50.0; };
species = ( { name = "A"; diffusion = 0.1; },
            { name = "robot"; diffusion = "MOTION"; individuals = { max = 9; attributes = (
                { name = "u"; initial = 1; } ); }; } );
reactions = ( { equation = "robot + A -> robot"; rate = "RATE"; } );
initial = ( { species = "A"; count = 9; }, { species = "robot"; count = 1; } );
time = { end = 1.0; };
"""


def an_automatic_step_without_the_rates_of_individuals():
    words = ("m.cfg:5: the automatic step ignores the hop rates of 'robot', which differ between "
             "individuals; set time.step to h^2 / (6 D) of the fastest or less")
    own = ROBOTS.replace("MOTION", "0.1 * u").replace("RATE", "k")
    assert warnings(own)[0] == "warning     " + words, warnings(own)
    assert "rdsim: warning: " + words in rdsim(own, "run", "--force", "--backend", "cpu")
    alone = own.replace('{ equation = "robot + A -> robot"; rate = "k"; }', "")
    for text, is_warned in ((own.replace("end = 1.0;", "end = 1.0; step = 0.001;"), False),
                            (own.replace("0.1 * u", "0.1"), False), (alone, False),
                            (alone.replace("0.1 * u", "0.1 * u * A"), True)):
        assert any(words in line for line in warnings(text)) == is_warned, text


def a_step_of_rows_is_not_that_of_the_configuration():
    pathlib.Path("k.csv").write_text("k\n1\n2\n")
    text = ROBOTS.replace("MOTION", "0.1").replace("RATE", "k")
    page = rdsim(text + 'run = { rows = { file = "k.csv"; }; };', "check")
    assert "step        at most 0.125: the shortest step of all rows of parameters" in page, page
    assert "time.step: " not in page, page


CASES = [mass_action_twice, births_that_no_reaction_uses, what_nothing_uses, what_can_never_happen,
         fewer_than_one_event, a_rate_of_zero, a_step_that_is_longer_than_the_automatic_one,
         an_automatic_step_without_the_rates_of_individuals,
         a_step_of_rows_is_not_that_of_the_configuration]

if __name__ == "__main__":
    run_cases(CASES)
