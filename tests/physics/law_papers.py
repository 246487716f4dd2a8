"""law_papers - configurations of published models against what must come out: formulas, exact results
of the lattice, and rate equations. Seeds are hashes of the names."""
import os
import pathlib
import subprocess
import zlib

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
CONFIGS = pathlib.Path(os.environ["RDSIM_SOURCE"]) / "configs"


def result_of(name, *words):
    """Runs a configuration and returns its open result."""
    seed = zlib.crc32(name.encode())
    done = subprocess.run([PROGRAM, CONFIGS / f"{name}.cfg", "--seed", str(seed), "--output",
                           f"{name}.h5", "--backend", "cpu", "--force", "--quiet", *words],
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return h5py.File(f"{name}.h5")


def bessel(order, x):
    """exp(-x) I_order(x), by the integral over half a turn (midpoints converge fast)."""
    angle = (np.arange(4000) + .5) * np.pi / 4000
    return np.mean(np.exp(x * (np.cos(angle) - 1)) * np.cos(order * angle))


def deficit_on_lattice(bleached, rate, t):
    """What is missing in a periodic lattice at time t, in voxels of full fluorescence, within the
    bleached ones: the exact solution of hops with this rate to each neighbour."""
    n = len(bleached)
    decay = 2 * (1 - np.cos(2 * np.pi * np.arange(n) / n))
    factor = np.exp(-rate * t * (decay[:, None] + decay[None, :]))
    return np.sum(np.fft.ifft2(np.fft.fft2(bleached) * factor).real * bleached)


def bleached_disc_recovers():
    """800,000 molecules: 5 standard errors are 5 % of the first share and 2.5 % of the last. It fails
    with D = 0.9."""
    file = result_of("frap")
    x, y, t = file["x"][:], file["y"][:], file["time"][:]
    bleached = (x[None, :]**2 + y[:, None]**2 <= 16).astype(float)
    number = file["counts"][0, :, 0, 0][:, bleached > 0].sum(axis=1)
    before = 50 * bleached.sum()
    for i in range(1, len(t)):
        on_lattice = before - 50 * deficit_on_lattice(bleached, 1 / .25**2, t[i])
        z = (number[i] - on_lattice) / np.sqrt(on_lattice)
        assert abs(z) < 5, f"t = {t[i]}: {number[i]} molecules, not {on_lattice:.0f}; z = {z:.1f}"
        # the formula, for a circle of the same area: voxels are an error of order (h / w)^2
        twice = bleached.sum() * .25**2 / np.pi / (2 * t[i])
        formula = bessel(0, twice) + bessel(1, twice)
        assert abs(on_lattice / before - formula) < .001, (t[i], on_lattice / before, formula)


def phosphorylation_follows_rate_equations():
    """20 runs: the standard error of the mean of Kpp is 1.1 molecules of 120; the difference between
    means and rate equations is of the order of one molecule. With D = 0.06 the test fails."""
    file = result_of("mapk")
    names = [name.decode() for name in file["species"][:]]
    totals, t = file["totals"][:], file["time"][:]
    binding = {"k1": .027 / .60221, "k4": .056 / .60221}
    for k in binding:  # on a large lattice of cubes of .125 with D = 8
        binding[k] = 1 / (1 / binding[k] + .252731 / (8 * .125))
    steps = [("KK", "K", "KKK", binding["k1"], 1.35, 1.5, "KK", "Kp"),
             ("KK", "Kp", "KKKp", binding["k4"], 1.73, 15., "KK", "Kpp"),
             ("P", "Kpp", "PKpp", binding["k1"], 1.35, 1.5, "P", "Kp"),
             ("P", "Kp", "PKp", binding["k4"], 1.73, 15., "P", "K")]
    at = {name: i for i, name in enumerate(names)}

    def change(n):
        d = np.zeros(len(names))
        for enzyme, substrate, both, on, off, turn, free, product in steps:
            bind = on * n[at[enzyme]] * n[at[substrate]] - off * n[at[both]]
            make = turn * n[at[both]]
            for name, rate in ((enzyme, -bind), (substrate, -bind), (both, bind - make),
                               (free, make), (product, make)):
                d[at[name]] += rate
        return d

    n, dt = totals[0, 0].astype(float), .5 / 2000
    for i in range(1, len(t)):
        for _ in range(2000):
            a = change(n)
            b = change(n + dt / 2 * a)
            n = n + dt * b
        for name in ("K", "Kp", "Kpp", "KKK", "PKpp"):
            runs = totals[:, i, at[name]]
            error = runs.std(ddof=1) / np.sqrt(len(runs))
            away = runs.mean() - n[at[name]]
            assert abs(away) < 5 * error + 1, f"t = {t[i]}: {name} {runs.mean()}, {n[at[name]]:.2f}"


def repressor_finds_its_operator():
    """2,000 runs: the standard error is 2.2 %, so that 5 of them are 11 % of the mean. It fails if the
    propensity is that of the whole volume (mean 5 s), or with D = 0.3."""
    file = result_of("lac_search")
    times = file["stopped"][:]
    assert np.all(np.isfinite(times)), "every search ends within 400 s"
    wave = np.cos(2 * np.pi * np.arange(16) / 16)
    mean_wave = (wave[:, None, None] + wave[None, :, None] + wave[None, None, :]) / 3
    walks = np.sum(1 / (1 - mean_wave.ravel()[1:]))
    exact = 1 / .2 + walks * .0625**2 / (6 * .4)
    z = (times.mean() - exact) / (times.std(ddof=1) / np.sqrt(len(times)))
    assert abs(z) < 5, f"mean {times.mean():.3f} s, exact {exact:.3f} s: z = {z:.1f}"
    print(f"search {times.mean():.2f} s, exact {exact:.2f} s")


def clans_drift():
    """200 runs: 5 standard errors are 10 molecules of 100. The number on the membrane is a birth-death
    process wherever the molecules are. It fails if red leaves at 0.95 or the volume is 900."""
    file = result_of("cdc42")
    names = [name.decode() for name in file["species"][:]]
    totals, t = file["totals"][:].astype(float), file["time"][:]
    red, white = (totals[:, :, names.index(name)] for name in ("red", "white"))
    size = 400  # numbers above it are more than 20 deviations away
    n = np.arange(size)
    up, down = n * (1000 - n) / 1000, .9 * n
    p = (n == 100).astype(float)
    steps = 4000
    for i in range(1, len(t)):
        for _ in range(steps):
            flux = up[:-1] * p[:-1] - down[1:] * p[1:]
            half = p.copy()
            half[1:] += flux * (t[i] - t[i - 1]) / steps / 2
            half[:-1] -= flux * (t[i] - t[i - 1]) / steps / 2
            flux = up[:-1] * half[:-1] - down[1:] * half[1:]
            p[1:] += flux * (t[i] - t[i - 1]) / steps
            p[:-1] -= flux * (t[i] - t[i - 1]) / steps
        both = (red + white)[:, i]
        mean = p @ n
        z = (both.mean() - mean) / np.sqrt((p @ n**2 - mean**2) / len(both))
        assert abs(z) < 5, f"t = {t[i]}: {both.mean()} on the membrane, not {mean:.2f}; z = {z:.1f}"
        away = red[:, i] - .3 * both
        z = away.mean() / (away.std(ddof=1) / np.sqrt(len(away)))
        assert abs(z) < 5, f"t = {t[i]}: {away.mean():.2f} more red than 30 %; z = {z:.1f}"
    one_kind = (red[:, -1] == 0) | (white[:, -1] == 0)
    assert np.mean(one_kind) > .05, "no clan has died out: nothing drifts"


CASES = [clans_drift, bleached_disc_recovers, phosphorylation_follows_rate_equations, repressor_finds_its_operator]

if __name__ == "__main__":
    for case in CASES:
        case()
