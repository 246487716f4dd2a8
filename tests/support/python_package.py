"""python_package - the Python package of the build under test, for scripts that import it."""
import os
import sys
from pathlib import Path

import cffi  # noqa: F401 (a script is skipped without it)

sys.path.insert(0, str(Path(os.environ["RDSIM_PROGRAM"]).parent / "python"))
