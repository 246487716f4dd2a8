"""Runs `python -m rdsim.pictures plot RESULT`, which the command `rdsim plot` calls."""
import sys

from .command import main

sys.exit(main(sys.argv[1:]))
