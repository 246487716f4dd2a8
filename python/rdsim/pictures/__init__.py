"""pictures - draws results: `rdsim plot`, `rdsim movie` and the accessor `.rd` of data sets.

    from rdsim import pictures
    figure = pictures.plot("out.h5", kind="kymograph", species=["A"])
    figure.savefig("a.png", dpi=150)
    pictures.movie("out.h5", "out.mp4", species=["A"])

A result is a path, an open h5py file, or an xarray data set of one. h5py, numpy and matplotlib load
at the first picture.
"""


def plot(result, other=None, **options):
    """Returns a matplotlib figure of a result, or of the difference result - other. The options are
    the fields of figures.Options: kind, species, times, run, group and so on."""
    from .figures import plot as draw
    return draw(result, other, **options)


def movie(result, path=None, **options):
    """Writes a movie (.mp4 or .gif) of a result, and returns its path."""
    from .movies import movie as write
    return write(result, path, **options)


def kymograph(result, species, axis=None, **options):
    """Returns a figure of one or several species along an axis and time."""
    species = [species] if isinstance(species, str) else species
    return plot(result, kind="kymograph", species=species, axis=axis, **options)


def __getattr__(name):
    if name == "PictureError":
        from .result import PictureError
        return PictureError
    raise AttributeError(f"module {__name__} has no attribute {name}")
