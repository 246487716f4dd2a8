"""differences - draws the difference of two results: of the totals in time, in standard errors of
their means, and of the numbers in voxels."""
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import maps, profiles, style

TOTALS_MOST = 6  # species
MAPS_MOST = 3  # species
TIMES = 4


class Pair:
    """Holds two results, their shared times, and the quantities of the first one that both have."""

    def __init__(self, first, second, options):
        self.of = (first, second)
        self.at = shared_times(first, second)
        if not len(self.at):
            first.fail(f"has no time in common with {second.path}; compare results that were recorded "
                       "at the same times")
        self.time = first.time[[a for a, _ in self.at]]
        names = {q.name for q in second.quantities().values()}
        known = [q for q in first.pick(options.species, 10**6) if q.name in names]
        if not known or (options.species and len(known) < len(options.species)):
            first.fail(f"has not the species that {second.path} has: {', '.join(sorted(names))}; "
                       "choose --species that both have")
        self.quantities = known

    def both(self, quantity):
        """Returns the quantity as it stands in both results."""
        return quantity, self.of[1].quantities()[quantity.name]

    def has_maps(self):
        first, second = self.of
        return (first.has_places() and second.has_places() and first.shape() == second.shape())


def shared_times(first, second):
    """Returns pairs of indices of equal times."""
    found = []
    for a, time in enumerate(first.time):
        b = int(np.argmin(abs(second.time - time)))
        if abs(second.time[b] - time) <= 1e-9 * max(1e-300, abs(time), second.time[-1]):
            found.append((a, b))
    return found


def difference_of_totals(pair, quantity, options):
    """Returns the difference of means, and its standard error, or None for single runs."""
    series = [result.series(q, options.region, "sd")
              for result, q in zip(pair.of, pair.both(quantity))]
    at = tuple(np.array(index) for index in zip(*pair.at))
    mean = series[0].mean[at[0]] - series[1].mean[at[1]]
    if any(s.low is None for s in series):
        return mean, None
    # high - mean is one standard deviation of single runs
    parts = [((s.high - s.mean)[i]) ** 2 / result.n_runs()
             for s, i, result in zip(series, at, pair.of)]
    return mean, np.sqrt(sum(parts))


def draw_totals(ax, pair, options):
    """Draws the differences of totals with bands of two standard errors."""
    shown = [q for q in pair.quantities if q.kind != "field"][:TOTALS_MOST]
    has_band = False
    for quantity, colour in zip(shown, style.colours_of(shown)):
        mean, error = difference_of_totals(pair, quantity, options)
        ax.plot(pair.time, mean, color=colour, linewidth=1.4, label=quantity.label,
                marker="o" if len(pair.time) == 1 else None)
        if error is not None:
            has_band = True
            ax.fill_between(pair.time, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2,
                            linewidth=0)
    ax.axhline(0, color="black", linewidth=0.6)
    handles, _ = ax.get_legend_handles_labels()
    if has_band:
        handles.append(Patch(color=style.GREY, alpha=0.25, linewidth=0, label="± 2 standard errors"))
    handles.append(Line2D([], [], color="black", linewidth=0.6, label="no difference"))
    style.draw_legend(ax, handles)
    ax.set_xlabel(pair.of[0].label("time"))
    ax.set_ylabel("molecules,\nfirst - second")
    ax.set_title("Difference of total numbers", loc="left")
    style.grid_on(ax)


def pick_pairs(pair, options):
    """Returns the pairs of indices of the times to show."""
    if options.times:
        wanted = [pair.of[0].moment_near(t) for t in options.times]
        shown = [both for both in pair.at if both[0] in wanted]
        if not shown:
            pair.of[0].fail(f"has no snapshot near t = {options.times[0]:g} that "
                            f"{pair.of[1].path} has too; choose another time")
        return shown
    places = np.unique(np.linspace(0, len(pair.at) - 1, TIMES).round().astype(int))
    return [pair.at[place] for place in places]


def draw_block(figure, axes, pair, quantity, shown, plane):
    """Draws maps of the differences of one quantity with one scale, symmetric about 0."""
    first, second = pair.of
    here, there = pair.both(quantity)
    planes = [plane.of(first, here, a) - plane.of(second, there, b)
              for a, b in shown]
    scale = style.scale_of_differences(np.concatenate([values.ravel() for values in planes]))
    for ax, values, (a, _) in zip(axes, planes, shown):
        image = maps.draw_plane(ax, first, values, plane, scale)
        ax.set_title(first.moment(a), loc="left")
    axes[0].set_ylabel(quantity.label, weight="bold")
    height = maps.height_of_map(len(shown), plane.aspect(first))
    style.draw_colour_bar(figure, image, axes, scale,
                          f"first - second ({maps.unit_on(first, quantity, plane)})", height)


def draw_lines(axes, pair, quantities, shown, along):
    """Draws profiles of the differences of each quantity."""
    first, second = pair.of
    for ax, quantity in zip(axes, quantities):
        here, there = pair.both(quantity)
        for shade, (a, b) in zip(style.shades(len(shown)), shown):
            values = (profiles.read_profile(first, here, a, along)[0] -
                      profiles.read_profile(second, there, b, along)[0])
            ax.stairs(values, along.edges, color=shade, linewidth=1.1, baseline=None,
                      label=first.moment(a))
        ax.axhline(0, color="black", linewidth=0.6)
        ax.set_title(quantity.label, loc="left", weight="bold")
        ax.set_xlabel(along.label)
        ax.set_ylabel(f"first - second\n({first.name_of_unit(quantity)})", fontsize=7)
        style.draw_legend(ax)
        style.grid_on(ax)


def picture_of_difference(first, second, options):
    """Returns a figure of first - second, and remarks."""
    pair = Pair(first, second, options)
    totals = Pair(first.for_totals(), second.for_totals(), options)
    shown = first.placed(pair.quantities)[:MAPS_MOST] if pair.has_maps() else []
    times = pick_pairs(pair, options)
    remark = profiles.remark_on_profiles if len(first.axes) == 1 else maps.remark_on_runs
    remarks = [f"first: {first.path}, {remark(first) if shown else ''}".rstrip(", "),
               f"second: {second.path}, {remark(second) if shown else ''}".rstrip(", ")]
    if not shown:
        figure = style.new_figure(2.9)
        draw_totals(figure.subplots(), totals, options)
        return figure, remarks
    plane = maps.plane_for(first, options.axis if len(first.axes) == 3 else None, options.slice)
    is_line = len(first.axes) == 1
    above = 1.7 * len(shown) if is_line else \
        maps.height_of_maps(len(shown), len(times), plane.aspect(first))
    figure = style.new_figure(above + 1.9 + 0.5)
    upper, lower = figure.subfigures(2, 1, height_ratios=(above, 1.9))
    if is_line:
        along = profiles.AlongAxis(first, first.axes[0])
        draw_lines(upper.subplots(len(shown), 1, squeeze=False)[:, 0], pair, shown, times, along)
    else:
        columns = maps.columns_for(len(times), plane.aspect(first))
        rows = -(-len(times) // columns)
        axes = upper.subplots(rows * len(shown), columns, squeeze=False)
        for i, quantity in enumerate(shown):
            block = axes[i * rows:(i + 1) * rows].ravel()
            for ax in block[len(times):]:
                ax.set_visible(False)
            draw_block(upper, block[:len(times)], pair, quantity, times, plane)
        style.draw_scale_bar(axes[-1][0], first.unit_of(plane.horizontal))
    draw_totals(lower.subplots(), totals, options)
    return figure, remarks
