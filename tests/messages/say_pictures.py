"""say_pictures - tests the pictures of `rdsim plot`: panels show the numbers of the result, all times
of a species have one colour scale, and no text is cut or hidden."""
import os
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(os.environ["RDSIM_SOURCE"]) / "python"))
from matplotlib.figure import Figure  # noqa: E402 (matplotlib may be missing)
from matplotlib.text import Text  # noqa: E402
from rdsim import pictures  # noqa: E402
from rdsim.pictures import maps, style  # noqa: E402
from say_main import config, cpu, rdsim, run_cases  # noqa: E402

LONG = "How far does a protein come from where it is made, before it decays, and how much " * 2

PLANE = """
title = "TITLE";
units = { length = "um"; time = "s"; };
grid = { voxels = (12, 10); edge = 0.5; };
regions = ( { name = "left"; where = "x < 2"; } );
species = ( { name = "A"; diffusion = 0.3; colour = "#884400"; label = "messenger"; },
            { name = "B"; diffusion = 0.05; }, { name = "C"; }, { name = "D"; }, { name = "E"; },
            { name = "F"; } );
reactions = ( { equation = "A -> B"; rate = 0.1; }, { equation = "B -> C"; rate = 0.2; } );
observables = ( { name = "AB"; sum = "A + B"; } );
fields = ( { name = "cue"; value = "x"; rate = "1"; } );
initial = ( { species = "A"; value = "if(x < 1, 20, 0)"; }, { species = "D"; count = 50; },
            { species = "E"; count = 500; voxel = (3, 4); }, { species = "F"; count = 3; } );
time = { end = 8.0; };
output = { every = 0.5; };
run = { runs = RUNS; };
"""

BOX = """
units = { length = "um"; time = "s"; };
grid = { voxels = (8, 6, 5); edge = (0.5, 0.5, 0.25); };
regions = ( { name = "cell"; sphere = { centre = (2, 1.5, 0.6); radius = 0.5; }; } );
surfaces = ( { name = "skin"; of = "cell"; side = "outside"; } );
species = ( { name = "A"; diffusion = 1.0; }, { name = "S"; diffusion = 0.1; on = "skin"; },
            { name = "M"; diffusion = 1.0; individuals = { max = 300; record = "lineage";
              attributes = ( { name = "size"; initial = "uniform(1, 2)"; birth = "parent.size"; } ); }; } );
reactions = ( { equation = "M -> 2 M"; rate = 0.3; }, { equation = "M -> 0"; rate = 0.2; } );
initial = ( { species = "A"; count = 400; voxel = (1, 1, 1); }, { species = "S"; density = 20.0; },
            { species = "M"; count = 30; } );
time = { end = 2.0; step = 0.02; }; output = { every = 0.25; };
"""


def figure_of(path, other=None, **options):
    """Returns the figure, after drawing it and checking its texts."""
    figure = pictures.plot(path, other, **options)
    check_texts(figure)
    return figure


def texts_of(figure):
    """Returns (text, box) of all visible texts with letters."""
    figure.draw_without_rendering()
    hidden = {id(label) for ax in figure.axes for label in undrawn_labels(ax)}
    found = {id(text): text for text in figure.findobj(Text)}.values()
    return [(text.get_text(), text.get_window_extent()) for text in found
            if text.get_visible() and text.get_text().strip() and id(text) not in hidden
            and (text.axes is None or text.axes.get_visible())]


def undrawn_labels(ax):
    """Returns the tick labels beyond the ends of an axis."""
    for axis in (ax.xaxis, ax.yaxis):
        drawn = axis._update_ticks()
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if tick not in drawn:
                yield from (tick.label1, tick.label2)


def check_texts(figure):
    """Fails if a text is cut by the edge of the picture, or hides another one."""
    figure.set_dpi(style.DPI)
    texts = texts_of(figure)
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in texts:
        assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, (
            f"'{text}' is cut: {box} of {width} x {height}")
    for i, (text, box) in enumerate(texts):
        for other, its in texts[:i]:
            across = min(box.x1, its.x1) - max(box.x0, its.x0)
            up = min(box.y1, its.y1) - max(box.y0, its.y0)
            assert across < 3 or up < 3, f"'{text}' hides '{other}'"


def maps_in(figure):
    return [ax for ax in figure.axes if ax.images]


def bars_in(figure):
    """Returns the labels of the colour bars, in one line each."""
    return [" ".join(ax.get_ylabel().split()) for ax in figure.axes
            if ax.get_label() == "<colorbar>"]


def make_plane(runs=1, title="Plane"):
    cpu(config("plane.cfg", PLANE.replace("RUNS", str(runs)).replace("TITLE", title)), "--force",
        status=0)
    return "plane.h5"


def make_box():
    cpu(config("box.cfg", BOX), "--force", status=0)
    return "box.h5"


# ---- maps ----

def all_times_of_a_species_have_one_colour_scale():
    make_plane()
    with h5py.File("plane.h5") as file:
        counts = file["counts"][0]
    for species in "A", "E", "cue":
        shown = maps_in(figure_of("plane.h5", kind="maps", species=[species]))
        assert len(shown) == 8, len(shown)
        limits = {ax.images[0].get_clim() for ax in shown}
        assert len(limits) == 1, f"{species}: {limits}"
        single = maps_in(figure_of("plane.h5", kind="maps", species=[species], times=[8]))
        assert {ax.images[0].get_clim() for ax in single} == limits, species
    # one voxel with 500 of 120 voxels x 17 times: the scale ends at a quantile, with an arrow
    figure = figure_of("plane.h5", kind="maps", species=["A"])
    low, high = maps_in(figure)[0].images[0].get_clim()
    values = counts[:, 0][counts[:, 0] > 0]
    assert low == 0 and high in (values.max(), np.ceil(np.quantile(values, 0.995))), (low, high)
    few = style.scale_of_counts(np.array([1] * 999 + [500]))
    assert (few.low, few.high, few.extend) == (0, 1, "max"), few


def maps_show_the_counts():
    make_plane()
    figure = figure_of("plane.h5", species=["B", "A"], times=[0, 4, 8])
    with h5py.File("plane.h5") as file:
        for ax, (s, t) in zip(maps_in(figure), ((1, 0), (1, 8), (1, 16), (0, 0), (0, 8), (0, 16))):
            np.testing.assert_array_equal(ax.images[0].get_array(), file["counts"][0, t, s, 0])
    assert [ax.get_title("left") for ax in maps_in(figure)] == [f"t = {t} s" for t in (0, 4, 8)] * 2
    assert [ax.get_ylabel() for ax in maps_in(figure)] == ["B", "", "", "messenger", "", ""]
    assert bars_in(figure) == ["molecules per voxel"] * 2, bars_in(figure)
    bars = [line for ax in figure.axes for line in ax.lines if line.get_gid() == "scale bar"]
    assert len(bars) == 1 and np.ptp(bars[0].get_xdata()) == 1, "1 um of 6 um"
    assert [t.get_text() for ax in figure.axes for t in ax.texts] == [" 1 um"]


def every_number_of_species_has_enough_times():
    make_plane()
    for n in 1, 2, 3, 6:
        figure = figure_of("plane.h5", kind="maps", species=list("ABCDEF"[:n]))
        shown = len(maps_in(figure))
        assert shown >= 4 * n, f"{n} species: {shown} maps"
    with h5py.File("plane.h5") as file:
        assert len(file["time"]) == 17


def units_are_concentrations():
    make_box()
    with h5py.File("box.h5") as file:
        counts, area = file["counts"][0, -1], file["surfaces/skin"][:]
        inside = file["counts"][0, -1, 1]
    def shown(**more):
        figure = figure_of("box.h5", kind="maps", times=[2], **more)
        return maps_in(figure)[0].images[0].get_array(), bars_in(figure)[0]
    volume = 0.5 * 0.5 * 0.25
    values, label = shown(species="A", slice=("z", 0.6), unit="volume")
    np.testing.assert_allclose(values, counts[0, 2] / volume)
    assert label == "molecules per um^3", label
    values, label = shown(species="A", unit="nM")  # 1 nM is 0.602 molecules in 1 um^3
    np.testing.assert_allclose(values, counts[0].mean(axis=0) / volume / 0.602214076, rtol=1e-9)
    assert label == "nM, mean over z", label
    values, label = shown(species="A")
    np.testing.assert_array_equal(values, counts[0].sum(axis=0))
    assert label == "molecules, summed over z", label
    values, label = shown(species="S", unit="area", surface="skin")
    total = np.divide(inside.sum(axis=0), area.sum(axis=0), where=area.sum(axis=0) > 0,
                      out=np.full(area.shape[1:], np.nan))
    np.testing.assert_allclose(np.ma.filled(values, np.nan), total)
    assert label == "molecules per um^2 of skin, mean over z", label


def boxes_have_slices_and_projections():
    make_box()
    figure = figure_of("box.h5", kind="sections", species=["A"], times=[1], about=(1, 1, 0.3))
    with h5py.File("box.h5") as file:
        counts = file["counts"][0, 4, 0]
    drawn = [ax.images[0].get_array() for ax in maps_in(figure)]
    wanted = [counts[1], counts[:, 1], counts[:, :, 1], *(counts.sum(axis=i) for i in range(3))]
    for shown, expected in zip(drawn, wanted):
        np.testing.assert_array_equal(shown, expected)
    assert len(drawn) == 6 and len(bars_in(figure)) == 2


def outlines_have_names():
    make_plane()
    figure = figure_of("plane.h5", species=["A"], regions=["left"])
    assert all(ax.collections for ax in maps_in(figure)), "no outline of the region"
    names = [t.get_text() for ax in maps_in(figure) if ax.get_legend()
             for t in ax.get_legend().get_texts()]
    assert names == ["left"], names


# ---- profiles and kymographs ----

def profiles_are_means_over_the_other_axes():
    make_plane(runs=4)
    with h5py.File("plane.h5") as file:
        counts = file["counts"][:, -1, 0, 0]  # [run][y][x]
    figure = figure_of("plane.h5", kind="profile", species=["A"], times=[8], axis="x")
    drawn, band = (p.get_data() for p in figure.axes[0].patches)
    rows = counts.mean(axis=1)
    np.testing.assert_allclose(drawn.values, rows.mean(axis=0))
    np.testing.assert_allclose(drawn.edges, np.linspace(0, 6, 13))
    np.testing.assert_allclose(band.values, rows.mean(axis=0) + rows.std(axis=0, ddof=1))
    np.testing.assert_allclose(band.edges, drawn.edges)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["t = 8 s", "mean ± 1 SD, 4 runs"], labels
    figure = figure_of("plane.h5", kind="profile", species=["A"], times=[8], axis="x", run=2)
    np.testing.assert_allclose(figure.axes[0].patches[0].get_data().values, rows[2])


def radial_profiles_are_means_over_shells():
    make_plane()
    figure = figure_of("plane.h5", kind="radial", species=["A"], times=[8], about=(1.25, 1.25),
                       unit="volume")
    with h5py.File("plane.h5") as file:
        counts = file["counts"][0, -1, 0, 0]
        radius = np.hypot(file["x"][:] - 1.25, file["y"][:][:, None] - 1.25)
    drawn = figure.axes[0].patches[0].get_data()
    for i, value in enumerate(drawn.values):
        inside = (radius >= drawn.edges[i]) & (radius < drawn.edges[i + 1])
        assert not inside.any() or np.isclose(value, counts[inside].mean() / 0.25), i
    assert figure.axes[0].get_ylabel() == "molecules per um^2", figure.axes[0].get_ylabel()


def kymographs_show_an_axis_and_time():
    make_plane()
    figure = pictures.kymograph("plane.h5", "A", axis="y")
    check_texts(figure)
    with h5py.File("plane.h5") as file:
        rows = file["counts"][0, :, 0, 0].mean(axis=2)
    np.testing.assert_allclose(figure.axes[0].collections[0].get_array(), rows.T)
    assert figure.axes[0].get_xlabel() == "time (s)" and figure.axes[0].get_ylabel() == "y (um)"


# ---- totals ----

def bands_and_colours_have_a_legend():
    make_plane(runs=30)
    figure = figure_of("plane.h5", kind="totals", species=["A", "B", "AB"])
    [ax] = figure.axes
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["messenger", "B", "AB", "mean ± 1 SD, 30 runs", "20 single runs"], labels
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["messenger"].get_color() == "#884400", "its colour of the configuration"
    colours = {lines[name].get_color() for name in ("messenger", "B", "AB")}
    assert len(colours) == 3 and colours - {"#884400"} <= set(style.PALETTE), colours
    assert "no such colour" not in (figure._supxlabel.get_text() if figure._supxlabel else "")
    with h5py.File("plane.h5") as file:
        np.testing.assert_allclose(lines["AB"].get_ydata(), file["observables"][:, :, 0].mean(axis=0))
        left = list(file["region"].asstr()).index("left")
        mean = file["regions/totals"][:, :, left, 0].mean(axis=0)
    figure = figure_of("plane.h5", kind="totals", species=["A"], region="left", band="quantiles")
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    np.testing.assert_allclose(lines["messenger"].get_ydata(), mean)


def histograms_contain_all_runs():
    make_plane(runs=30)
    figure = figure_of("plane.h5", kind="histogram", species=["A"], times=[4])
    with h5py.File("plane.h5") as file:
        totals = file["totals"][:, 8, 0]
    bars = [patch for patch in figure.axes[0].patches if hasattr(patch, "get_height")]
    assert sum(bar.get_height() for bar in bars) == 30
    for bar in bars:
        low, high = bar.get_x(), bar.get_x() + bar.get_width()
        assert bar.get_height() == ((totals > low) & (totals < high)).sum(), (low, high)


def stop_times_have_a_panel():
    make_plane()
    cpu("plane.cfg", "--set", 'time.stop="A <= 350"', "--runs", "50", "--set", "time.step=0.05",
        "--set", 'time.stop_at="steps"', "--force", status=0)
    with h5py.File("plane.h5") as file:
        stopped = np.isfinite(file["stopped"][:]).sum()
    assert stopped > 10, stopped
    figure = figure_of("plane.h5", kind="stopped")
    bars = figure.axes[0].patches
    assert sum(bar.get_height() for bar in bars) == stopped
    assert f"{stopped} of 50" in figure.axes[0].get_title("left")


# ---- individuals ----

def individuals_have_places_tracks_and_families():
    make_box()
    with h5py.File("box.h5") as file:
        table = file["individuals/M"]
        start, count = table["row_start"][-1, 0], table["row_count"][-1, 0]
        sizes, x = table["size"][start:start + count], table["x"][start:start + count]
        births = len(file["lineage/M/births/id"])
    figure = figure_of("box.h5", kind="individuals", attribute="size", times=[2])
    dots = figure.axes[0].collections[0]
    np.testing.assert_allclose(dots.get_array(), sizes)
    assert (abs(dots.get_offsets()[:, 0] - x) <= 0.25).all(), "within their voxels"
    figure = figure_of("box.h5", kind="tracks")
    assert len(figure.axes[0].lines) >= 30
    figure = figure_of("box.h5", kind="lineage", species=["M"])
    assert f"of {births} lives" in figure.axes[0].get_title("left"), figure.axes[0].get_title("left")
    figure = figure_of("box.h5", kind="histogram", attribute="size")
    assert figure.axes[0].get_xlabel() == "size of M"


# ---- two results, groups ----

def a_difference_is_first_minus_second():
    make_plane(runs=20)
    cpu("plane.cfg", "--seed", "9", "--output", "other.h5", "--force", status=0)
    figure = figure_of("plane.h5", "other.h5", species=["A"])
    with h5py.File("plane.h5") as file, h5py.File("other.h5") as other:
        wanted = [at["statistics/voxel_mean"][-1, 0, 0] for at in (file, other)]
        totals = [at["statistics/total_mean"][:, 0] for at in (file, other)]
    last = maps_in(figure)[-1].images[0]
    np.testing.assert_allclose(last.get_array(), wanted[0] - wanted[1])
    low, high = last.get_clim()
    assert low == -high and high > 0, (low, high)
    [line] = [line for ax in figure.axes for line in ax.lines if line.get_label() == "messenger"]
    np.testing.assert_allclose(line.get_ydata(), totals[0] - totals[1])


GROUPS = """
compartments = ( { name = "pool"; volume = 1.0; } );
grid = { voxels = (8, 6); edge = 0.5; };
species = ( { name = "A"; diffusion = 1.0; colour = "brownish"; }, { name = "P"; in = "pool"; },
            { name = "C"; } );
reactions = ( { equation = "A -> P"; rate = 0.5; }, { equation = "A -> C"; rate = 0.1; } );
initial = ( { species = "A"; count = 900; } );
time = { end = 4.0; };
output = ( { name = "fast"; every = 0.5; keep = "totals"; species = ("P", "A"); },
           { name = "maps"; times = (1, 4); },
           { name = "means"; times = (0, 2, 4); keep = "statistics"; } );
run = { runs = 3; };
"""


def groups_are_drawn_together():
    """Tests maps of the group with counts, totals of the one with most totals; compartments have
    totals and no map."""
    cpu(config("groups.cfg", GROUPS), "--force", status=0)
    figure = figure_of("groups.h5", species=["A", "P"], group=None)
    with h5py.File("groups.h5") as file:
        total = file["fast/statistics/total_mean"][:, list(file["fast/species"].asstr()).index("P")]
        mean = file["means/statistics/voxel_mean"][-1, 0, 0]
    [line] = [line for ax in figure.axes for line in ax.lines if line.get_label() == "P"]
    np.testing.assert_array_equal(line.get_ydata(), total)
    assert {ax.get_ylabel() for ax in maps_in(figure)} <= {"A", ""}
    assert "no map of P: well mixed" in figure._supxlabel.get_text()
    assert "no such colour: 'brownish' of A" in figure._supxlabel.get_text()
    figure = figure_of("groups.h5", group="maps")
    assert [ax.get_title("left") for ax in maps_in(figure)] == ["t = 1", "t = 4"] * 2
    figure = figure_of("groups.h5", group="means", species=["A"])
    np.testing.assert_allclose(maps_in(figure)[-1].images[0].get_array(), mean)
    assert not maps_in(figure_of("groups.h5", group="fast")), "totals only"


# ---- texts and settings ----

def no_text_is_cut_or_hidden():
    """Draws every kind with a long title; figure_of checks the texts."""
    make_plane(runs=3, title=LONG)
    for kind in ("overview", "totals", "maps", "profile", "radial", "kymograph", "histogram"):
        for species in ([], ["A"], ["A", "B", "cue"]):
            if kind != "histogram" or "cue" not in species:
                figure_of("plane.h5", kind=kind, species=species, regions=["left"])
    make_box()
    for kind in ("overview", "maps", "sections", "profile", "radial", "kymograph", "individuals"):
        figure_of("box.h5", kind=kind)
    figure = Figure(figsize=(4, 2))
    figure.suptitle(LONG)
    try:
        check_texts(figure)
    except AssertionError:
        return
    raise AssertionError("a title that is cut is not found")


def callers_keep_their_settings():
    """Tests that pictures change no setting of matplotlib, and that wrong options are named."""
    import matplotlib
    make_plane()
    before = dict(matplotlib.rcParams)
    pictures.plot("plane.h5")
    assert dict(matplotlib.rcParams) == before
    try:
        pictures.plot("plane.h5", colour="red")
    except pictures.PictureError as fault:
        assert "colour: is no option of a picture; choose from about," in str(fault), fault
    else:
        raise AssertionError("an unknown option is ignored")
    assert maps.columns_for(8, 1.0) == 4


CASES = [
    all_times_of_a_species_have_one_colour_scale,
    maps_show_the_counts,
    every_number_of_species_has_enough_times,
    units_are_concentrations,
    boxes_have_slices_and_projections,
    outlines_have_names,
    profiles_are_means_over_the_other_axes,
    radial_profiles_are_means_over_shells,
    kymographs_show_an_axis_and_time,
    bands_and_colours_have_a_legend,
    histograms_contain_all_runs,
    stop_times_have_a_panel,
    individuals_have_places_tracks_and_families,
    a_difference_is_first_minus_second,
    groups_are_drawn_together,
    no_text_is_cut_or_hidden,
    callers_keep_their_settings,
]

if __name__ == "__main__":
    run_cases(CASES)
