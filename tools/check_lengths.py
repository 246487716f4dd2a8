#!/usr/bin/env python3
"""check_lengths - the longest functions and files, and units that are too small to stand alone.

usage: tools/check_lengths.py    (exit status 1 if a length is outside of its limits)

Some pages have limits, too (PAGES).

A unit is x.c with x.h, or x.cu with x.cuh. If it has fewer than UNIT_LEAST lines and only one
user, it belongs into that user, unless line 1 of one of its files says "separate because ...".
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = tuple(f"{folder}/**/*.{ending}" for folder in ("kernels", "src", "tests", "tools")
             for ending in ("c", "h", "cu", "cuh"))
FILES = CODE + ("tools/*", "cmake/*", "tests/**/*.py", "python/**/*.py",
                "CMakeLists.txt")
PAGES = {"docs/architecture.md": 150, "docs/performance.md": 120, "docs/design/*.md": 40}
FUNCTION_MOST = 60  # lines from brace to brace
FILE_MOST = 500
UNIT_LEAST = 60
REASON = "separate because"
PRINTED = 5


def files(patterns):
    """Returns the files of the tree that match the patterns."""
    return [path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()]


def functions(path):
    """Yields (lines, place) of each function. Its braces stand at the left, as clang-format writes
    them."""
    start = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield number - start + 1, f"{path.relative_to(ROOT)}:{start - 1}"
            start = 0


def report(what, lengths, most):
    """Prints the longest ones and returns how many are too long."""
    print(f"longest {what} (at most {most} lines):")
    for length, place in lengths[:PRINTED]:
        print(f"    {length:4} {place}{'  TOO LONG' if length > most else ''}")
    return sum(length > most for length, place in lengths)


def units():
    """The files of each unit of kernels/ and src/, by its path without ending."""
    found = defaultdict(list)
    for path in files(pattern for pattern in CODE if pattern.startswith(("kernels", "src"))):
        found[path.with_suffix("")].append(path)
    found.pop(ROOT / "src/main", None)
    return found


def long_pages():
    """Yields the pages that are longer than their limit."""
    for pattern, most in PAGES.items():
        for path in sorted(ROOT.glob(pattern)):
            lines = len(path.read_text().splitlines())
            if lines > most:
                yield f"{path.relative_to(ROOT)} has {lines} lines; at most {most}"


def included_as(path):
    """How an include names a file."""
    name = str(path.relative_to(ROOT))
    return name.removeprefix("src/").removeprefix("tools/")


def users_of(unit, paths, texts):
    """The units that include a header of this one; without a header, those that use its names."""
    headers = [included_as(path) for path in paths if path.suffix in (".h", ".cuh")]
    if headers:
        words = [re.escape(f'#include "{name}"') for name in headers]
    else:
        words = [rf"\b{name}\b" for path in paths for name in
                 re.findall(r"^(?!static)[A-Za-z].*?\b(rd_\w+)(?:\(|\[| =)", texts[path], re.M)]
    pattern = re.compile("|".join(words) or "(?!)")
    return {path.with_suffix("") for path, text in texts.items()
            if path.with_suffix("") != unit and (headers or path.suffix in (".c", ".cu"))
            and pattern.search(text)}


def small_units():
    """A line on each unit that is small, has one user at most, and gives no reason."""
    texts = {path: path.read_text() for path in files(CODE) if "tests" not in path.parts}
    for unit, paths in sorted(units().items()):
        lines = sum(len(texts[path].splitlines()) for path in paths)
        if lines >= UNIT_LEAST or any(REASON in texts[path].split("\n")[0] for path in paths):
            continue
        users = users_of(unit, paths, texts)
        if len(users) <= 1:
            user = "".join(f", used by {other.relative_to(ROOT)}" for other in users)
            yield f"{unit.relative_to(ROOT)} has {lines} lines{user}"


def main():
    by_function = sorted((f for path in files(CODE) for f in functions(path)), reverse=True)
    by_file = sorted(((len(path.read_text().splitlines()), str(path.relative_to(ROOT)))
                      for path in files(FILES)), reverse=True)
    broken = report("functions", by_function, FUNCTION_MOST) + report("files", by_file, FILE_MOST)
    pages = list(long_pages())
    if pages:
        print("pages that are too long:", *pages, sep="\n    ")
    small = list(small_units())
    if small:
        print(f"units with fewer than {UNIT_LEAST} lines, one user and no reason in line 1 "
              f"('{REASON} ...'): merge each with its user", *small, sep="\n    ")
    return 1 if broken or pages or small else 0


if __name__ == "__main__":
    sys.exit(main())
