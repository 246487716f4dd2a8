#!/usr/bin/env python3
"""gallery - makes docs/gallery.md and its pictures from the configurations.

usage: tools/gallery.py [--program RDSIM] [--results FOLDER]

A result that is already in the folder (build/gallery) is drawn as it is; an interrupted run is
resumed. All runs together take an hour or two on one core.
"""
import argparse
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 (the back end is chosen first)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/gallery"


@dataclass
class Model:
    """Holds a configuration, its settings, and the contents of its picture."""

    name: str
    species: tuple  # summed
    times: tuple  # of the maps; (): one picture of space and time
    text: str
    sets: tuple = ()
    colours: str = "viridis"


MODELS = (
    Model("calcium", ("Ca",), (10, 30, 70, 100),
          "Calcium in a frog's egg: a wave with an end curls into a spiral. Half an hour.",
          colours="magma"),
    Model("gray_scott", ("V",), (200, 500, 800, 1000),
          "Gray and Scott's reaction, with some hundred molecules in a voxel."),
    Model("oregonator", ("Z",), (0, 17.5, 32.5, 50),
          "The Belousov-Zhabotinsky reaction: the tip of a spiral goes round. Half of the plane along "
          "each axis.", ("parameters.n=64",), "inferno"),
    Model("brusselator", ("X",), (5, 20, 40, 60),
          "Chemical clocks that are coupled by diffusion: noise starts them, diffusion "
          "synchronises them."),
    Model("min_de", ("D", "DE"), (),
          "MinD on the membrane of a bacterium, along its length (upwards) and time (to the "
          "right): from one end to the other and back.", colours="magma"),
    Model("schnakenberg", ("A",), (0, 400, 800, 1800),
          "Turing's dots, from noise and diffusion only.", ("grid.voxels=(40, 40)",)),
    Model("epidemic_wave", ("ill",), (10, 20, 30, 40),
          "An epidemic runs outward, and leaves a quarter of the people healthy.", colours="magma"),
    Model("annihilation", ("A",), (0, 0.4, 1.6, 4),
          "A and B destroy each other in a wind: what is left of A."),
    Model("slit", ("neuron",), (0, 12, 24, 48),
          "Neurons crawl out of a disc; after a day (third picture) Slit is given on the right, "
          "and only those on the left go on. Coarse voxels; times in hours.",
          ("parameters.n=64",)),
)
HOUR = {"slit": 3600}


def run(model, program, folder):
    """Returns the result file; runs the model if it is missing or incomplete."""
    result = folder / f"{model.name}.h5"
    if not result.exists() or result.with_suffix(".h5.parts").exists():
        sets = [word for value in model.sets for word in ("--set", value)]
        print(f"running {model.name}", flush=True)
        subprocess.run([program, ROOT / "configs" / f"{model.name}.cfg", *sets,
                        "--output", result, *(["--resume"] if result.exists() else [])],
                       check=True)
    return result


def counts_of(file, model):
    """Returns the counts [time][z][y][x] of the species that are shown."""
    names = list(file["species"].asstr()[:])
    return sum(file["counts"][0, :, names.index(name)].astype(float) for name in model.species)


def draw_maps(counts, model, time):
    figure, axes = plt.subplots(1, len(model.times), figsize=(8, 2.15), layout="constrained")
    shown = [int(np.argmin(abs(time - wanted))) for wanted in model.times]
    highest = np.quantile(counts[shown[1:]], 0.995)
    for ax, t in zip(axes, shown):
        ax.imshow(counts[t].sum(axis=0), origin="lower", cmap=model.colours, vmin=0, vmax=highest)
        ax.set_title(f"t = {time[t]:g}", fontsize=9)
        ax.set_axis_off()
    return figure


def draw_space_time(counts, model, time):
    figure, ax = plt.subplots(figsize=(8, 2.15), layout="constrained")
    lines = counts.sum(axis=(1, 2)).T
    ax.imshow(lines, origin="lower", cmap=model.colours, aspect="auto", vmin=0,
              vmax=np.quantile(lines, 0.99), extent=(time[0], time[-1], 0, len(lines)))
    ax.set_xlabel("t", fontsize=9)
    ax.set_yticks([])
    return figure


def draw(model, result):
    with h5py.File(result, "r") as file:
        time = file["time"][:] / HOUR.get(model.name, 1)
        make = draw_maps if model.times else draw_space_time
        figure = make(counts_of(file, model), model, time)
    figure.savefig(PICTURES / f"{model.name}.png", dpi=90, pil_kwargs={"optimize": True})
    plt.close(figure)


def title_of(model):
    """Returns the title in the configuration."""
    for line in (ROOT / "configs" / f"{model.name}.cfg").read_text().splitlines():
        if line.startswith("title"):
            return line.split('"')[1]
    return model.name


def section(model):
    sets = "".join(f" --set '{value}'" for value in model.sets)
    return (f"\n## {title_of(model)}\n\n{textwrap.fill(model.text, 90)}\n\n"
            f"![{title_of(model)}](gallery/{model.name}.png)\n\n"
            f"    rdsim configs/{model.name}.cfg{sets}\n\n"
            f"[{model.name}.cfg](../configs/{model.name}.cfg) states its source and the expected "
            "result.\n")


HEAD = """\
<!-- Made by tools/gallery.py; change that instead. -->

# Gallery

These pictures show results of configurations in `configs/`. `tools/gallery.py` makes
them; `tools/plot.py RESULT.h5` draws such pictures of any result.
"""


def options(arguments):
    parser = argparse.ArgumentParser(description="Makes docs/gallery.md and its pictures.")
    parser.add_argument("--program", default=ROOT / "build/cpu/rdsim", help="rdsim")
    parser.add_argument("--results", type=Path, default=ROOT / "build/gallery",
                        help="folder of results (default: build/gallery)")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = options(arguments)
    chosen.results.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    for model in MODELS:
        draw(model, run(model, chosen.program, chosen.results))
    PAGE.write_text(HEAD + "".join(map(section, MODELS)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
