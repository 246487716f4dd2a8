"""totals - draws numbers in all voxels or in a region: in time, with bands over runs; and histograms
over runs, over voxels, and of the times at which runs stopped."""
import math

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import style

LINES_MOST = 8  # species of one panel
BARS_MOST = 40  # of a histogram
TIMES_MOST = 4  # histograms of one species
WIDE = 300  # peaks that differ by more than this have a logarithmic axis


def counted(result, quantities):
    """Returns the quantities that have totals; the most numerous species if only fields are
    shown."""
    return [q for q in quantities if q.kind != "field"] or result.pick(None, LINES_MOST)


def draw_series(ax, result, quantity, colour, options):
    """Draws one total in time with its band and single runs; returns what was drawn."""
    series = result.series(quantity, options.region, options.band)
    for run in series.runs:
        ax.plot(result.time, run, color=colour, linewidth=0.4, alpha=0.3)
    if series.low is not None:
        ax.fill_between(result.time, series.low, series.high, color=colour, alpha=0.25, linewidth=0)
    marker = "o" if len(result.time) == 1 else None
    ax.plot(result.time, series.mean, color=colour, linewidth=1.5, marker=marker,
            label=quantity.label)
    return series


def legend_of_bands(result, drawn, options):
    """Returns entries that explain bands and thin lines."""
    entries = []
    if any(series.low is not None for series in drawn):
        entries.append(Patch(color=style.GREY, alpha=0.25, linewidth=0,
                             label=f"{result.band_name(options.band)}, {result.n_runs()} runs"))
    n = max(len(series.runs) for series in drawn)
    if n:
        entries.append(Line2D([], [], color=style.GREY, linewidth=0.5,
                              label=f"{n} single run{'s' if n > 1 else ''}"))
    return entries


def scale_numbers(ax, drawn, is_logarithmic):
    """Chooses a logarithmic axis for peaks that differ widely, and begins it at 0."""
    peaks = [np.nanmax(series.mean) for series in drawn]
    peaks = [peak for peak in peaks if peak > 0]
    if is_logarithmic or (peaks and max(peaks) > WIDE * min(peaks)):
        ax.set_yscale("symlog", linthresh=1)
    if not any((series.mean < 0).any() for series in drawn):
        ax.set_ylim(bottom=0)


def title_of(result, options):
    numbers = f"Numbers in {options.region}" if options.region else "Total numbers"
    if options.run is not None:
        return f"{numbers}, run {options.run}"
    if result.n_runs() > 1:
        return f"{numbers}, mean of {result.n_runs()} runs"
    return numbers


def draw_totals(ax, result, quantities, options):
    """Draws totals in time, with a legend for species, bands and single runs."""
    quantities = counted(result, quantities)[:LINES_MOST]
    drawn = [draw_series(ax, result, quantity, colour, options)
             for quantity, colour in zip(quantities, style.colours_of(quantities))]
    scale_numbers(ax, drawn, options.log)
    ax.set_xlabel(result.label("time"))
    ax.set_ylabel("molecules")
    ax.set_title(title_of(result, options), loc="left")
    handles, _ = ax.get_legend_handles_labels()
    style.draw_legend(ax, handles + legend_of_bands(result, drawn, options))
    style.grid_on(ax)


def edges_for(values):
    """Returns the edges of a histogram: whole numbers have bars of a whole width."""
    low, high = values.min(), values.max()
    if (values == np.round(values)).all():
        wide = max(1, math.ceil((high - low + 1) / BARS_MOST))
        return np.arange(low, high + wide + 1, wide) - 0.5
    return np.linspace(low, high, BARS_MOST + 1)


def totals_of_runs(result, quantity, t, region):
    """Returns the totals of all valid runs at one time."""
    name, _, at = result.locate_totals(quantity, region)
    if name not in result.file:
        result.fail("has no totals of single runs, only statistics; record keep = \"totals\"")
    runs = result.file[name][(slice(None), t, *at)]
    return runs[runs >= 0]


def values_for(result, quantity, t, options):
    """Returns what a histogram shows: totals over runs, or numbers of voxels of a single run."""
    if len(result.runs) > 1 and options.run is None:
        return totals_of_runs(result, quantity, t, options.region)
    values = result.numbers(quantity, t).ravel() if result.has_places() else np.array([])
    values = values[np.isfinite(values)]
    if len(values) == 0:
        result.fail("has neither several runs nor numbers of voxels for a histogram; draw totals")
    return values


def draw_histogram(ax, result, quantity, options):
    """Draws histograms of one quantity at a few times."""
    times = result.pick_times(options.times, TIMES_MOST)
    found = {t: values_for(result, quantity, t, options) for t in times}
    edges = edges_for(np.concatenate(list(found.values())))
    for colour, (t, values) in zip(style.shades(len(times)), found.items()):
        ax.hist(values, edges, color=colour, alpha=0.25)
        ax.hist(values, edges, color=colour, histtype="step", linewidth=1.1,
                label=result.moment(t))
    is_over_runs = len(result.runs) > 1 and options.run is None
    of_voxels = "field" if quantity.kind == "field" else result.unit.name
    ax.set_xlabel("molecules" if is_over_runs else of_voxels)
    ax.set_ylabel("runs" if is_over_runs else "voxels")
    ax.set_title(quantity.label, loc="left", weight="bold")
    if options.log:
        ax.set_yscale("log")
    style.draw_legend(ax)
    style.grid_on(ax)


def picture_of_histograms(result, options):
    """Returns a figure with a histogram for each quantity."""
    quantities = result.pick(options.species, 6)
    n = len(quantities)
    columns = min(n, 2)
    rows = math.ceil(n / columns)
    figure = style.new_figure(0.6 + 2.0 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, quantity in zip(axes, quantities):
        draw_histogram(ax, result, quantity, options)
    for ax in axes[n:]:
        ax.set_visible(False)
    over = f"over {len(result.runs)} runs" if len(result.runs) > 1 and options.run is None else \
        f"over voxels of run {result.runs[result.run]}"
    return figure, [f"histograms {over}", *result.remark_on_species(quantities, options)]


def draw_stopped(ax, result):
    """Draws a histogram of the times at which runs stopped."""
    stopped = result.file["stopped"][:]
    times = stopped[np.isfinite(stopped)]
    ax.hist(times, BARS_MOST, color=style.PALETTE[2], alpha=0.6)
    ax.set_xlabel(result.label("time"))
    ax.set_ylabel("runs")
    ax.set_title(f"When runs stopped: {len(times)} of {len(stopped)}", loc="left")
    style.grid_on(ax)


def has_ends(result):
    return "stopped" in result.file and bool(np.isfinite(result.file["stopped"][:]).any())


def picture_of_totals(result, options):
    """Returns a figure of totals in time, or of their histogram if there is only one time; and of
    stop times."""
    totals = result.for_totals()
    quantities = totals.pick(options.species, LINES_MOST)
    is_moment = len(totals.time) == 1 and len(totals.runs) > 1 and options.run is None
    if is_moment and "totals" in totals.file:
        return picture_of_histograms(totals, options)
    rows = 1 + has_ends(totals)
    figure = style.new_figure(0.5 + 2.6 * rows)
    panels = figure.subplots(rows, 1, squeeze=False)[:, 0]
    draw_totals(panels[0], totals, quantities, options)
    if rows > 1:
        draw_stopped(panels[1], totals)
    return figure, totals.remark_on_species(quantities, options)
