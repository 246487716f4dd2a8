"""stepping - a run that returns control between its steps: looks at the state and edits it."""
from __future__ import annotations

import contextlib
import math
import numbers
import operator

from rdsim import syntax
from rdsim.dlpack import CPU, CUDA, int32_capsule
from rdsim.errors import Error, ModelError, StaleView
from rdsim.library import characters

TYPE_CHECKING = False  # as typing.TYPE_CHECKING, without its import
if TYPE_CHECKING:
    from typing import Any
    import numpy
    import pandas
    import xarray
    Numbers = numpy.ndarray | list[int] | tuple[numpy.ndarray, ...]


def voxel_numbers(voxels, shape):
    """Returns the numbers of voxels: of an array of bool with the shape of the grid, of indices
    (z, y, x) as np.nonzero returns them, or of numbers themselves."""
    import numpy as np
    try:
        if isinstance(voxels, tuple):
            return np.ravel_multi_index(voxels, shape).astype(np.int64).ravel()
        found = np.asarray(voxels)
        if found.dtype == np.int64 and found.ndim == 1:
            return found
        if found.dtype == bool:
            if found.shape != shape:
                raise ValueError(f"has the shape {found.shape}, and the grid {shape}")
            return np.flatnonzero(found)
        found = np.atleast_1d(found)
        if found.size and not np.issubdtype(found.dtype, np.integer):
            raise ValueError(f"has elements of type {found.dtype}")
        return found.astype(np.int64).ravel()
    except (TypeError, ValueError, OverflowError) as why:
        raise ModelError(f"voxels: {why}; give numbers of voxels, indices (z, y, x), or a mask of "
                         "the grid") from None


class View:
    """Numbers of all voxels, as they are until the run goes on; using them later raises StaleView.
    np.asarray(view) is a window on the state, and view.copy() an array of its own. On a GPU,
    asarray copies; libraries that know DLPack take the counts there (cupy.from_dlpack)."""

    __array_ufunc__ = None  # numpy's operators use __array__ through those below

    def __init__(self, session, load, device=None, peek=None, where=None):
        """`load` returns the array. Of counts on a GPU, `device` is the address and number, `peek`
        returns an array that the next call of the library may change, and `where` the mask of
        the voxels with low to high molecules."""
        self._session, self._load, self._age = session, load, session._age
        self._array, self._device, self._peek, self._where = None, device, peek, where

    def _check(self):
        if self._session._age != self._age:
            raise StaleView("the state has changed since this view was taken; take a new one, or "
                            "keep a copy")

    def array(self) -> numpy.ndarray:
        """Returns the numbers as a NumPy array that cannot be written."""
        self._check()
        if self._array is None:
            self._array = self._load()
        return self._array

    def _operand(self):
        """Returns the numbers for one operation, whose result is an array of its own."""
        if self._peek is None or self._array is not None:
            return self.array()
        self._check()
        return self._peek()

    def __dlpack__(self, **options):
        """Hands the numbers to another library, without a copy where that can read them only."""
        if self._device is not None:
            self._check()
            address, number = self._device
            return int32_capsule(address, self._session._handle.shape(), (CUDA, number), self)
        array = self.array()
        try:
            return array.__dlpack__(**options)
        except (BufferError, TypeError):  # an older protocol has no arrays that cannot be written
            return array.copy().__dlpack__()

    def __dlpack_device__(self):
        self._check()
        return (CPU, 0) if self._device is None else (CUDA, self._device[1])

    def __array__(self, dtype=None, copy=None):
        array = self.array()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def copy(self) -> numpy.ndarray:
        return self.array().copy()

    def __getitem__(self, index):
        return self.array()[index]

    def __len__(self) -> int:
        return len(self.array())

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.array(), name)

    def __repr__(self):
        is_stale = self._session._age != self._age
        return "<rdsim view, stale>" if is_stale else f"<rdsim view>\n{self.array()!r}"


def _forward(name):
    def method(self, *others):
        arrays = [other.array() if isinstance(other, View) else other for other in others]
        return getattr(operator, name)(self._operand(), *arrays)
    return method


def _reflect(name):
    def method(self, other):
        return getattr(operator, name)(other, self._operand())
    return method


# The counts from low to high that fulfil a comparison with x.
RANGES = {
    "lt": lambda x: (-syntax.INT32, x - 1), "le": lambda x: (-syntax.INT32, x), "eq": lambda x: (x, x),
    "gt": lambda x: (x + 1, syntax.INT32 - 1), "ge": lambda x: (x, syntax.INT32 - 1),
}


def _compare(name):
    here, range_of = _forward(name), RANGES[name]

    def method(self, other):
        if self._where is None or self._array is not None or type(other) is not int \
                or not 1 - syntax.INT32 < other < syntax.INT32 - 1:
            return here(self, other)
        self._check()
        return self._where(*range_of(other))
    return method


for _name in RANGES:
    setattr(View, f"__{_name}__", _compare(_name))
for _name in ("ne", "add", "sub", "mul", "truediv", "floordiv", "mod",
              "pow", "neg", "abs"):
    setattr(View, f"__{_name}__", _forward(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(View, f"__r{_name}__", _reflect(_name))
View.__hash__ = None


class Session:
    """A run that has begun. Use it in a `with` statement, which closes the result at its end."""

    def __init__(self, handle, path):
        self._handle, self._path = handle, path
        self._age = 0  # changes with the state; views remember it
        self._is_finished = False
        self.species = handle.names("species")
        self._sums = handle.ffi.new("int64_t[]", handle.library.rdsim_runs(handle.pointer)
                                    * len(self.species))
        if handle.start(1) and not self._read("target") <= self.time:
            handle.advance(self._read("target"))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.finish()
        elif not self._is_finished:
            self._is_finished = True
            with contextlib.suppress(Error):  # the exception counts, not what the end says
                self._handle.call("finish")

    def __repr__(self) -> str:
        return f"<rdsim.Session: {self.steps} steps to t = {self.time:g} of {self._read('end'):g}>"

    # ---- time ----

    @property
    def time(self) -> float:
        """The time that is reached."""
        return self._read("time")

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._read("steps")

    @property
    def is_over(self) -> bool:
        """Whether the end is reached."""
        return bool(self._read("is_over"))

    def _read(self, name):
        return getattr(self._handle.library, "rdsim_" + name)(self._handle.pointer)

    def advance(self, dt: float | None = None) -> float:
        """Runs on to the next multiple of `every`, or, with dt, to the first step that ends at
        time + dt or later; not beyond the end. Returns the time that is reached."""
        if dt is not None and not (isinstance(dt, numbers.Real) and 0 < dt < math.inf):
            raise ModelError(f"advance: dt is {dt!r}; give a positive number")
        target = math.nan if dt is None else self.time + float(dt)
        self._age += 1
        self._handle.advance(target)
        return self.time

    def checkpoint(self) -> None:
        """Writes a checkpoint now. start(resume=True) continues here, if the program ends before the
        next one."""
        self._handle.call("checkpoint")

    def finish(self) -> xarray.Dataset:
        """Closes the result. The state can still be read. Returns the result as a data set."""
        if not self._is_finished:
            self._is_finished = True
            self._handle.call("finish")
            self._handle.warn(2)
        return self.result()

    def result(self) -> xarray.Dataset:
        """Returns the result of a run that is finished as an xarray.Dataset."""
        from rdsim.result import open_result
        if not self._is_finished:
            raise Error("the result is open; call finish(), which closes and returns it")
        return open_result(self._path)

    # ---- the state ----

    def _array(self, pointer, count, kind):
        """Returns memory of the library as an array that keeps the model open."""
        import numpy as np
        ffi = self._handle.ffi
        if count == 0:
            return np.empty(0, {"double": "f8"}.get(kind, "i8"))
        size = count * ffi.sizeof(kind)
        owner = ffi.gc(ffi.cast(kind + " *", pointer), lambda _, handle=self._handle: None)
        array = np.frombuffer(ffi.buffer(owner, size), dtype={"int32_t": "i4", "double": "f8",
                                                             "int64_t": "i8"}[kind])
        array.flags.writeable = False
        return array

    def _voxels(self, name, what, kind, keeps=True):
        """Returns counts or a field as an array: the state itself, or a copy; if `keeps` is false, one
        that the next call of the library may change."""
        pointer = self._handle.ffi.new(f"const {kind} **")
        varies = self._handle.call(name, characters(what, name), pointer)
        shape = self._handle.shape()
        shape = shape[-3:] if name == "field" and not varies else shape
        array = self._array(pointer[0], math.prod(shape), kind).reshape(shape)
        is_shared = self._handle.library.rdsim_is_shared(self._handle.pointer)
        return array if is_shared or not keeps else array.copy()

    def totals(self) -> dict[str, int] | dict[str, numpy.ndarray]:
        """Returns the number of molecules of each species: {"A": 12}; of several runs arrays."""
        self._handle.call("totals", self._sums)
        sums, n = self._handle.ffi.unpack(self._sums, len(self._sums)), len(self.species)
        if len(sums) == n:
            return dict(zip(self.species, sums))
        import numpy as np
        return {name: np.array(sums[i::n]) for i, name in enumerate(self.species)}

    def counts(self, species: str) -> View:
        """Returns a View of the molecules in each voxel: [z, y, x], or [run, z, y, x]."""
        ffi, name = self._handle.ffi, characters(species, "species")
        address, number = ffi.new("const int32_t **"), ffi.new("int *")
        if self._handle.call("device_counts", name, address, number) == 1:
            device = int(ffi.cast("uintptr_t", address[0])), number[0]
            return View(self, lambda: self._voxels("counts", species, "int32_t"), device,
                        lambda: self._voxels("counts", species, "int32_t", keeps=False),
                        lambda low, high: self._mask(name, low, high))
        array = self._voxels("counts", species, "int32_t")
        return View(self, lambda: array)

    def _mask(self, name, low, high):
        """Returns the mask of the voxels that have low to high molecules, compared on the GPU."""
        import numpy as np
        mask = np.empty(self._handle.shape(), bool)
        self._handle.call("where", name, low, high, self._handle.ffi.from_buffer("uint8_t[]", mask))
        return mask

    def field(self, name: str) -> View:
        """Returns a View of a field: [z, y, x], or [run, z, y, x]."""
        array = self._voxels("field", name, "double")
        return View(self, lambda: array)

    def individuals(self, species: str) -> pandas.DataFrame:
        """Returns the individuals as a pandas.DataFrame: run, voxel, id, parent, born, attributes."""
        import pandas
        handle = self._handle
        x = handle.ffi.new("struct rdsim_individuals *")
        handle.call("individuals", characters(species, "species"), x)
        columns = {name: self._array(getattr(x, name), x.n, "int64_t").copy()
                   for name in ("run", "voxel", "id", "parent")}
        columns["born"] = self._array(x.born, x.n, "double").copy()
        for k, name in enumerate(handle.attributes(species)):
            columns[name] = self._array(x.attribute + k * x.n, x.n, "double").copy()
        return pandas.DataFrame(columns)

    def parameter(self, name: str) -> float:
        """Returns the present value of a parameter."""
        value = self._handle.ffi.new("double *")
        self._handle.call("parameter", characters(name, "parameter"), value)
        return value[0]

    # ---- edits, in the order of the calls; each stands in the journal of the result ----

    def edit(self, text: str, voxels: Numbers | None = None) -> None:
        """Applies an edit in the syntax of an event: 'remove = { species = "A"; all = true; }'. Entries
        that name no place are for the voxels, if these are given."""
        numbers = None if voxels is None else voxel_numbers(voxels, self._handle.shape()[-3:])
        self._edit(text, None if numbers is None else unique(numbers))

    def _edit(self, text, voxels):
        """Does edit() for rising numbers of voxels, or for a mask."""
        self._age += 1
        text, ffi = characters(text, "edit"), self._handle.ffi
        if voxels is None:
            self._handle.call("edit", text)
        elif voxels.dtype == bool:
            self._handle.call("edit_where", text, ffi.from_buffer("uint8_t[]", voxels))
        else:
            self._handle.call("edit_voxels", text, ffi.from_buffer("int64_t[]", voxels), len(voxels))

    def set(self, **parameters: float | str) -> None:
        """Sets parameters: s.set(k=0.2). Expressions of parameters are texts: k="2 * k"."""
        self.edit(f"set = {{ {syntax.members(parameters)} }};")

    def add(self, species: str, count: int | None = None, *, voxels: Numbers | None = None,
            each: int | Numbers | None = None, region: str | None = None,
            attributes: dict[str, Any] | None = None, run: int | None = None) -> None:
        """Adds molecules: `count` at random places, or `each` in every voxel (default 1 with
        voxels; an array gives each voxel its number). A voxel that is named twice gets twice as
        many. `attributes` are of individuals: a number, or an array with one for each voxel."""
        entries = []
        places, here = self._places(voxels, region, count, each, attributes)
        for place in places:
            much = place.pop("each", None)
            entries.append({"species": species, **({"count": count} if much is None else
                                                   {"value": much}), **place})
        self._change("add", entries, run, here)

    def remove(self, species: str, count: int | None = None, **where: Any) -> None:
        """Removes molecules: `count` of them drawn at random, `each` from every voxel, a `fraction`
        or each with a `probability`; without any of these all. `voxels`, `where` or `region` name
        the place. With `voxels` alone one from each voxel, and with `where` all."""
        self._take("remove", {"species": species}, count, **where)

    def convert(self, species: str, into: str, count: int | None = None, **where: Any) -> None:
        """Turns molecules into another species, as remove() takes them."""
        self._take("convert", {"equation": f"{species} -> {into}"}, count, **where)

    def _take(self, kind, what, count, *, voxels=None, where=None, region=None, each=None,
              fraction=None, probability=None, run=None):
        if voxels is not None and where is not None:
            raise ModelError(f"{kind}: has voxels and where; give one of them")
        much = {name: value for name, value in (("count", count), ("fraction", fraction),
                                                ("probability", probability)) if value is not None}
        if len(much) + (each is not None) > 1:
            raise ModelError(f"{kind}: give one of count, each, fraction and probability")
        if not much and each is None and voxels is None:
            much = {"all": True}
        named = voxels if where is None else where
        places, here = self._places(named, region, next(iter(much.values()), None), each, None)
        self._change(kind, [{**what, **much, **place} for place in places], run, here)

    def _places(self, voxels, region, count, each, attributes):
        """Returns the entries of an edit: for each the keys of its place, and `each`, the number in
        each voxel, unless there is a count; and the voxels of all of them, if they name none: rising
        numbers or a mask."""
        import numpy as np
        if attributes is not None and not hasattr(attributes, "keys"):
            raise ModelError(f"attributes: is a {type(attributes).__name__}; give a dictionary")
        given = {"in": region} if region is not None else {}
        if voxels is None:
            if attributes is not None:
                given["attributes"] = dict(attributes)
            return [given if each is None else {**given, "each": whole_number(each, "each")}], None
        if region is not None:
            raise ModelError("an edit has voxels and a region; give one of them")
        shape = self._handle.shape()[-3:]
        same = 1 if each is None else each if type(each) is int and each >= 0 else None
        if same is not None and not attributes and is_mask(voxels, shape):
            return [{} if count is not None else {"each": same}], np.ascontiguousarray(voxels)
        numbers = voxel_numbers(voxels, shape)
        if numbers.size == 0:  # a mask that no voxel fulfils
            return [], None
        common = {"attributes": dict(attributes)} if attributes else {}
        if count is not None:
            return [common], unique(numbers)
        if same is not None and not attributes and is_rising(ordered := np.sort(numbers)):
            return [{"each": same}], ordered
        many = whole_numbers(each, numbers.size)
        rows = attribute_rows(attributes, numbers.size)
        if rows is not None:
            return [{"voxels": [int(v)], "each": int(n), "attributes": row}
                    for v, n, row in zip(numbers, many, rows) if n > 0], None
        voxel, place = np.unique(numbers, return_inverse=True)
        total = np.bincount(place, weights=many, minlength=voxel.size).astype(np.int64)
        if total.size and total.min() == total.max() > 0:
            return [{"each": int(total[0]), **common}], voxel
        return [{"voxels": voxel[total == n].tolist(), "each": int(n), **common}
                for n in np.unique(total) if n > 0], None

    def _change(self, kind, entries, run, here):
        if not entries:
            return
        inside = ", ".join("{ " + syntax.members(entry) + " }" for entry in entries)
        only = "" if run is None else f" run = {syntax.number_text(whole_number(run, 'run'), 'run')};"
        self._edit(f"{kind} = ( {inside} );{only}", here)


def is_mask(voxels, shape):
    """Returns whether voxels is an array of bool with the shape of the grid."""
    return getattr(voxels, "dtype", None) == bool and voxels.shape == shape


def is_rising(numbers):
    """Returns whether each number is greater than the one before."""
    return bool((numbers[1:] > numbers[:-1]).all())


def unique(numbers):
    """Returns the numbers, rising, each once."""
    import numpy as np
    numbers = np.sort(numbers)
    return numbers if is_rising(numbers) else np.unique(numbers)


def whole_number(value, name):
    """Returns a whole number as an int. The name is that of the argument, for messages."""
    try:
        return operator.index(value)
    except TypeError:
        raise ModelError(f"{name}: is {value!r}; give a whole number") from None


def whole_numbers(each, n):
    """Returns n whole numbers of molecules: each is one number, or an array of n."""
    import numpy as np
    try:
        many = np.broadcast_to(np.asarray(1 if each is None else each), (n,))
        if many.size and (not np.issubdtype(many.dtype, np.integer) or many.min() < 0):
            raise ValueError("not whole numbers from 0")
    except (TypeError, ValueError) as why:
        raise ModelError(f"each: {why}; give one whole number, or one for each of {n} voxels") from None
    return many


def attribute_rows(attributes, n):
    """Returns the attributes of n individuals, a dictionary for each; None if all have the same."""
    import numpy as np
    if not attributes or not any(np.ndim(value) for value in attributes.values()):
        return None
    try:
        columns = {name: np.broadcast_to(np.asarray(value), (n,)).tolist()
                   for name, value in attributes.items()}
    except ValueError as why:
        raise ModelError(f"attributes: {why}; give a number, or one for each of {n} voxels") from None
    return [dict(zip(columns, row)) for row in zip(*columns.values())]
