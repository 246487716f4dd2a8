"""twin_observables - tests that observables are sums of the totals that stand beside them: at every
time and in every run, in batches, after faults, with all ways to keep data, and in statistics."""
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


def wrong_observables_are_refused():
    for replace, by, words in (
            ('"A + 2 * D"', '"A + 2 * Z"', "m.cfg:5: sum 'A + 2 * Z', column 9: species 'Z' is not"),
            ('"A + 2 * D"', '"A - D"', "m.cfg:5: sum 'A - D', column 3: there is no '+' here"),
            ('"A + 2 * D"', '"0.5 A"', "m.cfg:5: sum '0.5 A', column 2: the number of molecules is "
             "not whole"),
            ('"A + 2 * D"', '"A + D -> B"', "m.cfg:5: sum 'A + D -> B', column 7"),
            ('name = "none"', 'name = "A"', "m.cfg:6: observable 'A' is declared twice"),
            ('name = "none"', 'name = "a b"', "m.cfg:6: observable 'a b': is not a name"),
            ('; sum = "0"', "", "m.cfg:6: observables[2].sum is missing"),
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
]

if __name__ == "__main__":
    run_cases(CASES)
