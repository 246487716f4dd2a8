"""command - `rdsim plot` and `rdsim movie`: reads the options and prints errors."""
import argparse
import sys
from pathlib import Path

PACKAGES = ("numpy", "h5py", "matplotlib")
FORMATS = (".png", ".pdf", ".svg", ".jpg", ".tif")
KINDS = ("overview totals maps sections profile radial kymograph histogram stopped individuals tracks "
         "lineage").split()
WRONG = 2


class Parser(argparse.ArgumentParser):
    """Prints errors in the form of the program."""

    def error(self, message):
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(WRONG)


def names(text):
    return [name for name in text.split(",") if name]


def numbers(text):
    return [float(word) for word in text.split(",")]


def place_on_axis(text):
    axis, _, place = text.partition("=")
    if axis not in ("x", "y", "z"):
        raise ValueError
    return axis, float(place)


numbers.__name__ = "list of numbers with commas"
place_on_axis.__name__ = "slice as z=1.5"


def add_common(parser):
    """Adds the options that pictures and movies have."""
    add = parser.add_argument
    add("--species", type=names, default=[], metavar="A,B",
        help="species, fields or observables (default: the most numerous species)")
    add("--run", type=int, metavar="N", help="draw this run (default: the mean of all runs for totals "
        "and profiles, the first run for maps)")
    add("--mean", action="store_true", help="maps are means over runs")
    add("--group", metavar="NAME", help="draw this group of outputs (default: maps of the one with "
        "most of them, totals likewise)")
    add("--region", metavar="NAME", help="totals of this region or surface")
    add("--regions", type=names, default=[], metavar="A,B", help="outlines of these regions on maps")
    add("--unit", default="voxel", metavar="UNIT", help="of numbers in voxels: voxel (default), "
        "volume, area (of --surface), or M, mM, uM, nM, pM")
    add("--surface", metavar="NAME", help="the surface for --unit area")
    add("--band", default="sd", choices=("sd", "quantiles", "range", "none"),
        help="band over runs (default: sd, one standard deviation)")
    add("--axis", choices=("x", "y", "z"), help="axis of a profile or kymograph (default: the "
        "longest), or of a projection (default: the shortest)")
    add("--slice", type=place_on_axis, metavar="z=1.5", help="a slice in place of a projection")
    add("--log", action="store_true", help="logarithmic axis of numbers")


def parser_of_plot():
    parser = Parser(prog="rdsim plot", description="Draws a picture of a result, of a collected sweep, "
                    "or of the difference of two results.")
    add = parser.add_argument
    add("result", metavar="RESULT", help="the file of a result, or of a collected sweep")
    add("other", metavar="OTHER", nargs="?", help="draw the difference RESULT - OTHER")
    add("-o", "--output", metavar="FILE", help="the picture: .png, .pdf, .svg, .jpg or .tif (default: "
        "RESULT with .png)")
    add("--kind", default="overview", choices=KINDS, metavar="KIND",
        help=f"{', '.join(KINDS)} (default: overview)")
    add("--times", "--time", type=numbers, default=[], metavar="T,U", help="draw the snapshots nearest "
        "to these times (default: some, evenly spread)")
    add("--about", type=numbers, metavar="X,Y,Z", help="centre of a radial profile, place of sections "
        "(default: the middle)")
    add("--attribute", metavar="NAME", help="colour of individuals, or subject of a histogram")
    add("--dpi", type=int, default=150, help="resolution (default: 150)")
    add_common(parser)
    return parser


def parser_of_movie():
    parser = Parser(prog="rdsim movie", description="Writes a movie of a result.")
    add = parser.add_argument
    add("result", metavar="RESULT", help="the file of a result")
    add("-o", "--output", metavar="FILE", help="the movie: .mp4, which needs ffmpeg, or .gif (default: "
        "RESULT with .mp4, or .gif without ffmpeg)")
    add("--times", type=numbers, default=[], metavar="T,U", help="from the first to the second time")
    add("--fps", type=float, metavar="N", help="frames in a second (default: so many that the movie "
        "takes about 12 s)")
    add_common(parser)
    return parser


def check_packages(command):
    """Exits with a message if a package is missing."""
    for package in PACKAGES:
        try:
            __import__(package)
        except ModuleNotFoundError as missing:
            print(f"rdsim {command}: the Python package {missing.name} is missing for "
                  f"{sys.executable}; install it (apt install python3-h5py python3-matplotlib, or pip "
                  "install h5py matplotlib), or name another Python in RDSIM_PYTHON",
                  file=sys.stderr)
            sys.exit(WRONG)


def check_name(result):
    """Raises an error if a text cannot be the name of a file."""
    from .result import PictureError
    if not Path(result).name:
        raise PictureError(f"'{result}': is not the name of a file; name a result")


def run_plot(words):
    from . import plot
    from .output_file import replacing
    from .result import PictureError
    chosen = vars(parser_of_plot().parse_args(words))
    check_name(chosen["result"])
    result, other, dpi = chosen.pop("result"), chosen.pop("other"), chosen.pop("dpi")
    output = chosen.pop("output") or str(Path(result).with_suffix(".png"))
    if not output.endswith(FORMATS):
        raise PictureError(f"{output}: is no kind of picture; name a {', '.join(FORMATS)}")
    if not 20 <= dpi <= 1200:
        raise PictureError(f"--dpi {dpi}: is not valid; give a number from 20 to 1200")
    figure = plot(result, other, **chosen)
    with replacing(output) as temporary:
        figure.savefig(temporary, dpi=dpi)
    return output


def run_movie(words):
    from . import movie
    chosen = vars(parser_of_movie().parse_args(words))
    check_name(chosen["result"])
    return movie(chosen.pop("result"), chosen.pop("output"), **chosen)


COMMANDS = {"plot": run_plot, "movie": run_movie}


def main(words):
    """Runs the command and returns its exit status: 0, or 2 with a message."""
    command, *words = words or ["plot", "--help"]
    if command not in COMMANDS:
        print(f"rdsim: '{command}' is not a command for pictures; choose from "
              f"{', '.join(COMMANDS)}", file=sys.stderr)
        return WRONG
    check_packages(command)
    from .result import PictureError
    try:
        print(COMMANDS[command](words))
    except PictureError as fault:
        print(f"rdsim: {fault}", file=sys.stderr)
        return WRONG
    except (OSError, KeyError, RuntimeError) as fault:
        print(f"rdsim: {words[0] if words else command}: cannot be read, since it is damaged or its "
              f"segments are missing: {fault}; see rdsim info", file=sys.stderr)
        return WRONG
    return 0
