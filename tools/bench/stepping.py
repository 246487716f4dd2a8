#!/usr/bin/env python3
"""stepping - measures what a Python program that steps a run pays beyond the wait for the steps.

usage: tools/bench/stepping.py [BUILD] [--backend cuda] [--voxels 64 64 128] [--repeats 200]

BUILD (default: build/cuda) is a build folder, whose package is used; it needs cffi and numpy, and no
network. Prints the median of each figure in microseconds beside its limit, and "missed" where it is
over it; returns 1 then. cupy, torch and jax are tried where they are installed: each must see the
counts on the device, without a copy, as NumPy sees them.
"""
import argparse
import importlib
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = """
grid = { voxels = (%d, %d, %d); edge = 1.0; walls = { x = "periodic"; y = "periodic"; z = "periodic"; }; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; diffusion = 1.0; },
            { name = "C"; diffusion = 1.0; } );
parameters = { k = 0.2; };
reactions = ( { equation = "A + B -> C"; rate = "k"; }, { equation = "C -> A + B"; rate = 0.01; } );
initial = ( { species = "A"; value = 0.45; spread = "poisson"; },
            { species = "B"; value = 0.45; spread = "poisson"; },
            { species = "C"; value = 0.1; spread = "poisson"; } );
time = { end = 1e6; step = 0.1; };
output = { every = 1e6; keep = "totals"; };
"""
STEP = 0.1
LIMITS = {  # microseconds, on 64 x 64 x 128 voxels of a GPU
    "totals()": 15,
    "add to 1,000 voxels": 100,
    "remove from 1,000 voxels": 100,
    "convert in 1,000 voxels": 100,
    "counts of one species > 1": 200,
    "convert where a mask says": 200,
}
EACH = 1000  # voxels of an edit
HOOK = 1.01  # time with a hook every 100 steps over that without


def timed(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def figures(rdsim, numpy, options):
    """Returns seconds of each call, made when the machine has nothing else to do."""
    model = rdsim.Model(MODEL % tuple(options.voxels))
    draw = numpy.random.default_rng(1)
    found = {}
    with model.start(backend=options.backend, threads=options.threads, seed=1) as s:
        n = int(numpy.prod(options.voxels))
        lists = [draw.choice(n, min(EACH, n // 2), replace=False) for _ in range(options.repeats + 5)]

        def mask_of(voxels):
            mask = numpy.zeros(n, bool)
            mask[voxels] = True
            return mask.reshape(s.counts("A").shape)

        def measure(name, call, make=lambda voxels: voxels):
            seconds = []
            for voxels in lists:
                s.advance(STEP)
                s.add("A", voxels=voxels)  # so that all of them have one
                what = make(voxels)
                s.totals()  # waits for the step
                seconds.append(timed(lambda: call(what)))
            found[name] = seconds[5:]

        measure("totals()", lambda _: s.totals())
        measure("add to 1,000 voxels", lambda v: s.add("A", voxels=v))
        measure("remove from 1,000 voxels", lambda v: s.remove("A", voxels=v))
        measure("convert in 1,000 voxels", lambda v: s.convert("A", "B", voxels=v))
        measure("counts of one species > 1", lambda _: s.counts("A") > 1)
        measure("convert where a mask says", lambda mask: s.convert("A", "B", where=mask),
                mask_of)
        measure("set a parameter", lambda _: s.set(k=0.2))
    return found


def consumers(rdsim, numpy, options):
    """Prints, for each library that is installed, how long a view of the counts on the device takes.
    Raises an error if it has other numbers than NumPy."""
    ways = {
        "cupy": lambda lib, view: lib.from_dlpack(view),
        "torch": lambda lib, view: lib.utils.dlpack.from_dlpack(view),
        "jax": lambda lib, view: importlib.import_module("jax.numpy").from_dlpack(view),
    }
    with rdsim.Model(MODEL % tuple(options.voxels)).start(backend=options.backend, seed=2) as s:
        for name, read in ways.items():
            try:
                library = importlib.import_module(name)
            except ImportError:
                print(f"stepping: DLPack to {name}: it is not installed")
                continue
            seconds = []
            for _ in range(20):
                s.advance(STEP)
                s.totals()
                view = s.counts("A")
                seconds.append(timed(lambda: read(library, view).sum().item()))
                there, here = read(library, view), view.copy()
                there = there.get() if name == "cupy" else numpy.asarray(
                    there.cpu() if name == "torch" else there)
                if there.dtype != here.dtype or not numpy.array_equal(there, here):
                    raise SystemExit(f"stepping: {name} has other counts than NumPy")
            kind, number = view.__dlpack_device__()
            print(f"stepping: DLPack to {name}: device {kind}:{number}, equal to NumPy; a sum takes "
                  f"{1e6 * statistics.median(seconds):.0f} us")
        s.advance(STEP)
        try:
            view.__dlpack__()
        except rdsim.StaleView:
            print("stepping: a stale view is refused")
        else:
            raise SystemExit("stepping: a stale view is not refused")


def agreement(rdsim, numpy, options):
    """Makes the same edits on both back ends. Raises an error if the states differ after them."""
    found = []
    for backend in (options.backend, "cpu"):
        draw = numpy.random.default_rng(3)
        with rdsim.Model(MODEL % (16, 16, 8)).start(backend=backend, seed=4) as s:
            for i in range(40):
                voxels = draw.choice(2048, 50, replace=False)
                s.add("A", voxels=voxels, each=i % 3 + 1)
                s.convert("A", "B", where=s.counts("A") > 3)
                s.remove("B", voxels=voxels[:9], probability=0.5)
                s.set(k=0.1 + 0.01 * i)
                s.advance(STEP * (i % 4 + 1))
            found.append([s.counts(name).copy() for name in s.species])
    if not all(numpy.array_equal(one, other) for one, other in zip(*found)):
        raise SystemExit("stepping: edits give other counts on the two back ends")
    print("stepping: edits give the same counts on both back ends")


def hook(rdsim, options):
    """Returns the ratio of the times with and without a hook every 100 steps: medians of pairs."""
    model = rdsim.Model(MODEL % tuple(options.voxels))
    ratios = []
    with model.start(backend=options.backend, threads=options.threads, seed=3) as s:
        s.advance(STEP * options.steps)

        def steps(with_hook):
            for _ in range(options.steps // 100 if with_hook else 1):
                s.advance(STEP * (100 if with_hook else options.steps))
            s.totals()
        for i in range(11):
            first = timed(lambda: steps(i % 2 == 0))
            second = timed(lambda: steps(i % 2 == 1))
            ratios.append(first / second if i % 2 == 0 else second / first)
    return statistics.median(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/cuda", type=Path)
    parser.add_argument("--backend", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--voxels", nargs=3, type=int, default=(64, 64, 128))
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--steps", type=int, default=5000, help="steps of each side of the hook's pair")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    sys.path.insert(0, str(options.build.resolve() / "python"))
    import numpy
    import rdsim
    agreement(rdsim, numpy, options)
    is_good = True
    for name, seconds in figures(rdsim, numpy, options).items():
        median, limit = 1e6 * statistics.median(seconds), LIMITS.get(name)
        low, high = (1e6 * x for x in statistics.quantiles(seconds, n=10)[::8])
        verdict = "" if limit is None else f"; limit {limit}" + ("" if median <= limit else ", missed")
        is_good = is_good and (limit is None or median <= limit)
        print(f"stepping: {name}: {median:.1f} us ({low:.1f} to {high:.1f}){verdict}")
    ratio = hook(rdsim, options)
    is_good = is_good and ratio <= HOOK
    print(f"stepping: a hook every 100 steps: {100 * (ratio - 1):+.2f} %; limit {100 * (HOOK - 1):.0f}"
          + ("" if ratio <= HOOK else ", missed"))
    if options.backend == "cuda":
        consumers(rdsim, numpy, options)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
