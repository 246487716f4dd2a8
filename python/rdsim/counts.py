"""counts - reads the counts of voxels in a group of a result file, as an array or as rows."""
import numpy as np


def has_counts(group):
    """Returns whether an h5py group of the output has counts of voxels, in either layout."""
    return "counts" in group or "sparse/count" in group


def counts_of(group, run, time, species):
    """Returns the counts of a species, of a run at a time, all by their numbers along the axes, as
    [z][y][x]; -1: the run faulted before."""
    if "counts" in group:
        return group["counts"][run, time, species]
    rows = group["sparse"]
    shape = tuple(len(group[axis]) for axis in "zyx")
    first, number = int(rows["row_start"][time, run]), int(rows["row_count"][time, run])
    if number < 0:
        return np.full(shape, -1, np.int32)
    counts = np.zeros(int(np.prod(shape)), np.int32)
    is_it = rows["species"][first:first + number] == species
    counts[rows["voxel"][first:first + number][is_it]] = \
        rows["count"][first:first + number][is_it]
    return counts.reshape(shape)
