"""style - the look of all pictures: sizes, colours, titles, captions, colour bars and scale bars."""
import math
import textwrap
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

# Okabe and Ito (2008): eight colours that people with any kind of colour vision can tell apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
COUNTS = "viridis"  # numbers from 0 on
FIELDS = "cividis"  # values of fields
DIFFERENCES = "PuOr_r"  # signed numbers, symmetric about 0
GREY = "#666666"

WIDTH = 7.2  # inches: two columns of a journal
DPI = 150
QUANTILE = 0.995  # of the values above 0: the upper end of a colour scale

SETTINGS = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titlepad": 3,
    "axes.labelsize": 8,
    "axes.edgecolor": "#888888",
    "axes.linewidth": 0.6,
    "axes.prop_cycle": plt.cycler(color=PALETTE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "image.cmap": COUNTS,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def settings():
    """Returns a context in which these settings hold; outside of it the caller's settings stay."""
    return plt.rc_context(SETTINGS)


def new_figure(height, width=WIDTH):
    """Returns a figure that no window shows and that is freed with its last reference."""
    figure = matplotlib.figure.Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.05)
    return figure


def wrapped(text, figure, size, weight="normal"):
    """Returns the text in lines that fit the figure's width in this font."""
    most = 0.92 * figure.get_figwidth() * 72  # glyphs on pixels are wider than their outlines
    font = FontProperties(size=size, weight=weight)
    lines = []
    for part in text.splitlines():
        lines.append("")
        for word in part.split():
            longer = f"{lines[-1]} {word}".lstrip()
            if lines[-1] and width_of(longer, font) > most:
                lines.append(word)
            else:
                lines[-1] = longer
    return "\n".join(lines)


def width_of(text, font):
    """Returns the width of a line in points."""
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def set_title(figure, title, remarks=()):
    """Sets the title above all panels, and remarks on what is shown below them."""
    figure.suptitle(wrapped(title, figure, 10, "bold"), fontsize=10, x=0.01, ha="left",
                    weight="bold")
    caption = "; ".join(remark for remark in remarks if remark)
    if caption:
        figure.supxlabel(wrapped(caption, figure, 7), fontsize=7, color=GREY, x=0.01, ha="left")


def number(value):
    return f"{value:.6g}"


# ---- colours ----

def colours_of(quantities):
    """Returns a colour for each quantity: its own of the configuration, or else the next one of the
    palette that no other has."""
    taken = {matplotlib.colors.to_hex(q.colour) for q in quantities if is_colour(q.colour)}
    free = [colour for colour in PALETTE if colour.lower() not in taken] or list(PALETTE)
    others = iter(free * (1 + len(quantities) // len(free)))
    return [q.colour if is_colour(q.colour) else next(others) for q in quantities]


def is_colour(colour):
    return bool(colour) and matplotlib.colors.is_color_like(colour)


def shades(n):
    """Returns n shades from light to dark for successive times or values."""
    return plt.get_cmap(COUNTS)(np.linspace(0.85, 0.0, n) if n > 1 else [0.3])


@dataclass
class Scale:
    """Holds the ends of a colour scale, and whether values lie beyond them."""

    low: float
    high: float
    extend: str = "neither"
    colours: str = COUNTS

    def options(self):
        return {"vmin": self.low, "vmax": self.high, "cmap": self.colours}


def scale_of_counts(values, is_whole=True):
    """Returns a scale from 0 to a high quantile of the values above 0. Whole numbers end at a whole
    number. A scale that clips less than a quarter of its length ends at the largest value."""
    above = values[values > 0]
    if len(above) == 0:
        return Scale(0, 1)
    most, high = above.max(), np.quantile(above, QUANTILE)
    if most <= 1.25 * high:
        high = most
    if is_whole:
        high = max(1, math.ceil(high))
    return Scale(0, float(high), "max" if most > high else "neither")


def scale_of_fields(values):
    """Returns a scale between a low and a high quantile of the values."""
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return Scale(0, 1, colours=FIELDS)
    low, high = np.quantile(values, (1 - QUANTILE, QUANTILE))
    if low == high:
        low, high = values.min(), values.max()
    below, above = values.min() < low, values.max() > high
    extend = "both" if below and above else "min" if below else "max" if above else "neither"
    return Scale(float(low), float(high), extend, FIELDS)


def scale_of_differences(values):
    """Returns a scale that is symmetric about 0."""
    sizes = abs(values[np.isfinite(values)])
    scale = scale_of_counts(sizes, is_whole=False)
    extend = "both" if scale.extend == "max" else "neither"
    return Scale(-scale.high, scale.high, extend, DIFFERENCES)


def draw_colour_bar(figure, image, axes, scale, label, height, is_whole=False):
    """Draws one colour bar at the right of the panels, with the unit of the numbers in lines that fit
    the height (inches)."""
    bar = figure.colorbar(image, ax=list(axes), extend=scale.extend, pad=0.015, fraction=0.04,
                          aspect=18 * max(1.0, height / 1.5))
    bar.locator = MaxNLocator(4 if height < 2.5 else 8, integer=is_whole and scale.high >= 1)
    bar.update_ticks()
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2)
    bar.set_label("\n".join(textwrap.wrap(label, max(10, int(22 * height)))), fontsize=7)
    return bar


# ---- panels ----

def grid_on(ax):
    ax.grid(True)
    ax.set_axisbelow(True)


def draw_legend(ax, handles=None, **more):
    """Draws the legend at the right of a panel, where it hides no data."""
    words = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), **more}
    return ax.legend(handles=handles, **words) if handles else ax.legend(**words)


def nice_length(most):
    """Returns the largest of 1, 2, 5, 10, 20, ... that is at most `most`."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(k * power for k in (1, 2, 5) if k * power <= most * (1 + 1e-9))


def draw_scale_bar(ax, units):
    """Draws a bar of a round length below a map, where it hides no data."""
    low, high = ax.get_xlim()
    length = nice_length(0.3 * (high - low))
    below = offset_copy(ax.get_xaxis_transform(), ax.figure, y=-6, units="points")
    ax.plot([low, low + length], [0, 0], color="black", linewidth=1.8, transform=below,
            clip_on=False, solid_capstyle="butt", gid="scale bar")
    ax.text(low + length, 0, f" {number(length)} {units}".rstrip(), transform=below, fontsize=7,
            va="center", ha="left", gid="scale bar")


def hide_ticks(ax):
    """Leaves the frame of a map only; its scale bar gives the lengths."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.4)
