"""read_result - reads a result with h5py, both xarray engines, netCDF4 and ncdump, and compares
every value. It has its own list of the metadata that a result needs to be read without this
program. Each reader runs in its own process, and only there imports its packages: h5py and netCDF4
each bring an HDF5 library, and two of these in one process conflict."""
import functools
import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
import traceback

import numpy as np

for package in ("h5py", "netCDF4", "xarray", "h5netcdf"):
    if not importlib.util.find_spec(package):
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)

AXES = {
    "counts": ("run", "time", "species", "z", "y", "x"),
    "totals": ("run", "time", "species"),
    "regions/totals": ("run", "time", "region", "species"),
    "observables": ("run", "time", "observable"),
    "values": ("run", "time", "value"),
    "reactions": ("run", "time", "reaction"),
    "boundary": ("run", "time", "species", "face"),
    "injected": ("run", "time", "species", "face"),
    "run_state": ("run",),
    "stopped": ("run",),
    "faults/run": ("faults/row",),
    "faults/time": ("faults/row",),
    "faults/message": ("faults/row",),
    "statistics/runs": ("time",),
    "statistics/total_mean": ("time", "species"),
    "statistics/total_variance": ("time", "species"),
    "statistics/total_min": ("time", "species"),
    "statistics/total_max": ("time", "species"),
    "statistics/total_covariance": ("time", "species", "species_2"),
    "statistics/total_quantile": ("time", "species", "quantile"),
    "statistics/region_mean": ("time", "region", "species"),
    "statistics/region_variance": ("time", "region", "species"),
    "statistics/region_min": ("time", "region", "species"),
    "statistics/region_max": ("time", "region", "species"),
    "statistics/region_covariance": ("time", "region", "species", "species_2"),
    "statistics/region_quantile": ("time", "region", "species", "quantile"),
    "statistics/value_mean": ("time", "value"),
    "statistics/value_variance": ("time", "value"),
    "statistics/value_min": ("time", "value"),
    "statistics/value_max": ("time", "value"),
    "statistics/observable_mean": ("time", "observable"),
    "statistics/observable_variance": ("time", "observable"),
    "statistics/observable_min": ("time", "observable"),
    "statistics/observable_max": ("time", "observable"),
    "statistics/observable_quantile": ("time", "observable", "quantile"),
    "statistics/voxel_mean": ("time", "species", "z", "y", "x"),
    "statistics/voxel_variance": ("time", "species", "z", "y", "x"),
    "statistics/voxel_min": ("time", "species", "z", "y", "x"),
    "statistics/voxel_max": ("time", "species", "z", "y", "x"),
}
FIELD = ("run", "time", "z", "y", "x")
ALWAYS = ("time", "x", "y", "z", "species", "run", "face", "statistics/total_mean")
MAP = ("z", "y", "x")
MAPS = ("regions", "surfaces")
OF_RUNS = ("run_state", "stopped")
TABLES = ("individuals", "lineage")
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable."


def axes_of(name, rank):
    """Returns the axes of a data set, or None if it is an axis itself or a text. A constant field
    may lack the first axes."""
    group, _, column = name.rpartition("/")
    if group == "fields":
        return FIELD[-rank:]
    if group in MAPS and name not in AXES:
        return MAP
    if name.split("/")[0] not in TABLES:
        return AXES.get(name)
    return ("time", "run") if column in ("row_start", "row_count") else (f"{group}/row",)


def groups_of(found):
    """Returns the groups that hold data sets."""
    return sorted({"/" + name.rpartition("/")[0] for name in found})


def texts(values):
    """Returns the texts of any reader as a list of str."""
    return [v.decode() if isinstance(v, bytes) else str(v) for v in np.ravel(values)]


def same(name, reader, seen, expected):
    """Fails unless the values agree to the byte; two NaN agree."""
    if expected.dtype.kind in "OSUT":
        assert texts(seen) == texts(expected), f"{name}: {reader} reads other texts than h5py"
        return
    seen = np.ma.filled(seen) if np.ma.isMaskedArray(seen) else np.asarray(seen)
    assert seen.dtype == expected.dtype, f"{name}: {reader} reads {seen.dtype}"
    equal = np.array_equal(seen, expected, equal_nan=expected.dtype.kind == "f")
    assert equal, f"{name}: {reader} reads other values than h5py"


def check_metadata(name, item):
    """Checks the attributes and dimension scales of a data set."""
    for attribute in ("units", "long_name"):
        assert isinstance(item.attrs[attribute], str), f"{name}: {attribute} is no text"
    axes = axes_of(name, item.ndim)
    if name in OF_RUNS and "ensemble" in item.file:
        axes = ("ensemble",)
    if axes:
        scales = tuple(dim[0].name.lstrip("/") for dim in item.dims)
        assert scales == axes, f"{name}: its axes are {scales}"
        if item.dtype != np.uint8 and name not in OF_RUNS and not name.startswith("faults/"):
            assert item.attrs["_FillValue"].dtype == item.dtype, f"{name}: _FillValue"
            np.testing.assert_equal(item.attrs["_FillValue"][0], item.fillvalue)
    elif item.ndim == 1:
        assert item.is_scale, f"{name}: is no dimension scale"


def read_hdf5(path):
    """Returns every data set of a result by name; checks what each must carry."""
    import h5py
    found = {}

    def take(name, item):
        if not isinstance(item, h5py.Dataset):
            return
        if name.endswith("/row"):
            assert item.attrs["NAME"].startswith(NO_VARIABLE), f"{name}: looks like a variable"
            assert item.maxshape == (None,), f"{name}: is limited"
            return
        check_metadata(name, item)
        found[name] = np.asarray(item[()])

    with h5py.File(path, "r") as file:
        file.visititems(take)
        assert file.attrs["rdsim_format"] == 2
        assert file.attrs["Conventions"].startswith("CF-")
        for attribute in ("title", "source", "history"):
            assert isinstance(file.attrs[attribute], str)
        assert file["provenance"].attrs["state"] in ("running", "complete", "faulted",
                                                            "interrupted", "failed")
    for name in ALWAYS:
        assert name in found, f"{name}: is not there"
    return found


def check_rows(found):
    """Checks that the rows of each time and run are contiguous and complete."""
    for name in (name for name in found if name.endswith("/row_start")):
        count = found[name.replace("row_start", "row_count")]
        begin = np.cumsum(count).reshape(count.shape) - count
        assert (found[name] == begin).all(), f"{name}: has holes"
        rows = len(found[name.replace("row_start", "id")])
        assert count.sum() == rows, f"{name}: there are {rows} rows, not {count.sum()}"


def read_plainly(path):
    """Returns every data set of any file by name."""
    import h5py
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: np.asarray(item[()])})
                        if isinstance(item, h5py.Dataset) else None)
    return found


def read_xarray(path, engine, groups):
    import xarray as xr
    values = {}
    for group in groups:
        with xr.open_dataset(path, engine=engine, group=group, decode_cf=False) as data:
            for name, variable in data.variables.items():
                values[f"{group}/{name}".lstrip("/")] = variable.values
        with xr.open_dataset(path, engine=engine, group=group) as data:
            data.load()  # decoding must work as well
    return values


def read_netcdf(path, groups):
    import netCDF4
    values = {}
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        for name in groups:
            group = data[name] if name != "/" else data
            assert "row" not in group.dimensions or group.dimensions["row"].isunlimited(), (
                f"{name}: netCDF4 sees a limited row")
            for column, variable in group.variables.items():
                values[f"{name}/{column}".lstrip("/")] = np.asarray(variable[...])
    return values


def check_ncdump(path, found):
    """Checks that ncdump can print everything; its numbers come from the same library as
    netCDF4's."""
    if not shutil.which("ncdump"):
        print("ncdump is not installed: left out")
        return
    text = subprocess.run(["ncdump", path], check=True, capture_output=True, text=True).stdout
    for name in found:
        assert f" {name.split('/')[-1]}" in text, f"{name}: ncdump does not show it"


READERS = {
    "result": read_hdf5,
    "h5py": read_plainly,
    "xarray (netcdf4)": lambda path, groups: read_xarray(path, "netcdf4", groups),
    "xarray (h5netcdf)": lambda path, groups: read_xarray(path, "h5netcdf", groups),
    "netCDF4": read_netcdf,
}


@functools.cache
def process_of(reader):
    """Starts the process of a reader; it ends with this one, when its input ends."""
    return subprocess.Popen([sys.executable, __file__, "--reader", reader], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def serve(reader):
    """Reads the files that read_apart requests, one after another."""
    answers = sys.stdout.buffer
    while True:
        try:
            words = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = READERS[reader](*words), ""
        except Exception:  # pylint: disable=broad-except
            answer = None, traceback.format_exc()
        pickle.dump(answer, answers)
        answers.flush()


def read_apart(reader, path, *groups):
    """Returns what a reader finds in the file, in its own process."""
    process = process_of(reader)
    pickle.dump((os.path.abspath(path), *groups), process.stdin)
    process.stdin.flush()
    found, fault = pickle.load(process.stdout)
    assert not fault, f"{path}: {reader} cannot read it: {fault}"
    return found


def compare_readers(path, found):
    """Raises AssertionError if a reader finds other values than those that h5py found."""
    groups = groups_of(found)
    for reader in ("xarray (netcdf4)", "xarray (h5netcdf)", "netCDF4"):
        values = read_apart(reader, path, groups)
        for name, expected in found.items():
            assert name in values, f"{name}: {reader} does not see it"
            same(name, reader, values[name], expected)
    check_ncdump(path, found)


def check(path):
    """Raises AssertionError with a message if a reader differs or something is missing."""
    found = read_apart("result", path)
    check_rows(found)
    compare_readers(path, found)
    return found


def check_collected(path):
    """Does the same for a file with groups, or that a sweep collected, with all readers."""
    found = {name: values for name, values in read_apart("h5py", path).items()
             if not name.endswith("/row")}  # a dimension without values
    compare_readers(path, found)
    return found


def main(words):
    if words[:1] == ["--reader"]:
        serve(words[1])
        return
    for result in words:
        print(f"{result}: {len(check(result))} variables read alike by all readers")


if __name__ == "__main__":
    main(sys.argv[1:])
