#!/usr/bin/env bash
# torture - kills runs at random moments, resumes them until they are complete, and compares them
# with undisturbed runs.
# usage: tools/torture.sh [KILLS]    (default 1000: about a quarter of an hour)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/install.sh" build test
say "building in $builds/cpu"
build cpu rdsim
python=$(find_python numpy h5py) || python=$builds/venv/bin/python
RDSIM_PROGRAM=$builds/cpu/rdsim RDSIM_SOURCE=$root "$python" "$root/tests/twin_killed.py" "${1:-1000}"
