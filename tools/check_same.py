#!/usr/bin/env python3
"""check_same - compares the data of result files byte by byte; /provenance may differ.

usage: tools/check_same.py RESULT.h5 RESULT.h5...    (exit status 1 if one differs)
"""
import sys

import h5py
import numpy as np


def data_sets(path):
    """Returns the values of every data set that a run determines, by name."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith("provenance"):
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


def same(a, b):
    """Returns whether two values have the same type and bytes."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype.hasobject else a.tobytes() == b.tobytes()


def main(paths):
    if len(paths) < 2:
        print(__doc__.splitlines()[2], file=sys.stderr)
        return 2
    first = data_sets(paths[0])
    differ = False
    for path in paths[1:]:
        other = data_sets(path)
        for name in sorted(first.keys() | other.keys()):
            if name not in first or name not in other or not same(first[name], other[name]):
                print(f"{path}: {name} differs from {paths[0]}")
                differ = True
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
