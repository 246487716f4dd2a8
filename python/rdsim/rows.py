"""rows - a table of parameters for a run, as a file that the library reads, and its result."""
import numbers
from collections.abc import Mapping

from rdsim.errors import ModelError


def columns_of(theta, parameters):
    """Returns the columns of a table by name: of a pandas.DataFrame, a dictionary, a structured
    array, or a plain array that has a column for each parameter of the model, in their order."""
    import numpy as np
    if hasattr(theta, "columns") and hasattr(theta, "to_numpy"):
        found = {str(name): theta[name].to_numpy() for name in theta.columns}
    elif isinstance(theta, Mapping):  # a dictionary, or an xarray.Dataset
        found = {str(name): np.atleast_1d(np.asarray(value)) for name, value in theta.items()}
    else:
        array = np.asarray(theta)
        if array.dtype.names:
            found = {name: np.atleast_1d(array[name]) for name in array.dtype.names}
        elif array.ndim == 2 and array.shape[1] == len(parameters):
            found = dict(zip(parameters, array.T))
        else:
            raise ModelError(f"rows: an array of shape {array.shape} has no column for each of the "
                             f"parameters {', '.join(parameters) or '(none)'}; give a DataFrame or a "
                             "dictionary of columns, or an array of this width")
    if not found:
        raise ModelError("rows: has no columns; name the parameters that they set")
    return {name: checked(column, name) for name, column in found.items()}


def checked(column, name):
    """Returns a column as numbers; raises an error if it has others, or not one dimension."""
    import numpy as np
    try:
        if not all(isinstance(each, numbers.Real) for each in column[:1]):
            raise ValueError(f"has elements of type {type(column[0]).__name__}")
        values = np.asarray(column, dtype=float)
    except (TypeError, ValueError) as why:
        raise ModelError(f"rows: column {name}: {why}; give numbers") from None
    if values.ndim != 1 or values.size == 0:
        raise ModelError(f"rows: column {name} has the shape {values.shape}; give a number for each "
                         "row")
    return values


def write_rows(columns, path):
    """Writes columns to an HDF5 file."""
    import h5py
    sizes = {name: values.size for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ModelError(f"rows: the columns have different lengths ({sizes}); give a number for "
                         "each row")
    with h5py.File(path, "w") as file:
        group = file.create_group("rows")
        for name, values in columns.items():
            if "/" in name or name in ("", ".", "row"):
                raise ModelError(f"rows: {name!r} is not the name of a parameter; give one")
            group.create_dataset(name, data=values)


def rows_of(path):
    """Returns the table of a result and its runs of each row; None if it has none."""
    import h5py
    with h5py.File(path, "r") as file:
        if "rows" not in file or "runs" not in file["rows"].attrs:
            return None
        group = file["rows"]
        return ({name: data[:] for name, data in group.items() if name != "row"},
                int(group.attrs["runs"][0]))


def divide_runs(result, table, runs):
    """Returns the data set with the dimensions row and run in place of the runs of all rows, and the
    parameters as coordinates of the rows."""
    import numpy as np
    import xarray
    n = result.sizes["run"] // runs

    def divided(variable):
        if "run" not in variable.dims:
            return variable
        at = variable.dims.index("run")
        shape = (*variable.shape[:at], n, runs, *variable.shape[at + 1:])
        dims = (*variable.dims[:at], "row", "run", *variable.dims[at + 1:])
        return xarray.Variable(dims, variable.values.reshape(shape), variable.attrs)

    data = {name: divided(variable.variable) for name, variable in result.data_vars.items()}
    coordinates = {name: divided(variable.variable) for name, variable in result.coords.items()
                   if name != "run"}
    coordinates["row"], coordinates["run"] = np.arange(n), np.arange(runs)
    for name, values in table.items():
        free = name not in result.variables and name not in result.sizes and name != "row"
        coordinates[name if free else f"parameter_{name}"] = ("row", values)
    return xarray.Dataset(data, coordinates, result.attrs)
