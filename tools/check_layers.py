#!/usr/bin/env python3
"""check_layers - checks the rules of the architecture by searches over the tree.

usage: tools/check_layers.py    (prints each broken rule with its places; exit status 1 if any)
"""
import ast
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The order of all folders with code: a file includes files of its own folder and of those to the
# left of it. Tests include all of these, tests/support/ and their own folder.
ORDER = """src/base kernels/core kernels/passes/reactions kernels/passes/lists kernels/passes/movement
    kernels/passes/totals kernels/passes kernels/cpu kernels/cuda/backend kernels/cuda/fused_step
    kernels/cuda/passes kernels/cuda/fused_rows kernels/cuda/fused_lists src/cone src/expr src/formats src/config src/command_line
    src/hdf5
    src/model src/result/statistics src/result/format src/result/files src/result/batches
    src/result/write src/result/read src/plan src/exact src/sim src/run src/record src/modes src/export src/app
    src/library src/sweep src tools/bench""".split()

# The order of the modules of the Python package; each imports only those to its left.
PYTHON_ORDER = """errors temporary library syntax dlpack rows handle counts pictures.style
    pictures.result pictures.output_file pictures.totals pictures.maps pictures.profiles
    pictures.differences pictures.individuals pictures.sweeps pictures.figures pictures.movies pictures
    pictures.command pictures.__main__ result stepping page model rdsim""".split()

CODE = tuple(f"{folder}/*.{ending}" for folder in ORDER for ending in ("c", "h", "cu", "cuh"))
GROUND = tuple(pattern for pattern in CODE if pattern.startswith("kernels/"))
ALL = CODE + ("tests/**/*.[ch]",)
WRITTEN = ALL + ("*.md", "*.txt", "*.json", "cmake/*", "tools/*", "configs/*", "docs/**/*.md",
                 "tests/**/*.py", "python/**/*.py", ".ci/run")

LIBM = "log|log10|log1p|exp|expm1|pow|sin|cos|tan|tanh|cbrt|lgamma|tgamma"

# What must not be found (a pattern in the code without its comments), where, except in which
# files, and the rule that it would break.
RULES = (
    (r"#include <stdio\.h>", GROUND, "",
     "kernels/ prints nothing: no stdio"),
    (r"\b(malloc|calloc|realloc|free|printf)\(", ("kernels/core/*.h", "kernels/passes/*/*.h"), "",
     "a pass neither allocates nor prints"),
    (r"#include <libconfig\.h>", CODE, "src/config/*.c src/config/source.h",
     "only src/config/ includes libconfig"),
    (r"#include <hdf5(_hl)?\.h>", CODE, "src/hdf5/* src/result/*/*",
     "only src/hdf5/ and src/result/ include HDF5"),
    (r"#include <sbml/|RD_HAS_SBML", CODE, "src/formats/sbml.c src/formats/sbml_library.h",
     "only sbml_library.h includes libSBML, and only sbml.c depends on whether it is there"),
    (r"#include <zlib\.h>", CODE, "src/hdf5/chunks.c",
     "only chunks.c includes zlib"),
    (r"#include <png\.h>", CODE, "src/model/png_image.c",
     "only png_image.c includes libpng"),
    (r"#include <omp\.h>|#pragma omp", CODE,
     "kernels/cpu/backend_cpu.c src/base/threads.c src/exact/exact.c src/cone/pairs.c",
     "only backend_cpu.c, threads.c, exact.c for its replicas, and pairs.c for its search use "
     "OpenMP"),
    (r"#include <(cuda|cub/|curand|thrust/)|cudaMalloc|cudaStream", CODE,
     "kernels/cuda/*/* kernels/core/rng.h",
     "only kernels/cuda/ uses CUDA (and rng.h cuRAND's Philox)"),
    (r"__CUDACC__|__CUDA_ARCH__", CODE, "kernels/core/portable.h kernels/core/rng.h",
     "only portable.h and rng.h depend on the compiler"),
    (r"RD_HAS_CUDA", CODE, "kernels/core/backend.h kernels/core/backend.c",
     "only backend.h and backend.c depend on whether there is a CUDA back end"),
    (rf"(?<![\w.>])({LIBM})f?\(", CODE, "tools/bench/plain_direct_method.c",
     "log, exp, pow, sin... come from real.h: those of libm differ from machine to machine (the "
     "benchmark's plain direct method is a program of its own)"),
    (r"\b(exit|abort)\(", CODE, "src/main.c",
     "only main.c ends the program"),
)


def files(patterns):
    """Returns the files of the tree that match the patterns, in order."""
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file()]


def without_comments(text):
    """Returns C code with blanked comments; strings and line numbers stay."""
    def blank(match):
        found = match.group()
        return found if found[0] in "\"'" else "\n" * found.count("\n")
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', blank, text,
                  flags=re.S)


def places(pattern, patterns, exceptions):
    """Yields "file:line: text" for each line of code in which the pattern is found."""
    allowed = files(exceptions.split())
    for path in files(patterns):
        if path in allowed:
            continue
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
            if re.search(pattern, line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def folder_of(name):
    """Returns the folder of a file that an include names, relative to the root."""
    folder = str(Path(name).parent)
    if folder.startswith("kernels"):
        return folder
    return f"tools/{folder}" if folder.startswith("bench") else f"src/{folder}"


def wrong_includes():
    """Yields includes of files in later folders, or of files without a folder."""
    for path in files(CODE):
        own = ORDER.index(str(path.relative_to(ROOT).parent))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "([^"]+)"', line)
            if not found or found.group(1) == "rd_version.h":
                continue
            folder = folder_of(found.group(1))
            if folder not in ORDER or ORDER.index(folder) > own:
                yield f"{path.relative_to(ROOT)}:{number}: {line}"


def wrong_test_includes():
    """Yields includes of tests that name no file of the program, of tests/support/ or of their own
    folder. Files of tests/support/ include no tests, as their own folder is tests/support/."""
    for path in files(("tests/**/*.c", "tests/**/*.h")):
        places = (path.parent, ROOT / "tests/support", ROOT, ROOT / "src", ROOT / "tools")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include "([^"]+)"', line)
            if found and found.group(1) != "rd_version.h" and (
                    ".." in found.group(1) or not any((place / found.group(1)).exists()
                                                      for place in places)):
                yield f"{path.relative_to(ROOT)}:{number}: {line}"


def modules_imported(path, name):
    """Yields (line, module) for each module of the package that a file of it imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = f"{package}.{node.module or ''}".strip(".") if node.level else node.module
            found = [f"{base}.{alias.name}" for alias in node.names]
            found = [module if module.removeprefix("rdsim.") in PYTHON_ORDER else base
                     for module in found]
        else:
            continue
        for module in found:
            if module.split(".")[0] == "rdsim":
                yield node.lineno, module.removeprefix("rdsim.")


def wrong_imports():
    """Yields imports of later modules, and modules that PYTHON_ORDER does not have."""
    for path in files(("python/**/*.py",)):
        parts = path.relative_to(ROOT / "python").with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        own = name.removeprefix("rdsim.")
        place = path.relative_to(ROOT)
        if own not in PYTHON_ORDER:
            yield f"{place}: is not in PYTHON_ORDER"
            continue
        for line, module in modules_imported(path, name):
            if module not in PYTHON_ORDER[:PYTHON_ORDER.index(own)]:
                yield f"{place}:{line}: imports {module}"


def forgotten_folders():
    """Returns the folders with code that ORDER does not have."""
    ends = {".c", ".h", ".cu", ".cuh"}
    present = {str(path.relative_to(ROOT).parent) for base in ("src", "kernels", "tools")
               for path in ROOT.glob(f"{base}/**/*") if path.suffix in ends}
    return sorted(present - set(ORDER))


def units_included():
    """Returns for each unit, a .c file with its header, the other units of its folder that it
    includes. Units are paths without their ends."""
    included = {}
    for path in files(CODE):
        own = included.setdefault(str(path.relative_to(ROOT).with_suffix("")), set())
        for name in re.findall(r'#include "([^"]+)"', path.read_text()):
            unit = str(Path(folder_of(name)) / Path(name).stem)
            if folder_of(name) == str(path.relative_to(ROOT).parent):
                own.add(unit)
    return included


def unnamed_circles():
    """Yields the units of a circle of includes that docs/architecture.md does not name."""
    included = units_included()
    page = (ROOT / "docs/architecture.md").read_text()
    section = page.partition("## Circles that remain")[2].partition("\n## ")[0]

    def reached(unit):
        found, left = set(), [unit]
        while left:
            new = included.get(left.pop(), set()) - found
            found |= new
            left += new
        return found
    for unit in sorted(included):
        others = reached(unit) - {unit}
        circle = sorted(other for other in others if unit in reached(other))
        if circle and f"`{Path(unit).name}`" not in section:
            yield f"{unit}: with {', '.join(circle)}"


def without_opening(path):
    """Returns whether the first line lacks the name of the file or what it is."""
    opening = re.sub(r"\A#!.*\n", "", path.read_text())
    name = re.escape(path.name.split(".")[0])
    return not re.match(rf'(/\*|#|""") ({name}|{re.escape(path.name)}) - ', opening.replace(
        '"""', '""" ', 1))


def machine_paths(path):
    """Yields the lines of a file that name a folder of one machine."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.search(r"(?<![\w.}/])/(home|root|work|scratch|mnt)/\w", line):
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def stale_mutants():
    """Yields the entries of tools/mutants.json whose text is gone, or, of a change that tests must
    detect, stands in several places."""
    lists = json.loads((ROOT / "tools/mutants.json").read_text())
    for name, entries in lists.items():
        for entry in entries:
            path = ROOT / entry["file"]
            n = path.read_text().count(entry["old"]) if path.is_file() else 0
            if n == 0 or (n > 1 and name == "known"):
                yield f"{entry['file']}: {n} times: {entry['old']!r}"


def broken_rules():
    """Yields pairs of a rule and the places that break it."""
    for pattern, where, exceptions, rule in RULES:
        yield rule, list(places(pattern, where, exceptions))
    yield ("a file includes only files of its own folder and of those before it",
           list(wrong_includes()))
    yield ("a test includes only the program, tests/support/ and files of its own folder",
           list(wrong_test_includes()))
    yield ("a module of the Python package imports only those before it", list(wrong_imports()))
    yield "ORDER has every folder with code", forgotten_folders()
    yield "docs/architecture.md names all circles inside folders", list(unnamed_circles())
    opened = ALL + ("cmake/*.cmake", "tools/*.py", "tools/*.sh", "tests/**/*.py", "python/**/*.py")
    yield ("the first line of every file has its name and what it is",
           [str(path.relative_to(ROOT)) for path in files(opened)
            if not path.name.startswith("__") and without_opening(path)])
    yield "tools/mutants.json names code that is there", list(stale_mutants())
    yield ("no file names a folder of one machine",
           [place for path in files(WRITTEN) for place in machine_paths(path)])


def main():
    broken = [(rule, found) for rule, found in broken_rules() if found]
    for rule, found in broken:
        print(f"broken: {rule}", *found, sep="\n    ")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
