"""law_sbml_rates - rate rules without an exact solution, and events on their variables: between two
reactions they follow an ordinary differential equation, and propensities change with them."""
import pathlib

import h5py
import numpy as np
from law_sbml_spellings import TIME, call, event, model, reaction, species, whole
from sbml_models import compare, rdsim, run, skip_without_sbml

RUNS = 10000


def rate_rule(variable, rate):
    return f'<rateRule variable="{variable}">{whole(rate)}</rateRule>'


def moments(matrix, source, start, noise, times):
    """Means and variances of a linear process y' = M y + b(t) with covariance C' = M C + C M^T + D(y), by
    the method of Runge and Kutta in 400 steps between two times."""
    def slope(t, y, c):
        return matrix @ y + source(t), matrix @ c + c @ matrix.T + np.diag(noise(y))
    y, c, at = np.array(start, float), np.zeros((len(start),) * 2), 0
    means, variances = [], []
    for time in times:
        h = (time - at) / 400
        for i in range(400):
            now = at + i * h
            k = [slope(now, y, c)]
            for part in (h / 2, h / 2, h):
                k.append(slope(now + part, y + part * k[-1][0], c + part * k[-1][1]))
            y, c = (x + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i])
                    for i, x in ((0, y), (1, c)))
        at = time
        means.append(y)
        variances.append(np.diag(c))
    return np.array(means), np.array(variances)


def driven_by_a_species():
    """0 -> A at 1, A -> 0 at .2, m' = .5 A - .3 m, 0 -> P at m: a linear process, with m as one of its
    numbers."""
    name = model("driven", [species("A", 3), species("P")], [
        reaction("make", {}, {"A": 1}, "k"), reaction("lose", {"A": 1}, {}, call("times", .2, "A")),
        reaction("turn", {}, {"P": 1}, "v_m")], parameters={"k": 1, "v_m": 2},
        rules=rate_rule("v_m", call("minus", call("times", .5, "A"), call("times", .3, "v_m"))))
    found, t = run(name, 10, RUNS)
    mean, variance = moments(np.array([[-.2, 0, 0], [.5, -.3, 0], [0, 1, 0]]), lambda s: np.array([1., 0, 0]),
                             [3, 2, 0], lambda y: [1 + .2 * y[0], 0, y[1]], t)
    for i, one in enumerate(("A", "v_m", "P")):
        compare(found[one], RUNS, mean[:, i], variance[:, i], f"driven: {one}")


def logistic(t, start=.02, speed=1.5):
    """Returns x of x' = speed x (1 - x), and the integral of x."""
    growth = 1 + start * (np.exp(speed * t) - 1)
    return start * np.exp(speed * t) / growth, np.log(growth) / speed


def logistic_growth():
    """x' = 1.5 x (1 - x) drives 0 -> P at 60 x, which is Poisson, and A -> 0 at x per molecule, which is
    binomial: both see the integral of x. At 6 an event sets x to .02 again."""
    name = model("logistic", [species("A", 50), species("P")], [
        reaction("make", {}, {"P": 1}, call("times", 60, "v_x")),
        reaction("lose", {"A": 1}, {}, call("times", "v_x", "A"))], parameters={"v_x": .02},
        rules=rate_rule("v_x", call("times", 1.5, "v_x", call("minus", 1, "v_x"))),
        events=event("again", call("geq", TIME, 6), v_x=.02))
    found, t = run(name, 10, RUNS, every=1)
    x, integral = logistic(np.where(t < 6, t, t - 6))
    integral += np.where(t < 6, 0, logistic(6)[1])
    assert np.allclose(found["v_x"][0], x, rtol=1e-8), found["v_x"][0] - x
    assert np.all(found["v_x"][1] < 1e-16), found["v_x"]
    compare(found["P"], RUNS, 60 * integral, 60 * integral, "logistic: P")
    stays = np.exp(-integral)
    compare(found["A"], RUNS, 50 * stays, 50 * stays * (1 - stays), "logistic: A")


def events_of(name, end, runs):
    """Returns {run: times of events}, the totals and the values."""
    done = rdsim(f"{name}.xml", "--set", f"time.end={end}", "--runs", runs, "--quiet", "--force",
                 "--seed", 7, "--output", "moments.h5")
    assert done.returncode == 0, done.stderr
    with h5py.File("moments.h5") as file:
        times = {r: [] for r in range(runs)}
        for r, time in zip(file["events/run"][:], file["events/time"][:]):
            times[r].append(time)
        return times, file["totals"][:], file["values"][:]


def moments_of_triggers():
    """x' = -.4 x^2 from 5 falls below 1 at 2, while X -> 0 happens at random times; the event
    sets x to 5 again, so that it comes every 2. Moments are found to 1e-9 of the end."""
    name = model("falling", [species("X", 40), species("N")], [
        reaction("lose", {"X": 1}, {}, call("times", .2, "X"))], parameters={"v_x": 5},
        rules=rate_rule("v_x", call("times", -.4, call("times", "v_x", "v_x"))),
        events=event("refill", call("leq", "v_x", 1), v_x=5, N=call("plus", "N", 1)))
    end = 15
    times, totals, values = events_of(pathlib.Path(name).name, end, 200)
    for run_times in times.values():
        assert len(run_times) == 7, run_times
        assert np.allclose(run_times, 2 * np.arange(1, 8), rtol=0, atol=1e-9 * end), run_times
    assert np.all(totals[:, -1, 1] == 7)
    assert np.allclose(values[:, -1, 0], 1 / (.2 + .4), rtol=1e-7), values[:, -1, 0]


def trigger_of_a_species_integral():
    """w' = S, where the one S vanishes at .5: w reaches 1.5 at 1.5 if S lives that long, in exp(-.75) of
    the runs, and is the lifetime otherwise."""
    name = model("lifetime", [species("S", 1), species("N")], [
        reaction("lose", {"S": 1}, {}, call("times", .5, "S"))], parameters={"v_w": 0},
        rules=rate_rule("v_w", "S"), events=event("old", call("geq", "v_w", 1.5), N=1))
    end, runs = 40, 2000
    times, totals, values = events_of(pathlib.Path(name).name, end, runs)
    found = np.concatenate([x for x in times.values()])
    assert np.allclose(found, 1.5, rtol=0, atol=1e-9 * end), found
    share, p = totals[:, -1, 1].mean(), np.exp(-.75)
    assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / runs), share
    life = values[:, -1, 0]
    assert abs(life.mean() - 2) < 5 * 2 / np.sqrt(runs), life.mean()
    assert abs(np.mean(life > 3) - np.exp(-1.5)) < 5 * np.sqrt(.2 / runs), np.mean(life > 3)


def renewal():
    """0 -> P at the age v_age of a machine, which each P starts anew: the waiting times have the density
    t exp(-t^2 / 2). The number of P by its renewal equation, on a grid of .001."""
    name = model("renewal", [species("P"), species("Q")], [
        reaction("fire", {}, {"P": 1, "Q": 1}, "v_age")], parameters={"v_age": 0},
        rules=rate_rule("v_age", call("plus", 1, call("times", 0, "P"))),
        events=event("anew", call("geq", "Q", 1), v_age=0, Q=0))
    found, t = run(name, 6, RUNS, every=2)
    grid = np.arange(0, 6.0005, .001)
    density = grid * np.exp(-grid**2 / 2)
    at_least = [np.ones_like(grid)]
    for _ in range(25):
        last = np.convolve(at_least[-1] if len(at_least) > 1 else at_least[0], density)[:len(grid)]
        last = (last - .5 * (at_least[-1][0] * density + at_least[-1] * density[0])) * .001
        at_least.append(last)
    index = np.round(t * 1000).astype(int)
    tail = np.array([[q[i] for i in index] for q in at_least[1:]])
    mean = tail.sum(0)
    second = ((2 * np.arange(1, len(tail) + 1) - 1)[:, None] * tail).sum(0)
    compare(found["P"], RUNS, mean, np.maximum(second - mean**2, 0), "renewal")


def variables_that_are_species_and_sizes():
    """The species x is given by x' = 3 - x^2 / 4, and the size of the cell, cell' = cell^2 / 50 from 2, is
    2 / (1 - t / 25); P appears at 4 times the size, and vanishes at .1 per molecule: Poisson."""
    text = pathlib.Path(model("sizes", [
        species("x", 1, amounts=True), species("P", amounts=False)], [
            reaction("make", {}, {"P": 1}, call("times", 4, "cell")),
            reaction("lose", {"P": 1}, {}, call("times", .1, "P", "cell"))], size=2,
        rules=rate_rule("x", call("minus", 3, call("divide", call("times", "x", "x"), 4)))
        + rate_rule("cell", call("divide", call("times", "cell", "cell"), 50))) + ".xml")
    text.write_text(text.read_text().replace('size="2" constant="true"', 'size="2" constant="false"'))
    found, t = run(str(text)[:-4], 10, RUNS)
    c, root = np.arctanh(1 / (2 * np.sqrt(3))), np.sqrt(3)
    assert np.allclose(found["x_1"][0], 2 * root * np.tanh(root / 2 * t + c), rtol=1e-8), found["x_1"]
    assert np.allclose(found["cell"][0], 2 / (1 - t / 25), rtol=1e-8), found["cell"][0]
    means = moments(np.array([[-.1]]), lambda s: np.array([8 / (1 - s / 25)]), [0], lambda y: [0],
                    t)[0][:, 0]
    compare(found["P"], RUNS, means, means, "a growing cell")


LAWS = [driven_by_a_species, logistic_growth, moments_of_triggers, trigger_of_a_species_integral, renewal,
        variables_that_are_species_and_sizes]

if __name__ == "__main__":
    skip_without_sbml()
    for law in LAWS:
        law()
        print(f"{law.__name__}: agrees")
