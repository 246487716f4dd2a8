"""result - opens results as xarray data sets, with the accessor .rd."""
from __future__ import annotations

import numbers
import os
import threading
from contextlib import contextmanager

from rdsim.errors import Error
from rdsim.rows import divide_runs, rows_of
from rdsim.temporary import TemporaryPath

TYPE_CHECKING = False  # as typing.TYPE_CHECKING, without its import
if TYPE_CHECKING:
    from typing import Any
    import matplotlib.figure
    import pandas
    import xarray

_accessor = []  # the class, after the first use
_lock = threading.Lock()  # several threads may come to the first use together


def open_result(path: str | os.PathLike[str], group: str | None = None) -> xarray.Dataset:
    """Returns the result at `path`, or a group of it, as an xarray.Dataset. Its accessor .rd draws
    pictures and reads the individuals. The data of a temporary file are loaded at once, since it is
    removed with the data set. An accessor is not made here: it refers to the data set, as that does
    to it, and would keep it until Python looks for such circles."""
    import xarray
    register()
    check_file(path)
    group = checked_group(path, group)
    is_temporary = isinstance(path, TemporaryPath)
    if is_temporary:
        found = (xarray.load_dataset(path, group=group, engine="h5netcdf") if group
                 else load_variables(path))
    else:
        found = xarray.open_dataset(os.fspath(path), group=group, engine="h5netcdf")
    add_axes(found, path, group)
    add_counts_by(found, path, group, is_temporary)
    table = rows_of(path)
    if table is not None and "run" in found.sizes and "row" not in found.sizes:
        with found:
            found = divide_runs(found, *table)
    found.encoding["source"] = os.fspath(path)
    if group:
        found.encoding["rdsim_group"] = group
    return found


def checked_group(path, group):
    """Returns the name of a group of a result without slashes at its ends; None is the root. Raises
    an error if the result does not have it."""
    import h5py
    if not (group is None or isinstance(group, str)):
        raise Error(f"group: is of the type {type(group).__name__}; give the name of a group")
    name = (group or "").strip("/")
    if not name:
        return None
    with h5py.File(path, "r") as file:
        found = file.get(name)
        if not isinstance(found, h5py.Group):
            names = sorted(each for each, node in file.items() if isinstance(node, h5py.Group))
            raise Error(f"{place_of(path)}: has no group '{name}'; it has {', '.join(names) or 'none'}")
    return name


def place_of(path):
    """Returns the name of a result for messages."""
    return "the result" if isinstance(path, TemporaryPath) else os.fspath(path)


def add_axes(found, path, group):
    """Adds the coordinates of axes that stand in a group above, as the times of /statistics."""
    while group:
        group = group.rpartition("/")[0]
        if all(name in found.variables for name in found.sizes):
            return
        above = load_group_axes(path, group, found.sizes)
        found.update({name: axis for name, axis in above.items() if name not in found.variables})


def load_group_axes(path, group, sizes):
    """Returns the coordinates in a group, for axes of these sizes."""
    import xarray
    with xarray.open_dataset(os.fspath(path), group=group or None, engine="h5netcdf") as above:
        return {name: above[name].load() for name, size in sizes.items()
                if name in above.coords and above.sizes[name] == size}


HIDDEN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "_NCProperties",
          "_Netcdf4Coordinates", "_Netcdf4Dimid"}  # attributes of the formats netCDF-4 and HDF5


def load_variables(path):
    """Returns what xarray.load_dataset returns, in a fifth of its time: a short run takes less."""
    import h5py
    import xarray
    with h5py.File(path, "r") as file:
        variables = {name: variable_of(file, name, data) for name, data in file.items()
                     if isinstance(data, h5py.Dataset)}
        return xarray.decode_cf(xarray.Dataset(variables, attrs=visible_attributes(dict(file.attrs))))


def variable_of(file, name, data):
    """Returns a data set with the names of its dimensions; a scale is its own dimension."""
    import h5py
    import xarray
    attributes = dict(data.attrs)
    scales = attributes.get("DIMENSION_LIST", ())
    dims = [file[scale[0]].name.strip("/") for scale in scales] or [name] * data.ndim
    values = data.asstr()[()].astype(str) if h5py.check_string_dtype(data.dtype) else data[()]
    return xarray.Variable(dims, values, visible_attributes(attributes))


def visible_attributes(attributes):
    """Returns attributes as xarray has them: an array of one number is a number."""
    return {name: value[0] if getattr(value, "size", 0) == 1 and value.ndim else value
            for name, value in attributes.items() if name not in HIDDEN}


def add_counts_by(found, path, group, is_loaded):
    """Adds the individuals that are counted by an attribute (output.by): for the entry P_gene the
    variable by_P_gene with the dimensions run, time and P_gene, and its statistics over runs."""
    import h5py
    import xarray
    by = f"{group}/by" if group else "by"
    with h5py.File(path, "r") as file:
        names = list(file.get(by, {}))
    for name in names:
        axis = name if name not in found.variables else f"{name}_value"
        counts = xarray.open_dataset(os.fspath(path), group=f"{by}/{name}", engine="h5netcdf")
        for each in counts.data_vars:
            variable = counts[each].rename({"value": axis})
            found[f"by_{name}" if each == "counts" else f"by_{name}_{each}"] = \
                variable.load() if is_loaded else variable
        if is_loaded:
            counts.close()


def check_file(path):
    """Raises an error if there is no HDF5 file at `path`."""
    import h5py
    try:
        with open(path, "rb"):
            pass
    except (OSError, ValueError, TypeError) as why:
        reason = getattr(why, "strerror", None) or why
        if not isinstance(why, TypeError) and os.path.isdir(f"{path}.parts"):
            raise Error(f"{path}: is not written yet, and its run has data in {path}.parts; wait, or "
                        "continue a run that was killed with resume=True") from None
        raise Error(f"{path}: cannot be opened: {reason}; name the file of a result") from None
    if not h5py.is_hdf5(path):
        raise Error(f"{os.fspath(path)}: is no result, since it is no HDF5 file; name the file that a "
                    "run has written")


def register():
    """Registers the accessor .rd with xarray."""
    import xarray
    with _lock:
        if not _accessor:
            _accessor.append(xarray.register_dataset_accessor("rd")(Accessor))


class Accessor:
    """Pictures and tables of a result: result.rd.plot(), result.rd.individuals("A")."""

    def __init__(self, result):
        self._result = result

    def plot(self, **options: Any) -> matplotlib.figure.Figure:
        """Draws the result; the options are those of rdsim.pictures.plot."""
        from rdsim import pictures
        return pictures.plot(self._result, **self._with_group(options))

    def movie(self, path: str | None = None, **options: Any) -> str:
        """Writes a movie, and returns its path."""
        from rdsim import pictures
        return pictures.movie(self._result, path, **self._with_group(options))

    def kymograph(self, species: str, axis: str | None = None,
                  **options: Any) -> matplotlib.figure.Figure:
        """Draws species along an axis and time."""
        from rdsim import pictures
        return pictures.kymograph(self._result, species, axis, **self._with_group(options))

    def group(self, name: str) -> xarray.Dataset:
        """Returns a group of the file as an xarray.Dataset with its axes: "statistics", "fields",
        "faults", or the name of a group of the output, as "fast" or "fast/statistics"."""
        return open_result(self._path(), name)

    def counts(self, species: str, run: int | None = None,
               time: float | None = None) -> xarray.DataArray:
        """Returns the counts of a species in voxels as an xarray.DataArray (z, y, x), in either
        layout: of a run, by its number (default: the first), at the snapshot nearest to a time
        (default: the last). If runs, times or rows of the result are selected, as by .isel(), these
        are the runs and times of the selection, in its first row."""
        import xarray
        from rdsim.counts import counts_of, has_counts
        with self._file() as file:
            if not has_counts(file):
                raise Error(f"{self._place()}: has no counts of voxels; record them by "
                            "output.keep, or name another group of the output by .rd.group()")
            names, runs, times = list(file["species"].asstr()), file["run"][:], file["time"][:]
            if species not in names:
                raise Error(f"{self._place()}: has no counts of '{species}'; it has those of "
                            f"{', '.join(names)}")
            of = self._number_of_run(file, run)
            at = nearest(times, nearest_value(self._selected("time", times), time))
            return xarray.DataArray(
                counts_of(file, of, at, names.index(species)), dims=("z", "y", "x"), name=species,
                coords={**{axis: file[axis][:] for axis in "zyx"}, "time": times[at],
                        "run": runs[of]})

    def _selected(self, axis, stored):
        """Returns the numbers along an axis of the data set; `stored`, those of the file, if it has
        another axis of this name or none."""
        import numpy as np
        here = self._result.coords.get(axis)
        if here is None or here.dtype.kind not in "if":
            return stored
        if not here.size:
            raise Error(f"the data set: has no {axis}; select at least one")
        return np.ravel(here.values)

    def _number_of_run(self, file, run):
        """Returns the place of a run in the file: of the first one of the data set, if run is None."""
        import numpy as np
        stored = file["run"][:]
        runs = self._selected("run", stored)
        if run is not None and run not in runs:
            raise Error(f"{self._place()}: has no counts of run {run}; its runs are {runs[0]} to "
                        f"{runs[-1]}")
        wanted = int(runs[0]) if run is None else int(run)
        if "row" in self._result.coords:  # the runs of each row count from 0
            of_each = np.ravel(file.file["rows"].attrs["runs"])[0]
            return int(self._selected("row", None)[0] * of_each) + wanted
        return int(np.flatnonzero(stored == wanted)[0])

    def individuals(self, species: str) -> pandas.DataFrame:
        """Returns every individual of a species at every output time as a pandas.DataFrame: time,
        run, id, parent, born, voxel, x, y, z and the attributes."""
        import numpy as np
        with self._file() as file:
            group = self._part(file, f"individuals/{species}")
            start, count = group["row_start"][:], group["row_count"][:]
            columns = columns_of(group)
            times, runs = file["time"][:], file["run"][:count.shape[1]]
            order = np.argsort(start[count > 0], kind="stable")
            at, of = np.nonzero(count > 0)
            number = count[at, of][order]
            return frame({"time": np.repeat(times[at][order], number),
                          "run": np.repeat(runs[of][order], number), **columns})

    def lineage(self, species: str) -> pandas.DataFrame:
        """Returns the births and deaths of a species as a pandas.DataFrame: run, id, parent, birth
        and death, which is NaN of those that live."""
        import pandas
        with self._file() as file:
            group = self._part(file.file, f"lineage/{species}")
            columns = {kind: frame(columns_of(group[kind])) for kind in ("births", "deaths")}
        births = columns["births"].rename(columns={"time": "birth"})
        deaths = columns["deaths"].rename(columns={"time": "death"})
        keys = [name for name in ("run", "id") if name in births and name in deaths]
        wanted = [*keys, "death"]
        return pandas.merge(births, deaths[wanted], on=keys, how="left")

    def regions(self) -> pandas.DataFrame:
        """Returns the molecules in each region and time as a pandas.DataFrame."""
        import numpy as np
        with self._file() as file:
            total = self._part(file, "regions/totals")[:]
            names = {"run": file["run"][:total.shape[0]], "time": file["time"][:],
                     "region": file["region"].asstr()[:], "species": file["species"].asstr()[:]}
            index = np.meshgrid(*names.values(), indexing="ij")
            return frame({**{name: at.ravel() for name, at in zip(names, index)},
                          "molecules": total.ravel()})

    def _path(self):
        path = self._result.encoding.get("source")
        if path is None:
            raise Error("the data set has no file, since it was computed; use .rd of the result itself")
        if not os.path.exists(path) and not os.path.isdir(f"{path}.parts"):
            raise Error(f"{path}: cannot be opened: No such file or directory; a pickle of a result in "
                        "memory has no file: run with to=FILE, or use .rd before the result is pickled")
        check_file(path)
        return path

    def _place(self):
        group = self._result.encoding.get("rdsim_group")
        return f"{place_of(self._path())}{f', group {group}' if group else ''}"

    @contextmanager
    def _file(self):
        """Opens the file, and yields the group whose data the data set has."""
        import h5py
        with h5py.File(self._path(), "r") as file:
            yield file[self._result.encoding.get("rdsim_group") or "/"]

    def _with_group(self, options):
        """Returns options of a picture for the group of the output that the data set has."""
        group = self._result.encoding.get("rdsim_group", "").split("/")[0]
        if not group:
            return options
        with self._file() as file:
            is_output = group in str(file.file.attrs.get("output_groups", "")).split()
        return {"group": group, **options} if is_output else options

    def _part(self, file, name):
        if name not in file:
            kind, _, species = name.partition("/")
            has = f"it has {kind} of {', '.join(file[kind])}" if kind in file else \
                "record it by species.individuals.record"
            raise Error(f"{self._place()}: has no " + ("totals of regions; record them by output.regions"
                        if kind == "regions" else f"{kind} of '{species}'; {has}"))
        return file[name]


def nearest(values, wanted):
    """Returns the place of the number that is nearest to another one."""
    import numpy as np
    return int(np.argmin(np.abs(values - wanted)))


def nearest_value(values, wanted):
    """Returns the number that is nearest to another one; the last one, if that is None."""
    if not (wanted is None or isinstance(wanted, numbers.Real)):
        raise Error(f"time: is a {type(wanted).__name__}; give a number")
    return values[-1] if wanted is None else values[nearest(values, wanted)]


def columns_of(group):
    """Returns the columns of a table in a file, without the scale of its rows."""
    return {name: data[:] for name, data in group.items()
            if name != "row" and data.ndim == 1 and data.shape == group["id"].shape}


def frame(columns):
    """Returns columns as a pandas.DataFrame."""
    import pandas
    return pandas.DataFrame(columns)
