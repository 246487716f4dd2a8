#!/usr/bin/env python3
"""plot - one picture of a result file: maps, profiles or trajectories, and the totals in time.

The picture depends on the file. On a plane: maps of the species (a box is summed along the axis
with the fewest voxels). On a line: profiles, and a map over space and time. For one voxel, or
without counts of voxels: only the totals. Options draw individuals instead: their tracks, or their
lineage. For a collected file of a sweep: end values against the varied keys.
"""
import argparse
import math
import sys
from pathlib import Path

try:
    import h5py
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    import plot_individuals  # the back end is chosen first
    import plot_sweep
    from plot_result import Result, group_of_totals
    from matplotlib import pyplot as plt
    from matplotlib.ticker import MaxNLocator
except ModuleNotFoundError as missing:
    if __name__ != "__main__":
        raise
    print(f"plot.py: the Python package {missing.name} is missing; install it, as by: apt install "
          "python3-h5py python3-matplotlib, or: pip install h5py matplotlib", file=sys.stderr)
    sys.exit(2)

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MAPS_MOST = 8  # species that get a map
LINES_MOST = 3  # species that get a profile
TIMES = 4  # times shown if there is room for more than one
SCALE_TIMES = 60  # times that determine a colour scale, at most
SCALE_VOXELS = 100_000_000  # voxels read for it, at most
HIGHEST = 5.5  # inches, of a map
BARS_MOST = 40  # of a histogram

STYLE = {
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#888888",
    "axes.linewidth": 0.8,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "legend.frameon": False,
    "image.cmap": "viridis",
}


def pick_species(result, wanted, most):
    """Returns the numbers of the species to show: those of --species, or else the most numerous.
    Fields are given by their names."""
    if wanted:
        known = result.species + list(result.fields)
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise ValueError(f"has no species {unknown[0]}; choose from " + ", ".join(known))
        return [name if name in result.fields else result.species.index(name) for name in wanted]
    peaks = [result.totals(s)[0].max() for s in range(len(result.species))]
    return sorted(sorted(range(len(peaks)), key=lambda s: -peaks[s])[:most])


def pick_times(result, wanted, most):
    """Returns the indices of the times to show: the one nearest to --time, or some, evenly
    spread."""
    if wanted is not None:
        return [int(np.argmin(abs(result.time - wanted)))]
    if most == 1:
        return [len(result.time) - 1]
    return [int(t) for t in np.unique(np.linspace(0, len(result.time) - 1, most).round())]


def counted(result, shown):
    """Returns the shown species, which have totals; all species if only fields are shown."""
    return [s for s in shown if not isinstance(s, str)] or range(len(result.species))


def draw_totals(ax, result, species):
    """Draws totals in time: the mean over runs, one standard deviation about it, a few runs."""
    means = []
    for palette, s in zip(COLOURS, counted(result, species)):
        colour = result.colours[s] or palette
        mean, deviation = result.totals(s)
        means.append(mean)
        for run in result.trajectories(s):
            ax.plot(result.time, run, color=colour, linewidth=0.5, alpha=0.25)
        if deviation is not None:
            ax.fill_between(result.time, np.maximum(mean - deviation, 0), mean + deviation,
                            color=colour, alpha=0.2, linewidth=0)
        marker = "o" if len(result.time) == 1 else None
        ax.plot(result.time, mean, color=colour, linewidth=1.6, marker=marker,
                label=result.labels[s])
    peaks = [mean.max() for mean in means if mean.max() > 0]
    if peaks and max(peaks) > 300 * min(peaks):
        ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(result.label("time"))
    ax.set_ylabel("number in all")
    ax.set_title(totals_title(result), loc="left")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    ax.grid(color="#dddddd", linewidth=0.6)


def draw_spread(ax, result, species):
    """Draws a histogram over runs of the totals at the only recorded time."""
    for palette, s in zip(COLOURS, counted(result, species)):
        colour = result.colours[s] or palette
        runs = result.file["totals"][:, 0, s]
        runs = runs[runs >= 0]  # without faulted runs
        wide = max(1, math.ceil((runs.max() - runs.min() + 1) / BARS_MOST))
        ax.hist(runs, np.arange(runs.min(), runs.max() + wide + 1, wide) - 0.5, color=colour,
                alpha=0.5, label=result.labels[s])
    ax.set_xlabel("number in all")
    ax.set_ylabel("runs")
    ax.set_title(f"Totals of {len(result.runs)} runs at {result.moment(0)}", loc="left")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    ax.grid(color="#dddddd", linewidth=0.6)


def of_totals(result, species):
    """Returns the group with the totals, and the numbers that the species have there."""
    totals = Result(result.root, result.runs[result.run] if result.one_run else None,
                    group_of_totals(result.root))
    if totals.file == result.file:
        return result, species
    names = [result.name(s) for s in species if not isinstance(s, str)]
    return totals, [totals.species.index(name) for name in names if name in totals.species]


def draw_numbers(ax, result, species):
    """Draws the totals in time, or, for a single time, their histogram over runs."""
    result, species = of_totals(result, species)
    is_moment = len(result.time) == 1 and len(result.runs) > 1 and not result.one_run
    draw = draw_spread if is_moment and "totals" in result.file else draw_totals
    draw(ax, result, species)


def draw_stopped(ax, result):
    """Draws a histogram of the times at which runs stopped."""
    stopped = result.file["stopped"][:]
    times = stopped[np.isfinite(stopped)]
    ax.hist(times, BARS_MOST, color=COLOURS[2], alpha=0.5)
    ax.set_xlabel(result.label("time"))
    ax.set_ylabel("runs")
    ax.set_title(f"When runs stopped: {len(times)} of {len(stopped)}", loc="left")
    ax.grid(color="#dddddd", linewidth=0.6)


def totals_title(result):
    n = len(result.runs)
    if result.one_run:
        return f"Totals of run {result.runs[result.run]}"
    return "Totals" if n == 1 else f"Totals: mean of {n} runs, and one standard deviation"


def draw_bar(figure, ax, image, width, s):
    """Draws a colour bar beside a map, of the same height; width is a fraction of the map's."""
    bar = figure.colorbar(image, cax=ax.inset_axes([1.0 + width / 2, 0, width, 1]))
    bar.ax.yaxis.set_major_locator(MaxNLocator(4, integer=not isinstance(s, str)))
    bar.outline.set_visible(False)


def limits(s, numbers):
    """Returns the range of the colour scale: from 0 for counts."""
    if isinstance(s, str):
        return {"vmin": np.nanmin(numbers), "vmax": np.nanmax(numbers)}
    return {"vmin": 0, "vmax": max(np.max(numbers), 1)}


def limits_of_all(result, s, shown):
    """Returns one colour scale for all times of a species or a field: the times shown and others,
    so that pictures of single times (--time) can be compared."""
    most = int(np.clip(SCALE_VOXELS // result.numbers(s, 0).size, TIMES, SCALE_TIMES))
    times = {*shown, *pick_times(result, None, most)}
    planes = [result.plane(s, t)[0] for t in sorted(times)]
    return limits(s, [extreme for plane in planes for extreme in (plane.min(), plane.max())])


def draw_outlines(ax, result, extent):
    """Draws the edges of regions, seen along the axis over which maps are summed."""
    for colour, mask in zip(COLOURS[1:], result.outlines.values()):
        seen = mask.max(axis=mask.shape.index(min(mask.shape)))
        edge = np.pad(seen, 1)  # so that outlines close at walls
        (left, right, bottom, top), (rows, columns) = extent, seen.shape
        x = left + (np.arange(-1, columns + 1) + 0.5) * (right - left) / columns
        y = bottom + (np.arange(-1, rows + 1) + 0.5) * (top - bottom) / rows
        ax.contour(x, y, edge, levels=[0.5], colors=[colour], linewidths=1.0)


def draw_map(ax, result, s, t, extent, scale):
    """Draws the counts of one species, or a field, on the plane at one time."""
    seen, _ = result.plane(s, t)
    image = ax.imshow(seen, origin="lower", extent=extent, interpolation="nearest", **scale)
    draw_outlines(ax, result, extent)
    ax.set_title(f"{result.name(s)}   {result.moment(t)}", loc="left")
    return image


def columns_for(n, aspect):
    """Returns the number of columns for n panels of height/width aspect: the grid should be less
    than half as high as wide, with few empty places."""
    def cost(columns):
        rows = math.ceil(n / columns)
        return abs(math.log(rows * aspect / columns / 0.4)) + (rows * columns - n) / n
    return min(range(1, n + 1), key=cost)


def draw_maps(figure, result, panels, shape):
    """Draws a map for each (species, time), on a grid of (rows, columns)."""
    _, (vertical, horizontal) = result.plane(*panels[0])
    extent = (*result.extent(horizontal), *result.extent(vertical))
    axes = figure.subplots(*shape, squeeze=False, sharex=True, sharey=True).ravel()
    scales = {s: limits_of_all(result, s, [t for other, t in panels if other == s])
              for s in dict(panels)}
    for place, (ax, panel) in enumerate(zip(axes, panels)):
        image = draw_map(ax, result, *panel, extent, scales[panel[0]])
        draw_bar(figure, ax, image, 0.035 / max(1, shape[0] / shape[1]), panel[0])
        if place % shape[1] == 0:
            ax.set_ylabel(result.label(vertical))
        if place + shape[1] >= len(panels):
            ax.set_xlabel(result.label(horizontal))
            ax.tick_params(labelbottom=True)
    for ax in axes[len(panels):]:
        ax.set_visible(False)


def with_places(result, species):
    """Returns the fields, and the species that are in voxels: those of compartments have no place."""
    return [s for s in species if isinstance(s, str) or not result.compartments[s]]


def picture_of_maps(result, species, wanted_time):
    """Returns a figure with maps of the species, at several times if species are few, and the
    totals."""
    mapped = with_places(result, species)
    times = pick_times(result, wanted_time, TIMES if len(mapped) <= 2 else 1)
    panels = [(s, t) for s in mapped for t in times]
    aspect = min(max(result.aspect(), 0.03), 3.0)
    columns = columns_for(len(panels), aspect)
    if len(times) > 1:
        columns = min(columns, len(times))
    rows = math.ceil(len(panels) / columns)
    width, below = 12.0, 2.9
    above = rows * (min((width / columns - 0.85) * aspect, HIGHEST) + 0.8)
    figure = plt.figure(figsize=(width, above + below), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(above, below))
    draw_maps(upper, result, panels, (rows, columns))
    draw_numbers(lower.subplots(), result, species)
    return figure


def draw_profiles(ax, result, s, times):
    """Draws counts along the line at a few times, early ones in light colours."""
    axis = result.axes[0]
    edges = np.linspace(*result.extent(axis), len(result.file[axis]) + 1)
    shades = plt.get_cmap("viridis_r")(np.linspace(0.15, 1.0, len(times)))
    for shade, t in zip(shades, times):
        ax.stairs(result.line(s, t), edges, color=shade, linewidth=1.2, baseline=None,
                  label=result.moment(t))
    if not isinstance(s, str):
        ax.set_ylim(bottom=0)
    ax.set_title(result.name(s), loc="left")
    ax.set_xlabel(result.label(axis))
    ax.set_ylabel("field" if isinstance(s, str) else "number in a voxel")
    ax.legend(fontsize=8.5, handlelength=1.0)
    ax.grid(color="#dddddd", linewidth=0.6)


def draw_space_time(figure, ax, result, s):
    """Draws counts along the line, time upwards."""
    axis = result.axes[0]
    counts, chosen = result.line_in_time(s)
    image = ax.pcolormesh(result.file[axis][:], result.time[chosen], counts, shading="nearest",
                          rasterized=True, **limits(s, counts))
    ax.set_title(f"{result.name(s)} in space and time", loc="left")
    ax.set_xlabel(result.label(axis))
    ax.set_ylabel(result.label("time"))
    draw_bar(figure, ax, image, 0.03, s)


def picture_of_lines(result, species, wanted_time):
    """Returns a figure with the profiles of each species and, for several times, its map over space
    and time; the totals below."""
    times = pick_times(result, wanted_time, TIMES)
    height = 2.9
    mapped = with_places(result, species)
    figure = plt.figure(figsize=(12.0, height * (len(mapped) + 1)), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(len(mapped), 1))
    columns = 1 + (len(result.time) > 1)
    for row, s in zip(upper.subplots(len(mapped), columns, squeeze=False), mapped):
        draw_profiles(row[0], result, s, times)
        if columns > 1:
            draw_space_time(upper, row[1], result, s)
    draw_numbers(lower.subplots(), result, species)
    return figure


def picture_of_totals(result, species):
    has_ends = "stopped" in result.file and np.isfinite(result.file["stopped"][:]).any()
    rows = 1 + has_ends
    figure = plt.figure(figsize=(9.0, 1.0 + 4.0 * rows), layout="constrained")
    panels = figure.subplots(rows, 1, squeeze=False)[:, 0]
    draw_numbers(panels[0], result, species)
    if has_ends:
        draw_stopped(panels[1], result)
    return figure


def remarks(result, species):
    """Returns what the picture omits, in brackets."""
    omitted = []
    n = sum(not isinstance(s, str) for s in species)
    if n < len(result.species):
        omitted.append(f"{n} of {len(result.species)} species")
    without = [result.name(s) for s in species if s not in with_places(result, species)]
    if result.has_counts and result.axes and without:
        omitted.append(f"no map of {', '.join(without)}: well mixed")
    if result.has_counts and result.axes and len(result.runs) > 1:
        omitted.append(f"maps of run {result.runs[result.run]}")
    if result.has_counts and len(result.axes) == 3:
        _, names = result.plane(0, 0)
        omitted.append(f"summed over {next(name for name in 'xyz' if name not in names)}")
    return f"({'; '.join(omitted)})" if omitted else ""


def picture_of_file(file, chosen):
    """Returns the figure of a result, or of a collected file of a sweep."""
    if not plot_sweep.is_collected(file):
        return picture(Result(file, chosen.run, wanted_group(file, chosen.group)), chosen)
    for word in ("run", "tracks", "lineage", "group", "regions"):
        if getattr(chosen, word) is not None:
            raise ValueError(f"was collected by a sweep, and has no --{word}; draw the result of "
                             "one of its tasks")
    return plot_sweep.picture_of_sweep(file, wanted_species(chosen), chosen.time)


def wanted_group(file, name):
    """Returns the group of that name; None without one."""
    names = file.attrs.get("output_groups", "").split()
    if name is not None and name not in names:
        raise ValueError(f"has no group {name}; " + (f"choose from {', '.join(names)}" if names
                                                     else "its output has no groups"))
    return None if name is None else file[name]


def wanted_outlines(result, names):
    """Returns the masks of the regions, [z][y][x], by their names."""
    regions = result.root.get("regions", {})
    known = [name for name in regions if name != "totals"]
    outlines = {}
    for name in names.split(",") if names else []:
        if name not in known:
            raise ValueError(f"has no region {name}; choose from {', '.join(known) or 'none'}")
        outlines[name] = regions[name][:]
    return outlines


def wanted_species(chosen):
    return chosen.species.split(",") if chosen.species else []


def picture(result, chosen):
    """Returns the figure that the options choose, or else the default for the result."""
    if chosen.tracks:
        return plot_individuals.picture_of_tracks(result, chosen.tracks)
    if chosen.lineage:
        return plot_individuals.picture_of_lineage(result, chosen.lineage)
    result.outlines = wanted_outlines(result, chosen.regions)
    return picture_of_species(result, wanted_species(chosen), chosen.time)


def picture_of_species(result, wanted_species, wanted_time):
    """Returns a figure with maps, profiles or totals, depending on the grid."""
    if not result.has_counts or not result.axes:
        most, draw = len(COLOURS), lambda species: picture_of_totals(result, species)
    elif len(result.axes) == 1:
        most, draw = LINES_MOST, lambda species: picture_of_lines(result, species, wanted_time)
    else:
        most, draw = MAPS_MOST, lambda species: picture_of_maps(result, species, wanted_time)
    species = pick_species(result, wanted_species, most)
    if not with_places(result, species):
        draw = lambda species: picture_of_totals(result, species)
    figure = draw(species)
    figure.suptitle(f"{result.title()}   {remarks(result, species)}".rstrip(), fontsize=13, x=0.01,
                    ha="left")
    return figure


def options(arguments):
    parser = argparse.ArgumentParser(description="Draws one picture of a result file.")
    parser.add_argument("result", help="the result file, or the collected file of a sweep (HDF5)")
    parser.add_argument("-o", "--output", help="the picture; by default RESULT with .png")
    parser.add_argument("--species", help="names with commas, of fields too; by default the most "
                        "numerous species")
    parser.add_argument("--group", help="draw this group of the output; by default the one with "
                        "most counts of voxels, and totals of the one with most totals")
    parser.add_argument("--regions", help="names with commas; draw the outlines of these regions")
    parser.add_argument("--time", type=float, help="draw the nearest recorded time")
    parser.add_argument("--run", type=int, help="number of the run; by default the first, "
                        "and the mean of all for the totals")
    individuals = parser.add_mutually_exclusive_group()
    individuals.add_argument("--tracks", metavar="SPECIES", help="draw the tracks of individuals")
    individuals.add_argument("--lineage", metavar="SPECIES", help="draw family trees (of a species "
                             "with record = \"lineage\")")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = options(arguments)
    output = chosen.output or str(Path(chosen.result).with_suffix(".png"))
    plt.rcParams.update(STYLE)
    try:
        if not Path(chosen.result).is_file():
            raise ValueError("is not a file")
        with h5py.File(chosen.result, "r") as file:
            picture_of_file(file, chosen).savefig(output, dpi=110)
    except (OSError, KeyError, ValueError) as fault:
        what = "" if isinstance(fault, ValueError) else "cannot be drawn: "
        print(f"{chosen.result}: {what}{fault}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
