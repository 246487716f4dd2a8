"""sweeps - draws a collected file of a sweep: end values against the varied keys, and the totals of
each point in time. Only this module reads the layout of a collected file."""
import warnings

import h5py
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import style
from .result import PictureError, choices, name_of, texts

SPECIES_MOST = 4  # columns of panels
LINES_MOST = 20  # points whose totals are drawn in time
NAMES_MOST = 8  # entries of a legend; more than that have a colour bar
WIDE = 50  # a range of positive values this many times its least has a logarithmic axis


def is_collected(file):
    """Returns whether the file was collected by a sweep, and is not the result of one run."""
    return group_of_totals(file) is not None


def group_of_totals(file):
    """Returns the root, or the group of the output, that has most collected times; None if the file
    was not collected."""
    named = [file[name] for name in str(file.attrs.get("output_groups", "")).split() if name in file]
    collected = [at for at in (file, *named) if "point" in at and "total_mean" in at]
    return max(collected, key=lambda at: len(at["time"]), default=None)


def is_varied(at, name):
    """Returns whether a data set has a value for each point. An axis is no such data set."""
    data = at[name]
    return isinstance(data, h5py.Dataset) and data.ndim == 1 and not data.is_scale and any(
        scale == at["point"] for scale in data.dims[0].values())


def has_rows(file):
    """Returns whether the file is the result of a table of parameters, with totals."""
    return "rows" in file and "runs" in file["rows"].attrs and "totals" in file


class Sweep:
    """Holds the parts of a collected file, or of the result of a table of parameters, that the picture
    needs: means, deviations and values of points."""

    def __init__(self, file):
        self.path = name_of(file)
        self.title = str(file.attrs.get("title", "")) or self.path
        self.kind = "rows" if has_rows(file) else "points"
        at = file if has_rows(file) else group_of_totals(file)
        self.species = texts(at["species"])
        self.time = at["time"][:]
        units = at["time"].attrs.get("units", "")
        units = units.decode() if isinstance(units, bytes) else str(units)
        self.unit = "" if units == "1" else units
        if has_rows(file):
            self._read_rows(file)
            return
        self.mean = at["total_mean"][:]
        self.deviation = np.sqrt(np.maximum(at["total_variance"][:], 0))  # NaN for one run
        self.values = {name: self._values_of(at[name]) for name in at if is_varied(at, name)}
        self.across = self._pick_across(at["point"][:])

    def _read_rows(self, file):
        """Takes the rows of a table of parameters as points, with means over the runs of each."""
        table, total = file["rows"], file["totals"]
        runs = int(table.attrs["runs"][0])
        numbers = np.where(total[:] < 0, np.nan, total[:]).reshape(-1, runs, *total.shape[1:])
        with warnings.catch_warnings():  # rows that could not run have no numbers
            warnings.simplefilter("ignore", RuntimeWarning)
            self.mean = np.nanmean(numbers, axis=1)
            self.deviation = np.nanstd(numbers, axis=1, ddof=1) if runs > 1 else np.full_like(
                self.mean, np.nan)
        self.values = {name: table[name][:] for name in table if name != "row"}
        self.across = self._pick_across(np.arange(len(self.mean)))

    def fail(self, message):
        raise PictureError(f"{self.path}: {message}")

    @staticmethod
    def _values_of(dataset):
        return dataset[:] if dataset.dtype.kind in "iuf" else np.array(texts(dataset))

    def _pick_across(self, points):
        """Returns the varied number with most values, for the horizontal axis, or "point" if no
        number was varied."""
        numbers = [name for name, values in self.values.items() if values.dtype.kind in "iuf"]
        if numbers:
            return max(numbers, key=lambda name: len(set(self.values[name])))
        self.values["point"] = points
        return "point"

    def lines(self):
        """Returns lists of points, in the order of the horizontal axis, by the values of the other
        varied keys; one list if these follow from the value on that axis."""
        x = self.values[self.across]
        order = np.argsort(x, kind="stable")
        if len(set(x)) == len(x):
            return {"": order}
        found = {}
        for point in order:
            found.setdefault(self.label(point, but=self.across), []).append(point)
        return found

    def label(self, point, but=""):
        """Returns the values of a point as a text."""
        return ", ".join(f"{name} = {self._text(values[point])}"
                         for name, values in self.values.items() if name != but)

    @staticmethod
    def _text(value):
        return value if isinstance(value, str) else f"{value:.6g}"

    def is_wide(self):
        """Returns whether the horizontal axis is logarithmic."""
        x = self.values[self.across]
        return x.min() > 0 and x.max() > WIDE * x.min()

    def moment(self, t):
        return f"t = {self.time[t]:.6g} {self.unit}".rstrip()

    def pick_species(self, wanted):
        """Returns the numbers of the species to show: the wanted ones, or else the first ones."""
        for name in wanted or ():
            if name not in self.species:
                self.fail(f"has no species '{name}'; choose from {choices(self.species)}")
        return [self.species.index(name) for name in wanted or self.species[:SPECIES_MOST]]

    def pick_time(self, wanted):
        """Returns the index of the time nearest to the wanted one, by default of the last."""
        if not wanted:
            return len(self.time) - 1
        if not self.time[0] <= wanted[0] <= self.time[-1]:
            self.fail(f"has no snapshot at t = {wanted[0]:g}; choose a time from {self.time[0]:g} to "
                      f"{self.time[-1]:g}")
        return int(np.argmin(abs(self.time - wanted[0])))


def has_bands(sweep):
    return bool(np.isfinite(sweep.deviation).any())


def draw_values(ax, sweep, s, t, colours):
    """Draws the mean of each point at one time against the varied key, one standard deviation of
    single runs about it, and a line for each choice of all other values."""
    x = sweep.values[sweep.across]
    for colour, (label, points) in zip(colours, sweep.lines().items()):
        mean, deviation = (of[points, t, s] for of in (sweep.mean, sweep.deviation))
        ax.plot(x[points], mean, color=colour, marker="o", markersize=3, linewidth=1.2, label=label)
        ax.fill_between(x[points], np.maximum(mean - deviation, 0), mean + deviation, color=colour,
                        alpha=0.2, linewidth=0)
    if sweep.is_wide():
        ax.set_xscale("log")
    ax.set_xlabel(sweep.across)
    ax.set_title(f"{sweep.species[s]}, {sweep.moment(t)}", loc="left", weight="bold")


def colours_of_lines(n):
    return style.PALETTE[:n] if n <= len(style.PALETTE) else list(style.shades(n))


def draw_legend_of_values(ax, sweep, colours):
    """Draws a legend of the lines and of their bands at the right of the panels."""
    labels = list(sweep.lines())
    handles = [Line2D([], [], color=colour, marker="o", markersize=3, label=label)
               for colour, label in zip(colours, labels) if label][:NAMES_MOST]
    if has_bands(sweep):
        handles.append(Patch(color=style.GREY, alpha=0.25, linewidth=0, label="mean ± 1 SD of runs"))
    if handles:
        style.draw_legend(ax, handles)


def norm_of(sweep):
    x = sweep.values[sweep.across]
    return (LogNorm if sweep.is_wide() else Normalize)(x.min(), x.max())


def draw_times(ax, sweep, s, chosen):
    """Draws the means of points in time; colours show the value on the axis above."""
    norm, x = norm_of(sweep), sweep.values[sweep.across]
    for point in chosen:
        colour = plt.get_cmap(style.COUNTS)(0.9 * norm(x[point]))
        ax.plot(sweep.time, sweep.mean[point, :, s], color=colour, linewidth=1.0,
                label=sweep.label(point))
    ax.set_xlabel(f"time ({sweep.unit})" if sweep.unit else "time")
    ax.set_title(f"{sweep.species[s]}, {len(chosen)} of {len(sweep.mean)} {sweep.kind}", loc="left")


def draw_bar_of_values(figure, axes, sweep):
    shades = ListedColormap(plt.get_cmap(style.COUNTS)(np.linspace(0, 0.9, 256)))
    bar = figure.colorbar(ScalarMappable(norm_of(sweep), shades), ax=list(axes), pad=0.015,
                          fraction=0.04, aspect=18)
    bar.set_label(sweep.across, fontsize=7)
    bar.outline.set_visible(False)


def picture_of_sweep(file, options):
    """Returns the figure, its title and remarks: end values above, totals in time below if there is
    more than one time."""
    sweep = Sweep(file)
    shown = sweep.pick_species(options.species)
    t = sweep.pick_time(options.times)
    rows = 1 + (len(sweep.time) > 1)
    figure = style.new_figure(0.6 + 2.1 * rows, max(5.0, min(1.2 + 2.6 * len(shown), 9.5)))
    axes = figure.subplots(rows, len(shown), squeeze=False)
    colours = colours_of_lines(len(sweep.lines()))
    chosen = np.unique(np.linspace(0, len(sweep.mean) - 1, LINES_MOST).astype(int))
    for column, s in zip(axes.T, shown):
        draw_values(column[0], sweep, s, t, colours)
        if rows > 1:
            draw_times(column[1], sweep, s, chosen)
    for ax in axes.ravel():
        ax.set_ylim(bottom=0)
        style.grid_on(ax)
    for ax in axes[:, 0]:
        ax.set_ylabel("molecules")
    draw_legend_of_values(axes[0][-1], sweep, colours)
    if rows > 1:
        draw_bar_of_values(figure, axes[1], sweep)
    left_out = len(sweep.species) - len(shown)
    return figure, sweep.title, [f"{len(shown)} of {len(sweep.species)} species" if left_out else ""]
