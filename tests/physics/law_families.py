"""law_families - tests gene expression of many genes: as a family of individuals with the number of
their gene, rates from tables and counts by the gene, and as a species for each gene. Both must have
the means and variances of the exact solution.

The mRNAs M of gene g are made at the rate n k and decay at the rate a, their proteins P at the rates
b (per mRNA) and d. Without any at the start, M is Poisson with the mean m = n k (1 - e^-at) / a, and
the mean of P is b n k / a [(1 - e^-dt) / d - (e^-at - e^-dt) / (d - a)]. Its variance follows from
the equations of second moments, which are integrated here (Thattai and van Oudenaarden, PNAS 98,
8614 (2001))."""
import os
import subprocess
import zlib

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
GENES, RUNS, END = 24, 600, 3.0
COPIES = [1 + g % 3 for g in range(GENES)]
MAKE = [0.4 + 0.25 * g for g in range(GENES)]
DECAY = [0.5 + 0.1 * ((7 * g) % GENES) for g in range(GENES)]
TRANSLATE = [0.3 + 0.15 * ((5 * g) % GENES) for g in range(GENES)]
LOSS = [0.21 + 0.05 * ((11 * g) % GENES) for g in range(GENES)]
BOX = f"grid = {{ voxels = (4, 3); edge = 1.0; }};\ntime = {{ end = {END}; step = 0.1; }};\n"
FAMILY = """tables = { make = { file = "genes.csv"; column = "make"; };
    decay = { file = "genes.csv"; column = "decay"; };
    translate = { file = "genes.h5"; dataset = "translate"; };
    loss = { values = (%s); }; };
species = ( { name = "D"; individuals = { max = 100; attributes = ( { name = "gene"; kind = "integer"; initial = 0; } ); }; },
    { name = "M"; diffusion = 0.3; individuals = { max = 4000; record = "none";
        attributes = ( { name = "gene"; kind = "integer"; initial = 0; birth = "parent.gene"; } ); }; },
    { name = "P"; diffusion = 0.5; individuals = { max = 20000; record = "none";
        attributes = ( { name = "gene"; kind = "integer"; initial = 0; birth = "parent.gene"; } ); }; } );
reactions = ( { equation = "D -> D + M"; rate = "sum(look(make, D.gene))"; },
    { equation = "M -> 0"; rate = "sum(look(decay, M.gene))"; },
    { equation = "M -> M + P"; rate = "sum(look(translate, M.gene))"; },
    { equation = "P -> 0"; rate = "sum(look(loss, P.gene))"; } );
output = { every = %g; keep = "totals"; by = ( { species = "M"; attribute = "gene"; range = (0, %d); },
    { species = "P"; attribute = "gene"; range = (0, %d); } ); };
"""


def exact():
    """Returns [mean of M, mean of P, variance of M, variance of P], each [gene], at the end."""
    n, k, a, b, d = map(np.array, (COPIES, MAKE, DECAY, TRANSLATE, LOSS))

    def change(y):
        m, p, mm, mp, pp = y  # means, variances and covariance
        return np.array([n * k - a * m, b * m - d * p, n * k + a * m - 2 * a * mm,
                         b * mm - (a + d) * mp, b * m + d * p + 2 * b * mp - 2 * d * pp])
    y, steps = np.zeros((5, GENES)), 3000
    h = END / steps
    for _ in range(steps):  # Runge and Kutta's method of fourth order
        k1 = change(y)
        k2 = change(y + h / 2 * k1)
        k3 = change(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + change(y + h * k3))
    e = np.exp
    assert np.allclose(y[0], n * k * (1 - e(-a * END)) / a, rtol=1e-9)
    assert np.allclose(y[1], b * n * k / a * ((1 - e(-d * END)) / d -
                                              (e(-a * END) - e(-d * END)) / (d - a)), rtol=1e-6)
    return y[0], y[1], y[2], y[4]


def simulate(name, text):
    with open(f"{name}.cfg", "w", encoding="utf-8") as file:
        file.write(BOX + text)
    done = subprocess.run([PROGRAM, f"{name}.cfg", "--backend", "cpu", "--runs", str(RUNS), "--force",
                           "--seed", str(zlib.crc32(name.encode()))],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return h5py.File(f"{name}.h5")


def family():
    with open("genes.csv", "w", encoding="utf-8") as file:
        file.write("gene,make,decay\n" + "".join(
            f"{g},{MAKE[g]!r},{DECAY[g]!r}\n" for g in range(GENES)))
    with h5py.File("genes.h5", "w") as file:
        file["translate"] = TRANSLATE
    placed = ",\n    ".join(f'{{ species = "D"; count = {COPIES[g]}; attributes = {{ gene = {g}; }}; }}'
                            for g in range(GENES))
    text = FAMILY % (", ".join(map(repr, LOSS)), END, GENES - 1, GENES - 1) + f"initial = ( {placed} );\n"
    with simulate("law_families", text) as result:
        return [result[f"by/{s}_gene/counts"][:, -1] for s in "MP"]


def species():
    names = [f"{s}{g}" for s in "DMP" for g in range(GENES)]
    rules = [f'{{ equation = "D{g} -> D{g} + M{g}"; rate = {MAKE[g]!r}; }}, '
             f'{{ equation = "M{g} -> 0"; rate = {DECAY[g]!r}; }}, '
             f'{{ equation = "M{g} -> M{g} + P{g}"; rate = {TRANSLATE[g]!r}; }}, '
             f'{{ equation = "P{g} -> 0"; rate = {LOSS[g]!r}; }}' for g in range(GENES)]
    placed = [f'{{ species = "D{g}"; count = {COPIES[g]}; }}' for g in range(GENES)]
    text = ("species = ( " + ", ".join(f'{{ name = "{n}"; diffusion = {0 if n[0] == "D" else 0.4}; }}'
                                       for n in names) + " );\n"
            f"reactions = ( {', '.join(rules)} );\ninitial = ( {', '.join(placed)} );\n"
            f'output = {{ every = {END}; keep = "totals"; }};\n')
    with simulate("law_families_as_species", text) as result:
        totals = result["totals"][:, -1]
    return [totals[:, GENES:2 * GENES], totals[:, 2 * GENES:]]


def compare(name, counts):
    """Compares means and variances of all genes with the exact ones, in standard errors."""
    m, p, mm, pp = exact()
    worst = 0.0
    for what, count, mean, variance in (("M", counts[0], m, mm), ("P", counts[1], p, pp)):
        assert count.shape == (RUNS, GENES)
        fourth = ((count - count.mean(axis=0)) ** 4).mean(axis=0)
        off = np.abs(count.mean(axis=0) - mean) / np.sqrt(variance / RUNS)
        off_2 = np.abs(count.var(axis=0, ddof=1) - variance) / np.sqrt(
            np.maximum(fourth - variance ** 2, 0.1 * variance ** 2) / RUNS)
        worst = max(worst, off.max(), off_2.max())
        assert off.max() < 4.5 and off_2.max() < 4.5, (name, what, off, off_2)
    print(f"{name}: {4 * GENES} means and variances, at most {worst:.2f} standard errors off")


compare("family", family())
compare("a species for each gene", species())
