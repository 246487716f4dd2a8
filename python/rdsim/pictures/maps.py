"""maps - draws numbers on planes: at several times with one colour scale for each quantity, and boxes
as slices and projections."""
import math
from dataclasses import dataclass

import numpy as np
from matplotlib.lines import Line2D

from . import style, totals

MAPS_MOST = 6  # quantities
TIMES = {1: 8, 2: 5}  # times for so many quantities
TIMES_LEAST = 4  # for more
HIGHEST = 3.2  # inches, of a map


@dataclass(frozen=True)
class Plane:
    """Holds how a box becomes a plane: a slice or a projection along the axis `across`."""

    across: str
    vertical: str
    horizontal: str
    index: int = None  # of the slice; None: a projection

    def of(self, result, quantity, t):
        """Returns a quantity on the plane at one time, rows from below. A projection adds numbers,
        and averages concentrations and fields."""
        numbers, place = result.numbers(quantity, t), "zyx".index(self.across)
        if self.index is not None:
            return numbers.take(self.index, axis=place)
        if is_sum(result, quantity) or numbers.shape[place] == 1:
            return numbers.sum(axis=place)
        return result.average(quantity, numbers, place)

    def extent(self, result):
        return (*result.extent(self.horizontal), *result.extent(self.vertical))

    def aspect(self, result):
        """Returns height over width."""
        left, right, bottom, top = self.extent(result)
        return (top - bottom) / (right - left)

    def remark(self, result):
        """Returns the place of a slice; a projection stands in the unit."""
        if self.index is None:
            return ""
        at = f"{self.across} = {style.number(result.centres(self.across)[self.index])}"
        return f"slice at {at} {result.unit_of(self.across)}".rstrip()


def plane_across(axis, index=None):
    vertical, horizontal = (name for name in "zyx" if name != axis)
    return Plane(axis, vertical, horizontal, index)


def plane_for(result, across, at):
    """Returns the plane that the options choose: a slice of AXIS=PLACE, or the projection along an
    axis, by default along the one with the fewest voxels."""
    if at is None:
        return plane_across(across or min("zyx", key=lambda axis: len(result.file[axis])))
    axis, place = at
    low, high = result.extent(axis)
    if not low <= place <= high:
        result.fail(f"has no slice at {axis} = {place:g}; choose a place from {low:g} to {high:g}")
    return plane_across(axis, int(np.argmin(abs(result.centres(axis) - place))))


def is_sum(result, quantity):
    """Returns whether a projection adds numbers; concentrations and fields are averaged."""
    return quantity.kind != "field" and result.unit.name == "molecules per voxel"


def unit_on(result, quantity, plane):
    """Returns the unit of numbers on a plane: of single voxels, or of their sum or mean."""
    unit = result.name_of_unit(quantity)
    if plane.index is None and len(result.file[plane.across]) > 1:
        unit = (f"molecules, summed over {plane.across}" if is_sum(result, quantity) else
                f"{unit}, mean over {plane.across}")
    return unit


def scale_for(result, quantity, planes, shown):
    """Returns one colour scale of all times for planes of a quantity."""
    values = np.concatenate([plane.of(result, quantity, t).ravel()
                             for t in result.scale_times(shown) for plane in planes])
    if quantity.kind == "field":
        return style.scale_of_fields(values)
    return style.scale_of_counts(values[np.isfinite(values)], result.is_whole(quantity))


def draw_plane(ax, result, values, plane, scale):
    """Draws one plane with the frame of the box."""
    image = ax.imshow(values, origin="lower", extent=plane.extent(result), interpolation="nearest",
                      **scale.options())
    image.cmap.set_bad("#eeeeee")
    style.hide_ticks(ax)
    return image


def draw_outlines(ax, result, plane, names):
    """Draws the edges of regions on a plane."""
    left, right, bottom, top = plane.extent(result)
    for colour, name in zip(style.PALETTE[1:], names):
        mask = result.mask(name).astype(float)
        seen = mask.take(plane.index, axis="zyx".index(plane.across)) if plane.index is not None \
            else mask.max(axis="zyx".index(plane.across))
        edge = np.pad(seen, 1)  # so that outlines close at walls
        rows, columns = seen.shape
        x = left + (np.arange(-1, columns + 1) + 0.5) * (right - left) / columns
        y = bottom + (np.arange(-1, rows + 1) + 0.5) * (top - bottom) / rows
        ax.contour(x, y, edge, levels=[0.5], colors=[colour], linewidths=0.8)


def draw_names_of_outlines(ax, names):
    handles = [Line2D([], [], color=colour, linewidth=0.8, label=name)
               for colour, name in zip(style.PALETTE[1:], names)]
    if handles:
        legend = ax.legend(handles=handles, loc="upper right", bbox_to_anchor=(1.02, -0.01),
                           borderpad=0, ncol=min(3, len(handles)), columnspacing=1.0)
        legend.set_in_layout(False)  # it may reach below other maps, beside the scale bar


def height_of_map(n_times, aspect):
    """Returns the height of one map of n in inches."""
    return min((style.WIDTH - 1.0) / columns_for(n_times, aspect) * aspect, HIGHEST)


def columns_for(n, aspect):
    """Returns the number of columns for n panels of this height over width."""
    if aspect < 0.12:
        return 1
    if aspect < 0.4:
        return min(n, 2)
    return math.ceil(n / math.ceil(n / 5)) if n != 8 else 4


def draw_block(figure, axes, result, quantity, times, plane, options):
    """Draws the maps of one quantity at several times, with one colour bar."""
    scale = scale_for(result, quantity, [plane], times)
    for ax, t in zip(axes, times):
        image = draw_plane(ax, result, plane.of(result, quantity, t), plane, scale)
        draw_outlines(ax, result, plane, options.regions)
        ax.set_title(result.moment(t), loc="left")
    for ax in axes[len(times):]:
        ax.set_visible(False)
    axes[0].set_ylabel(quantity.label, weight="bold")
    rows = len(axes) // columns_for(len(times), plane.aspect(result))
    style.draw_colour_bar(figure, image, axes, scale, unit_on(result, quantity, plane),
                          rows * height_of_map(len(times), plane.aspect(result)),
                          result.is_whole(quantity))


def draw_maps(figure, result, quantities, times, plane, options):
    """Draws a block of maps for each quantity; all have one scale bar."""
    columns = columns_for(len(times), plane.aspect(result))
    rows = math.ceil(len(times) / columns)
    axes = figure.subplots(rows * len(quantities), columns, squeeze=False)
    for i, quantity in enumerate(quantities):
        block = axes[i * rows:(i + 1) * rows].ravel()
        draw_block(figure, block, result, quantity, times, plane, options)
    last = axes[-1][0]
    style.draw_scale_bar(last, result.unit_of(plane.horizontal))
    draw_names_of_outlines([ax for ax in axes[-1] if ax.get_visible()][-1], options.regions)


def height_of_maps(n_quantities, n_times, aspect):
    rows = math.ceil(n_times / columns_for(n_times, aspect))
    return n_quantities * rows * (height_of_map(n_times, aspect) + 0.24) + 0.25


def remarks_on(result, quantities, shown, plane, options):
    """Returns what the picture leaves out."""
    remarks = result.remark_on_species(quantities, options)
    without = [q.label for q in quantities if q not in shown and q.kind == "species"]
    if without:
        remarks.append(f"no map of {', '.join(without)}: well mixed")
    return remarks + [remark_on_runs(result), plane.remark(result)]


def remark_on_runs(result):
    if result.use_mean and result.n_runs() > 1:
        return f"maps are means of {result.n_runs()} runs"
    return f"maps of run {result.runs[result.run]}" if result.n_runs() > 1 else ""


def picture_of_maps(result, options, with_totals=True):
    """Returns a figure with maps of each quantity at several times, and the totals in time."""
    quantities = result.pick(options.species, MAPS_MOST)
    shown = result.placed(quantities)
    if not shown:
        return totals.picture_of_totals(result, options)
    plane = plane_for(result, options.axis, options.slice)
    times = result.pick_times(options.times, TIMES.get(len(shown), TIMES_LEAST))
    above = height_of_maps(len(shown), len(times), plane.aspect(result))
    below = 1.8 if with_totals else 0.0
    figure = style.new_figure(above + below + 0.3)
    upper = figure
    if with_totals:
        upper, lower = figure.subfigures(2, 1, height_ratios=(above, below))
        counted = result.for_totals()
        totals.draw_totals(lower.subplots(), counted, same(counted, quantities), options)
    draw_maps(upper, result, shown, times, plane, options)
    return figure, remarks_on(result, quantities, shown, plane, options)


def same(result, quantities):
    """Returns the quantities of these names in another group of outputs."""
    known = result.quantities()
    return [known[q.name] for q in quantities if q.name in known]


# ---- boxes as slices and projections ----

def planes_of_box(result, place):
    """Returns three slices through a place and three projections."""
    indices = {axis: int(np.argmin(abs(result.centres(axis) - at)))
               for axis, at in zip("xyz", place)}
    return ([plane_across(axis, indices[axis]) for axis in "zyx"],
            [plane_across(axis) for axis in "zyx"])


def draw_row(figure, axes, result, quantity, t, planes, is_slice, height):
    """Draws one row of slices or projections with one colour bar."""
    scale = scale_for(result, quantity, planes, [t])
    for ax, plane in zip(axes, planes):
        image = draw_plane(ax, result, plane.of(result, quantity, t), plane, scale)
        at = plane.remark(result).removeprefix("slice at ")
        ax.set_title(at if is_slice else f"along {plane.across}", loc="left")
        ax.set_xlabel(plane.horizontal, labelpad=1)
        ax.set_ylabel(plane.vertical, labelpad=1)
    unit = result.name_of_unit(quantity)
    if not is_slice:
        unit = "molecules in a column" if is_sum(result, quantity) else f"{unit}, mean of a column"
    what = "slices" if is_slice else "projections"
    axes[0].text(-0.16, 0.5, f"{quantity.label}, {result.moment(t)}\n{what}", rotation=90,
                 ha="center", va="center", transform=axes[0].transAxes, weight="bold",
                 linespacing=1.3)
    style.draw_colour_bar(figure, image, axes, scale, unit, height, result.is_whole(quantity))


def picture_of_sections(result, options):
    """Returns a figure of a box: slices through a place (by default the middle) and projections
    along the three axes, at one time for each quantity, or at several times."""
    if len(result.axes) < 3:
        result.fail(f"has {len(result.axes)} dimensions with more than one voxel, and sections need 3; "
                    "draw maps")
    shown = result.placed(result.pick(options.species, 2))
    if not shown:
        result.fail("has no numbers of voxels for sections; draw totals")
    times = result.pick_times(options.times, 1)
    place = options.about or [sum(result.extent(axis)) / 2 for axis in "xyz"]
    check_place(result, place)
    size = {axis: result.extent(axis)[1] - result.extent(axis)[0] for axis in "xyz"}
    widths = [size[plane.horizontal] for plane in planes_of_box(result, place)[0]]
    tallest = max(size["y"], size["z"]) * (style.WIDTH - 1.6) / sum(widths)
    rows = 2 * len(shown) * len(times)
    figure = style.new_figure(0.5 + rows * (min(tallest, HIGHEST) + 0.45))
    axes = figure.subplots(rows, 3, squeeze=False, width_ratios=widths)
    pairs = [(quantity, t) for quantity in shown for t in times]
    for i, (quantity, t) in enumerate(pairs):
        for j, planes in enumerate(planes_of_box(result, place)):
            draw_row(figure, axes[2 * i + j], result, quantity, t, planes, j == 0, min(tallest, HIGHEST))
    style.draw_scale_bar(axes[-1][0], result.unit_of("x"))
    return figure, result.remark_on_species(shown, options) + [remark_on_runs(result)]


def check_place(result, place):
    """Refuses a place outside of the box."""
    for axis, at in zip("xyz", place):
        low, high = result.extent(axis)
        if not low <= at <= high:
            result.fail(f"does not reach {axis} = {at:g}; choose a place from {low:g} to {high:g}")
