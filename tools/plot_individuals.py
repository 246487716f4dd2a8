"""plot_individuals - draws individuals: their tracks and their families. Only this module reads
/individuals and /lineage of a result file."""
import numpy as np
from matplotlib import pyplot as plt

TRACKS_MOST = 30  # individuals whose tracks are drawn
LIVES_MOST = 150  # individuals of a family tree
FAMILIES_MOST = 8  # families whose sizes are drawn


def group_of(result, folder, species):
    """Returns the species' group in the folder; if it has none, the error lists those that
    exist."""
    at = result.root if folder == "lineage" else result.file
    there = list(at[folder]) if folder in at else []
    if species not in there:
        raise ValueError(f"has no {species} in /{folder}; choose from "
                         f"{', '.join(there) or 'nothing'}")
    return at[folder][species]


def axes_of_tracks(result):
    """Returns the horizontal and vertical axes: the two longest ones of space, or time and the only
    one."""
    if not result.axes:
        raise ValueError("has one voxel, in which there are no tracks")
    longest = sorted(result.axes, key=lambda name: -len(result.file[name]))[:2]
    return ("time", longest[0]) if len(longest) == 1 else tuple(sorted(longest))


class Rows:
    """Holds the rows of one run: ids, indices of times, and coordinates."""

    def __init__(self, result, group, names):
        n = len(result.time)
        starts = group["row_start"][:n, result.run]
        counts = group["row_count"][:n, result.run]
        columns = ("id", *(name for name in names if name != "time"))
        read = {name: group[name] for name in columns}
        parts = {name: [read[name][a:a + k] for a, k in zip(starts, counts)] for name in columns}
        for name in columns:
            parts[name] = np.concatenate(parts[name])
        self.id = parts["id"]
        self.at = np.repeat(np.arange(n), counts)
        parts["time"] = result.time[self.at]
        self.along, self.up = (parts[name].astype(float) for name in names)


def longest_seen(ids):
    """Returns the individuals that are present at most times."""
    ids, times = np.unique(ids, return_counts=True)
    return ids[np.argsort(-times, kind="stable")[:TRACKS_MOST]]


def broken(values, gaps):
    """Returns the values with a NaN before each gap, so that no line crosses it."""
    return np.insert(values, gaps, np.nan)


def gaps_of(result, rows, mine, names):
    """Returns the gaps of a track: the individual left through a periodic wall (or moved by more
    than half of the box, which looks the same), or was absent for a while."""
    gaps = np.diff(rows.at[mine]) > 1
    for name, values in zip(names, (rows.along, rows.up)):
        if name != "time" and "periodic" in result.configuration():
            low, high = result.extent(name)
            gaps |= abs(np.diff(values[mine])) > (high - low) / 2
    return np.flatnonzero(gaps) + 1


def picture_of_tracks(result, species):
    """Returns a figure with lines through the places of individuals at successive times. A dot
    marks the first place; a cross marks the last one, if it is before the end."""
    names = axes_of_tracks(result)
    rows = Rows(result, group_of(result, "individuals", species), names)
    if len(rows.id) == 0:
        raise ValueError(f"has no {species} in run {result.runs[result.run]}")
    shown = longest_seen(rows.id)
    figure = plt.figure(figsize=(9.0, 7.0), layout="constrained")
    ax = figure.subplots()
    for one in shown:
        mine = np.flatnonzero(rows.id == one)
        gaps = gaps_of(result, rows, mine, names)
        line, = ax.plot(broken(rows.along[mine], gaps), broken(rows.up[mine], gaps),
                        linewidth=0.9, alpha=0.8)
        mark = {"color": line.get_color(), "linestyle": "none", "markersize": 4}
        ax.plot(rows.along[mine[0]], rows.up[mine[0]], marker="o", **mark)
        if rows.at[mine[-1]] < len(result.time) - 1:
            ax.plot(rows.along[mine[-1]], rows.up[mine[-1]], marker="x", **mark)
    for name, limit in zip(names, (ax.set_xlim, ax.set_ylim)):
        limit(*(result.extent(name) if name != "time" else result.time[[0, -1]]))
    if "time" not in names:
        ax.set_aspect("equal")
    ax.set_xlabel(result.label(names[0]))
    ax.set_ylabel(result.label(names[1]))
    ax.set_title(f"Tracks of {species} in run {result.runs[result.run]}: {len(shown)} of "
                 f"{len(np.unique(rows.id))}, those seen longest", loc="left")
    return figure


def column_of_run(result, groups, table, name):
    """Returns a column's rows of one run in the tables of all groups, one after the other."""
    run = result.runs[result.run]
    return [value for group in groups
            for value in group[table][name][:][group[table]["run"][:] == run].tolist()]


class Lives:
    """Holds parents, children, births and deaths of the individuals of one run; the death is the end
    of the run if they live on. All species with a lineage are included, since an individual may be
    born as one species, have children as another and die as a third."""

    def __init__(self, result):
        groups = list(result.root["lineage"].values())
        births = column_of_run(result, groups, "births", "id")
        self.end = result.time[-1]
        self.born = dict(zip(births, column_of_run(result, groups, "births", "time")))
        self.died = dict(zip(column_of_run(result, groups, "deaths", "id"),
                             column_of_run(result, groups, "deaths", "time")))
        self.parent = dict(zip(births, column_of_run(result, groups, "births", "parent")))
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
              [lives.death(one) for one in chosen], linewidth=0.9, color="#0072B2")
    young = [one for one in chosen if lives.parent[one] in height]
    ax.vlines([lives.born[one] for one in young], [height[lives.parent[one]] for one in young],
              [height[one] for one in young], linewidth=0.5, color="#888888")
    dead = [one for one in chosen if one in lives.died]
    ax.plot([lives.died[one] for one in dead], [height[one] for one in dead], linestyle="none",
            marker="x", markersize=3, color="#D55E00")
    ax.set_yticks([])


def draw_sizes(ax, lives, families):
    """Draws the numbers of living members of the largest families in time."""
    for family in families[:FAMILIES_MOST]:
        births = np.sort([lives.born[one] for one in family])
        deaths = np.sort([lives.died[one] for one in family if one in lives.died])
        times = np.union1d(np.union1d(births, deaths), [lives.end])
        living = (np.searchsorted(births, times, side="right")
                  - np.searchsorted(deaths, times, side="right"))
        ax.step(times, living, where="post", linewidth=1.2, label=f"of {family[0]}")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("living members")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    ax.grid(color="#dddddd", linewidth=0.6)


def picture_of_lineage(result, species):
    """Returns a figure with the trees of all families with a birth as this species, and below it
    their sizes."""
    group = group_of(result, "lineage", species)
    born = set(column_of_run(result, [group], "births", "id"))
    if not born:
        raise ValueError(f"has no birth of {species} in run {result.runs[result.run]}")
    lives = Lives(result)
    families = families_of(lives, born)
    chosen = chosen_for_tree(families)
    figure = plt.figure(figsize=(10.0, 9.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    draw_tree(upper, lives, chosen)
    draw_sizes(lower, lives, families)
    upper.set_title(f"Lineage of {species} in run {result.runs[result.run]}: {len(chosen)} of "
                    f"{sum(map(len, families))} lives", loc="left")
    lower.set_title(f"The {min(len(families), FAMILIES_MOST)} largest of {len(families)} families",
                    loc="left")
    lower.set_xlabel(result.label("time"))
    return figure
