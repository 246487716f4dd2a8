"""individuals - draws individuals: where they are, their tracks, their attributes and their families.
Only this module reads /individuals and /lineage of a result."""
import math

import numpy as np
from matplotlib.lines import Line2D

from . import maps, style, totals

TRACKS_MOST = 30  # individuals whose tracks are drawn
LIVES_MOST = 80  # individuals of a family tree
FAMILIES_MOST = 8  # families whose sizes are drawn
TIMES = 4  # panels of places
OWN = ("id", "parent", "born", "voxel", "x", "y", "z", "row", "row_start", "row_count")


def species_in(result, folder):
    """Returns the names of the species that have this table."""
    at = result.root if folder == "lineage" else result.file
    return [name for name in at.get(folder, {})]


def table_of(result, folder, wanted):
    """Returns the name and the table of a species, by default of the first one that has it."""
    names = species_in(result, folder)
    if not names:
        result.fail(f"has no {folder}; record them as docs/output.md says, or draw another kind")
    name = wanted[0] if wanted else names[0]
    if name not in names:
        result.fail(f"has no {folder} of '{name}'; choose from {', '.join(names)}")
    at = result.root if folder == "lineage" else result.file
    return name, at[folder][name]


def columns_at(result, table, names, t):
    """Returns the columns of the individuals of the run at one time."""
    start = int(table["row_start"][t, result.run])
    count = int(table["row_count"][t, result.run])
    return {name: table[name][start:start + count] for name in names}


def attribute_of(result, table, wanted):
    """Checks the name of an attribute."""
    known = [name for name in table if name not in OWN]
    if wanted is not None and wanted not in (*known, "born"):
        result.fail(f"has no attribute '{wanted}'; choose from {', '.join(known) or 'nothing'}")
    return wanted


def axes_of_plane(result):
    """Returns the horizontal and vertical axes: the two longest ones of space, or time and the only
    one."""
    if not result.axes:
        result.fail("has one voxel, in which individuals have no places; draw a histogram of an "
                    "attribute")
    longest = sorted(result.axes, key=lambda name: -len(result.file[name]))[:2]
    return ("time", longest[0]) if len(longest) == 1 else tuple(sorted(longest))


# ---- where they are ----

def scattered(result, columns, axes):
    """Returns places at random in their voxels, the same ones in every picture."""
    draw = np.random.default_rng(1)
    return [columns[axis] + (draw.random(len(columns[axis])) - 0.5) * result.voxel_size(axis)
            for axis in axes]


def draw_places(ax, result, columns, axes, attribute, scale):
    colour = {"c": columns[attribute], **scale.options()} if attribute else {
        "color": style.PALETTE[0]}
    n = len(columns["id"])
    size = float(np.clip(2000 / max(n, 1), 1.0, 9.0))
    dots = ax.scatter(*scattered(result, columns, axes), s=size, linewidth=0, alpha=0.8, **colour)
    ax.set_xlim(*result.extent(axes[0]))
    ax.set_ylim(*result.extent(axes[1]))
    ax.set_aspect("equal")
    style.hide_ticks(ax)
    return dots


def picture_of_individuals(result, options):
    """Returns a figure with the places of individuals at several times, coloured by an
    attribute."""
    species, table = table_of(result, "individuals", options.species)
    attribute = attribute_of(result, table, options.attribute)
    axes = axes_of_plane(result)
    if "time" in axes:
        return picture_of_tracks(result, options)
    times = result.pick_times(options.times, TIMES)
    names = list(dict.fromkeys(["id", *axes, *([attribute] if attribute else [])]))
    found = {t: columns_at(result, table, names, t) for t in times}
    scale = style.scale_of_fields(np.concatenate([found[t][attribute] for t in times])
                                  .astype(float)) if attribute else None
    low, high = (result.extent(axis) for axis in axes)
    aspect = (high[1] - high[0]) / (low[1] - low[0])
    columns = maps.columns_for(len(times), aspect)
    rows = math.ceil(len(times) / columns)
    figure = style.new_figure(0.7 + rows * (min((style.WIDTH - 1) / columns * aspect, 3.2) + 0.25))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, t in zip(panels, times):
        dots = draw_places(ax, result, found[t], axes, attribute, scale)
        maps.draw_outlines(ax, result, maps.plane_across(
            next(a for a in "zyx" if a not in axes)), options.regions)
        ax.set_title(f"{result.moment(t)}   n = {len(found[t]['id'])}", loc="left")
    for ax in panels[len(times):]:
        ax.set_visible(False)
    style.draw_scale_bar(panels[(rows - 1) * columns], result.unit_of(axes[0]))
    if attribute:
        style.draw_colour_bar(figure, dots, list(panels[:len(times)]), scale,
                              f"{attribute} of {species}",
                              1.5 * rows)
    return figure, [f"individuals of {species}, run {result.runs[result.run]}",
                    "places are at random within the voxel"]


def picture_of_attribute(result, options):
    """Returns a figure with histograms of an attribute at several times."""
    species, table = table_of(result, "individuals", options.species)
    name = attribute_of(result, table, options.attribute)
    times = result.pick_times(options.times, TIMES)
    found = {t: columns_at(result, table, [name], t)[name].astype(float) for t in times}
    found = {t: values[np.isfinite(values)] for t, values in found.items()}
    everything = np.concatenate(list(found.values()))
    if len(everything) == 0:
        result.fail(f"has no individuals of '{species}' at these times; choose others")
    figure = style.new_figure(2.6, 5.2)
    ax = figure.subplots()
    edges = totals.edges_for(everything)
    for shade, (t, values) in zip(style.shades(len(times)), found.items()):
        ax.hist(values, edges, color=shade, histtype="step", linewidth=1.1,
                label=f"{result.moment(t)}, n = {len(values)}")
    ax.set_xlabel(f"{name} of {species}")
    ax.set_ylabel("individuals")
    style.draw_legend(ax)
    style.grid_on(ax)
    return figure, [f"run {result.runs[result.run]}"]


# ---- tracks ----

class Rows:
    """Holds the rows of one run: ids, indices of times, and coordinates."""

    def __init__(self, result, table, axes):
        n = len(result.time)
        names = ("id", *(name for name in axes if name != "time"))
        parts = [columns_at(result, table, names, t) for t in range(n)]
        counts = [len(part["id"]) for part in parts]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in names}
        self.id = columns["id"]
        self.at = np.repeat(np.arange(n), counts)
        columns["time"] = result.time[self.at]
        self.along, self.up = (columns[name].astype(float) for name in axes)


def longest_seen(ids):
    """Returns the individuals that are present at most times."""
    ids, times = np.unique(ids, return_counts=True)
    return ids[np.argsort(-times, kind="stable")[:TRACKS_MOST]]


def gaps_of(result, rows, mine, axes):
    """Returns the gaps of a track: the individual left through a periodic wall (or moved by more
    than half of the box, which looks the same), or was absent for a while."""
    gaps = np.diff(rows.at[mine]) > 1
    for name, values in zip(axes, (rows.along, rows.up)):
        if name != "time" and "periodic" in result.configuration():
            low, high = result.extent(name)
            gaps |= abs(np.diff(values[mine])) > (high - low) / 2
    return np.flatnonzero(gaps) + 1


def draw_track(ax, result, rows, one, axes):
    """Draws one track; a dot marks its first place, a cross its last one before the end."""
    mine = np.flatnonzero(rows.id == one)
    gaps = gaps_of(result, rows, mine, axes)
    along, up = (np.insert(values[mine], gaps, np.nan) for values in (rows.along, rows.up))
    line, = ax.plot(along, up, linewidth=0.8, alpha=0.85)
    mark = {"color": line.get_color(), "linestyle": "none", "markersize": 3}
    ax.plot(rows.along[mine[0]], rows.up[mine[0]], marker="o", **mark)
    if rows.at[mine[-1]] < len(result.time) - 1:
        ax.plot(rows.along[mine[-1]], rows.up[mine[-1]], marker="x", **mark)


def aspect_of_tracks(result, axes):
    """Returns height over width of the panel."""
    if "time" in axes:
        return 0.7
    (left, right), (low, high) = (result.extent(axis) for axis in axes)
    return float(np.clip((high - low) / (right - left), 0.2, 1.5))


def picture_of_tracks(result, options):
    """Returns a figure with lines through the places of individuals at successive times."""
    species, table = table_of(result, "individuals", options.species)
    axes = axes_of_plane(result)
    rows = Rows(result, table, axes)
    run = result.runs[result.run]
    if len(rows.id) == 0:
        result.fail(f"has no individuals of '{species}' in run {run}; choose another run")
    shown = longest_seen(rows.id)
    figure = style.new_figure(0.9 + 4.3 * aspect_of_tracks(result, axes), 6.0)
    ax = figure.subplots()
    for one in shown:
        draw_track(ax, result, rows, one, axes)
    for name, limit in zip(axes, (ax.set_xlim, ax.set_ylim)):
        limit(*(result.extent(name) if name != "time" else result.time[[0, -1]]))
    if "time" not in axes:
        ax.set_aspect("equal")
    ax.set_xlabel(result.label(axes[0]))
    ax.set_ylabel(result.label(axes[1]))
    mark = {"color": style.GREY, "linestyle": "none", "markersize": 3}
    style.draw_legend(ax, [Line2D([], [], marker="o", label="first place", **mark),
                           Line2D([], [], marker="x", label="last place", **mark)])
    n = len(np.unique(rows.id))
    return figure, [f"tracks of {species}, run {run}: {len(shown)} of {n}, those seen longest",
                    "lines join snapshots"]


# ---- families ----

def column_of_run(result, tables, part, name):
    """Returns a column's rows of one run in all tables, one after the other."""
    run = result.runs[result.run]
    return [value for table in tables
            for value in table[part][name][:][table[part]["run"][:] == run].tolist()]


class Lives:
    """Holds parents, children, births and deaths of the individuals of one run; the death is the end
    of the run if they live on. All species with a lineage are included, since an individual may be
    born as one species, have children as another and die as a third."""

    def __init__(self, result):
        tables = list(result.root["lineage"].values())
        births = column_of_run(result, tables, "births", "id")
        self.end = result.time[-1]
        self.born = dict(zip(births, column_of_run(result, tables, "births", "time")))
        self.died = dict(zip(column_of_run(result, tables, "deaths", "id"),
                             column_of_run(result, tables, "deaths", "time")))
        self.parent = dict(zip(births, column_of_run(result, tables, "births", "parent")))
        self.children = {one: [] for one in self.born}
        for one, parent in self.parent.items():
            if parent in self.children:
                self.children[parent].append(one)
        self.founders = [one for one, parent in self.parent.items() if parent not in self.born]

    def death(self, one):
        return self.died.get(one, self.end)

    def family(self, founder):
        """Returns the founder and all descendants, each before its children, the youngest child
        first."""
        family, waiting = [], [founder]
        while waiting:
            family.append(waiting.pop())
            waiting.extend(sorted(self.children[family[-1]], key=self.born.get))
        return family


def families_of(lives, born):
    """Returns all families with a member in `born`, the largest first."""
    families = [family for family in map(lives.family, lives.founders)
                if not born.isdisjoint(family)]
    return sorted(families, key=lambda family: -len(family))


def chosen_for_tree(families):
    """Returns the members of the largest families that fit, and of at least one, which may be cut
    off."""
    chosen = families[0][:LIVES_MOST]
    for family in families[1:]:
        if len(chosen) + len(family) <= LIVES_MOST:
            chosen = chosen + family
    return chosen


def draw_tree(ax, lives, chosen):
    """Draws a line for each life, from birth to death, and one from the parent at each birth."""
    height = {one: place for place, one in enumerate(chosen)}
    ax.hlines(list(height.values()), [lives.born[one] for one in chosen],
              [lives.death(one) for one in chosen], linewidth=0.8, color=style.PALETTE[0],
              label="life")
    young = [one for one in chosen if lives.parent[one] in height]
    ax.vlines([lives.born[one] for one in young], [height[lives.parent[one]] for one in young],
              [height[one] for one in young], linewidth=0.5, color="#888888", label="birth")
    dead = [one for one in chosen if one in lives.died]
    ax.plot([lives.died[one] for one in dead], [height[one] for one in dead], linestyle="none",
            marker="x", markersize=2.5, color=style.PALETTE[1], label="death")
    ax.set_yticks([])
    ax.set_ylabel("individuals")
    style.draw_legend(ax)


def draw_sizes(ax, lives, families):
    """Draws the numbers of living members of the largest families in time."""
    for family in families[:FAMILIES_MOST]:
        births = np.sort([lives.born[one] for one in family])
        deaths = np.sort([lives.died[one] for one in family if one in lives.died])
        times = np.union1d(np.union1d(births, deaths), [lives.end])
        living = (np.searchsorted(births, times, side="right")
                  - np.searchsorted(deaths, times, side="right"))
        ax.step(times, living, where="post", linewidth=1.0, label=f"founder {family[0]}")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("living members")
    style.draw_legend(ax)
    style.grid_on(ax)


def picture_of_lineage(result, options):
    """Returns a figure with the trees of all families with a birth as this species, and below it
    their sizes."""
    species, table = table_of(result, "lineage", options.species)
    run = result.runs[result.run]
    born = set(column_of_run(result, [table], "births", "id"))
    if not born:
        result.fail(f"has no birth of '{species}' in run {run}; choose another run")
    lives = Lives(result)
    families = families_of(lives, born)
    chosen = chosen_for_tree(families)
    figure = style.new_figure(5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    draw_tree(upper, lives, chosen)
    draw_sizes(lower, lives, families)
    upper.set_title(f"{len(chosen)} of {sum(map(len, families))} lives", loc="left")
    lower.set_title(f"The {min(len(families), FAMILIES_MOST)} largest of {len(families)} families",
                    loc="left")
    lower.set_xlabel(result.label("time"))
    return figure, [f"families of {species}, run {run}"]
