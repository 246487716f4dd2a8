"""temporary - the files of results in memory."""
import os
import weakref
from pathlib import Path


class TemporaryPath(str):
    """The path of a result that is removed when nothing refers to this object. A pickle of it is a
    plain text."""

    def __new__(cls, path):
        self = super().__new__(cls, path)
        weakref.finalize(self, remove_own, path, os.getpid())
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return str, (str(self),)


def remove_own(path, process):
    """Removes the result of this process; a process that was forked leaves that of its parent."""
    if process == os.getpid():
        remove(path)


def remove(path):
    """Removes a result, also of a run that did not come to its end."""
    Path(path).unlink(missing_ok=True)
    if os.path.isdir(path + ".parts"):
        import shutil
        shutil.rmtree(path + ".parts", ignore_errors=True)


def temporary_path():
    """Returns the path of a new, empty file."""
    import tempfile
    file, path = tempfile.mkstemp(prefix="rdsim-", suffix=".h5")
    os.close(file)
    return path
