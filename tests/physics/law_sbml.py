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


def chain(bind, split, n, times):
    """Means and variances of P2 by the master equation on its numbers 0 ... n / 2, from 0; P is n
    less twice that number."""
    size = n // 2 + 1
    rates = np.zeros((size, size))
    for k in range(size):
        for to, rate in ((k + 1, bind(n - 2 * k)), (k - 1, split(k))):
            if rate > 0:
                rates[to, k] += rate
                rates[k, k] -= rate
    values, vectors = np.linalg.eig(rates)
    start = np.linalg.solve(vectors, np.eye(size)[0])
    numbers = np.arange(size)
    p = np.array([np.real(vectors @ (np.exp(values * t) * start)) for t in times])
    mean = p @ numbers
    return mean, np.maximum(p @ numbers**2 - mean**2, 0)


def dimerisation():
    """2 P -> P2 at k1 P (P - 1) / 2, back at k2 P2."""
    found, t = run("dimerisation", 50, RUNS)
    mean, variance = chain(lambda p: .002 * p * (p - 1) / 2, lambda d: .02 * d, 60, t)
    compare(found["P2"], RUNS, mean, variance, "dimers")
    compare(found["P"], RUNS, 60 - 2 * mean, 4 * variance, "monomers")


LAWS = [birth_death, immigration_death, batch_immigration, dimerisation]

if __name__ == "__main__":
    skip_without_sbml()
    for law in LAWS:
        law()
        print(f"{law.__name__}: agrees")
