"""plot_sweep - draws a collected file of a sweep: end values against the varied keys, and the
totals of each point in time. Only this module reads the layout of a collected file."""
import numpy as np
from matplotlib import pyplot as plt

NOT_VARIED = ("point", "repeat", "run", "time", "species", "seed", "totals", "total_mean",
              "total_variance", "collected")
SPECIES_MOST = 4  # columns of panels
LINES_MOST = 20  # points whose totals are drawn in time
NAMES_MOST = 8  # entries of a legend; more than that have a colour bar, or none
WIDE = 50  # a range of positive values this many times its least has a logarithmic axis


def is_collected(file):
    """Returns whether the file was collected by a sweep, and is not the result of one run."""
    return group_of_totals(file) is not None


def group_of_totals(file):
    """Returns the root, or the group of the output, that has most collected times; None if the file
    was not collected."""
    named = [file[name] for name in file.attrs.get("output_groups", "").split()]
    collected = [at for at in (file, *named) if "point" in at and "total_mean" in at]
    return max(collected, key=lambda at: len(at["time"]), default=None)


class Sweep:
    """Holds the parts of a collected file that the picture needs: means, deviations and values of
    points."""

    def __init__(self, file):
        self.title = str(file.attrs.get("title", ""))
        file = group_of_totals(file)
        self.species = list(file["species"].asstr()[:])
        self.time = file["time"][:]
        self.mean = file["total_mean"][:]
        self.deviation = np.sqrt(np.maximum(file["total_variance"][:], 0))  # NaN for one run
        self.values = {name: self._values_of(file[name]) for name in file if name not in NOT_VARIED}
        self.across = self._pick_across(file["point"][:])

    @staticmethod
    def _values_of(dataset):
        return dataset[:] if dataset.dtype.kind in "iuf" else dataset.asstr()[:]

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


def pick_species(sweep, wanted):
    """Returns the numbers of the species to show: those of --species, or else the first ones."""
    unknown = [name for name in wanted if name not in sweep.species]
    if unknown:
        raise ValueError(f"has no species {unknown[0]}; choose from {', '.join(sweep.species)}")
    return [sweep.species.index(name) for name in wanted or sweep.species[:SPECIES_MOST]]


def colours(n):
    return plt.get_cmap("viridis")(np.linspace(0.0, 0.9, n))


def draw_legend(ax, n):
    if 1 < n <= NAMES_MOST:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5, handlelength=1.2)


def draw_values(ax, sweep, s, t):
    """Draws the mean of each point at one time against the varied key, one standard deviation of
    single runs about it, and a line for each choice of all other values."""
    x, lines = sweep.values[sweep.across], sweep.lines()
    for colour, (label, points) in zip(colours(len(lines)), lines.items()):
        mean, deviation = (of[points, t, s] for of in (sweep.mean, sweep.deviation))
        ax.plot(x[points], mean, color=colour, marker="o", markersize=4, linewidth=1.4, label=label)
        ax.fill_between(x[points], np.maximum(mean - deviation, 0), mean + deviation, color=colour,
                        alpha=0.15, linewidth=0)
    if x.min() > 0 and x.max() > WIDE * x.min():
        ax.set_xscale("log")
    ax.set_xlabel(sweep.across)
    ax.set_title(f"{sweep.species[s]}   t = {sweep.time[t]:.6g}", loc="left")
    draw_legend(ax, len(lines))


def draw_times(figure, ax, sweep, s):
    """Draws the mean of points in time; colours show the value on the axis above."""
    chosen = np.unique(np.linspace(0, len(sweep.mean) - 1, LINES_MOST).astype(int))
    x = sweep.values[sweep.across]
    norm = plt.Normalize(x.min(), x.max())
    for point in chosen:
        colour = plt.get_cmap("viridis")(0.9 * norm(x[point]))
        ax.plot(sweep.time, sweep.mean[point, :, s], color=colour, linewidth=1.2,
                label=sweep.label(point))
    ax.set_xlabel("time")
    ax.set_title(f"{sweep.species[s]}: {len(chosen)} of {len(sweep.mean)} points", loc="left")
    draw_legend(ax, len(chosen))
    if len(chosen) > NAMES_MOST:
        shades = plt.matplotlib.colors.ListedColormap(colours(256))
        figure.colorbar(plt.cm.ScalarMappable(norm, shades), ax=ax, label=sweep.across)


def picture_of_sweep(file, species, wanted_time):
    """Returns the figure: end values above, totals in time below if there is more than one time."""
    sweep = Sweep(file)
    shown = pick_species(sweep, species)
    t = len(sweep.time) - 1 if wanted_time is None else int(np.argmin(abs(sweep.time - wanted_time)))
    rows = 1 + (len(sweep.time) > 1)
    figure = plt.figure(figsize=(max(4.4 * len(shown), 6.5), 3.8 * rows), layout="constrained")
    axes = figure.subplots(rows, len(shown), squeeze=False)
    for column, s in zip(axes.T, shown):
        draw_values(column[0], sweep, s, t)
        if rows > 1:
            draw_times(figure, column[1], sweep, s)
    for ax in axes.ravel():
        ax.set_ylim(bottom=0)
        ax.grid(color="#dddddd", linewidth=0.6)
    for ax in axes[:, 0]:
        ax.set_ylabel("number in all")
    left_out = len(sweep.species) - len(shown)
    omitted = f"   ({len(shown)} of {len(sweep.species)} species)" if left_out else ""
    figure.suptitle(f"{sweep.title}   mean and one standard deviation over runs{omitted}", fontsize=12,
                    x=0.01, ha="left")
    return figure
