#!/usr/bin/env python3
"""gallery - makes the pictures of docs/ from the configurations, and the page docs/gallery.md.

usage: tools/gallery.py [--program RDSIM] [--results FOLDER] [NAME...]

A result that is already in the folder (build/gallery) is drawn as it is; an interrupted run is
resumed. All runs together take about half an hour on one core. With names, only these pictures are
made. Every picture is one call of `rdsim plot`.
"""
import argparse
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGE = DOCS / "gallery.md"
DPI = "120"
COLOURS = 200  # of a picture, which keeps files small


@dataclass
class Picture:
    """Holds a configuration, its settings, and the options of its picture."""

    name: str
    options: tuple  # of rdsim plot
    text: str = ""  # in docs/gallery.md
    sets: tuple = ()
    place: str = ""  # of the picture in docs/; empty: gallery/NAME.png
    other: tuple = ()  # words of a second run, for a difference

    def path(self):
        return DOCS / (self.place or f"gallery/{self.name}.png")


MAPS = ("--kind", "maps", "--species")
GALLERY = (
    Picture("calcium", (*MAPS, "Ca", "--times", "10,30,70,100"),
            "A wave of calcium with an open end curls into a spiral in a frog's egg. The run takes "
            "half an hour on one core."),
    Picture("gray_scott", (*MAPS, "V", "--times", "200,500,800,1000"),
            "Gray and Scott's reaction makes a spiral, with some hundred molecules in a voxel."),
    Picture("oregonator", (*MAPS, "Z", "--times", "0,17.5,32.5,50"),
            "The tip of a spiral turns in the Belousov-Zhabotinsky reaction. The pictures show "
            "half of the plane along each axis.", ("parameters.n=64",)),
    Picture("brusselator", (*MAPS, "X", "--times", "5,20,40,60"),
            "Diffusion couples chemical clocks: noise starts them, and diffusion synchronises "
            "them."),
    Picture("min_de", ("--kind", "kymograph", "--species", "D,DE"),
            "MinD oscillates between both ends of a bacterium. The picture shows MinD on the "
            "membrane without MinE (D) and with it (DE), over length (upwards) and time (to the "
            "right)."),
    Picture("schnakenberg", (*MAPS, "A", "--times", "0,400,800,1800"),
            "Turing's dots arise from noise and diffusion only.", ("grid.voxels=(40, 40)",)),
    Picture("epidemic_wave", (*MAPS, "ill", "--times", "10,20,30,40"),
            "An epidemic runs outward, and leaves a quarter of the people healthy."),
    Picture("annihilation", (*MAPS, "A", "--times", "0,0.4,1.6,4"),
            "A and B annihilate each other while they drift. The pictures show what is left of "
            "A."),
    Picture("slit", (*MAPS, "neuron", "--times", "0,43200,86400,172800"),
            "Neurons crawl out of a disc. After a day (third picture) Slit is given on the "
            "right, and only the neurons on the left continue. The voxels are coarse.",
            ("parameters.n=64",)),
)
OTHERS = (
    Picture("quickstart", (), place="quickstart.png"),
    Picture("quickstart", ("--species", "fox"), place="pictures/difference.png",
            other=("--seed", "2")),
    Picture("morphogen", ("--times", "60,300,1800"), place="pictures/ensemble.png"),
    Picture("everything", ("--kind", "lineage", "--species", "motor"), place="pictures/lineage.png",
            sets=("time.end=4", "output.times=(0, 1, 2, 3, 4)")),
    Picture("everything", ("--kind", "sections", "--species", "substrate", "--times", "1"),
            place="pictures/sections.png", sets=("time.end=4", "output.times=(0, 1, 2, 3, 4)")),
    Picture("evolution", ("--kind", "individuals", "--attribute", "speed", "--times",
                          "0,100,200,300"), place="pictures/individuals.png"),
)


def run(name, folder, program, words, result):
    """Runs a configuration unless its result is there."""
    if not result.exists() or result.with_suffix(".h5.parts").exists():
        print(f"running {name}", flush=True)
        subprocess.run([program, ROOT / "configs" / f"{name}.cfg", *words, "--output", result,
                        *(["--resume"] if result.exists() else [])], check=True)
    return result


def draw(picture, folder, program):
    """Draws one picture, and reduces its colours."""
    sets = [word for value in picture.sets for word in ("--set", value)]
    results = [run(picture.name, folder, program, sets, folder / f"{picture.name}.h5")]
    if picture.other:
        results.append(run(picture.name, folder, program, [*sets, *picture.other],
                           folder / f"{picture.name}-2.h5"))
    path = picture.path()
    path.parent.mkdir(exist_ok=True)
    names = [os.path.relpath(result, folder) for result in results]
    subprocess.run([program, "plot", *names, "-o", path, "--dpi", DPI, *picture.options],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "RDSIM_PYTHON": sys.executable})
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB", flush=True)


def title_of(picture):
    """Returns the title in the configuration."""
    for line in (ROOT / "configs" / f"{picture.name}.cfg").read_text().splitlines():
        if line.startswith("title"):
            return line.split('"')[1]
    return picture.name


def section(picture):
    """Returns the section of a picture in docs/gallery.md, with the commands that make it."""
    sets = "".join(f" --set '{value}'" for value in picture.sets)
    title = title_of(picture)
    source = textwrap.fill(f"[{picture.name}.cfg](../configs/{picture.name}.cfg) states its source "
                           "and the expected result.", 90)
    return (f"\n## {title}\n\n{textwrap.fill(picture.text, 90)}\n\n"
            f"![{title}](gallery/{picture.name}.png)\n\n"
            f"    rdsim configs/{picture.name}.cfg{sets}\n"
            f"    rdsim plot {picture.name}.h5 {' '.join(picture.options)}\n\n"
            f"{source}\n")


HEAD = """\
<!-- Made by tools/gallery.py; change that instead. -->

# Gallery

These pictures show results of configurations in `configs/`. `tools/gallery.py` makes
them; [pictures.md](pictures.md) has the other kinds of pictures.
"""


def options(arguments):
    parser = argparse.ArgumentParser(description="Makes the pictures of docs/ and docs/gallery.md.")
    parser.add_argument("--program", type=Path, default=ROOT / "build/cpu/rdsim", help="rdsim")
    parser.add_argument("--results", type=Path, default=ROOT / "build/gallery",
                        help="folder of results (default: build/gallery)")
    parser.add_argument("names", nargs="*", help="configurations (default: all)")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = options(arguments)
    chosen.results.mkdir(parents=True, exist_ok=True)
    for picture in GALLERY + OTHERS:
        if not chosen.names or picture.name in chosen.names:
            draw(picture, chosen.results, chosen.program.resolve())
    PAGE.write_text(HEAD + "".join(map(section, GALLERY)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
