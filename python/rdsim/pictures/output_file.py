"""output_file - a picture or movie that gets its name when it is complete."""
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

from .result import PictureError

REMEDY = "name another file, or make room there"


@contextmanager
def replacing(path):
    """Gives another name beside path, with its suffix. At the end the file of that name replaces the
    one at path; if it cannot be written, it is removed, and what was at path stays."""
    final = Path(os.path.realpath(path))
    temporary = final.with_name(f"{final.stem}.{os.getpid()}.writing{final.suffix}")
    try:
        yield str(temporary)
        os.replace(temporary, final)
    except OSError as fault:
        raise PictureError(f"{path}: cannot be written: {fault.strerror or fault}; {REMEDY}") from fault
    except subprocess.CalledProcessError as fault:
        raise PictureError(f"{path}: cannot be written: the program {fault.cmd[0]} ended with status "
                           f"{fault.returncode}; {REMEDY}") from fault
    finally:
        temporary.unlink(missing_ok=True)
