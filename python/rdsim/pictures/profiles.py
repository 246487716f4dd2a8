"""profiles - draws numbers along an axis or a radius, and along an axis and time (kymographs)."""
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import maps, style, totals

LINES_MOST = 4  # quantities
TIMES = 4  # profiles of one quantity
COLUMNS_MOST = 500  # times of a kymograph


def axis_for(result, wanted):
    """Returns the wanted axis, by default the longest one."""
    if not result.axes:
        result.fail("has one voxel, and so no axis; draw totals")
    if wanted is None:
        return max(result.axes, key=lambda axis: len(result.file[axis]))
    if wanted not in result.axes:
        result.fail(f"has one voxel along {wanted}; choose from {', '.join(result.axes)}")
    return wanted


class AlongAxis:
    """Averages numbers over planes across an axis."""

    def __init__(self, result, axis):
        self.others = tuple(i for i, name in enumerate("zyx") if name != axis)
        size = len(result.file[axis])
        self.edges = np.linspace(*result.extent(axis), size + 1)
        self.label = result.label(axis)
        self.remark = f"mean over {' and '.join(a for a in result.axes if a != axis)}" \
            if len(result.axes) > 1 else ""

    def of(self, result, quantity, t, run=None):
        return result.average(quantity, result.numbers(quantity, t, run), self.others)


class AlongRadius:
    """Averages numbers over shells of one voxel's width about a place."""

    def __init__(self, result, centre):
        maps.check_place(result, centre)
        width = min(result.voxel_size(axis) for axis in result.axes)
        squares = [((result.centres(axis) - at) ** 2).reshape(
            [-1 if name == axis else 1 for name in "zyx"])
            for axis, at in zip("xyz", centre) if axis in result.axes]
        self.shell = (np.sqrt(sum(squares)) / width).astype(int)
        self.shell = np.broadcast_to(self.shell, result.shape())
        self.edges = np.arange(self.shell.max() + 2) * width
        units = result.unit_of(result.axes[0])
        self.label = f"radius ({units})" if units else "radius"
        at = ", ".join(style.number(c) for axis, c in zip("xyz", centre) if axis in result.axes)
        self.remark = f"mean over shells about ({at})"

    def of(self, result, quantity, t, run=None):
        return result.average_in(quantity, result.numbers(quantity, t, run), self.shell)


def read_profile(result, quantity, t, along):
    """Returns the profile at one time, and its deviation over runs, or None for one run."""
    if not result.can_average() or (quantity.kind == "field" and
                                    result.fields[quantity.name].ndim != 5):
        return along.of(result, quantity, t), None
    rows = [along.of(result, quantity, t, run) for run in valid_runs(result, t)]
    return np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) if len(rows) > 1 else None


def valid_runs(result, t):
    """Returns the indices of the runs that reached this time."""
    n = len(result.runs)
    if "run_state" not in result.file:
        return range(n)
    return [run for run in range(n) if result.file["run_state"][run] > t]


def draw_profiles(ax, result, quantity, times, along):
    """Draws profiles at a few times, later ones in darker colours; returns whether they have
    bands."""
    has_band = False
    for shade, t in zip(style.shades(len(times)), times):
        mean, deviation = read_profile(result, quantity, t, along)
        ax.stairs(mean, along.edges, color=shade, linewidth=1.1, baseline=None,
                  label=result.moment(t))
        if deviation is not None:
            has_band = True
            ax.stairs(mean + deviation, along.edges, baseline=np.maximum(mean - deviation, 0),
                      fill=True, color=shade, alpha=0.2, linewidth=0, label="_band")
    if quantity.kind != "field":
        ax.set_ylim(bottom=0)
    ax.set_title(quantity.label, loc="left", weight="bold")
    ax.set_xlabel(along.label)
    ax.set_ylabel(result.name_of_unit(quantity))
    style.grid_on(ax)
    return has_band


def draw_legend_of_times(ax, result, has_band):
    """Draws a legend of the times, and of the band."""
    handles = [Line2D([], [], color=patch.get_edgecolor(), linewidth=1.1, label=patch.get_label())
               for patch in ax.patches if not patch.get_label().startswith("_")]
    if has_band:
        handles.append(Patch(color=style.GREY, alpha=0.25, linewidth=0,
                             label=f"mean ± 1 SD, {len(result.runs)} runs"))
    style.draw_legend(ax, handles)


def remark_on_profiles(result):
    if result.can_average():
        return f"means of {len(result.runs)} runs"
    return maps.remark_on_runs(result).replace("maps", "profiles")


def picture_of_profiles(result, options):
    """Returns a figure with the profiles of each quantity along an axis or a radius."""
    quantities = result.pick(options.species, LINES_MOST)
    shown = result.placed(quantities)
    axis = axis_for(result, options.axis)
    if not shown:
        result.fail("has no numbers of voxels for profiles; draw totals")
    middle = [sum(result.extent(name)) / 2 for name in "xyz"]
    along = AlongRadius(result, options.about or middle) if options.kind == "radial" else \
        AlongAxis(result, axis)
    times = result.pick_times(options.times, TIMES + 1)
    figure = style.new_figure(0.6 + 1.9 * len(shown), 5.2)
    for ax, quantity in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown):
        draw_legend_of_times(ax, result, draw_profiles(ax, result, quantity, times, along))
    return figure, result.remark_on_species(quantities, options) + [along.remark, remark_on_profiles(result)]


# ---- kymographs ----

def edges_between(values):
    """Returns the edges of cells about values at any distances."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[values[0]], middles, [values[-1]]])


def read_kymograph(result, quantity, along):
    """Returns numbers [place][time], and the edges of the times."""
    chosen = np.unique(np.linspace(0, len(result.time) - 1, COLUMNS_MOST).astype(int))
    columns = [along.of(result, quantity, t) for t in chosen]
    return np.array(columns).T, edges_between(result.time[chosen])


def draw_kymograph(figure, ax, result, quantity, along):
    """Draws numbers along an axis (upwards) and time (to the right) with a colour bar."""
    values, times = read_kymograph(result, quantity, along)
    scale = style.scale_of_fields(values) if quantity.kind == "field" else style.scale_of_counts(
        values[np.isfinite(values)], result.is_whole(quantity) and len(along.others) == 0)
    image = ax.pcolormesh(times, along.edges, values, shading="flat", rasterized=True,
                          **scale.options())
    ax.set_title(f"{quantity.label} in space and time", loc="left", weight="bold")
    ax.set_xlabel(result.label("time"))
    ax.set_ylabel(along.label)
    style.draw_colour_bar(figure, image, [ax], scale, result.name_of_unit(quantity), 1.2)


def picture_of_kymographs(result, options):
    """Returns a figure with the kymograph of each quantity."""
    if len(result.time) < 2:
        result.fail("has one snapshot, and a kymograph needs more; draw a profile")
    axis = axis_for(result, options.axis)
    quantities = result.pick(options.species, LINES_MOST)
    shown = result.placed(quantities)
    if not shown:
        result.fail("has no numbers of voxels for a kymograph; draw totals")
    along = AlongAxis(result, axis)
    figure = style.new_figure(0.6 + 1.8 * len(shown))
    for ax, quantity in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown):
        draw_kymograph(figure, ax, result, quantity, along)
    remark = maps.remark_on_runs(result).replace("maps", "kymographs")
    return figure, result.remark_on_species(quantities, options) + [along.remark, remark]


# ---- the overview of a line ----

def picture_of_lines(result, options):
    """Returns a figure with profiles and a kymograph of each quantity, and the totals in time."""
    quantities = result.pick(options.species, LINES_MOST)
    shown = result.placed(quantities)
    if not shown:
        return totals.picture_of_totals(result, options)
    along = AlongAxis(result, axis_for(result, options.axis))
    times = result.pick_times(options.times, TIMES)
    figure = style.new_figure(0.5 + 1.75 * len(shown) + 1.8)
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.75 * len(shown), 1.8))
    columns = 1 + (len(result.time) > 1)
    for row, quantity in zip(upper.subplots(len(shown), columns, squeeze=False,
                                                   width_ratios=(1.4, 1)[:columns]), shown):
        has_band = draw_profiles(row[0], result, quantity, times, along)
        draw_legend_of_times(row[0], result, has_band)
        if columns > 1:
            draw_kymograph(upper, row[1], result, quantity, along)
    counted = result.for_totals()
    totals.draw_totals(lower.subplots(), counted, maps.same(counted, quantities), options)
    remarks = result.remark_on_species(quantities, options) + [along.remark, remark_on_profiles(result)]
    if columns > 1 and result.can_average():
        remarks.append(maps.remark_on_runs(result).replace("maps", "kymographs"))
    return figure, remarks
