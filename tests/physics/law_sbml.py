"""law_sbml - SBML models against the exact means and variances of their processes: the four families
of the field's stochastic test suite, and models for single features of SBML."""
import numpy as np
from sbml_models import compare, run, skip_without_sbml

RUNS = 20000


def birth_death():
    """X -> 2 X at .1, X -> 0 at .11 per molecule, from 100."""
    found, t = run("birth-death", 50, RUNS)
    up, down, start = .1, .11, 100
    growth = np.exp((up - down) * t)
    compare(found["X"], RUNS, start * growth,
            start * (up + down) / (up - down) * growth * (growth - 1), "birth and death")


def immigration_death():
    """0 -> X at 1, X -> 0 at .1, from nothing: Poisson. The source is a boundary."""
    found, t = run("immigration-death", 50, RUNS)
    mean = 10 * (1 - np.exp(-.1 * t))
    compare(found["X"], RUNS, mean, mean, "immigration and death")
    compare(found["Source"], RUNS, 7 + 0 * t, 0 * t, "boundary species")


def batch_immigration():
    """0 -> 12 X at a = 1, X -> 0 at u = .2: dV/dt = -2 u V + u mean + a 144."""
    found, t = run("batch-immigration", 25, RUNS)
    a, u, b = 1, .2, 12
    one, two = np.exp(-u * t), np.exp(-2 * u * t)
    mean = a * b / u * (1 - one)
    variance = a * b * b / (2 * u) * (1 - two) + a * b * ((1 - two) / (2 * u) - (one - two) / u)
    compare(found["X"], RUNS, mean, variance, "immigration in batches")


def master(size, up, down, times):
    """Means and variances of a number from 0 to size - 1 that begins at 0, by its master equation:
    up(n) and down(n) are the rates of n -> n + 1 and n -> n - 1. Taylor series in short steps, with
    uniformised rates, keep probabilities from 0 to 1."""
    rates = np.zeros((size, size))
    for n in range(size):
        for to, rate in ((n + 1, up(n)), (n - 1, down(n))):
            if rate > 0:
                rates[to, n] += rate
                rates[n, n] -= rate
    fastest = max(-rates.diagonal())
    numbers, p, at = np.arange(size), np.eye(size)[0], 0
    means, variances = [], []
    for time in times:
        steps = int(np.ceil((time - at) * fastest)) if time > at else 0
        for _ in range(steps):
            term, total = p, p
            for k in range(1, 30):
                term = rates @ term * ((time - at) / steps / k)
                total = total + term
            p = total
        at = time
        means.append(p @ numbers)
        variances.append(p @ numbers**2 - means[-1]**2)
    return np.array(means), np.maximum(variances, 0)


def dimerisation():
    """2 P -> P2 at k1 P (P - 1) / 2, back at k2 P2."""
    found, t = run("dimerisation", 50, RUNS)
    mean, variance = master(31, lambda d: .001 * (60 - 2 * d) * (59 - 2 * d), lambda d: .02 * d, t)
    compare(found["P2"], RUNS, mean, variance, "dimers")
    compare(found["P"], RUNS, 60 - 2 * mean, 4 * variance, "monomers")


def binding_in_moles():
    """A + B <-> C from level 2 with moles and litres, and a function: 60 A and 100 B in 1 fl, at
    1e6 / (6.02214076e23 * 1e-15) and .05."""
    found, t = run("moles-in-litres", 40, RUNS)
    k = 1e6 / (6.02214076e23 * 1e-15)
    mean, variance = master(61, lambda c: k * (60 - c) * (100 - c), lambda c: .05 * c, t)
    compare(found["C"], RUNS, mean, variance, "binding")
    compare(found["B"], RUNS, 100 - mean, variance, "unbound")


def exchange():
    """40 molecules, each in the outer compartment or not: binomial. In at .3 / 4, out at .5."""
    found, t = run("two-compartments", 10, RUNS)
    enter, leave = .3 / 4, .5
    p = enter / (enter + leave) * (1 - np.exp(-(enter + leave) * t))
    compare(found["e"], RUNS, 40 * p, 40 * p * (1 - p), "inside")
    compare(found["A"], RUNS, 40 * (1 - p), 40 * p * (1 - p), "outside")


def mixed_compartments():
    """Three compartments of sizes 4, .5 and 3: A <-> B between two of them, binomial; 0 -> C -> 0 in
    one, Poisson, with 30 more from 5 on; D + E -> F at q [D] E of two; both = A + 2 B."""
    found, t = run("mixed-compartments", 10, RUNS, every=1)
    enter, leave = .3 / 4, .3 / .5
    p = enter / (enter + leave) * (1 - np.exp(-(enter + leave) * t))
    compare(found["B"], RUNS, 40 * p, 40 * p * (1 - p), "in the nucleus")
    compare(found["both"], RUNS, 40 + 40 * p, 40 * p * (1 - p), "a sum over compartments")
    made, kept = 3 / .25 * (1 - np.exp(-.25 * t)), np.where(t < 5, 0, np.exp(-.25 * (t - 5)))
    compare(found["C"], RUNS, made + 30 * kept, made + 30 * kept * (1 - kept), "a refilled number")
    mean, variance = master(7, lambda f: .2 / 4 * (8 - f) * (6 - f), lambda f: 0, t)
    compare(found["F"], RUNS, mean, variance, "binding at a membrane")


def rules():
    """10 X and 5 Y: X -> Y -> 0, each at .2; total = X + 3 Y + 2 and the parameter
    twice = 2 X + 2 Y are given by rules."""
    found, t = run("rules", 20, RUNS)
    stays = np.exp(-.2 * t)
    y = .2 * t * stays  # of one X
    compare(found["X"], RUNS, 10 * stays, 10 * stays * (1 - stays), "X")
    compare(found["Y"], RUNS, 10 * y + 5 * stays,
            10 * y * (1 - y) + 5 * stays * (1 - stays), "Y")
    mean = 10 * (stays + 3 * y) + 15 * stays
    variance = (10 * (stays + 9 * y - (stays + 3 * y)**2) + 5 * 9 * stays * (1 - stays))
    compare(found["total"], RUNS, mean + 2, variance, "total")
    alive = stays + y
    compare(found["twice"], RUNS, 20 * alive + 10 * stays,
            4 * (10 * alive * (1 - alive) + 5 * stays * (1 - stays)), "an observable")


def stoichiometry():
    """20 A -> B at 1.5 until fewer than 20 of 1000 are left; D begins with 3 * 7."""
    found, t = run("stoichiometry", 20, RUNS)
    mean, variance = master(51, lambda b: 1.5 * (b < 50), lambda b: 0, t)
    compare(found["B"], RUNS, mean, variance, "groups")
    compare(found["A"], RUNS, 1000 - 20 * mean, 400 * variance, "ungrouped")
    stays = np.exp(-.1 * t)
    compare(found["D"], RUNS, 21 * stays, 21 * stays * (1 - stays), "D")


def literal_square():
    """2 A -> B at k A^2, not k A (A - 1); nothing happens with one A."""
    found, t = run("square-law", 20, RUNS)
    mean, variance = master(7, lambda b: .01 * (12 - 2 * b)**2 * (b < 6), lambda b: 0, t)
    compare(found["B"], RUNS, mean, variance, "square law")


def constant_loss():
    """A -> 0 at .5, whatever A is, until none is left."""
    found, t = run("constant-loss", 20, RUNS)
    mean, variance = master(7, lambda gone: .5 * (gone < 6), lambda gone: 0, t)
    compare(found["A"], RUNS, 6 - mean, variance, "constant loss")


def rate_rule():
    """0 -> P at .5 m, dm/dt = -.3 m, m(0) = 20: Poisson."""
    found, t = run("rate-rule", 10, RUNS)
    mean = .5 * 20 / .3 * (1 - np.exp(-.3 * t))
    compare(found["P"], RUNS, mean, mean, "rate rule")


def growing_cell():
    """Rate rules with exact solutions: the volume v grows by exp(.2 t) from 1.5 and is halved at 2; the
    clock is set to 0 at 3, and Q gets its value; l' = 2 - l / 4 from 8 on is 8. P appears at 4 v l and
    vanishes at .3 / v: it is Poisson, and its mean here is the sum over steps of 1e-4."""
    found, t = run("growing-cell", 20, RUNS, every=1)
    compare(found["Q"], RUNS, 3 * np.floor(t / 3), 0 * t, "whole numbers of the clock")
    step, mean, means, v = 1e-4, 0., [0.], 1.5
    first = np.log(2 / 1.5) / .2
    for i in range(200000):
        at = (i + .5) * step
        v = 1.5 * np.exp(.2 * at) if at < first else np.exp(.2 * ((at - first) % (np.log(2) / .2)))
        mean += step * (32 * v - .3 * mean / v)
        if (i + 1) % 10000 == 0:
            means.append(mean)
    compare(found["P"], RUNS, means, means, "molecules in a growing volume")


def time_dependent():
    """0 -> P at 2 t: Poisson of t^2."""
    found, t = run("time-dependent", 5, RUNS)
    compare(found["P"], RUNS, t**2, t**2, "time in a law")


def switched_law():
    """0 -> P at 5, and at 20000 from 3.7183 to 3.7213, a time within a step of .01."""
    found, t = run("switched-law", 10, RUNS, every=1)
    mean = 5 * t + np.where(t > 3.8, 19995 * .003, 0)
    compare(found["P"], RUNS, mean, mean, "a law with two switches")


def timed_events():
    """0 -> X at k, X -> 0 at .1. X = 0 at 0, 50 at 10 (from a parameter); k = 1, from 15 on 1 / 4
    (12 and a delay of 3), from 20 on 5: the event of lower priority comes later. Of the 50 a
    binomial number is left; the others are Poisson. both = X + Y is given by a rule."""
    found, t = run("timed-events", 30, RUNS)
    mean, at = 0, 0
    means, variances = [], []
    for time, k in ((5, 1), (10, 1), (15, 1), (20, .25), (25, 5), (30, 5)):
        stays = np.exp(-.1 * (time - at))
        mean, at = (0 if time == 10 else mean * stays + 10 * k * (1 - stays)), time
        stays = np.exp(-.1 * (time - 10)) if time >= 10 else 0
        means.append(mean + 50 * stays)
        variances.append(mean + 50 * stays * (1 - stays))
    compare([x[1:] for x in run("timed-events", 30, RUNS, every=5)[0]["X"]], RUNS, means, variances,
            "events at set times")
    y = np.where(t < 10, 7, 2)
    compare(found["Y"], RUNS, y, 0 * t, "Y")
    compare(found["both"], RUNS, found["X"][0] + y, found["X"][1], "the sum")


def zeptomoles():
    """A <-> B, both at .4 per molecule; .1 zmol of A are 60.22 molecules, rounded to 60."""
    found, t = run("zeptomoles", 5, RUNS)
    p = (1 - np.exp(-.8 * t)) / 2
    compare(found["B"], RUNS, 60 * p, 60 * p * (1 - p), "zeptomoles")


def reserved_names():
    """Species t, x, y, e and a parameter pi, names that expressions have, too: 0 -> t at 4 times the time,
    2 x -> 0 at .3 x (x - 1) from 9, y = t + 2 x by a rule."""
    found, t = run("reserved-names", 2, RUNS)
    compare(found["t_1"], RUNS, 2 * t**2, 2 * t**2, "t")
    compare(found["e"], RUNS, 0 * t, 0 * t, "e")
    mean, variance = master(5, lambda n: .3 * (9 - 2 * n) * (8 - 2 * n), lambda n: 0, t)
    compare(found["x"], RUNS, 9 - 2 * mean, 4 * variance, "x")
    compare(found["y"], RUNS, 18 - 4 * mean + 2 * t**2, 16 * variance + 2 * t**2, "y")


def event_values():
    """0 -> X at 2. At 10 an event sets X = 2 X + k, Y = X and k = 0 from the values before it. Z is
    from 8 on the X of t = 8. W = Y + Z by a rule."""
    found, t = run("event-values", 12, RUNS, every=1)
    mean = 2 * np.minimum(t, 10)
    compare(found["X"], RUNS, np.where(t < 10, mean, 2 * mean + 2),
            np.where(t < 10, mean, 4 * mean), "X")
    compare(found["Y"], RUNS, np.where(t < 10, 4, mean), np.where(t < 10, 0, mean), "Y")
    z = np.where(t < 8, 0, 16)
    compare(found["Z"], RUNS, z, z, "Z")
    covariance = np.where(t < 10, 0, 16)
    compare(found["W"], RUNS, z + np.where(t < 10, 4, mean),
            z + np.where(t < 10, 0, mean) + 2 * covariance, "W")


def poisson(mean, most):
    """Returns the probabilities of 0 ... most."""
    p = [np.exp(-mean)]
    for n in range(1, most + 1):
        p.append(p[-1] * mean / n)
    return np.array(p)


def conditions():
    """X rises at 2 per time (an event at the start doubles k); at 10 an event sets it to 0 and adds
    1 to N. Another event adds 1 to Y each time that X falls below 5, but not at the start. With P
    of mean 2 t, N is P / 10 rounded down, X the rest, and both = X + 2 N."""
    found, t = run("conditions", 20, RUNS)
    def moments(of):
        values, n = of(np.arange(400)), len(t)
        mean = np.array([poisson(2 * x, 399) @ values for x in t])
        return mean, np.array([poisson(2 * t[i], 399) @ values**2 for i in range(n)]) - mean**2
    for name, of in (("X", lambda p: p % 10), ("N", lambda p: p // 10), ("Y", lambda p: 3 + p // 10),
                     ("both", lambda p: p % 10 + 2 * (p // 10))):
        mean, variance = moments(of)
        compare(found[name], RUNS, mean, np.maximum(variance, 0), name)


def delayed_condition():
    """X rises at 1 per time; 2 after it has reached 4, Z becomes twice that 4. Of two events at
    X = 7 the first, of higher priority, sets k = 3, and the second divides it by 3."""
    found, t = run("delayed-condition", 12, RUNS, every=1)
    late = np.array([1 - poisson(max(x - 2, 0), 3).sum() for x in t])
    compare(found["X"], RUNS, t, t, "X")
    compare(found["Z"], RUNS, 8 * late, 64 * late * (1 - late), "Z")


def delay_moment():
    """X appears once, at .5; 3 later W begins to appear at 1, and at 18 it ends: nothing else happens
    when these moments come, and nothing is written. Given the time of X, W is Poisson."""
    found, _ = run("delay-moment", 20, RUNS, every=20)
    appears = np.linspace(0, 60, 600001)[:-1] + .00005
    weight = .5 * np.exp(-.5 * appears) * 1e-4
    means = np.where(appears <= 15, 15 - appears, np.maximum(17 - appears, 0))
    mean = weight @ means
    variance = mean + weight @ means**2 - mean**2
    compare([x[1:] for x in found["W"]], RUNS, [mean], [variance], "moments of the time")


LAWS = [delay_moment, conditions, delayed_condition, event_values, reserved_names, zeptomoles,
        timed_events, binding_in_moles, exchange, mixed_compartments, rules, stoichiometry,
        literal_square, constant_loss, rate_rule, growing_cell, time_dependent, switched_law,
        birth_death, immigration_death, batch_immigration, dimerisation]


if __name__ == "__main__":
    skip_without_sbml()
    for law in LAWS:
        law()
        print(f"{law.__name__}: agrees")
