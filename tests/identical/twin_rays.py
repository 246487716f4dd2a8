"""twin_rays - elementary flux modes beside the extreme rays that 4ti2 and normaliz find: with
reversible reactions split in two, these are the modes and one two-cycle each."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
from fractions import Fraction

from say_main import SOURCE, rdsim, run_cases

NETWORKS = SOURCE / "tests" / "networks"
JUDGES = {"4ti2-rays": "4ti2", "normaliz": "normaliz"}  # programs and their Debian packages


def side(text):
    """Pairs of a coefficient and a species."""
    for term in text.split(" + ") if text.strip() else ():
        words = term.split()
        yield Fraction(words[0] if len(words) > 1 else 1), words[-1]


def read(path):
    """Columns {species: change} and whether each is reversible; the networks have no externals."""
    columns, is_reversible = [], []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        equation = line.split(" : ", 1)[1] + " "
        arrow = "<=>" if "<=>" in equation else "=>"
        change = {}
        for sign, part in zip((-1, 1), equation.split(arrow)):
            for number, species in side(part):
                change[species] = change.get(species, 0) + sign * number
        columns.append(change)
        is_reversible.append(arrow == "<=>")
    return columns, is_reversible


def matrix(columns, is_reversible):
    """Rows of integers, with a column more for each reversible reaction."""
    rows = []
    for species in sorted({s for column in columns for s in column}):
        row = [column.get(species, Fraction(0)) for column in columns]
        row += [-x for x, both in zip(row, is_reversible) if both]
        scale = max(Fraction(x).denominator for x in row)
        rows.append([int(x * scale * 1000) for x in row])
    return rows


def rays_4ti2(rows, n):
    def write(kind, table):
        text = "\n".join(" ".join(map(str, row)) for row in table)
        pathlib.Path(f"judge.{kind}").write_text(f"{len(table)} {len(table[0])}\n{text}\n")
    write("mat", rows)
    write("sign", [[1] * n])
    subprocess.run(["4ti2-rays", "-q", "judge"], check=True, stdout=subprocess.DEVNULL)
    return [tuple(map(int, line.split()))
            for line in pathlib.Path("judge.ray").read_text().splitlines()[1:] if line.strip()]


def rays_normaliz(rows, n):
    text = "\n".join(" ".join(map(str, row)) for row in rows)
    pathlib.Path("judge.in").write_text(f"amb_space {n}\nequations {len(rows)}\n{text}\n"
                                        "nonnegative\nExtremeRays\n")
    subprocess.run(["normaliz", "judge"], check=True, stdout=subprocess.DEVNULL)
    lines = pathlib.Path("judge.out").read_text().splitlines()
    at = [i for i, line in enumerate(lines) if line.endswith("extreme rays:")]
    rays = []
    for line in lines[at[-1] + 1:] if at else ():
        if not line.strip():
            break
        rays.append(tuple(map(int, line.split())))
    return rays


def joined(rays, columns, is_reversible):
    """The rays with reversible reactions in one column, without two-cycles, each once."""
    n = len(is_reversible)
    both = [i for i in range(n) if is_reversible[i]]
    modes = set()
    n_cycles = 0
    for ray in rays:
        flux = list(ray[:n])
        is_cycle = any(flux[i] and ray[n + k] for k, i in enumerate(both))
        n_cycles += is_cycle
        for k, i in enumerate(both):
            flux[i] -= ray[n + k]
        if is_cycle:
            continue
        used = [i for i in range(n) if flux[i]]
        if all(is_reversible[i] for i in used) and flux[used[0]] < 0:
            flux = [-x for x in flux]
        modes.add(tuple(flux))
    # a reaction that changes nothing is a ray in each direction, and its two-cycle is none
    expected = sum(bool(columns[i]) for i in both)
    assert n_cycles == expected, f"{n_cycles} two-cycles of {expected} reversible reactions"
    return modes


def compare(path, status=0):
    columns, is_reversible = read(path)
    rows = matrix(columns, is_reversible)
    n = len(is_reversible) + sum(is_reversible)
    done = rdsim("modes", path, "--csv", status=status)
    found = [tuple(map(int, line.split(","))) for line in done.stdout.splitlines()[1:]]
    for program, rays in (("4ti2-rays", rays_4ti2), ("normaliz", rays_normaliz)):
        if not shutil.which(program):
            continue
        expected = joined(rays(rows, n), columns, is_reversible)
        assert set(found) == expected and len(found) == len(expected), (
            f"{path}: {program} has {len(expected)} modes, rdsim {len(found)}")


def published_networks():
    compare(NETWORKS / "ecoli-irrev-compressed.net")


def draw_network(draw):
    """Returns a network of six species and 6 to 14 reactions."""
    text = ""
    for r in range(draw.randint(6, 14)):
        sides = ["", ""]
        for s in range(6):
            number = draw.choice((0, 0, 0, 1, 1, 2, 3))
            if number:
                k = draw.randint(0, 1)
                sides[k] += (" + " if sides[k] else "") + f"{number} S{s}"
        text += f"R{r} : {sides[0]} {draw.choice(('=>', '=>', '<=>'))} {sides[1]}\n"
    return text


def random_networks():
    draw = random.Random("twin_rays")
    n_compared = 0
    while n_compared < 40:
        path = pathlib.Path("random.net")
        path.write_text(draw_network(draw))
        if "no reaction can run" in subprocess.run(
                [os.environ["RDSIM_PROGRAM"], "modes", path], text=True, check=False,
                capture_output=True).stderr:
            continue
        compare(path)
        n_compared += 1


def semiflows():
    """Semiflows are the rays of the transposed matrix."""
    draw = random.Random("semiflows")
    n_found = 0
    for i in range(40):
        path = pathlib.Path("random.net")
        path.write_text("\n".join(draw_network(draw).splitlines()[:2 + i % 4]) + "\n")
        columns, _ = read(path)
        species = sorted({s for column in columns for s in column})
        rows = [[int(column.get(s, 0)) for s in species] for column in columns]
        found = {tuple(dict(reversed(term) for term in side(line)).get(s, 0) for s in species)
                 for line in rdsim("modes", path, "--semiflows", status=0).stdout.splitlines()[1:]}
        n_found += len(found)
        for program, rays in (("4ti2-rays", rays_4ti2), ("normaliz", rays_normaliz)):
            expected = set(rays(rows, len(species))) if shutil.which(program) else found
            assert found == expected, f"{path.read_text()}{program}: {expected}, rdsim: {found}"
    assert n_found > 40, n_found


CASES = [published_networks, random_networks, semiflows]

if __name__ == "__main__":
    if not any(shutil.which(program) for program in JUDGES):
        print("twin_rays: neither", " nor ".join(JUDGES), "is here; install",
              " or ".join(JUDGES.values()), "(skipped)")
        sys.exit(77)
    run_cases(CASES)
