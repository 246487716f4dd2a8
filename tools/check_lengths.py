#!/usr/bin/env python3
"""check_lengths - prints the longest functions and files, and checks their limits.

usage: tools/check_lengths.py    (exit status 1 if one is too long)
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = tuple(f"{folder}/**/*.{ending}" for folder in ("kernels", "src", "tests", "tools")
             for ending in ("c", "h", "cu", "cuh"))
FILES = CODE + ("tools/*", "cmake/*", "tests/**/*.py", "CMakeLists.txt")
FUNCTION_MOST = 60  # lines from brace to brace
FILE_MOST = 500
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


def main():
    by_function = sorted((f for path in files(CODE) for f in functions(path)), reverse=True)
    by_file = sorted(((len(path.read_text().splitlines()), str(path.relative_to(ROOT)))
                      for path in files(FILES)), reverse=True)
    too_long = report("functions", by_function, FUNCTION_MOST) + report("files", by_file, FILE_MOST)
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
