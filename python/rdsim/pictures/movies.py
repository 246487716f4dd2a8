"""movies - writes movies of a result: maps or profiles at each snapshot, and the totals up to it. MP4
needs ffmpeg; GIF needs nothing more."""
from pathlib import Path

import numpy as np
from matplotlib import animation

from . import figures, maps, profiles, style, totals
from .output_file import replacing
from .result import PictureError, opened

FRAMES_MOST = 600
PANELS_MOST = 3  # quantities side by side
SECONDS = 12  # of a movie
DPI = 110


def path_for(result, path):
    """Returns the path of the movie, by default RESULT with .mp4, or .gif without ffmpeg."""
    has_ffmpeg = animation.FFMpegWriter.isAvailable()
    if path is None:
        return str(Path(result.path).with_suffix(".mp4" if has_ffmpeg else ".gif"))
    path = str(path)
    if not path.endswith((".mp4", ".gif")):
        raise PictureError(f"{path}: is no kind of movie; name a .mp4 or a .gif")
    if path.endswith(".mp4") and not has_ffmpeg:
        raise PictureError(f"{path}: needs the program ffmpeg, which is missing; install it, or name "
                           "a .gif")
    return path


def writer_for(path, fps):
    if path.endswith(".gif"):
        return animation.PillowWriter(fps=fps)
    return animation.FFMpegWriter(fps=fps, codec="h264", extra_args=["-pix_fmt", "yuv420p"])


def pick_frames(result, times):
    """Returns the indices of the snapshots that are frames, from the first to the last wanted
    time."""
    first, last = 0, len(result.time) - 1
    if times:
        if len(times) != 2 or times[0] >= times[1]:
            result.fail("has a movie from one time to a later one; give two times")
        first, last = (result.moment_near(t) for t in times)
    if last == first:
        result.fail("has one snapshot, and a movie needs more; draw a picture")
    return np.unique(np.linspace(first, last, min(FRAMES_MOST, last - first + 1)).round().astype(int))


class MapFrames:
    """Shows maps of a few quantities, each with one colour scale."""

    def __init__(self, figure, result, quantities, options):
        self.result = result
        self.plane = maps.plane_for(result, options.axis, options.slice)
        axes = figure.subplots(1, len(quantities), squeeze=False)[0]
        self.shown = []
        for ax, quantity in zip(axes, quantities):
            scale = maps.scale_for(result, quantity, [self.plane], [])
            values = self.plane.of(result, quantity, 0)
            image = maps.draw_plane(ax, result, values, self.plane, scale)
            maps.draw_outlines(ax, result, self.plane, options.regions)
            ax.set_title(quantity.label, loc="left", weight="bold")
            style.draw_colour_bar(figure, image, [ax], scale,
                                  maps.unit_on(result, quantity, self.plane), 1.5,
                                  result.is_whole(quantity))
            self.shown.append((image, quantity))
        style.draw_scale_bar(axes[0], result.unit_of(self.plane.horizontal))

    def show(self, t):
        for image, quantity in self.shown:
            image.set_data(self.plane.of(self.result, quantity, t))


class ProfileFrames:
    """Shows profiles of a few quantities, each with one vertical scale."""

    def __init__(self, figure, result, quantities, options):
        self.result = result
        self.along = profiles.AlongAxis(result, profiles.axis_for(result, options.axis))
        axes = figure.subplots(1, len(quantities), squeeze=False)[0]
        self.shown = []
        for ax, quantity in zip(axes, quantities):
            values = np.concatenate([self.along.of(result, quantity, t)
                                     for t in result.scale_times()])
            line = ax.stairs(self.along.of(result, quantity, 0), self.along.edges,
                             baseline=None, linewidth=1.2)
            low = min(0.0, float(np.nanmin(values)))
            ax.set_ylim(low, low + 1.05 * max(float(np.nanmax(values)) - low, 1e-300))
            ax.set_title(quantity.label, loc="left", weight="bold")
            ax.set_xlabel(self.along.label)
            ax.set_ylabel(result.name_of_unit(quantity))
            style.grid_on(ax)
            self.shown.append((line, quantity))

    def show(self, t):
        for line, quantity in self.shown:
            line.set_data(self.along.of(self.result, quantity, t))


def make_frames(figure, result, options):
    """Draws the panels that change, and the totals with a line at the time of the frame."""
    quantities = result.pick(options.species, PANELS_MOST)
    shown = result.placed(quantities)[:PANELS_MOST]
    if not result.has_places() or not shown:
        result.fail("has no numbers of several voxels for a movie; draw totals")
    upper, lower = figure.subfigures(2, 1, height_ratios=(figure.get_figheight() - 2.2, 1.8))
    kind = ProfileFrames if len(result.axes) == 1 else MapFrames
    frames = kind(upper, result, shown, options)
    counted = result.for_totals()
    ax = lower.subplots()
    totals.draw_totals(ax, counted, maps.same(counted, quantities), options)
    now = ax.axvline(result.time[0], color="black", linewidth=0.8)
    return frames, now


def height_for(result, options):
    """Returns the height of the figure in inches."""
    if len(result.axes) < 2:
        return 4.4
    n = min(len(result.placed(result.pick(options.species, PANELS_MOST))), PANELS_MOST) or 1
    aspect = maps.plane_for(result, options.axis, options.slice).aspect(result)
    return 2.9 + min((style.WIDTH - 0.9 * n) / n * aspect, 4.0)


def write(result, path, options, fps):
    """Draws and writes all frames; returns the path."""
    path = path_for(result, path)
    chosen = pick_frames(result, options.times)
    figure = style.new_figure(height_for(result, options))
    frames, now = make_frames(figure, result, options)
    title = f"{result.title()}\n"
    style.set_title(figure, title + result.moment(chosen[-1]), [maps.remark_on_runs(result)])
    figure.set_dpi(DPI)
    figure.draw_without_rendering()  # places the panels once, so that they do not move
    figure.set_layout_engine("none")
    writer = writer_for(path, fps or max(2, min(30, len(chosen) / SECONDS)))
    with replacing(path) as temporary, writer.saving(figure, temporary, DPI):
        for t in chosen:
            frames.show(t)
            now.set_xdata([result.time[t]] * 2)
            style.set_title(figure, title + result.moment(t))
            writer.grab_frame()
    return path


def movie(source, path=None, fps=None, **options):
    """Writes a movie of a result and returns its path. Times, if given, are the first and the last
    one."""
    chosen = figures.checked(options)
    if fps is not None and not 0 < fps <= 120:
        raise PictureError(f"fps {fps:g}: is not valid; give a number above 0 and at most 120")
    with style.settings(), opened(source) as file:
        if figures.sweeps.is_collected(file):
            raise PictureError(f"{file.filename}: was collected by a sweep, and has no maps; name the "
                               "result of one of its tasks")
        return write(figures.open_result(file, chosen), path, chosen, fps)
