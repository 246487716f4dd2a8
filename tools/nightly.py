#!/usr/bin/env python3
"""nightly - runs the models of configs/ at full size and checks their results.

usage: tools/nightly.py RDSIM FOLDER [MODEL...]

Results stay in the folder; a complete one is checked again without a run. If the expected number is
exact, five standard errors are allowed; otherwise a range is given.
"""
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import expm_multiply

ROOT = Path(__file__).resolve().parent.parent


class Result:
    """Holds counts, totals and coordinates of a result file."""

    def __init__(self, file):
        self.file = file
        self.time = file["time"][:]
        self.species = list(file["species"].asstr()[:])

    def at(self, time):
        return int(np.argmin(abs(self.time - time)))

    def counts(self, name, time, run=0):
        """Returns the counts [z][y][x] of a species."""
        return self.file["counts"][run, self.at(time), self.species.index(name)].astype(float)

    def total(self, name, time, run=0):
        return float(self.file["totals"][run, self.at(time), self.species.index(name)])

    def places(self):
        """Returns x and y of the voxels of a plane, as [y][x]."""
        return np.meshgrid(self.file["x"][:], self.file["y"][:])


class Verdict:
    """Holds the comparisons as words, and whether all of them passed."""

    def __init__(self):
        self.words, self.right = [], True

    def near(self, what, found, expected, allowed):
        self.words.append(f"{what} {found:.5g} ({expected:.5g} +- {allowed:.2g})")
        self.right &= bool(abs(found - expected) <= allowed)

    def between(self, what, found, low, high):
        self.words.append(f"{what} {found:.4g} ({low:g} to {high:g})")
        self.right &= bool(low <= found <= high)


def cloud(v, r, name, time, middle, variance, start, run=0):
    """Checks the mean position and the variances of a cloud of molecules."""
    n = r.counts(name, time, run).sum(axis=0)
    places = r.places()
    for axis in range(2):
        mean = (n * places[axis]).sum() / n.sum()
        square = (n * (places[axis] - mean) ** 2).sum() / n.sum()
        v.near(f"middle {'xy'[axis]}", mean - start[axis], middle[axis],
               5 * (variance[axis] / n.sum()) ** 0.5)
        v.near("variance", square, variance[axis], 5 * variance[axis] * (2 / n.sum()) ** 0.5)


def ab_reaction(v, r):
    n = r.counts("A", 1000).size
    for name, mean, variance in (("A", 9.587, 17.68), ("B", 12.124, 39.72)):
        found = r.counts(name, 1000)
        v.near(name, found.mean(), mean, 5 * (variance / n) ** 0.5)
        v.near("variance", found.var(), variance, 7 * variance * (2 / n) ** 0.5)


def ab_transports(v, r):
    """Compares individuals with counted molecules of both kinds; n is half the number of voxels,
    since their counts are correlated."""
    for name in "AB":
        alone = r.counts(name, 100)
        kinds = sum(r.counts(f"{name.lower()}_{kind}", 100) for kind in ("quick", "slow"))
        n = alone.size / 2
        v.near(name, alone.mean(), kinds.mean(), 5 * (24 / n) ** 0.5)
        v.near("variance", alone.var(), kinds.var(), 5 * kinds.var() * (4 / n) ** 0.5)


def fisher_wave(v, r):
    grown = (r.total("A", 5) - r.total("A", 0)) / (1e4 * 256)
    v.near("speed", grown * 100 / 256 / 5, 5 / 6 ** 0.5, 0.0204)


def diffusion(v, r):
    cloud(v, r, "A", 40, (0, 0), (80, 80), (64.5 * 100 / 128,) * 2)
    v.near("peak", r.counts("A", 40)[0, 64, 64], 121.4, 5 * 11)


def drift(v, r):
    for run in (0, 9):
        cloud(v, r, "A", 5, (4, 2), (6, 8), (256.5 / 16,) * 2, run)


def drift_field(v, r):
    cloud(v, r, "A", 5, (4, 2), (6, 8), (128.5 / 8,) * 2)


def ornstein_uhlenbeck(v, r):
    """Compares moments with those of the master equation of the lattice."""
    side, h = 128, 0.25
    x, y = r.places()
    site = np.arange(side * side).reshape(side, side)
    rows, columns, rates = [], [], []
    for axis, speed in ((1, -0.5 * x - 0.6 * y), (0, -0.7 * x - 0.8 * y)):
        for way in (1, -1):
            rate = np.where(abs(speed) * h > 2, np.maximum(way * speed, 0) / h,
                            1 / h ** 2 + way * speed / (2 * h))
            here = np.take(site, range(side - 1) if way > 0 else range(1, side), axis)
            there = np.take(site, range(1, side) if way > 0 else range(side - 1), axis)
            rows += [there.ravel(), here.ravel()]
            columns += [here.ravel(), here.ravel()]
            rates += [rate.ravel()[here.ravel()], -rate.ravel()[here.ravel()]]
    q = coo_matrix((np.concatenate(rates), (np.concatenate(rows), np.concatenate(columns)))).tocsr()
    p = np.zeros(side * side)
    p[site[32, 32]] = 1
    p = expm_multiply(q * 10, p).reshape(side, side)
    n = r.file["counts"][:, r.at(10), 0, 0].astype(float).sum(axis=0)
    for what, of in (("x", x), ("y", y), ("x^2", x * x), ("xy", x * y), ("y^2", y * y)):
        mean = (p * of).sum()
        error = (((p * of * of).sum() - mean ** 2) / n.sum()) ** 0.5
        v.near(what, (n * of).sum() / n.sum(), mean, 5 * error)


def annihilation(v, r):
    left = [[r.total(name, t) for t in r.time] for name in "AB"]
    v.near("largest difference of A and B", max(abs(np.subtract(*left))), 0, 0)
    v.between("left", left[0][-1], 1, 50000)


def slab(v, r):
    mean = r.file["statistics/voxel_mean"][r.at(1000), 0, 0]
    up, along = np.meshgrid((np.arange(64) + 1) / 65, (np.arange(64) + 1) / 65, indexing="ij")
    expected = np.zeros((64, 64))
    for m in range(1, 201, 2):
        with np.errstate(over="ignore"):
            fall = np.exp(-m * np.pi * up) * (-np.expm1(-2 * m * np.pi * (1 - up)))
        expected += 40 / np.pi * np.sin(m * np.pi * along) * fall / (m * -np.expm1(-2 * m * np.pi))
    for row in (8, 24, 48):
        v.near(f"row {row}", mean[row].sum(), expected[row].sum(),
               5 * (expected[row].sum() / 100) ** 0.5 + 0.002 * expected[row].sum())


def localised_ab(v, r):
    v.near("A on the left", r.counts("A", 1800)[0, :, :10].mean(), 47.9, 5 * (48 / 320) ** 0.5)
    v.between("B on the right", r.counts("B", 1800)[0, :, -1].mean(), 440, 520)


def morphogen(v, r):
    for time, means in ((600, (90.2727, 89.4110, 87.6799)), (1800, (129.8147, 128.8327, 126.8626))):
        counts = r.file["counts"][:, r.at(time), 0].reshape(500, 40).astype(float)
        for voxel, mean in enumerate(means):
            v.near(f"t = {time}", counts[:, voxel].mean(), mean, 5 * (mean / 500) ** 0.5)


def majority_vote(v, r):
    red = sum(r.total(name, 4000) for name in r.species if name[0] == "R")
    v.between("of one opinion", max(red, 150 - red), 140, 150)


def lives(v, r, name, many, times, low, high):
    """Checks that a wave continues, by the share of voxels with many molecules."""
    for time in times:
        v.between(f"excited at {time:g}", (r.counts(name, time) > many).mean(), low, high)


def calcium(v, r):
    lives(v, r, "Ca", 300, (60, 80, 90, 100), 0.02, 0.9)


def oregonator(v, r):
    lives(v, r, "X", 1000, (20, 30, 40, 50), 0.01, 0.6)


def gray_scott(v, r):
    lives(v, r, "V", 60, (500, 800, 1000), 0.005, 0.5)


def schnakenberg(v, r):
    a = r.counts("A", 1800).ravel()
    waves = [abs((a * np.cos(np.pi * q * (np.arange(40) + 0.5) / 40)).sum()) for q in range(40)]
    v.between("half periods", 1 + int(np.argmax(waves[1:])), 4, 9)


def brusselator(v, r):
    x = r.file["counts"][0, :, 0, 0].astype(float).reshape(len(r.time), -1)[20:]
    rises = ((x[:-1] < 150) & (x[1:] >= 150)).sum(axis=0).mean()
    v.between("mean period", (len(x) - 1) / rises, 6, 8.5)


def min_de(v, r):
    d = sum(r.file["counts"][0, :, r.species.index(name)].astype(float).sum(axis=(1, 2))
            for name in ("D", "DE"))
    side = np.sign(d[10:, :22].sum(axis=1) - d[10:, -22:].sum(axis=1))
    v.between("period", 2 * 180 / np.count_nonzero(np.diff(side)), 12, 20)


def epidemic_wave(v, r):
    x, y = r.places()
    inside = (x - 64.5) ** 2 + (y - 64.5) ** 2 < 15 ** 2
    v.between("healthy behind the wave", r.counts("healthy", 40)[0][inside].mean() / 40, 0.15, 0.27)
    reach = np.hypot(x - 64.5, y - 64.5)
    far = [np.average(reach, weights=r.counts("ill", t)[0]) for t in (20, 40)]
    v.between("speed", (far[1] - far[0]) / 20, 0.9, 1.45)


def slit(v, r):
    middle = [(r.counts("neuron", h * 3600) * r.places()[0]).sum() / r.total("neuron", 0)
              for h in (24, 48)]
    v.near("middle after a day", middle[0], 0, 5.7)
    v.between("after two", middle[1], -20, -5)


def nucleus(v, r):
    inside = r.counts("P", 200).max()
    v.between("most P in a voxel", inside, 9, 40)


MODELS = (ab_reaction, ab_transports, diffusion, drift, drift_field, ornstein_uhlenbeck, annihilation,
          localised_ab, morphogen, schnakenberg, nucleus, epidemic_wave, slab, majority_vote,
          gray_scott, brusselator, min_de, fisher_wave, slit, calcium, oregonator)
FULL = {"oregonator": ("--set", "parameters.n=256")}  # values that the file has smaller


def result_of(model, program, folder):
    result = folder / f"{model.__name__}.h5"
    if not result.exists() or result.with_suffix(".h5.parts").exists():
        go_on = ["--resume"] if result.exists() else []
        subprocess.run([program, ROOT / "configs" / f"{model.__name__}.cfg", "--output", result,
                        *FULL.get(model.__name__, ()), *go_on, "--progress", "none"],
                       check=True, stdout=subprocess.DEVNULL)
    return result


def judge(model, program, folder):
    """Prints one line for the model; returns whether it passed."""
    began = time.monotonic()
    v = Verdict()
    try:
        with h5py.File(result_of(model, program, folder), "r") as file:
            model(v, Result(file))
    except (OSError, KeyError, ValueError, subprocess.CalledProcessError) as fault:
        v.words.append(str(fault))
        v.right = False
    print(f"{'passed' if v.right else 'FAILED'} {time.monotonic() - began:6.0f} s  "
          f"{model.__name__}: {', '.join(v.words)}", flush=True)
    return v.right


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, folder = Path(arguments[0]).resolve(), Path(arguments[1])
    chosen = [model for model in MODELS if not arguments[2:] or model.__name__ in arguments[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    return 0 if all([judge(model, program, folder) for model in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
