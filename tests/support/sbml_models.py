"""sbml_models - runs SBML models for tests; skips a test where the program has no libSBML."""
import os
import pathlib
import subprocess
import sys
import zlib

import h5py
import numpy as np

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODELS = pathlib.Path(os.environ["RDSIM_SOURCE"]) / "tests/models/formats"


def rdsim(*words):
    """Runs the program and returns the finished process."""
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600,
                          check=False)


def lacks_sbml():
    """Returns whether the program cannot load libSBML."""
    return "libsbml5" in rdsim("import", MODELS / "birth-death.xml").stderr


def skip_without_sbml():
    """Ends the test with status 77 if the program cannot read SBML."""
    if lacks_sbml():
        print("this build of rdsim has no libSBML; install libsbml5-dev (skipped)")
        sys.exit(77)


def run(model, end, runs, *words, every=None):
    """Returns {species, observable or value: (means, variances)} at each output time, and the times. The seed
    is a hash of the model's name."""
    name = pathlib.Path(model).stem
    every = every if every is not None else end / 5
    done = rdsim(MODELS / f"{model}.xml", "--set", f"time.end={end}", "--set",
                 f"output.every={every}", "--set", 'output.keep="statistics"', "--runs", runs,
                 "--seed", zlib.crc32(name.encode()), "--backend", "cpu", "--output", f"{name}.h5",
                 "--force", "--quiet", *words)
    assert done.returncode == 0, done.stderr
    with h5py.File(f"{name}.h5") as file:
        names = [text.decode() for text in file["species"][:]]
        mean = file["statistics/total_mean"][:]
        variance = file["statistics/total_variance"][:]
        times = file["time"][:]
        for kind in ("observable", "value"):
            if kind not in file:
                continue
            names += [text.decode() for text in file[kind][:]]
            mean = np.hstack([mean, file[f"statistics/{kind}_mean"][:]])
            variance = np.hstack([variance, file[f"statistics/{kind}_variance"][:]])
    return {s: (mean[:, i], variance[:, i]) for i, s in enumerate(names)}, times


def compare(found, runs, mean, variance, what):
    """Fails if means or variances at some time deviate by more than 5 standard errors: of a mean
    sqrt(variance / runs), of a variance sqrt(2 / runs) of it, and three times as much where the
    numbers are not normal."""
    mean, variance = np.asarray(mean), np.asarray(variance)
    constant = variance < 1e-7
    assert np.allclose(found[0][constant], mean[constant], rtol=0, atol=1e-6), (what, found[0], mean)
    z = (found[0] - mean)[~constant] / np.sqrt(variance[~constant] / runs)
    assert np.all(np.abs(z) < 5), f"{what}: means {z} standard errors away"
    y = (found[1][~constant] / variance[~constant] - 1) * np.sqrt(runs / 2)
    assert np.all(np.abs(y) < 15), f"{what}: variances {y} standard errors away"
