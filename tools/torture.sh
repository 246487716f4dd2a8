#!/usr/bin/env bash
# torture - runs killed at random moments and resumed until they are done, compared with runs that
# were left alone.
# usage: tools/torture.sh [KILLS]    (1000 unless told: about a quarter of an hour)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/install.sh" build test
say "building in $builds/cpu"
build cpu rdsim
python=$(find_python numpy h5py) || python=$builds/venv/bin/python
RDSIM_PROGRAM=$builds/cpu/rdsim RDSIM_SOURCE=$root "$python" "$root/tests/twin_killed.py" "${1:-1000}"
