"""model - a configuration that is checked, run and stepped."""
from __future__ import annotations

import math
import os
import sys

from rdsim import syntax
from rdsim.errors import ModelError
from rdsim.handle import Handle
from rdsim.temporary import TemporaryPath, remove, temporary_path

TYPE_CHECKING = False  # as typing.TYPE_CHECKING, without its import
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    import numpy
    import pandas
    import xarray
    from rdsim.stepping import Session

SHORT = {"runs": "run.runs", "seed": "run.seed", "end": "time.end"}
KEYS = set("title units grid parameters tables regions surfaces compartments fields borders species "
           "reactions odes observables initial events time output run solver splitting".split())
OPTIONS = {**SHORT, "share": "run.share", "every": "time.control"}


class Report(dict):
    """The report of a check: the document of `rdsim check --json`. Its warnings are texts."""

    @property
    def warnings(self) -> list[str]:
        return [f"{w['place']}: {w['text']}" if w.get("place") else w["text"]
                for w in self.get("warnings", [])]

    def __str__(self) -> str:
        return "\n".join(f"{label if i == 0 else '':12}{line}" for label, lines in
                         self["report"].items() for i, line in enumerate(lines))

    def _repr_html_(self):
        import html  # slow; as others in this file, only where it is used
        rows = "".join(f"<tr><td>{html.escape(label)}</td><td>"
                       + "<br>".join(map(html.escape, lines)) + "</td></tr>"
                       for label, lines in self["report"].items())
        return f"<table>{rows}</table>"


class Model:
    """A model: the path of a configuration or of a model in SBML or BioNetGen, the text of one, or
    a dictionary with the keys of a configuration. Keywords are settings, as for set(). The
    path of a model, and those that it includes, count from the working folder of this call."""

    def __init__(self, source: str | os.PathLike[str] | dict[str, Any], *, name: str = "model",
                 **settings: Any) -> None:
        self._settings = {}
        self._handle = None
        self._folder = working_folder()
        if isinstance(source, str) and not source:
            raise ModelError("source: is empty; give a path, a text or a dictionary")
        if isinstance(source, dict):
            self._name, self._text = name, syntax.members(source)
        elif isinstance(source, str) and is_configuration(source):
            self._name, self._text = name, source
        elif isinstance(source, (str, os.PathLike)):
            self._name, self._text = os.fspath(source), None
        else:
            raise ModelError(f"a model is a {type(source).__name__}; give a path, a text or a "
                             "dictionary")
        self.set(**settings)

    def set(self, *paths: dict[str, Any], **settings: Any) -> Model:
        """Changes parameters by name (k=0.2), `runs`, `seed` and `end`, or any key of the
        configuration by its path ({"species.A.diffusion": 2}, {"solver": "exact"}); a dictionary
        replaces a group (output={"every": 1}). Returns the model."""
        changes = dict(settings)
        for path in paths:
            if not isinstance(path, dict):
                raise ModelError(f"set: has a {type(path).__name__}; give a dictionary of paths")
            changes.update(path)
        before = dict(self._settings)
        for name, value in changes.items():
            if not isinstance(name, str):
                raise ModelError(f"set: {name!r} is no name; give the path of a key")
            self._settings[self._path_of(name, value)] = syntax.setting_text(value, name)
        try:
            self._close()
            self._open()
        except Exception:
            self._settings = before
            raise
        return self

    def _path_of(self, name, value):
        """Returns the path of a key, or of a parameter, which may have the name of a key."""
        is_path = "." in name or "[" in name or isinstance(value, dict)
        if is_path or (name in KEYS and not self._has_parameter(name)):
            return name
        return SHORT.get(name, f"parameters.{name}")

    def _has_parameter(self, name):
        try:
            return name in self.parameters
        except ModelError:  # as of an SBML model that gets its end by a later setting
            return False

    def __getstate__(self):
        """Returns what another process, or a copy, opens the model with."""
        return {**self.__dict__, "_settings": dict(self._settings), "_handle": None}

    def _options(self, settings):
        return [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]

    def _path(self):
        """Returns the name of the model as a path from the present working folder."""
        is_same = self._folder is None or self._folder == working_folder()
        return self._name if is_same else os.path.join(self._folder, self._name)

    def _open(self):
        if self._handle is None:
            self._handle = Handle(self._path(), self._text,
                                  ["--force", *self._options(self._settings)])
        return self._handle

    def _close(self):
        if self._handle is not None:
            self._handle.close()
        self._handle = None

    @property
    def species(self) -> list[str]:
        """The names of the species."""
        return self._open().names("species")

    @property
    def reactions(self) -> list[str]:
        """The names of the reactions."""
        return self._open().names("reactions")

    @property
    def regions(self) -> list[str]:
        """The names of the regions."""
        return self._open().names("regions")

    @property
    def fields(self) -> list[str]:
        """The names of the fields."""
        return self._open().names("fields")

    @property
    def shape(self) -> tuple[int, int, int]:
        """The voxels along x, y and z."""
        return self._open().grid()[1]

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters and their values at the start."""
        handle = self._open()
        value = handle.ffi.new("double *")
        return {name: handle.call("parameter", name.encode(), value) or value[0]
                for name in handle.names("parameters")}

    @property
    def configuration(self) -> str:
        """The effective configuration: every key's value."""
        handle = self._open()
        return handle.ffi.string(handle.call("configuration")).decode()

    def check(self) -> Report:
        """Returns the report of `rdsim check`: sizes, steps, reactions, warnings."""
        import json
        handle = self._open()
        return Report(json.loads(handle.ffi.string(handle.call("check", error=ModelError))))

    def _prepare(self, to, how, changes):
        """Returns an open handle for a run and the path of its result; without `to` that is a file
        that the caller removes."""
        if how["resume"] and to is None:
            raise ModelError("resume: there is no file; name it with to")
        settings = dict(self._settings)
        settings.update({name: syntax.setting_text(value, name) for name, value in changes.items()})
        if not (to is None or isinstance(to, (str, os.PathLike))):
            raise ModelError(f"to: is a {type(to).__name__}; give the path of a file")
        name = os.fspath(to) if to is not None else TemporaryPath(temporary_path())
        # the program may change its folder during the run
        folder = "" if not name or os.path.isabs(name) else os.path.join(os.getcwd(), "")
        path = folder + name if folder else name
        options = ["--output", path, "--backend", str(how["backend"]),
                   "--threads", str(how["threads"])]
        options += ["--force"] if how["force"] or to is None else []
        options += ["--resume"] if how["resume"] else []
        if how["checkpoint_every"] is not None:
            options += ["--checkpoint-every", str(how["checkpoint_every"])]
        try:
            handle = Handle(self._path(), self._text, options + self._options(settings), folder)
            if to is None:
                handle.temporary[path] = "the result"
            return handle, path
        except BaseException:
            if to is None:
                remove(path)
            raise

    def run(self, *, to: str | os.PathLike[str] | None = None, runs: int | None = None,
            seed: int | None = None, end: float | None = None,
            rows: pandas.DataFrame | Mapping[str, Any] | numpy.ndarray | None = None,
            share: str | None = None, backend: str = "auto", threads: int = 0, force: bool = False,
            resume: bool = False, checkpoint_every: float | str | None = None,
            progress: bool | None = None, **parameters: float | str) -> xarray.Dataset:
        """Runs the model and returns the result as an xarray.Dataset: in memory, or with `to` from
        the file of that name, which `force` replaces. Keywords change parameters for this run.
        `resume` continues an unfinished run of the same call from its last checkpoint; it writes
        one every ten minutes, or as `checkpoint_every` says (30, "1h").
        `rows` has many values of parameters: a DataFrame, a dictionary of columns, or an array with
        a column for each parameter. The result then has the dimensions row and run. With
        share="streams" all rows have the random numbers of the first one."""
        from rdsim.result import open_result
        changes = changes_of(parameters, runs=runs, seed=seed, end=end, share=share)
        how = {"backend": backend, "threads": threads, "force": force, "resume": resume,
               "checkpoint_every": checkpoint_every}
        handle, path = (self._prepare(to, how, changes) if rows is None else
                        self._prepare_rows(rows, to, how, changes))
        try:
            handle.start(0)
            if not handle.library.rdsim_is_over(handle.pointer):  # as a complete result is
                handle.advance(math.inf, is_notebook() if progress is None else progress)
            handle.call("finish")
            handle.warn(2)
        finally:
            handle.close()  # ends a run that was interrupted
        return open_result(path)

    def _prepare_rows(self, rows, to, how, changes):
        """Does _prepare for a table of parameters, which the library reads when it opens the
        model. With `to` the table has the same path in each call, so that a run can be resumed."""
        from rdsim.rows import columns_of, write_rows
        path = temporary_path() if to is None else f"{to}.rows"
        if to is not None and os.path.exists(path):
            raise ModelError(f"to: '{path}' exists, which this run needs for a moment; remove it")
        try:
            write_rows(columns_of(rows, list(self.parameters)), path)
            changes = {**changes, "run.rows.file": path}
            handle, result = self._prepare(to, how, changes)
            handle.temporary[path] = "rows"
            return handle, result
        except ModelError as why:
            raise ModelError(str(why).replace(path, "rows")) from None
        finally:
            remove(path)

    def start(self, *, to: str | os.PathLike[str] | None = None, runs: int | None = None,
              seed: int | None = None, end: float | None = None, every: float | None = None,
              backend: str = "auto", threads: int = 0, force: bool = False, resume: bool = False,
              checkpoint_every: float | str | None = None, **parameters: float | str) -> Session:
        """Begins a run, and returns a Session: control returns at time 0, then at the multiples of
        `every`, or where advance() says. `resume` continues an unfinished run of the same call from
        its last checkpoint: control returns where it would have returned after that. A complete
        result gives a Session that is over."""
        from rdsim.stepping import Session
        changes = changes_of(parameters, runs=runs, seed=seed, end=end, every=every)
        how = {"backend": backend, "threads": threads, "force": force, "resume": resume,
               "checkpoint_every": checkpoint_every}
        handle, path = self._prepare(to, how, changes)
        return Session(handle, path)

    def __repr__(self) -> str:
        x, y, z = self.shape
        return (f"<rdsim.Model {self._name}: {x} x {y} x {z} voxels, "
                f"{len(self.species)} species, {len(self.reactions)} reactions>")

    def _repr_html_(self):
        from rdsim.page import model_page
        return model_page(self._open(), self._name)


def working_folder():
    """Returns the path of the working folder, or None if it was removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def is_configuration(source):
    """Returns whether it is the text of a configuration, not the path of one, as k=2/model.cfg."""
    return "\n" in source or ("=" in source and any(sign in source for sign in "{(;\""))


def changes_of(parameters, **options):
    """Returns what a call changes, by path: the options that it gives, and all parameters."""
    changes = {OPTIONS[name]: value for name, value in options.items() if value is not None}
    changes.update({f"parameters.{name}": value for name, value in parameters.items()})
    return changes


def is_notebook():
    """Returns whether the program runs in a notebook."""
    return "ipykernel" in sys.modules
