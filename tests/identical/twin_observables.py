"""twin_observables - tests that observables are sums of the totals that stand beside them: at every
time and in every run, in batches, after faults, with all ways to keep data, and in statistics; and
that variables of ODEs and expressions are recorded likewise."""
import h5py
import numpy as np

from say_main import assert_message, config, cpu, rdsim, run_cases

MODEL = """
grid = { voxels = (6, 5); edge = 1.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; }, { name = "D"; } );
reactions = ( { equation = "2 A -> D"; rate = 0.05; }, { equation = "A -> B"; rate = 0.2; } );
observables = ( { name = "Atot"; sum = "A + 2 * D"; }, { name = "A"; sum = "A"; },
                { name = "none"; sum = "0"; }, { name = "twice"; sum = "B + D + 3 B"; } );
initial = ( { species = "A"; density = 5; } );
time = { end = 2; };
output = { every = 0.5; };
run = { runs = 9; };
"""
WEIGHTS = np.array([[1, 0, 2], [1, 0, 0], [0, 0, 0], [0, 4, 1]])


def assert_sums(path):
    """Fails unless the observables are sums of the totals; returns them."""
    with h5py.File(path) as file:
        assert [name.decode() for name in file["observable"]] == ["Atot", "A", "none", "twice"]
        total, value = file["totals"][...], file["observables"][...]
        out = total[..., 0] < 0
        assert np.array_equal(value[~out], (total @ WEIGHTS.T)[~out]) and np.all(value[out] == -1)
        return value


def assert_statistics(path, value):
    with h5py.File(path) as file:
        known = file["statistics"]
        for name, of in (("mean", np.mean), ("min", np.min), ("max", np.max)):
            assert np.allclose(known["observable_" + name][...], of(value, axis=0)), name
        assert np.allclose(known["observable_variance"][...], value.var(axis=0, ddof=1))
        median = list(file["quantile"]).index(0.5)
        assert np.array_equal(known["observable_quantile"][..., median],
                              np.sort(value, axis=0)[4])


def observables_are_sums():
    cpu(config("m.cfg", MODEL), status=0)
    value = assert_sums("m.h5")
    assert value[:, 1:].std() > 0
    assert_statistics("m.h5", value)
    page = rdsim("check", "m.cfg", status=0).stdout
    assert "observable  Atot: A + 2 D\n" in page and "observable  none: 0\n" in page
    assert "observable  twice: 4 B + D\n" in page, page
    assert "  twice " in rdsim("info", "m.h5", status=0).stdout
    assert '"observable": {"Atot": ' in rdsim("info", "m.h5", "--json", status=0).stdout
    assert "identical" in rdsim("again", "m.h5", status=0).stdout


def all_ways_give_the_same():
    cpu(config("m.cfg", MODEL), status=0)
    whole = assert_sums("m.h5")
    cpu("m.cfg", "--at-once", "2", "-o", "batches.h5", status=0)
    assert "identical" in rdsim("diff", "m.h5", "batches.h5", status=0).stdout
    cpu("m.cfg", "--set", 'output.keep="statistics"', "-o", "s.h5", status=0)
    with h5py.File("s.h5") as file:
        assert "observables" not in file
    assert_statistics("s.h5", whole)
    cpu("m.cfg", "--set", 'output.keep="first 4"', "-o", "f.h5", status=0)
    assert np.array_equal(assert_sums("f.h5"), whole[:4])
    assert_statistics("f.h5", whole)
    cpu("m.cfg", "--runs", "1", "-o", "one.h5", status=0)
    assert np.array_equal(assert_sums("one.h5"), whole[:1])


def faulted_runs_have_none():
    text = MODEL.replace("time = {", 'events = ( { time = 1.2; remove = { species = "A"; count = '
                         "80; }; } );\ntime = {")
    cpu(config("f.cfg", text), status=1)
    value = assert_sums("f.h5")
    assert np.any(value == -1) and np.any(value[:, -1] >= 0)


def results_without_them_differ():
    cpu(config("m.cfg", MODEL), status=0)
    cpu(config("n.cfg", MODEL.replace('name = "none"', 'name = "other"')), status=0)
    assert_message(rdsim("diff", "m.h5", "n.h5", status=2), "have different observables")


ODES = """
grid = { voxels = (1); edge = 1.0; };
parameters = { k = 0.5; };
odes = ( { name = "m"; value = "4 * k"; rate = "k * total(A) - 0.3 * m + sin(t)"; } );
species = ( { name = "A"; }, { name = "P"; } );
reactions = ( { equation = "0 -> A"; rate = 2; }, { equation = "A -> 0"; rate = 0.2; },
              { equation = "0 -> P"; propensity = "m"; } );
observables = ( { name = "sum"; sum = "A + 2 P"; }, { name = "k"; value = "k"; },
                { name = "mixed"; value = "2 * total(A) - t + m / k"; } );
initial = ( { species = "A"; count = 10; } );
events = ( { when = "m > 6"; repeat = true; set = { m = 3; }; }, { time = 2; set = { k = 0.8; }; } );
time = { end = 5; };
output = { every = 1; };
run = { runs = 20; };
solver = "exact";
"""


def assert_values(path, runs=20):
    """Fails unless the values follow from totals, parameters and t; returns them."""
    with h5py.File(path) as file:
        assert [name.decode() for name in file["value"]] == ["m", "k", "mixed"]
        assert file["values"].dims[2][0].name == "/value"
        value, total, t = file["values"][...], file["totals"][...], file["time"][...]
        assert value.shape == (runs, 6, 3)
        assert np.array_equal(value[..., 1], np.where(t < 2, .5, .8) + 0 * value[..., 1])
        assert np.array_equal(value[..., 2], 2 * total[..., 0] - t + value[..., 0] / value[..., 1])
        assert np.all(value[:, 0, 0] == 2) and np.all(value[..., 0] <= 6 + 1e-9)
        known = file["statistics"]
        for name, of in (("mean", np.mean), ("min", np.min), ("max", np.max)):
            assert np.allclose(known["value_" + name][...], of(value, axis=0), rtol=1e-13), name
        assert np.allclose(known["value_variance"][...], value.var(axis=0, ddof=1), rtol=1e-12)
        return value


def values_of_odes_and_expressions():
    cpu(config("o.cfg", ODES), status=0)
    value = assert_values("o.h5")
    assert value[:, 3:, 0].std() > .1
    for words in (("--threads", "2"), ("--at-once", "7")):
        cpu("o.cfg", *words, "-o", "other.h5", "--force", status=0)
        assert "identical" in rdsim("diff", "o.h5", "other.h5", status=0).stdout, words
    assert "identical" in rdsim("again", "o.h5", status=0).stdout
    cpu("o.cfg", "--runs", "3", "-o", "few.h5", status=0)
    with h5py.File("few.h5") as file:
        assert np.array_equal(file["values"][...], value[:3])
    assert '"value": {"m": ' in rdsim("info", "o.h5", "--json", status=0).stdout
    cpu("o.cfg", "--set", 'output.keep="statistics"', "-o", "s.h5", status=0)
    with h5py.File("s.h5") as file:
        assert "values" not in file
        assert np.allclose(file["statistics/value_mean"][...], value.mean(0), rtol=1e-13)


def wrong_odes_are_refused():
    for replace, by, words in (
            ("voxels = (1)", "voxels = (2)", "o.cfg:4: odes: there are 2 voxels, and ODEs need one"),
            ('solver = "exact"', 'solver = "split"', 'solver: "split" integrates no odes; use "exact"'),
            ('name = "m"', 'name = "k"', "o.cfg:4: parameter 'k' is declared twice"),
            ('name = "m"', 'name = "A"', "species 'A'"),
            ('; rate = "k * total(A) - 0.3 * m + sin(t)"', "", "o.cfg:4: odes[0].rate is missing"),
            ("k * total(A)", "k * total(Z)", "o.cfg:4: ODE of 'm', rate"),
            ('value = "4 * k"', 'value = "4 * q"', "o.cfg:4: parameter 'm'"),
            ('value = "k"', 'value = "q"', "observable 'k', value"),
            ('value = "k"', 'value = "k"; sum = "A"', "observable 'k': has several of sum or value"),
            ('name = "mixed"', 'name = "m"', "observable 'm' is declared twice")):
        assert replace in ODES, replace
        config("o.cfg", ODES.replace(replace, by, 1))
        assert_message(rdsim("check", "o.cfg", status=2), words)
    text = ODES.replace("events = (", "events = (); none = (").split("none =")
    text = text[0] + text[1].split("\n", 1)[1]
    config("o.cfg", text.replace("k * total(A) - 0.3 * m + sin(t)", "m^2")
           .replace('propensity = "m"', 'propensity = "1"'))
    assert_message(cpu("o.cfg", "--force", status=1), "'m' is infinite or not a number in run")


def wrong_observables_are_refused():
    for replace, by, words in (
            ('"A + 2 * D"', '"A + 2 * Z"', "m.cfg:5: sum 'A + 2 * Z', column 9: species 'Z' is not"),
            ('"A + 2 * D"', '"A - D"', "m.cfg:5: sum 'A - D', column 3: there is no '+' here"),
            ('"A + 2 * D"', '"0.5 A"', "m.cfg:5: sum '0.5 A', column 2: the number of molecules is "
             "not whole"),
            ('"A + 2 * D"', '"A + D -> B"', "m.cfg:5: sum 'A + D -> B', column 7"),
            ('name = "none"', 'name = "A"', "m.cfg:6: observable 'A' is declared twice"),
            ('name = "none"', 'name = "a b"', "m.cfg:6: observable 'a b': is not a name"),
            ('; sum = "0"', "", "m.cfg:6: observable 'none': has none of sum or value; give exactly one"),
            ('sum = "0"', "sum = 0", "m.cfg:6: observables[2].sum is 0; give a \"text\"")):
        assert replace in MODEL, replace
        config("m.cfg", MODEL.replace(replace, by))
        assert_message(rdsim("check", "m.cfg", status=2), words)


CASES = [
    observables_are_sums,
    all_ways_give_the_same,
    faulted_runs_have_none,
    results_without_them_differ,
    wrong_observables_are_refused,
    values_of_odes_and_expressions,
    wrong_odes_are_refused,
]

if __name__ == "__main__":
    run_cases(CASES)
