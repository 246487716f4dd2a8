"""handle - an open model of the library: calls its functions, and raises its messages."""
import os
import re
import sys
import threading
import warnings
import weakref

from rdsim.errors import Error, ModelError, RunWarning
from rdsim.library import characters, load, text

SLICE = 0.1  # seconds between two moments at which Python's signals are handled
KINDS = ("species", "parameters", "regions", "fields", "reactions")  # as enum rdsim_kind

OPTIONS = (  # of the command in its messages, and what they are here
    ("--set time.control=", "every="),
    (r"--set (run\.(?=runs=|seed=|share=)|time\.(?=end=)|parameters\.)?", ""),
    ("--force", "force=True"), ("--resume", "resume=True"), ("--output ", "to="),
    (r"--backend (\w+)", r'backend="\1"'), ("--threads ", "threads="),
    ("--checkpoint-every ", "checkpoint_every="), ("--runs ", "runs="), ("--seed ", "seed="))


def python_message(message):
    """Returns a message of the program with the names that options have here."""
    for option, here in OPTIONS:
        message = re.sub(r"(?<![^\s(])" + option, here, message)
    return message


def close_model(library, pointer, lock, owner):
    """Closes a model when no thread is in a call. A process that was forked leaves the run of its
    parent alone."""
    if owner.is_here():
        with lock:
            library.rdsim_close(pointer)


class Owner:
    """The process to which a run belongs: that of the threads and files that it has."""

    def __init__(self):
        self.process = None

    def is_here(self):
        return self.process in (None, os.getpid())


class Handle:
    """An open model. It is closed when nothing refers to it; arrays of its state do."""

    def __init__(self, name, source, options, folder=""):
        """`folder` is the one that messages leave out before the name of the result."""
        self.ffi, self.library = load()
        self._folder = folder
        self._n_warned = 0
        self.temporary = {}  # names of temporary files in warnings, by path
        self._lock = threading.Lock()  # a struct rdsim is for one thread at a time
        self._owner = Owner()
        self._shape, self._functions = None, {}
        words = [self.ffi.new("char[]", characters(word, "option")) for word in options]
        argv = self.ffi.new("char *[]", words + [self.ffi.NULL])
        opened = self.library.rdsim_open(
            self.ffi.new("char[]", characters(name, "name")),
            self.ffi.NULL if source is None else self.ffi.new("char[]", characters(source, "text")),
            argv)
        if opened == self.ffi.NULL:
            raise MemoryError("out of memory for a model")
        self.pointer = opened
        self.close = weakref.finalize(self, close_model, self.library, opened, self._lock,
                                      self._owner)
        if self.message():
            message = self.message()
            self.close()
            raise ModelError(message)

    def message(self):
        """Returns why the last call failed; "" if it was right."""
        return self._read(self.library.rdsim_message)

    def _read(self, messages):
        """Returns messages of the library with the names that the program has given."""
        found = python_message(text(messages(self.pointer)))
        return found.replace(self._folder, "") if self._folder else found

    def warn(self, depth):
        """Issues the warnings that are new, for the caller `depth` calls above."""
        lines = self._read(self.library.rdsim_warnings).splitlines()
        new, self._n_warned = lines[self._n_warned:], len(lines)
        for line in new:
            for path, name in self.temporary.items():
                line = line.replace(path, name)
            warnings.warn(line, RunWarning, stacklevel=depth + 1)

    @staticmethod
    def why_closed():
        """Returns what ends a call of a closed model. A daemon thread is ended without a message, which
        could not be printed any more, if the interpreter has closed the model at its end."""
        if threading.current_thread().daemon and not threading.main_thread().is_alive():
            return SystemExit()
        return Error("the model is closed; open it again")

    def call(self, name, *arguments, error=Error):
        """Calls rdsim_NAME of this model; raises its message if it fails."""
        with self._lock:
            if not self.close.alive:
                raise self.why_closed()
            if not self._owner.is_here():
                raise Error("the run belongs to the process that started it; start one in this one")
            if (function := self._functions.get(name)) is None:
                function = self._functions[name] = getattr(self.library, "rdsim_" + name)
            result = function(self.pointer, *arguments)
            has_failed = result == -1 if type(result) is int else result == self.ffi.NULL
            if has_failed:
                raise error(self.message() or f"{name}: failed")
            return result

    def start(self, edits):
        """Begins the run, and issues warnings. Returns whether it continues from a checkpoint."""
        self._owner.process = os.getpid()
        try:
            return self.call("start", edits) == 1
        finally:
            self.warn(4)

    def advance(self, time, progress=False):
        """Runs on until `time` is reached, in slices of wall time, so that Ctrl-C ends the run at a
        step."""
        end = self.library.rdsim_end(self.pointer)
        while self.call("advance", time, SLICE) == 0:
            if progress:
                now = self.library.rdsim_time(self.pointer)
                print(f"\r{100 * now / end:5.1f} %  t = {now:.6g} of {end:.6g}", end="",
                      file=sys.stderr)
        if progress:
            print(file=sys.stderr)

    def names(self, kind):
        """Returns the names of a kind: "species", "parameters" and so on."""
        number = KINDS.index(kind)
        n = self.library.rdsim_count_of(self.pointer, number)
        return [text(self.library.rdsim_name_of(self.pointer, number, i)) for i in range(n)]

    def attributes(self, species):
        """Returns the names of the attributes of an individual species."""
        names = []
        name = characters(species, "species")
        while found := self.library.rdsim_attribute_of(self.pointer, name, len(names)):
            names.append(text(found))
        return names

    def grid(self):
        """Returns the number of dimensions, the voxels, their edges and the low corner along x, y
        and z."""
        voxels, edge, origin = (self.ffi.new(kind) for kind in ("int32_t[3]", "double[3]", "double[3]"))
        n = self.library.rdsim_grid(self.pointer, voxels, edge, origin)
        return n, tuple(voxels), tuple(edge), tuple(origin)

    def shape(self):
        """Returns the shape of an array of all voxels: (z, y, x), or (run, z, y, x) of several
        runs."""
        if self._shape is None:
            _, (x, y, z), _, _ = self.grid()
            runs = self.library.rdsim_runs(self.pointer)
            self._shape = (z, y, x) if runs == 1 else (runs, z, y, x)
        return self._shape
