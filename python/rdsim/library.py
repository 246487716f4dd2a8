"""library - loads librdsim, the functions of rdsim.h, by cffi."""
import os
import re
import threading
from pathlib import Path

from rdsim.errors import Error

FOLDER = Path(__file__).parent  # has librdsim.so and rdsim.h beside this file
_loaded = []  # cffi and the library, after the first use
_lock = threading.Lock()  # several threads may come to the first use together


def declarations(header):
    """Returns the declarations of rdsim.h, without comments and directives, as cffi reads them."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M).replace("RDSIM_API ", "")
    return text.replace('extern "C" {', "").rsplit("}", 1)[0]


def load():
    """Returns cffi's FFI and the library; the first call loads them."""
    if not _loaded:
        with _lock:
            if not _loaded:
                load_once()
    return _loaded


def load_once():
    """Loads cffi and the library."""
    from cffi import FFI
    ffi = FFI()
    try:
        ffi.cdef(declarations((FOLDER / "rdsim.h").read_text()))
        _loaded.extend((ffi, open_library(ffi)))
    except OSError as why:
        raise Error(f"{FOLDER}: has no librdsim that can be loaded ({why}); "
                    "install rdsim with pip") from None


def open_library(ffi):
    """Returns the library. OpenMP reads its variable when it is loaded: threads that wait sleep, as
    in the program."""
    is_set = "OMP_WAIT_POLICY" in os.environ
    if not is_set:
        os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        return ffi.dlopen(str(FOLDER / "librdsim.so"))
    finally:
        if not is_set:
            del os.environ["OMP_WAIT_POLICY"]


def text(characters):
    """Returns a text of the library as str; NULL is ""."""
    ffi, _ = load()
    return ffi.string(characters).decode(errors="replace") if characters else ""


def characters(value, what):
    """Returns a text for the library as bytes."""
    value = str(value)
    if "\0" in value:
        raise Error(f"{what}: has a zero character; leave it out")
    return value.encode()
