#!/usr/bin/env python3
"""judges - compares rdsim with other simulators on SBML models, in both directions: what rdsim
exports, and what Antimony writes.

usage: tools/judges.py RDSIM FOLDER [RUNS]    (FOLDER for models and results; 4000 runs by default)

Means and variances at each output time are compared by z = difference / standard error. The level is
0.001 for all comparisons together (Holm). libSBML judges whether exported documents are valid. A
simulator that is not installed (tests/judges.in) is skipped, with a message.
"""
import importlib
import math
import re
import subprocess
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
LEVEL = 0.001

# The exported configurations, with their ends and changes. Other simulators keep propensities
# between two reactions, so laws of the time are replaced by constants. libRoadRunner meets events at
# set times late; COPASI (4.48) loses events on numbers of molecules, by comparison with a plain direct
# method, and then also events at set times.
EXPORTS = {
    "mass_action": (5, {}, "roadrunner basico"),
    "expressions": (4, {"reactions.clock.rate": 0.25,
                        "reactions.steps.propensity": '"floor(pi / 2) * total(P) / (1 + P) + 0.25"'},
                    "roadrunner basico"),
    "compartments": (5, {}, "roadrunner basico"),
    "timed_events": (5, {}, "basico"),
    "conditions": (6, {}, "roadrunner"),
    "names": (2, {}, "basico"),
}
# Models in the language Antimony: volumes, concentrations, functions, events, rules.
FUNCTION = "function mm(s, v, k)\nv * s / (k + s);\nend\n"
IMPORTS = {
    "dimers": (4, """compartment c = 2.5; species A in c, B in c; A = 16; B = 0;
        bind: 2 A => B; c * kon * A * (A - 1 / c); leave: B => 2 A; c * koff * B;
        kon = 0.02; koff = 0.3"""),
    "enzyme": (4, """species S, P; S = 40; P = 3; turn: S => P; mm(S, vmax, km); back: P => S; 0.2 * P;
        vmax = 12; km = 9; share := P / 43; feed: => S; 2 / (1 + share)"""),
    "switching": (6, """species G, H, M; G = 1; H = 0; M = 4; on: G => H; 0.5 * G; off: H => G; 0.3 * H;
        make: H => H + 3 M; k * H; decay: M => ; 0.4 * M; k = 6;
        limit: at M >= 20: M = M - 15, k = k * 0.8"""),
    "orders": (3, """species A, B, C; A = 30; B = 20; C = 0;
        three: 2 A + B => C; 0.0008 * A * (A - 1) * B; one: C => A; 0.5 * C;
        burst: => 4 B; piecewise(1, B < 15, 3, B < 25, 0.5)"""),
}


def rdsim(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True,
                          encoding="utf-8", check=False)
    if done.returncode:
        sys.exit(f"judges: {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def run_rdsim(model, name, end, changes):
    """Returns {species: (means, variances)}; ten times as many runs as the others have."""
    result = FOLDER / f"{name}.h5"
    words = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    rdsim(model, "--set", f"time.end={end}", "--set", "output.every=1", "--set", "solver=exact",
          "--set", 'output.keep="statistics"', "--runs", 10 * RUNS, "--seed",
          zlib.crc32(name.encode()), "--backend", "cpu", "--quiet", "--force", "--output", result, *words)
    with h5py.File(result) as file:
        names = file["species"].asstr()[:]
        mean, variance = file["statistics/total_mean"][:], file["statistics/total_variance"][:]
    return {s: (mean[:, i], variance[:, i]) for i, s in enumerate(names)}


def run_roadrunner(package, path, end):
    """Returns {species: numbers[run][time]} of libRoadRunner's Gillespie method."""
    model = package.RoadRunner(str(path))
    names = list(model.model.getFloatingSpeciesIds())
    model.setIntegrator("gillespie")
    model.integrator.variable_step_size = False
    model.integrator.seed = zlib.crc32(path.stem.encode()) % 10**6
    model.timeCourseSelections = ["time", *names]
    runs = np.empty((RUNS, end + 1, len(names)))
    for run in range(RUNS):
        model.resetAll()
        runs[run] = np.asarray(model.simulate(0, end, end + 1))[:, 1:]
    return {s: runs[:, :, i] for i, s in enumerate(names)}


def run_basico(package, path, end):
    """Returns {species: numbers[run][time]} of COPASI's direct method. COPASI takes laws as those of
    mean values, and multiplies k A (A - 1) by (A - 1) / A, unless the model is called stochastic."""
    model = package.load_model(str(path))
    inner = model.getModel()
    inner.setModelType(inner.ModelType_stochastic)
    inner.forceCompile()
    inner.applyInitialValues()
    runs = []
    for run in range(RUNS):
        table = package.run_time_course(start_time=0, duration=end, intervals=end, use_seed=True,
                                        method="directMethod", seed=run + 1, use_numbers=True,
                                        use_sbml_id=True)
        runs.append(table.to_numpy())
    package.remove_datamodel(model)
    return {s: np.array(runs)[:, :, i] for i, s in enumerate(table.columns)}


def compare(what, own, other, found):
    """Adds (|z|, words) for each species and time at which the numbers vary."""
    for name in sorted(own.keys() & other.keys()):
        mean, variance = own[name]
        values = other[name]
        n = len(values)
        for k in range(len(mean)):
            theirs, m2 = values[:, k].mean(), values[:, k].var()
            m4 = ((values[:, k] - theirs)**4).mean()
            where = f"{what}: {name} at {k}"
            if m2 == 0 and variance[k] == 0:
                found.append((0 if abs(theirs - mean[k]) < 1e-6 else math.inf,
                              f"{where}: {mean[k]:g}, theirs {theirs:g}"))
                continue
            share = 1 / n + 1 / (10 * n)
            for kind, a, b, square in (("mean", mean[k], theirs, variance[k]),
                                       ("variance", variance[k], m2, m4 - m2**2)):
                z = abs(a - b) / math.sqrt(max(square, 1e-12) * share)
                found.append((z, f"{where}: {kind} {a:.6g}, theirs {b:.6g}, z = {z:.1f}"))


def passes_holm(found):
    """Prints the comparisons that differ; returns whether there are none. Means over few rare events
    are not normal, so a comparison counts from |z| = 4.5 on."""
    found.sort(key=lambda pair: -pair[0])
    n_bad = 0
    for i, (z, words) in enumerate(found):
        if z < 4.5 or math.erfc(z / math.sqrt(2)) * (len(found) - i) > LEVEL:
            break
        print(f"DIFFERS {words}")
        n_bad += 1
    largest = found[0][1] if found else "none"
    print(f"{len(found)} comparisons, {n_bad} differ; the largest is {largest}")
    return n_bad == 0


def is_valid(package, path):
    """Returns whether libSBML finds no error in a document, all its checks included."""
    document = package.readSBMLFromFile(str(path))
    document.checkConsistency()
    errors = [document.getError(i) for i in range(document.getNumErrors())]
    errors = [e for e in errors if e.getSeverity() >= package.LIBSBML_SEV_ERROR]
    for e in errors:
        print(f"DIFFERS {path.name}:{e.getLine()}: {e.getMessage()}")
    return not errors


def judges():
    """Returns {name: package} of those that are installed."""
    found = {}
    for name in ("libsbml", "roadrunner", "basico", "antimony"):
        try:
            found[name] = importlib.import_module(name)
        except ImportError as fault:
            print(f"{name} is missing ({fault}); install what tests/judges.in names (skipped)")
    return found


RUN = {"roadrunner": run_roadrunner, "basico": run_basico}


def judge_exports(packages, found):
    valid = True
    for path in sorted((ROOT / "tests/models/export").glob("*.cfg")):
        end, changes, wanted = EXPORTS.get(path.stem, (0, {}, ""))
        words = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
        document = FOLDER / f"{path.stem}.xml"
        document.write_text(rdsim("export", path, "--quiet", *words), encoding="utf-8")
        if "libsbml" in packages:
            valid = is_valid(packages["libsbml"], document) and valid
        present = [name for name in wanted.split() if name in packages]
        own = run_rdsim(path, path.stem, end, changes) if present else {}
        for name in present:
            compare(f"export {path.stem}, {name}", own, RUN[name](packages[name], document, end), found)
        print(f"export {path.stem}: {', '.join(present) or 'round trip only'}", flush=True)
    return valid


def judge_imports(packages, found):
    for name, (end, text) in IMPORTS.items() if "antimony" in packages else ():
        antimony = packages["antimony"]
        antimony.clearPreviousLoads()
        if antimony.loadAntimonyString(f"{FUNCTION}model {name}()\nunit substance = item; {text}\nend") < 0:
            sys.exit(f"judges: {name}: {antimony.getLastError()}")
        document = FOLDER / f"import_{name}.xml"
        document.write_text(antimony.getSBMLString(name), encoding="utf-8")
        own = run_rdsim(document, f"import_{name}", end, {})
        present = [judge for judge in RUN if judge in packages and
                   (judge != "basico" or " at " not in text)]
        for judge in present:
            compare(f"import {name}, {judge}", own, RUN[judge](packages[judge], document, end), found)
        print(f"import {name}: {', '.join(present) or 'none'}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(re.search("usage: .*", __doc__)[0])
    PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
    RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    FOLDER.mkdir(parents=True, exist_ok=True)
    comparisons, installed = [], judges()
    is_right = judge_exports(installed, comparisons)
    judge_imports(installed, comparisons)
    sys.exit(not (passes_holm(comparisons) and is_right))
