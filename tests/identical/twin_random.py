"""twin_random - tests random models: one thread and other ways of running must give the same bytes.
The test runs a few; a command runs any number:

    RDSIM_PROGRAM=build/rdsim tests/identical/twin_random.py --from 1000 --models 500 --way cuda

The number SEED of a model is its only seed. Ways are threads (three of them), cuda (if there is a
GPU), alone (the runs of an ensemble one after the other), lists (three of four counted species are
stored in lists of the voxels' molecules, if that works for them) and lists_cuda. Models that cannot
run are printed with their message and counted; most can."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WAYS = {"threads": ("--backend", "cpu", "--threads", "3"), "cuda": ("--backend", "cuda"),
        "alone": ("--backend", "cpu", "--threads", "1", "--at-once", "1"),
        "lists": ("--backend", "cpu", "--threads", "2"), "lists_cuda": ("--backend", "cuda")}
AXES = "xyz"
PROGRAM = os.environ["RDSIM_PROGRAM"]


class Maker:
    """Makes one model, piece by piece."""

    def __init__(self, seed, has_lists=False):
        self.r = random.Random(seed)
        self.has_lists = has_lists
        self.dims = self.r.choice((1, 2, 2, 3, 3))
        self.has_groups, self.has_regions = self.some(0.5), self.some(0.55)
        least = 4 if self.has_regions else 1
        self.size = [self.r.randint(least, 13) for _ in range(self.dims)]
        same = self.some(0.7)
        edge = round(self.r.uniform(0.4, 1.5), 2)
        self.edge = [edge if same else round(self.r.uniform(0.4, 1.5), 2) for _ in self.size]
        self.regions, self.names, self.with_traits, self.groups = [], [], set(), []
        self.has_field, self.has_table = self.some(0.3), self.some(0.2)
        self.has_tank = self.some(0.15)
        self.has_skin = self.has_regions and self.dims > 1 and self.some(0.3)

    def some(self, probability):
        return self.r.random() < probability

    def number(self, low, high):
        return f"{self.r.uniform(low, high):.3g}"

    def walls(self):
        kinds = ('"reflect"', '"periodic"', '"absorb"', '{ kind = "absorb"; probability = 0.4; }',
                 '{ kind = "reservoir"; mean = 1.5; }')[: 4 if self.has_groups else 5]
        given = []
        for axis in AXES[: self.dims]:
            kind = self.r.choice(kinds)
            if self.some(0.3) and "periodic" not in kind:
                given.append(f"{axis}min = {kind}; {axis}max = {self.r.choice(kinds[2:])};")
            else:
                given.append(f"{axis} = {kind if 'reservoir' not in kind else kinds[0]};")
        return "walls = { " + " ".join(given) + " };"

    def grid(self):
        voxels = ", ".join(map(str, self.size))
        edges = ", ".join(map(str, self.edge))
        return f"grid = {{ voxels = ({voxels}); edge = ({edges}); {self.walls()} }};"

    def middle(self):
        return [round(n * h / 2, 2) for n, h in zip(self.size, self.edge)]

    def region_parts(self):
        r = 0.3 * min(n * h for n, h in zip(self.size, self.edge)) + 0.4
        ball = " + ".join(f"({a} - {m})^2" for a, m in zip(AXES, self.middle()))
        all_parts = (("ball", f'where = "{ball} < {r * r:.3f}"'),
                     ("left", f'where = "x < {self.middle()[0]}"'),
                     ("rest", 'complement = "ball"'),
                     ("both", 'intersection = ("ball", "left")'))
        self.regions = [name for name, _ in all_parts]
        return ", ".join(f'{{ name = "{n}"; {how}; }}' for n, how in all_parts)

    def rate_by(self, names):
        """Returns a number, or an expression of place, region, counts or the time."""
        n = self.number(0.02, 0.6)
        by = [n, n, n]
        if self.regions:
            by += [f'"if(in({self.r.choice(self.regions)}), {n}, {self.number(0, 0.3)})"'] * 2
        by += [f'"{n} * (1 + 0.1 * x)"', f'"{n} * (1 + 0.5 * sin(t))"']
        by += [f'"{n} * (1 + {self.r.choice(("f", "f * f", "q"))})"'] * self.has_field
        if names:
            by.append(f'"{n} / (1 + {self.r.choice(names)})"')
            by += [f'"{n} * look(wave, min(3, {self.r.choice(names)}))"'] * self.has_table
        return self.r.choice(by)

    def vector(self, low, high):
        if self.dims == 1:
            return self.number(low, high)
        return "(" + ", ".join(self.number(low, high) for _ in range(self.dims)) + ")"

    def drift(self):
        by_field = [f'"{self.number(-0.5, 0.5)} * gradient(f)"'] * self.has_field
        return self.r.choice([self.vector(-0.5, 0.5)] + by_field)

    def group(self, name):
        self.groups.append(name)
        record = self.r.choice(("none", "state", "lineage"))
        traits = ""
        if self.some(0.6):
            self.with_traits.add(name)
            traits = ('attributes = ( { name = "v"; initial = "uniform(0.1, 1)";'
                      ' birth = "parent.v + 0.01 * x"; orphan = 0.5; },'
                      ' { name = "kind"; kind = "integer"; initial = "floor(3 * v)"; orphan = 0; } );')
        return f'individuals = {{ max = 40000; record = "{record}"; {traits} }};'

    def one_species(self, name):
        parts = [f'name = "{name}";']
        if not self.some(0.1):
            parts.append(f"diffusion = {self.rate_by(self.names)};" if self.some(0.6)
                         else f"diffusion = {self.vector(0, 0.6)};")
        if self.some(0.3):
            parts.append(f"drift = {self.drift()};")
        if self.regions and self.some(0.12):
            parts.append(f'in = "{self.r.choice(self.regions)}";')
        if self.has_groups and self.some(0.5):
            parts.append(self.group(name))
        elif self.has_lists and name != "S3" and not any(
                word in part for part in parts for word in ("sin(t)", "(1 + S")):
            parts.append('store = "list";')
        return "{ " + " ".join(parts) + " }"

    def side(self, most):
        names = [self.r.choice(self.names) for _ in range(self.r.randint(0, most))]
        return " + ".join(names) or "0"

    def speed(self, left):
        """Returns the rate or propensity of a reaction with these reactants."""
        order = left.count("+") + (left != "0")
        n = self.number(0.01, (0.3, 0.5, 0.05)[order])
        traits = [name for name in left.split(" + ") if name in self.with_traits]
        if len(traits) == 1 and self.some(0.4):
            return (f'rate = "{n} * sum({traits[0]}.v)";' if self.some(0.5)
                    else f'rate = {n}; weight = "v + 0.1";')
        if order == 1 and self.some(0.15):
            return f'propensity = "{n} * {left}^2 / ({left} + 3)";'
        by = [n] * 4 + [f'"{n} * (1 + 0.3 * x)"', '"0.3 * q"', f'"{n} / (1 + total({self.names[0]}) / 50)"']
        by += [f'"{n} * f"'] * self.has_field
        by += [f'"{n} * look(wave, min(3, {self.names[0]}))"'] * self.has_table
        return f"rate = {self.r.choice(by)};"

    def reaction(self):
        left = self.side(2)
        right = self.side(2) if left != "0" else self.r.choice(self.names)
        if left == right:
            right = "0"
        parts = [f'equation = "{left} -> {right}";', self.speed(left)]
        if self.regions and self.some(0.2):
            parts.append(f'in = "{self.r.choice(self.regions)}";')
        if left in self.groups and right in self.groups and self.some(0.5):
            parts.append(f'becomes = "{left} -> {right}";')
        return "{ " + " ".join(parts) + " }"

    def beside(self):
        """Returns reactions with the species of the tank and of the skin."""
        counted, parts = [name for name in self.names if name not in self.groups], []
        if not counted:
            return []
        name = self.r.choice(counted)
        if self.has_tank:
            parts += [f'{{ equation = "{name} -> T"; rate = {self.number(0.01, 0.3)}; }}',
                      f'{{ equation = "2 T -> T"; rate = {self.number(0.01, 0.3)}; }}']
        if self.has_skin:
            parts += [f'{{ equation = "{name} -> K"; rate = {self.number(0.01, 0.3)}; }}',
                      f'{{ equation = "K -> {name}"; rate = {self.number(0.01, 0.6)}; }}',
                      f'{{ equation = "2 K -> K"; rate = {self.number(0.01, 0.3)}; }}']
        return parts

    def start(self, name):
        how = self.r.choice((f"value = {self.r.randint(0, 6)};", f"count = {self.r.randint(1, 200)};",
                             f'value = {self.number(0, 40)}; spread = "poisson";'))
        return f'{{ species = "{name}"; {how} }}'

    def change(self):
        name = self.r.choice(self.names)
        others = [other for other in self.names if other != name]
        place = f' in = "{self.r.choice(self.regions)}";' if self.regions and self.some(0.3) else ""
        changes = (
            f'add = {{ species = "{name}"; count = {self.r.randint(1, 50)};{place} }};',
            f'add = {{ species = "{name}"; value = {self.number(0, 2)}; spread = "poisson";{place} }};',
            f'remove = {{ species = "{name}"; all = true;{place} }};',
            f'remove = {{ species = "{name}"; fraction = {self.number(0, 1)};{place} }};',
            f'remove = {{ species = "{name}"; probability = {self.number(0, 1)};{place} }};',
            f'divide = {{ stays = {self.number(0, 1)};{place} }};',
            f"set = {{ q = {self.number(0, 1)}; }};",
            *(f'convert = {{ equation = "{name} -> {other}"; fraction = {self.number(0, 1)};{place} }};'
              for other in others))
        return self.r.choice(changes)

    def event(self):
        moment = self.r.choice((f"time = {self.number(0.1, 1.9)};", f"every = {self.number(0.3, 1)};",
                                f'when = "total({self.r.choice(self.names)}) > {self.r.randint(5, 90)}";'))
        again = " repeat = true;" if "when" in moment and self.some(0.5) else ""
        return f"{{ {moment}{again} {self.change()} }}"

    def border(self):
        a, b = self.r.choice((("ball", "rest"), ("left", "rest"), ("rest", "ball")))
        return f'{{ from = "{a}"; to = "{b}"; pass = {self.number(0, 1)}; }}'

    def space(self):
        lines = [self.grid(), "parameters = { q = 0.4; };"]
        if self.has_regions:
            lines.append(f"regions = ( {self.region_parts()} );")
        if self.has_skin:
            lines.append('surfaces = ( { name = "skin"; of = "ball"; rim = "reflect"; } );')
        if self.has_tank:
            lines.append('compartments = ( { name = "tank"; volume = 20; } );')
        if self.has_table:
            lines.append("tables = { wave = { values = (0.5, 1, 0.2, 0); }; };")
        return lines

    def content(self):
        self.names = [f"S{i}" for i in range(self.r.randint(1, 5))]
        some = [self.one_species(n) for n in self.names]
        some += ['{ name = "T"; in = "tank"; }'] * self.has_tank
        some += ['{ name = "K"; diffusion = 0.1; on = "skin"; }'] * self.has_skin
        lines = [f"species = ( {', '.join(some)} );"]
        if self.has_field:
            change = f' rate = "0.2 * {self.names[0]} - 0.1 * f";' if self.some(0.5) else ""
            lines.append(f'fields = ( {{ name = "f"; value = "1 / (1 + 0.1 * x^2)";{change} }} );')
        if self.regions and self.some(0.6):
            lines.append(f"borders = ( {self.border()} );")
        some = self.beside()
        if self.some(0.85):
            some += [self.reaction() for _ in range(self.r.randint(1, 6))]
        lines.append(f"reactions = ( {', '.join(some)} );")
        lines.append(f"initial = ( {', '.join(self.start(n) for n in self.names)} );")
        if self.some(0.4):
            lines.append(f"events = ( {', '.join(self.event() for _ in range(self.r.randint(1, 3)))} );")
        return lines

    def course(self):
        step = f" step = {self.r.choice((0.05, 0.1, 0.25, 0.5))};" if self.some(0.7) else ""
        stop = f' stop = "total(S0) > {self.r.randint(10, 400)}";' if self.some(0.15) else ""
        at = ' stop_at = "steps";' if stop and self.some(0.5) else ""
        lines = [f"time = {{ end = 2.0;{step}{stop}{at} }};"]
        keep = self.r.choice(("all", "all", "totals", "statistics"))
        by = ", ".join(f'{{ species = "{name}"; attribute = "kind"; range = (0, 4); }}'
                       for name in sorted(self.with_traits))
        by = f" by = ( {by} );" if self.some(0.5) else ""
        lines.append(f'output = {{ every = 1.0; keep = "{keep}";{by} }};')
        if self.some(0.2):
            lines.append('observables = ( { name = "o"; value = "total(S0) / (1 + t) + q"; } );')
        lines.append(f"run = {{ seed = {self.r.randint(1, 10 ** 6)}; runs = {self.r.choice((1, 1, 2, 5))}; }};")
        if self.some(0.2):
            lines.append(self.r.choice(('splitting = "lie";', 'solver = "exact";')))
        return lines

    def text(self):
        return "\n".join(self.space() + self.content() + self.course()) + "\n"


def call(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def try_model(folder, seed, ways):
    """Returns '' if the twins are equal, else the difference; and the reason if the model could not
    run."""
    config, lists = folder / f"{seed}.cfg", folder / f"{seed}.lists.cfg"
    text = Maker(seed).text()
    config.write_text(text)
    lists.write_text(Maker(seed, has_lists=True).text())
    checked = call(PROGRAM, "check", config)
    if checked.returncode != 0:
        return "", (checked.stderr.strip().splitlines() or ["?"])[0]
    one = folder / f"{seed}.one.h5"
    first = call(PROGRAM, config, "--backend", "cpu", "--threads", "1", "--output", one, "--force")
    for way in ways:
        if "cuda" in way and "exact" in text:  # that solver runs on the CPU only
            continue
        two = folder / f"{seed}.{way}.h5"
        second = call(PROGRAM, lists if "lists" in way else config, *WAYS[way], "--output", two,
                      "--force")
        if "lists" in way and 'store = "list" of ' in second.stderr:
            continue
        if second.returncode != first.returncode:
            return (f"{config}: {way} ended with {second.returncode}, not {first.returncode}: "
                    f"{second.stderr.strip()[:300]} | {first.stderr.strip()[:300]}"), ""
        if not one.exists() and not two.exists():
            continue
        compared = call(PROGRAM, "diff", one, two)
        if compared.returncode != 0:
            return f"{config}: {way}: {(compared.stdout + compared.stderr).strip()[:400]}", ""
        two.unlink()
    if one.exists():
        one.unlink()
    messages = first.stderr.strip().splitlines()
    if first.returncode not in (0, 1) or not messages:
        return f"{config}: ended with {first.returncode}, and said {messages[-1:]}", ""
    return "", "" if first.returncode == 0 else f"ended: {messages[-1]}"


def has_gpu(folder):
    config = folder / "gpu.cfg"
    config.write_text(Maker(0).text())
    return call(PROGRAM, config, "--backend", "cuda", "--output", folder / "gpu.h5").returncode == 0


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--from", dest="first", type=int, default=1)
    words.add_argument("--models", type=int, default=24)
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--way", nargs="+", choices=WAYS)
    given = words.parse_args()
    folder = Path(tempfile.mkdtemp())
    ways = given.way or ["threads", "alone", "lists"] + ["cuda", "lists_cuda"] * has_gpu(folder)
    seeds = range(given.first, given.first + given.models)
    with ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(lambda seed: try_model(folder, seed, ways), seeds))
    for seed, (differs, why) in zip(seeds, found):
        if differs or why:
            print(f"{seed}: {'DIFFERS ' + differs if differs else why}")
    wrong = sum(bool(differs) for differs, _ in found)
    alike = sum(not differs and not why for differs, why in found)
    print(f"{given.models} models, {', '.join(ways)}: {alike} alike, {wrong} differ")
    return 1 if wrong or alike < given.models / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
