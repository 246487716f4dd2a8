"""figures - chooses the picture of a result, of a collected sweep, or of the difference of two
results."""
from dataclasses import dataclass, fields

from . import differences, individuals, maps, profiles, style, sweeps, totals
from .result import PictureError, Result, opened

BANDS = ("sd", "quantiles", "range", "none")


@dataclass
class Options:
    """Holds what a picture shows. Names are checked when it is drawn."""

    kind: str = "overview"
    species: tuple = ()  # names of species, fields and observables; empty: the most numerous
    times: tuple = ()  # empty: some, evenly spread
    run: int = None  # number of a run; None: means for totals, the first run for maps
    mean: bool = False  # maps are means over runs
    group: str = None  # of the outputs
    region: str = None  # totals of this region
    regions: tuple = ()  # outlines on maps
    unit: str = "voxel"
    surface: str = None  # for the unit "area"
    band: str = "sd"
    axis: str = None  # of profiles and kymographs; of projections
    slice: tuple = None  # (axis, place)
    about: tuple = None  # place of sections, centre of radial profiles
    attribute: str = None  # of individuals
    log: bool = False


def draw_overview(result, options):
    """Returns a figure with maps, profiles or totals, depending on the grid."""
    if not result.has_places():
        return totals.picture_of_totals(result, options)
    if len(result.axes) == 1:
        return profiles.picture_of_lines(result, options)
    return maps.picture_of_maps(result, options)


def draw_maps(result, options):
    if not result.has_places():
        result.fail("has no numbers of voxels for maps; draw totals")
    if len(result.axes) == 1:
        result.fail("has one axis, and maps need two; draw a profile or a kymograph")
    return maps.picture_of_maps(result, options, with_totals=False)


def draw_histograms(result, options):
    if options.attribute:
        return individuals.picture_of_attribute(result, options)
    is_over_runs = len(result.runs) > 1 and options.run is None
    return totals.picture_of_histograms(result.for_totals() if is_over_runs else result, options)


def draw_stopped(result, options):
    if not totals.has_ends(result):
        result.fail("has no run that stopped by time.stop; draw totals")
    figure = style.new_figure(2.6, 5.2)
    totals.draw_stopped(figure.subplots(), result)
    return figure, []


KINDS = {
    "overview": draw_overview,
    "totals": totals.picture_of_totals,
    "maps": draw_maps,
    "sections": maps.picture_of_sections,
    "profile": profiles.picture_of_profiles,
    "radial": profiles.picture_of_profiles,
    "kymograph": profiles.picture_of_kymographs,
    "histogram": draw_histograms,
    "stopped": draw_stopped,
    "individuals": individuals.picture_of_individuals,
    "tracks": individuals.picture_of_tracks,
    "lineage": individuals.picture_of_lineage,
}
OF_SWEEPS = ("species", "times", "kind", "band", "unit", "log")


def checked(options):
    """Returns options whose words are known; names alone stand for lists of one."""
    names = {field.name for field in fields(Options)}
    for name in options:
        if name not in names:
            raise PictureError(f"{name}: is no option of a picture; choose from "
                               f"{', '.join(sorted(names))}")
    chosen = Options(**options)
    for name, known in (("kind", KINDS), ("band", BANDS)):
        if getattr(chosen, name) not in known:
            raise PictureError(f"{name} '{getattr(chosen, name)}': is not known; choose from "
                               f"{', '.join(known)}")
    for name in ("species", "regions"):
        value = getattr(chosen, name)
        setattr(chosen, name, [value] if isinstance(value, str) else list(value or ()))
    chosen.times = [chosen.times] if isinstance(chosen.times, (int, float)) else \
        list(chosen.times if chosen.times is not None else ())
    return chosen


def open_result(file, options):
    """Returns the result of a file in the unit of the options."""
    result = Result(file, options.group, options.run, options.mean)
    if len(result.axes) or options.unit != "voxel":
        result.set_unit(options.unit, options.surface)
    for name in options.regions:
        result.mask(name)
    return result


def draw_sweep(file, options):
    """Returns the figure of a collected file, which has few options."""
    plain = Options()
    for field in fields(Options):
        if field.name not in OF_SWEEPS and getattr(options, field.name) not in (
                getattr(plain, field.name), []):
            sweep = sweeps.Sweep(file)
            if sweep.kind == "rows":
                sweep.fail(f"has rows of parameters, and their picture has no --{field.name}; name a "
                           "run by --run, or a --kind")
            sweep.fail(f"was collected by a sweep, and has no --{field.name}; draw the result of one "
                       "of its tasks")
    figure, title, remarks = sweeps.picture_of_sweep(file, options)
    style.set_title(figure, title, remarks)
    return figure


def remark_on_colours(result):
    """Returns which colours of species are not known; empty if all are."""
    unknown = [f"'{q.colour}' of {q.label}" for q in result.species
               if q.colour and not style.is_colour(q.colour)]
    return f"no such colour: {', '.join(unknown)}" if unknown else ""


def draw_file(file, options):
    shows_rows = sweeps.has_rows(file) and options.kind == "overview" and options.run is None
    if sweeps.is_collected(file) or shows_rows:
        return draw_sweep(file, options)
    result = open_result(file, options)
    figure, remarks = KINDS[options.kind](result, options)
    style.set_title(figure, result.title(), [*remarks, remark_on_colours(result)])
    return figure


def draw_difference(file, other, options):
    first, second = open_result(file, options), open_result(other, options)
    if options.run is None and first.has_mean() and second.has_mean():
        first.use_mean = second.use_mean = True  # the difference of two single runs is mostly noise
    if options.kind != "overview":
        first.fail(f"cannot be drawn as '{options.kind}' with a second result; leave --kind out")
    figure, remarks = differences.picture_of_difference(first, second, options)
    style.set_title(figure, f"{first.title()}: difference", remarks)
    return figure


def plot(source, other=None, **options):
    """Returns the figure of a result, or of the difference of two results."""
    chosen = checked(options)
    with style.settings(), opened(source) as file:
        if other is None:
            return draw_file(file, chosen)
        with opened(other) as second:
            return draw_difference(file, second, chosen)
