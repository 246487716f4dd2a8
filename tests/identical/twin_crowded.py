"""twin_crowded - models of many species in crowded voxels: the same bytes whether their counts are
columns or lists, for the direct method as for the plain body, and whatever memory the lists lack."""
import random
import subprocess

from say_main import PROGRAM, config, run_cases

STORES = "grid", "list", "auto"


def run(text, store, *words, status=0):
    config("model.cfg", text.replace("STORE", store))
    done = subprocess.run([PROGRAM, "model.cfg", "-o", f"{store}.h5", "--force", "-q", "--backend", "cpu", *words],
                          capture_output=True, text=True, timeout=100)
    assert done.returncode == status, (store, done.stderr)
    return done.stderr


def assert_same(text, *words, status=0):
    """Compares the results of all ways to store the counts."""
    messages = [run(text, store, *words, status=status) for store in STORES]
    assert len(set(message.replace("list.h5", "grid.h5").replace("auto.h5", "grid.h5")
                   for message in messages)) == 1, messages
    for store in STORES[1:]:
        done = subprocess.run([PROGRAM, "diff", "grid.h5", f"{store}.h5"], capture_output=True, text=True)
        assert done.returncode == 0, (store, done.stdout)


def network(n_species, voxels, seed, more="", feed=5.0, diffusion=0.1, step=0.1, steps=20, runs=1):
    """Returns a random network whose species appear one after the other."""
    dice = random.Random(seed)
    reactions = [f'{{ equation = "0 -> X{i}"; rate = {feed}; }}' for i in range(6)]
    reactions += [f'{{ equation = "X{i} -> X{(7 * i + 3) % n_species}"; rate = 1.0; }}' for i in range(n_species)]
    reactions += [f'{{ equation = "X{i} -> 0"; rate = 0.05; }}' for i in range(n_species)]
    for _ in range(n_species // 2):
        a, b, c = dice.sample(range(n_species), 3)
        reactions.append(f'{{ equation = "X{a} + X{b} -> X{c}"; rate = 0.05; }}')
    species = ", ".join(f'{{ name = "X{i}"; store = "STORE"; diffusion = {diffusion}; }}' for i in range(n_species))
    return f"""grid = {{ voxels = {voxels}; edge = 1.0; }};
parameters = {{ k = 2.0; }};
regions = ( {{ name = "part"; where = "x < 1"; }} );
species = ( {species} );
reactions = ( {", ".join([*reactions, *([more] if more else [])])} );
initial = ( {{ species = "X0"; count = 1; }} );
time = {{ end = {step * steps}; step = {step}; }};
output = {{ every = {step * steps / 4}; }};
run = {{ runs = {runs}; seed = {seed}; }};
"""


def test_networks():
    for seed, voxels in enumerate(("1", "(2, 2, 2)", "(5, 4)", "(30, 20)"), 1):
        assert_same(network(96, voxels, seed, runs=2 if seed < 3 else 1))
        assert_same(network(70, voxels, seed, feed=100.0 / seed), "--threads", "2")
    for other in ('{ equation = "X1 -> X2"; propensity = "k * X1 / (1 + X3)"; }',
                  '{ equation = "X1 + X2 + X3 -> X4"; rate = 0.01; }',
                  '{ equation = "X1 -> X2"; rate = 3.0; in = "part"; }'):
        assert_same(network(80, "(3, 2)", 9, other, feed=20.0, runs=2))


def test_many_hops():
    """A voxel has more leavers than the memory for arrivals at first, and than one block of them."""
    assert_same(network(96, "(2, 2, 2)", 5, feed=62.5, steps=130))


def test_a_row_that_grows():
    """A row grows several times in one pass of the plain body, each time by more than is spare."""
    n = 2500
    species = ", ".join(f'{{ name = "X{i}"; store = "STORE"; }}' for i in range(n))
    reactions = ", ".join(f'{{ equation = "X{i} -> X{i} + X{i + 1}"; propensity = "if(X{i + 1} > 0, 0, 9.0)"; }}'
                          for i in range(n - 1))
    assert_same(f"""grid = {{ voxels = 1; edge = 1.0; }};
species = ( {species} );
reactions = ( {reactions} );
initial = ( {{ species = "X0"; count = 1; }} );
time = {{ end = 300.0; step = 300.0; }};
output = {{ every = 300.0; keep = "totals"; }};
""")


def test_faults():
    """A fault amid the events of a crowded voxel is that of the plain body."""
    bad = '{ equation = "X1 -> X2"; propensity = "if(X5 > 3, -1, 0.1)"; }'
    for runs in 1, 4:
        assert_same(network(80, "(2, 2)", 3, bad, feed=20.0, runs=runs), status=1)


def test_one_voxel_has_columns():
    """In one voxel auto takes columns, however few species are present; in many it takes lists."""
    for voxels, lists in ("1", 0), ("(30, 20)", 96):
        config("model.cfg", network(96, voxels, 1, feed=0.01).replace("STORE", "auto"))
        page = subprocess.run([PROGRAM, "check", "model.cfg"], capture_output=True, text=True).stdout
        assert (f"lists of the voxels' molecules for {lists} species" in page) == (lists > 0), page


CASES = [test for name, test in list(globals().items()) if name.startswith("test_")]

if __name__ == "__main__":
    run_cases(CASES)
