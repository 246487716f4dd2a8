#!/usr/bin/env python3
"""whole_cell - writes a configuration with the size of a whole-cell model.

usage: configs/whole_cell.py [--genes N] [--molecules N] [--end SECONDS] [--families]
       > whole_cell.cfg

A minimal bacterium in 64 x 64 x 128 voxels of 8 nm: a capsule with a membrane layer, a nucleoid,
and ribosomes that seldom enter it. The 455 genes have one set of species each (5,309 species and
3,517 reactions in all), with numbers and rates of the magnitude of the JCVI-syn3A model (Thornburg
et al., Cell 185, 345, 2022). It is a benchmark, not a model of that cell: transcription,
translation, degradation of mRNA, folding, insertion into the membrane, dimers and complexes.

Each gene has G (free) and GR (with a polymerase), M (mRNA), MR (with a ribosome) and MD (with a
degradosome), N (new protein), P (folded), and tallies of events, which never move. What should
come out: the number of G + GR stays 1 for each gene, that of each machine (free and bound) too.

With --families the species of genes are families of individuals with the number of their gene: G,
GR, M, MR, MD, N, NT, P and, of membranes, NM and PM; likewise tRNA and charged, with the number of
their amino acid. The output counts them by it. There are no dimers and complexes then, since a
protein of a family would also meet partners of other genes.
"""
import argparse
import random

GENES = 455
MACHINES = {"polymerase": 187, "ribosome": 500, "degradosome": 120, "translocase": 66}
CODES = "ACDEFGHIKLMNPQRSTVWY"  # amino acids
TALLIES = ("started", "transcribed", "translated", "degraded")

HEAD = """\
title = "A benchmark of the size of a whole cell: {genes} genes";
units = {{ length = "um"; time = "s"; }};

grid = {{ voxels = (64, 64, 128); edge = 0.008; }};

regions = (
    {{ name = "cell"; capsule = {{ from = (0.256, 0.256, 0.256); to = (0.256, 0.256, 0.768);
                                  radius = 0.24; }}; }},
    {{ name = "inner"; capsule = {{ from = (0.256, 0.256, 0.256); to = (0.256, 0.256, 0.768);
                                   radius = 0.22; }}; }},
    {{ name = "nucleoid"; capsule = {{ from = (0.256, 0.256, 0.256); to = (0.256, 0.256, 0.768);
                                      radius = 0.12; }}; }},
    {{ name = "membrane"; difference = ("cell", "inner"); }},
    {{ name = "cytosol"; difference = ("inner", "nucleoid"); }}
);

borders = ( {{ from = "cytosol"; to = "nucleoid"; species = "ribosome"; pass = 0.05; }} );

parameters = {{
    D = 1.0;           # protein, um^2/s
    slow = 0.05;       # machines, and proteins of the membrane
    meet = 0.0166;     # binding, um^3/s: 1e7 /(M s)
    transcribe = 0.05; # per s
    translate = 0.1;
    degrade = 0.2;
    fold = 1.0;
    part = 1.0;
}};
"""

TAIL = """\
time = {{ end = {end}; step = 5e-6; }};
output = {{ every = {every}; keep = "totals";{by} }};
"""


class Cell:
    """Holds the lists of the configuration as they grow."""

    def __init__(self):
        self.species, self.reactions, self.initial, self.tables = [], [], [], []
        self.by = ""

    def add(self, name, place, diffusion, number=0):
        moves = f' diffusion = "{diffusion}";' if diffusion else ""
        self.species.append(f'{{ name = "{name}"; in = "{place}";{moves} }}')
        if number:
            self.initial.append(f'{{ species = "{name}"; count = {number}; }}')

    def add_family(self, name, place, diffusion, most):
        """Adds a species of individuals with the number of their gene."""
        self.add(name, place, diffusion)
        self.species[-1] = self.species[-1][:-1] + (
            f'individuals = {{ max = {most}; record = "none"; attributes = ( {{ name = "gene"; '
            'kind = "integer"; initial = 0; birth = "parent.gene"; } ); }; }')

    def place(self, name, gene, number):
        self.initial.append(f'{{ species = "{name}"; count = {number}; '
                            f'attributes = {{ gene = {gene}; }}; }}')

    def react(self, equation, rate, becomes=None):
        same = f' becomes = "{becomes}";' if becomes else ""
        self.reactions.append(f'{{ equation = "{equation}"; rate = "{rate}";{same} }}')

    def print(self):
        if self.tables:
            print("tables = {\n    " + "\n    ".join(self.tables) + "\n};\n")
        for key in ("species", "reactions", "initial"):
            print(f"{key} = (\n    " + ",\n    ".join(getattr(self, key)) + "\n);\n")


def protein_numbers(genes, total):
    """Returns the number of proteins of each gene: unequal, and the same in each call."""
    draw = random.Random(3)
    weight = [2.0 ** (8.0 * draw.random()) for _ in range(genes)]
    number = [1 + int((total - genes) * w / sum(weight)) for w in weight]
    number[0] += total - sum(number)
    return number


def is_in_membrane(gene):
    return gene % 4 == 3


def add_gene(cell, i, proteins):
    """Adds the species and reactions of a gene; a quarter of the proteins live in the membrane."""
    cell.add(f"G{i}", "nucleoid", "", 1)
    cell.add(f"GR{i}", "nucleoid", "")
    cell.add(f"M{i}", "inner", "D / 3", 1)
    cell.add(f"MR{i}", "inner", "slow")
    cell.add(f"MD{i}", "inner", "slow")
    cell.add(f"N{i}", "cell" if is_in_membrane(i) else "inner", "D")
    cell.add(f"P{i}", "membrane" if is_in_membrane(i) else "inner",
             "slow" if is_in_membrane(i) else "D", proteins)
    for tally in TALLIES:
        cell.add(f"{tally}{i}", "cell", "")
    cell.react(f"G{i} + polymerase -> GR{i} + started{i}", "meet")
    cell.react(f"GR{i} -> G{i} + polymerase + M{i} + transcribed{i}", "transcribe")
    cell.react(f"M{i} + ribosome -> MR{i}", "meet")
    cell.react(f"MR{i} -> M{i} + ribosome + N{i} + translated{i}", "translate")
    cell.react(f"M{i} + degradosome -> MD{i}", "meet / 10")
    cell.react(f"MD{i} -> degradosome + degraded{i}", "degrade")
    if is_in_membrane(i):
        cell.add(f"NT{i}", "membrane", "slow")
        cell.react(f"N{i} + translocase -> NT{i}", "meet")
        cell.react(f"NT{i} -> translocase + P{i}", "fold")
    else:
        cell.react(f"N{i} -> P{i}", "fold")


FAMILIES = (("G", "nucleoid", ""), ("GR", "nucleoid", ""), ("M", "inner", "D / 3"),
            ("MR", "inner", "slow"), ("MD", "inner", "slow"), ("N", "inner", "D"),
            ("NM", "cell", "D"), ("NT", "membrane", "slow"), ("P", "inner", "D"),
            ("PM", "membrane", "slow"), ("tRNA", "inner", "D"), ("charged", "inner", "D"))


def add_families(cell, proteins):
    """Adds all genes, and all amino acids, as families of individuals."""
    genes, most = len(proteins), 2 * sum(proteins)
    for name, place, diffusion in FAMILIES:
        cell.add_family(name, place, diffusion, most if name in ("P", "PM") else 4 * genes + 4000)
    for tally in TALLIES:
        cell.add(tally, "cell", "")
    for code in range(len(CODES)):
        cell.place("tRNA", code, 100)
    for i, number in enumerate(proteins):
        cell.place("G", i, 1)
        cell.place("M", i, 1)
        cell.place("PM" if is_in_membrane(i) else "P", i, number)
    cell.react("tRNA -> charged", "fold")
    cell.react("G + polymerase -> GR + started", "meet")
    cell.react("GR -> G + polymerase + M + transcribed", "transcribe", "GR -> G")
    cell.react("M + ribosome -> MR", "meet")
    for kind, share in (("N", "1 - look(membrane, MR.gene)"), ("NM", "look(membrane, MR.gene)")):
        cell.react(f"MR -> M + ribosome + {kind} + translated", f"translate * sum({share})",
                   "MR -> M")
    cell.react("M + degradosome -> MD", "meet / 10")
    cell.react("MD -> degradosome + degraded", "degrade")
    cell.react("N -> P", "fold")
    cell.react("NM + translocase -> NT", "meet")
    cell.react("NT -> translocase + PM", "fold")
    values = ", ".join(str(int(is_in_membrane(i))) for i in range(genes))
    cell.tables.append(f"membrane = {{ values = ({values}); }};")
    counted = ",\n    ".join(
        f'{{ species = "{name}"; attribute = "gene"; range = (0, {max(genes, len(CODES)) - 1}); }}'
        for name, _, _ in FAMILIES)
    cell.by = f" by = (\n    {counted} );"


def add_complexes(cell, genes):
    """Adds dimers that part again, and complexes of two proteins that stay."""
    soluble = [i for i in range(genes) if not is_in_membrane(i)]
    for i in soluble[:genes * 52 // GENES]:
        cell.add(f"P{i}P{i}", "inner", "D / 2")
        cell.react(f"2 P{i} -> P{i}P{i}", "meet / 100")
        cell.react(f"P{i}P{i} -> 2 P{i}", "part")
    ends = soluble[-2 * (genes * 95 // GENES):]
    for i, k in zip(ends[::2], ends[1::2]):
        cell.add(f"P{i}P{k}", "inner", "D / 2")
        cell.react(f"P{i} + P{k} -> P{i}P{k}", "meet / 1000")


def main():
    parser = argparse.ArgumentParser(description="Writes a configuration of a whole cell's size.")
    parser.add_argument("--genes", type=int, default=GENES, help="from 8 on (455)")
    parser.add_argument("--molecules", type=int, default=200_000, help="at the start (200,000)")
    parser.add_argument("--end", type=float, default=0.01, help="end of the run in s (0.01)")
    parser.add_argument("--families", action="store_true",
                        help="one species of individuals for all genes, with the gene's number")
    given = parser.parse_args()
    if given.genes < 8:
        parser.error(f"--genes {given.genes}: at least 8 genes make dimers and complexes")
    rest = given.molecules - 2 * given.genes - sum(MACHINES.values()) - 100 * len(CODES)
    if rest < given.genes:
        parser.error(f"--molecules {given.molecules}: one of each species needs "
                     f"{given.molecules - rest + given.genes}")
    cell = Cell()
    for name, number in MACHINES.items():
        cell.add(name, "membrane" if name == "translocase" else "inner", "slow", number)
    for code in "" if given.families else CODES:
        cell.add(f"tRNA_{code}", "inner", "D", 100)
        cell.add(f"charged_{code}", "inner", "D")
        cell.react(f"tRNA_{code} -> charged_{code}", "fold")
    numbers = protein_numbers(given.genes, rest)
    if given.families:
        add_families(cell, numbers)
    for i, proteins in enumerate([] if given.families else numbers):
        add_gene(cell, i, proteins)
    if not given.families:
        add_complexes(cell, given.genes)
    print(HEAD.format(genes=given.genes))
    cell.print()
    print(TAIL.format(end=given.end, every=given.end / 10, by=cell.by), end="")


if __name__ == "__main__":
    main()
