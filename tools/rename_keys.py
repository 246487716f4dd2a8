#!/usr/bin/env python3
"""rename_keys - converts configurations with old names of keys: cells, cell, law and chance.

usage: tools/rename_keys.py FILE...    (replaces each file that changes, and prints its name)
       tools/rename_keys.py -          (from standard input to standard output)

Keys are renamed outside of comments and texts. Within texts, only paths of keys (grid.cells) are
renamed. All other bytes of a file stay as they are.
"""
import os
import re
import sys
import tempfile

RENAMED = {"cells": "voxels", "cell": "voxel", "law": "propensity", "chance": "probability"}
# A comment, a text, a brace, or a name that is followed by = or : and begins a setting.
PART = re.compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|[{}]"
                  r"|(?<![\w.*-])([A-Za-z*][\w*-]*)(?=\s*[=:])", re.S)
# The path of a key within a text, as in a sweep.
PATH = re.compile(r'"[a-z]+[\w.\[\]]*"')
LAST = re.compile(r"(?<=[a-z\]]\.)(" + "|".join(RENAMED) + r")(?!\w)")
OWN_NAMES = {"parameters", "set"}  # groups with names that the user chooses


def converted(text):
    """Returns the configuration with new names."""
    groups, name = [], ""

    def rename(match):
        nonlocal name
        found = match.group()
        if found == "{":
            groups.append(name)
            name = ""
        elif found == "}":
            del groups[-1:]
        elif match.group(1):
            name = found
            if not OWN_NAMES & set(groups):
                return RENAMED.get(found, found)
        elif PATH.fullmatch(found) and not found.startswith('"parameters.'):
            return LAST.sub(lambda last: RENAMED[last.group()], found)
        return found
    return PART.sub(rename, text)


def replace(name, text):
    """Writes a new file beside the old one, then renames it: a full disk loses no data."""
    folder = os.path.dirname(os.path.realpath(name))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, newline="") as out:
        out.write(text)
    os.chmod(out.name, os.stat(name).st_mode)
    os.replace(out.name, os.path.realpath(name))


def main(names):
    if not names or names[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if names else 2
    if names == ["-"]:
        sys.stdout.write(converted(sys.stdin.read()))
        return 0
    status = 0
    for name in names:
        try:
            with open(name, encoding="utf-8", newline="") as file:
                text = file.read()
            if converted(text) != text:
                replace(name, converted(text))
                print(name)
        except (OSError, UnicodeDecodeError) as fault:
            print(f"rename_keys: {name}: {fault}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
