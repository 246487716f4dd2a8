"""plot_result - what pictures need of a result file: its groups, names, axes and numbers. Only this
module and those of individuals and sweeps read the layout of a file."""
from pathlib import Path

import numpy as np

POINTS_MOST = 600  # times of a map over space and time
RUNS_MOST = 20  # single runs drawn behind the mean


def groups_of(file):
    """Returns the groups of the output in a file: those with a name, and the root if it has
    snapshots."""
    named = [file[name] for name in file.attrs.get("output_groups", "").split()]
    return ([file] if "time" in file else []) + named


def group_of_maps(file):
    """Returns the group with counts of voxels that has most times, or else any with most times."""
    return max(groups_of(file), key=lambda group: ("counts" in group, len(group["time"])))


def group_of_totals(file):
    """Returns the group with totals that has most times."""
    return max(groups_of(file), key=lambda group: ("totals" in group, len(group["time"])))


class Result:
    """Holds what pictures need of a group of a result file: names, axes, and the counts of one
    run."""

    def __init__(self, file, run, group=None):
        self.root = file
        self.file = file = group_of_maps(file) if group is None else group
        self.species = list(file["species"].asstr()[:])
        self.labels = self._texts("species_label", self.species)
        self.compartments = self._texts("species_compartment", [None] * len(self.species))
        self.colours = self._texts("species_colour", [None] * len(self.species))
        self.fields = {name: field for at in (self.root, file) if "fields" in at
                       for name, field in at["fields"].items()}
        self.has_counts = "counts" in file
        self.runs = list(file["run"][:]) if "run" in file else [0]
        self.run = self._place_of(run)
        self.one_run = run is not None
        self.time = file["time"][: self._n_valid()]
        if len(self.time) == 0:
            raise ValueError("has no snapshots yet")
        self.outlines = {}  # masks of regions that maps show
        self.axes = [name for name in "xyz" if name in file and len(file[name]) > 1]

    def _texts(self, name, others):
        """Returns a text for each species: that of a data set, or another one where it is empty."""
        texts = self.file[name].asstr()[:] if name in self.file else others
        return [text or other for text, other in zip(texts, others)]

    def _place_of(self, run):
        """Returns the index of the run with this number; without a number, the first run that did
        not fault."""
        if run is None:
            valid = self.file["run_state"][: len(self.runs)] if "run_state" in self.file else [0]
            return int(np.argmax(valid))
        if run not in self.runs:
            raise ValueError(f"has no run {run}; choose one from {self.runs[0]} to {self.runs[-1]}")
        return self.runs.index(run)

    def _n_valid(self):
        """Returns the number of valid times of the run: a faulted or interrupted run has fewer."""
        if "run_state" in self.file:
            return int(self.file["run_state"][self.run])
        return len(self.file["time"])

    def units(self, name):
        units = self.file[name].attrs.get("units", "")
        units = units.decode() if isinstance(units, bytes) else str(units)
        return "" if units == "1" else units

    def label(self, name):
        """Returns the name of an axis and its unit."""
        units = self.units(name)
        return f"{name} ({units})" if units else name

    def moment(self, t):
        return f"t = {self.time[t]:.6g} {self.units('time')}".rstrip()

    def title(self):
        title = self.root.attrs.get("title", "")
        return str(title) or Path(self.root.filename).name

    def configuration(self):
        """Returns the effective configuration as a text."""
        return self.root["model/effective_configuration"].asstr()[()]

    def extent(self, name):
        """Returns the ends of an axis; the file has the centres of the voxels."""
        centres = self.file[name][:]
        half = (centres[1] - centres[0]) / 2
        return centres[0] - half, centres[-1] + half

    def totals(self, s):
        """Returns mean and standard deviation over runs of a species' total, at each time; the
        deviation is None for a single run."""
        n = len(self.time)
        if self.one_run or ("totals" in self.file and len(self.runs) == 1):
            return self.file["totals"][self.run, :n, s].astype(float), None
        if "statistics" in self.file:
            of = self.file["statistics"]
            return of["total_mean"][:n, s], np.sqrt(of["total_variance"][:n, s])
        runs = self.file["totals"][:, :n, s].astype(float)
        return runs.mean(axis=0), runs.std(axis=0, ddof=1)

    def trajectories(self, s):
        """Returns the totals of a few runs, one per row; none for a single run, or without
        totals."""
        if self.one_run or "totals" not in self.file or len(self.runs) == 1:
            return []
        runs = self.file["totals"][:RUNS_MOST, : len(self.time), s].astype(float)
        runs[runs < 0] = np.nan  # after a fault
        return runs

    def aspect(self):
        """Returns height over width of the plane that is shown."""
        _, names = self.plane(0, 0)
        (bottom, top), (left, right) = map(self.extent, names)
        return (top - bottom) / (right - left)

    def name(self, s):
        """Returns the name of species number s; a field is given by its name."""
        return s if isinstance(s, str) else self.labels[s]

    def numbers(self, s, t):
        """Returns the counts of a species, or a field, as [z][y][x]."""
        if not isinstance(s, str):
            return self.file["counts"][self.run, t, s].astype(float)
        field = self.fields[s]
        return field[self.run, t] if field.ndim == 5 else field[:]

    def plane(self, s, t):
        """Returns the counts of a species on a plane, rows from below, and the names of its two
        axes. Counts are summed along the third axis; a field is averaged."""
        numbers = self.numbers(s, t)
        names = list("zyx")
        shape = list(numbers.shape)
        across = shape.index(min(shape))
        seen = numbers.mean(axis=across) if isinstance(s, str) else numbers.sum(axis=across)
        return seen, [name for name in names if name != names[across]]

    def line(self, s, t):
        return self.numbers(s, t).reshape(-1)

    def line_in_time(self, s):
        """Returns the counts of a species along the line at some times, and the indices of
        these."""
        chosen = np.unique(np.linspace(0, len(self.time) - 1, POINTS_MOST).astype(int))
        return np.array([self.line(s, t) for t in chosen]), chosen
