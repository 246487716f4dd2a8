"""result - what pictures need of a result file: its groups, names, axes, units and numbers. Only this
module, individuals and sweeps read the layout of a file."""
import io
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from rdsim.counts import counts_of, has_counts
from rdsim.errors import Error

TEMPORARY = "rdsim-"  # the names of results in memory begin like this
RUNS_MOST = 20  # single runs drawn behind a mean
SCALE_TIMES = 60  # times that determine a colour scale, at most
SCALE_VOXELS = 100_000_000  # voxels read for it, at most
RUN_VOXELS = 100_000_000  # voxels of all runs read for a profile's deviation, at most
AXES = "xyz"
LENGTHS = {"km": 1e3, "m": 1.0, "dm": 0.1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9,
           "pm": 1e-12, "angstrom": 1e-10}
MOLAR = {"M": 1.0, "mM": 1e-3, "uM": 1e-6, "nM": 1e-9, "pM": 1e-12}
AVOGADRO = 6.02214076e23


class PictureError(Error, ValueError):
    """Says what is wrong with a request, and what to do."""


@dataclass(frozen=True)
class Quantity:
    """Names what is drawn: a species, a field or an observable, by its number or name."""

    name: str
    label: str
    kind: str  # "species", "field" or "observable"
    number: int = 0
    colour: str = ""
    is_placed: bool = True  # false: in a compartment, or an observable


@dataclass(frozen=True)
class Unit:
    """Holds the unit of numbers in voxels: the factor for one molecule, its name, and the weights of
    voxels in averages (None: all the same)."""

    factor: float = 1.0
    name: str = "molecules per voxel"
    is_whole: bool = True
    weights: np.ndarray = None


@dataclass
class Series:
    """Holds a total in time: the mean over runs, a band about it, and some single runs."""

    mean: np.ndarray
    low: np.ndarray = None
    high: np.ndarray = None
    runs: tuple = ()


@contextmanager
def opened(source):
    """Opens a result: a path, an open h5py file, or a data set of xarray, which has a file or is
    written to memory."""
    if isinstance(source, h5py.Group):
        yield source
        return
    if not isinstance(source, (str, os.PathLike)):
        path = getattr(source, "encoding", {}).get("source")
        in_memory = None if path else io.BytesIO(bytes(source.to_netcdf(engine="h5netcdf")))
        with h5py.File(path or in_memory, "r") as file:
            yield file
        return
    path = Path(source)
    if path.is_dir():
        raise PictureError(f"{path}: is a folder, not a result; name a file in it")
    if not path.is_file():
        raise PictureError(f"{path}: is not there; name the file of a result")
    if not h5py.is_hdf5(path):
        raise PictureError(f"{path}: is no result, since it is no HDF5 file; name the file that a "
                           "run wrote")
    with h5py.File(path, "r") as file:
        yield file


def name_of(file):
    """Returns the file's name for messages."""
    name = file.file.filename
    return os.fspath(name) if isinstance(name, (str, os.PathLike)) else "the data set"


def texts(dataset):
    return [text.decode() if isinstance(text, bytes) else str(text) for text in dataset[:]]


def ratio(total, weight):
    """Returns total / weight; NaN without a weight."""
    return np.divide(total, weight, where=weight > 0, out=np.full(np.shape(total), np.nan))


def choices(names):
    return ", ".join(map(str, names)) or "nothing"


def groups_of(file):
    """Returns the groups of the output in a file: those with a name, and the root if it has
    snapshots."""
    names = file.attrs.get("output_groups", "")
    named = [file[name] for name in str(names).split() if name in file]
    return ([file] if "time" in file else []) + named


def has_voxels(group):
    return has_counts(group) or "statistics/voxel_mean" in group


def group_of_maps(file):
    """Returns the group with numbers of voxels that has most times, or else any with most times."""
    return max(groups_of(file), key=lambda group: (has_voxels(group), len(group["time"])))


def group_of_totals(file):
    """Returns the group with totals that has most times."""
    return max(groups_of(file), key=lambda group: ("totals" in group, len(group["time"])))


class Result:
    """Holds what pictures need of a group of a result file: names, axes, units, and the numbers of
    one run, or means over runs."""

    def __init__(self, file, group=None, run=None, use_mean=False):
        self.root = file
        self.path = name_of(file)
        if not groups_of(file) or not any("species" in at for at in groups_of(file)):
            self.fail("is no result: it has no times of snapshots or no species; name the file that a "
                      "run wrote")
        self.file = self._group_of(group)
        self.wanted_group = group
        self.compartments = self._texts("species_compartment")
        self.species = self._find_species()
        self.fields = {name: field for at in (self.root, self.file) if "fields" in at
                       for name, field in at["fields"].items()}
        self.runs = [int(r) for r in self.file["run"][:]] if "run" in self.file else [0]
        self.wanted_run = run
        self.run = self._place_of(run)
        self.time = self.file["time"][: self._n_valid()]
        if len(self.time) == 0:
            self.fail("has no snapshot yet; wait for the first one")
        self.use_mean = use_mean or not has_counts(self.file)
        if use_mean and not self.has_mean():
            self.fail("has no means of voxels; draw a single run instead")
        self.unit = Unit()
        self.axes = [name for name in AXES if name in self.file and len(self.file[name]) > 1]

    def fail(self, message):
        raise PictureError(f"{self.path}: {message}")

    def _group_of(self, name):
        if name is None:
            return group_of_maps(self.root)
        names = str(self.root.attrs.get("output_groups", "")).split()
        if name not in names:
            self.fail(f"has no group '{name}' of outputs; choose from {choices(names)}" if names else
                      f"has no group '{name}', since its outputs have no groups; leave --group out")
        return self.root[name]

    def _texts(self, name):
        """Returns a text for each species; empty texts without that data set."""
        n = len(self.file["species"])
        return texts(self.file[name]) if name in self.file else [""] * n

    def _find_species(self):
        names, labels = texts(self.file["species"]), self._texts("species_label")
        colours = self._texts("species_colour")
        return [Quantity(name, labels[i] or name, "species", i, colours[i], not self.compartments[i])
                for i, name in enumerate(names)]

    def _place_of(self, run):
        """Returns the index of the run with this number; without a number, the first run with most
        valid times."""
        if run is None:
            valid = self.file["run_state"][: len(self.runs)] if "run_state" in self.file else [0]
            return int(np.argmax(valid))
        if run not in self.runs:
            self.fail(f"has no run {run}; choose one from {self.runs[0]} to {self.runs[-1]}")
        return self.runs.index(run)

    def _n_valid(self):
        """Returns the number of valid times of the run: a faulted or interrupted run has fewer."""
        n = len(self.file["time"])
        if "run_state" in self.file and self.run < len(self.file["run_state"]):
            return min(n, int(self.file["run_state"][self.run]))
        return n

    # ---- names and texts ----

    def title(self):
        """Returns the title of the model; without one the name of the file, or of the model if the file
        is temporary."""
        name = Path(self.path).name
        if name.startswith(TEMPORARY) and "model" in self.root:
            name = Path(str(self.root["model"].attrs.get("configuration_name", name))).name
        return str(self.root.attrs.get("title", "")) or name

    def unit_of(self, name):
        units = self.file[name].attrs.get("units", "")
        units = units.decode() if isinstance(units, bytes) else str(units)
        return "" if units == "1" else units

    def label(self, name):
        """Returns the name of an axis and its unit."""
        return f"{name} ({self.unit_of(name)})" if self.unit_of(name) else name

    def moment(self, t):
        return f"t = {self.time[t]:.6g} {self.unit_of('time')}".rstrip()

    def configuration(self):
        """Returns the effective configuration as a text; empty without one."""
        path = "model/effective_configuration"
        return self.root[path].asstr()[()] if path in self.root else ""

    # ---- the geometry ----

    def centres(self, axis):
        return self.file[axis][:]

    def voxel_size(self, axis):
        size = self.file[axis].attrs.get("voxel_size")
        centres = self.centres(axis)
        return float(np.ravel(size)[0]) if size is not None else (
            float(centres[1] - centres[0]) if len(centres) > 1 else 1.0)

    def extent(self, axis):
        """Returns the ends of an axis; the file has the centres of the voxels."""
        centres, half = self.centres(axis), self.voxel_size(axis) / 2
        return centres[0] - half, centres[-1] + half

    def shape(self):
        return tuple(len(self.file[axis]) for axis in "zyx")

    def dimension(self):
        """Returns the number of axes that the configuration gives the grid."""
        found = re.search(r"\bvoxels = [\[(]([^\])]*)[\])]", self.configuration())
        return found.group(1).count(",") + 1 if found else max(1, len(self.axes))

    def voxel_volume(self):
        return float(np.prod([self.voxel_size(axis) for axis in AXES[: self.dimension()]]))

    def regions(self):
        """Returns the names of the regions and surfaces that have a mask."""
        return [name for name, at in self.root.get("regions", {}).items() if name != "totals"]

    def mask(self, name):
        """Returns 1 in the voxels of a region, as [z][y][x]."""
        if name not in self.regions():
            self.fail(f"has no region '{name}'; choose from {choices(self.regions())}")
        return self.root["regions"][name][:]

    def set_unit(self, name, surface=None):
        """Sets the unit of numbers in voxels: "voxel", "volume", "area" or a molar concentration."""
        length = self.unit_of("x") or "length"
        if name == "volume":
            power = f"^{self.dimension()}" if self.dimension() > 1 else ""
            self.unit = Unit(1 / self.voxel_volume(), f"molecules per {length}{power}", False)
        elif name == "area":
            self.unit = self._unit_of_area(surface, length)
        elif name in MOLAR:
            if length not in LENGTHS or self.dimension() != 3:
                self.fail(f"has no concentrations in {name}, since its lengths have no unit or it has "
                          f"{self.dimension()} dimensions; choose --unit voxel or volume")
            litres = self.voxel_volume() * LENGTHS[length] ** 3 * 1000
            self.unit = Unit(1 / (litres * AVOGADRO * MOLAR[name]), name, False)
        elif name != "voxel":
            self.fail(f"cannot be drawn in the unit '{name}'; choose from voxel, volume, area, "
                      f"{choices(MOLAR)}")

    def _unit_of_area(self, surface, length):
        surfaces = self.root.get("surfaces", {})
        if surface is None or surface not in surfaces:
            self.fail(f"needs the name of a surface for numbers per area; give --surface, one of "
                      f"{choices(surfaces)}")
        area = surfaces[surface][:]
        factor = np.divide(1.0, area, where=area > 0, out=np.full(area.shape, np.nan))
        power = "^2" if self.dimension() == 3 else ""
        return Unit(factor, f"molecules per {length}{power} of {surface}", False, area)

    # ---- what is drawn, and when ----

    def quantities(self):
        """Returns all species, fields and observables by their names."""
        known = {q.name: q for q in self.species}
        known.update({q.label: q for q in self.species if q.label not in known})
        known.update({name: Quantity(name, name, "field") for name in self.fields})
        observables = texts(self.file["observable"]) if "observable" in self.file else ()
        known.update({name: Quantity(name, name, "observable", i, is_placed=False)
                      for i, name in enumerate(observables)})
        return known

    def pick(self, wanted, most):
        """Returns the quantities with these names; without names, the species that are most
        numerous, at most `most`."""
        known = self.quantities()
        for name in wanted or ():
            if name not in known:
                self.fail(f"has no species '{name}'; choose from {choices(dict.fromkeys(known))}")
        if wanted:
            return [known[name] for name in wanted]
        peaks = [np.nanmax(self.series(q).mean) for q in self.species]
        order = sorted(range(len(peaks)), key=lambda s: -peaks[s])
        return [self.species[s] for s in sorted(order[:most])]

    def moment_near(self, wanted):
        """Returns the index of the snapshot that is nearest to a time of the run."""
        first, last = self.time[0], self.time[-1]
        slack = 1e-9 * max(abs(first), abs(last))
        if not first - slack <= wanted <= last + slack:
            self.fail(f"has no snapshot at t = {wanted:g}; choose a time from {first:g} to {last:g}")
        return int(np.argmin(abs(self.time - wanted)))

    def pick_times(self, wanted, most):
        """Returns the indices of the snapshots nearest to the wanted times, or of at most `most`
        that are evenly spread, the first and the last among them."""
        if wanted:
            return list(dict.fromkeys(self.moment_near(t) for t in wanted))
        if most == 1:
            return [len(self.time) - 1]
        return [int(t) for t in np.unique(np.linspace(0, len(self.time) - 1, most).round())]

    def remark_on_species(self, shown, options):
        """Returns a remark if species are left out that the options do not leave out."""
        n = sum(q.kind == "species" for q in shown)
        is_cut = not options.species and n < len(self.species)
        return [f"the {n} most numerous of {len(self.species)} species"] if is_cut else []

    # ---- totals ----

    def for_totals(self):
        """Returns the result of the group that has most totals, unless a group is wanted."""
        group = group_of_totals(self.root)
        if self.wanted_group is not None or group == self.file:
            return self
        return Result(self.root, "/".join(group.name.split("/")[1:]) or None, self.wanted_run)

    def locate_totals(self, quantity, region):
        """Returns the data set of totals per run, the name of their statistics, and where the
        quantity stands."""
        if quantity.kind == "observable":
            return "observables", "observable", (quantity.number,)
        if region is None:
            return "totals", "total", (quantity.number,)
        names = texts(self.file["region"]) if "region" in self.file else ()
        if region not in names:
            self.fail(f"has no totals of the region '{region}'; choose from {choices(names)}")
        return "regions/totals", "region", (list(names).index(region), quantity.number)

    def series(self, quantity, region=None, band="none"):
        """Returns the total of a quantity in time, in all or in a region."""
        name, prefix, at = self.locate_totals(quantity, region)
        n, file = len(self.time), self.file
        if self.wanted_run is not None or (name in file and len(self.runs) == 1):
            if name not in file:
                self.fail("has no totals of single runs, only statistics; leave --run out")
            return Series(file[name][(self.run, slice(0, n), *at)].astype(float))
        statistics = file.get("statistics", {})
        if f"{prefix}_mean" in statistics:
            here = (slice(0, n), *at)
            series = Series(statistics[f"{prefix}_mean"][here])
            self._set_band(series, statistics, prefix, here, band)
        elif name in file:
            runs = self._runs(name, at, len(self.runs))
            series = Series(np.nanmean(runs, axis=0))
        else:
            self.fail("has no totals; draw another group of outputs")
        if name in file and len(self.runs) > 1:
            series.runs = self._runs(name, at, RUNS_MOST)
        return series

    def _runs(self, name, at, most):
        """Returns the totals of a few runs, one per row; NaN after a fault."""
        runs = self.file[name][(slice(0, most), slice(0, len(self.time)), *at)].astype(float)
        return np.where(runs < 0, np.nan, runs)

    def _set_band(self, series, statistics, prefix, here, band):
        if band == "none" or self.n_runs() < 2:
            return
        if band == "sd":
            deviation = np.sqrt(statistics[f"{prefix}_variance"][here])
            series.low, series.high = np.maximum(series.mean - deviation, 0), series.mean + deviation
        elif band == "range":
            series.low, series.high = (statistics[f"{prefix}_{end}"][here].astype(float)
                                       for end in ("min", "max"))
        else:
            if f"{prefix}_quantile" not in statistics:
                self.fail("has no quantiles; choose --band sd, range or none")
            values = statistics[f"{prefix}_quantile"][here].astype(float)
            series.low, series.high = values[:, 0], values[:, -1]

    def n_runs(self):
        """Returns the number of runs in the statistics."""
        if "statistics/runs" in self.file and len(self.file["statistics/runs"]):
            return int(self.file["statistics/runs"][0])
        return len(self.runs)

    def band_name(self, band):
        if band == "quantiles":
            low, high = self.file["quantile"][[0, -1]]
            return f"{100 * low:g} % to {100 * high:g} % of runs"
        return {"sd": "mean ± 1 SD", "range": "least to most of runs"}[band]

    # ---- numbers in voxels ----

    def has_mean(self):
        return "statistics/voxel_mean" in self.file

    def has_places(self):
        """Returns whether there are numbers of voxels on more than one voxel."""
        return bool(self.axes) and (has_voxels(self.file) or bool(self.fields))

    def placed(self, quantities):
        """Returns the quantities that have a place in voxels."""
        return [q for q in quantities if q.is_placed and
                (q.kind == "field" or has_voxels(self.file))]

    def numbers(self, quantity, t, run=None):
        """Returns the numbers of a quantity in voxels at one time, as [z][y][x], in the unit."""
        run = self.run if run is None else run
        if quantity.kind == "field":
            field = self.fields[quantity.name]
            return field[run, t] if field.ndim == 5 else field[:]
        if self.use_mean:
            return self.file["statistics/voxel_mean"][t, quantity.number] * self.unit.factor
        return counts_of(self.file, run, t, quantity.number) * self.unit.factor

    def _weighted(self, quantity, numbers):
        """Returns numbers times weights, and weights; both 0 where a voxel has no value."""
        known = np.isfinite(numbers)
        weights = 1.0 if quantity.kind == "field" or self.unit.weights is None else \
            self.unit.weights
        return np.where(known, numbers * weights, 0.0), np.where(known, weights, 0.0)

    def average(self, quantity, numbers, axis):
        """Returns averages of numbers [z][y][x] over an axis or several."""
        total, weight = (part.sum(axis=axis) for part in self._weighted(quantity, numbers))
        return ratio(total, weight)

    def average_in(self, quantity, numbers, part):
        """Returns averages over the voxels of each part; part [z][y][x] has its numbers from 0."""
        total, weight = (np.bincount(part.ravel(), values.ravel(), part.max() + 1)
                         for values in self._weighted(quantity, numbers))
        return ratio(total, weight)

    def name_of_unit(self, quantity):
        return "field" if quantity.kind == "field" else self.unit.name

    def is_whole(self, quantity):
        return quantity.kind != "field" and self.unit.is_whole and not self.use_mean

    def scale_times(self, shown=()):
        """Returns the times that determine a colour scale: those shown and others, so that pictures
        of single times can be compared."""
        voxels = int(np.prod(self.shape()))
        most = int(np.clip(SCALE_VOXELS // voxels, 4, SCALE_TIMES))
        return sorted({*shown, *self.pick_times(None, most)})

    def can_average(self):
        """Returns whether profiles are averages over runs."""
        return (self.wanted_run is None and has_counts(self.file) and 1 < len(self.runs) and
                len(self.runs) * int(np.prod(self.shape())) <= RUN_VOXELS)
