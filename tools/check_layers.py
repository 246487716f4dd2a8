#!/usr/bin/env python3
"""check_layers - the rules of who may know what, each tested by a search over the tree.

usage: tools/check_layers.py    (prints every broken rule with its places; exit status 1 if any)
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("kernels/*.[ch]", "kernels/*.cu", "src/*.[ch]", "src/*/*.[ch]")
GROUND = CODE[:2]
ALL = CODE + ("tests/*.[ch]",)
WRITTEN = ALL + ("*.md", "*.txt", "*.json", "cmake/*", "tools/*", "configs/*", "docs/*.md",
                 "tests/*.py", ".ci/run")

UPPER = "|".join(path.stem for path in sorted(ROOT.glob("src/**/*.h")))
LIBM = "log|log10|log1p|exp|expm1|pow|sin|cos|tan|tanh|cbrt|lgamma|tgamma"

# What must not be found (a pattern in the code without its comments), where, except in which
# files, and the rule that it would break.
RULES = (
    (rf'#include "({UPPER})\.h"', GROUND, "",
     "kernels/ includes nothing of src/"),
    (r"#include <stdio\.h>", GROUND, "kernels/error.c",
     "on the ground floor only error.c knows stdio"),
    (r"\b(malloc|calloc|realloc|free|printf)\(", ("kernels/*.h",), "",
     "a pass neither allocates nor prints"),
    (r"#include <libconfig\.h>", CODE, "src/config/*.c",
     "only src/config/ knows libconfig"),
    (r"#include <hdf5(_hl)?\.h>", CODE, "src/store/*",
     "only src/store/ knows HDF5"),
    (r"#include <png\.h>", CODE, "src/model/picture.c",
     "only picture.c knows libpng"),
    (r"#include <omp\.h>|#pragma omp", CODE, "kernels/backend_cpu.c src/exact/exact.c "
     "src/modes/pairs.c",
     "only backend_cpu.c, exact.c for its replicas, and pairs.c for its search know OpenMP"),
    (r"#include <(cuda|cub/|curand|thrust/)|cudaMalloc|cudaStream", CODE,
     "kernels/*_cuda.cu kernels/*_cuda.cuh kernels/tuned_*.cu kernels/rng.h",
     "only files named for it and the twins for the GPU know CUDA (and rng.h cuRAND's Philox)"),
    (r"__CUDACC__|__CUDA_ARCH__", CODE, "kernels/portable.h kernels/rng.h",
     "only portable.h and rng.h ask which compiler is reading"),
    (r"RD_HAS_CUDA", CODE, "kernels/backend.h kernels/backend.c",
     "only where the back end is chosen is it known whether there is one for CUDA"),
    (rf"(?<![\w.>])({LIBM})f?\(", CODE, "src/bench/by_hand.c",
     "log, exp, pow, sin... come from real.h: those of libm differ from machine to machine (what "
     "the bench does by hand is a peer of its own)"),
    (r"\b(exit|abort)\(", CODE, "src/main.c",
     "only main.c ends the program"),
)


def files(patterns):
    """The files of the tree that match the patterns, in order."""
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def without_comments(text):
    """C code with its comments blanked, line numbers kept; strings stay."""
    def blank(match):
        found = match.group()
        return found if found[0] in "\"'" else "\n" * found.count("\n")
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', blank, text,
                  flags=re.S)


def places(pattern, patterns, exceptions):
    """file:line: the line, for every line of the files' code in which the pattern is found."""
    allowed = files(exceptions.split())
    for path in files(patterns):
        if path in allowed:
            continue
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
            if re.search(pattern, line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def without_opening(path):
    """Whether the file does not open by saying its name and what it is."""
    opening = re.sub(r"\A#!.*\n", "", path.read_text())
    name = re.escape(path.name.split(".")[0])
    return not re.match(rf'(/\*|#|""") ({name}|{re.escape(path.name)}) - ', opening.replace(
        '"""', '""" ', 1))


def machine_paths(path):
    """The lines of a file that name a folder of somebody's machine."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.search(r"(?<![\w.}/])/(home|root|work|scratch|mnt)/\w", line):
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def broken_rules():
    """Pairs of a rule and the places that break it."""
    for pattern, where, exceptions, rule in RULES:
        yield rule, list(places(pattern, where, exceptions))
    opened = ALL + ("cmake/*.cmake", "tools/*.py", "tools/*.sh", "tests/*.py")
    yield ("every file opens with its name, what it is and what it alone knows",
           [str(path.relative_to(ROOT)) for path in files(opened) if without_opening(path)])
    yield ("no file names a folder of somebody's machine",
           [place for path in files(WRITTEN) for place in machine_paths(path)])


def main():
    broken = [(rule, found) for rule, found in broken_rules() if found]
    for rule, found in broken:
        print(f"broken: {rule}", *found, sep="\n    ")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
