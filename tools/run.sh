#!/usr/bin/env bash
# run - from a fresh machine to a picture: installs what is missing, builds, runs, plots.
# usage: tools/run.sh CONFIG [options of rdsim...]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# = 0 ] || [ "$1" = --help ]; then
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
fi

"$root/tools/install.sh" build plot
choose_preset
rdsim=$builds/$preset/rdsim
say "building in $builds/$preset"
build "$preset" rdsim
say "the program is $rdsim"
say "running $1"
result=$("$rdsim" "$@")
say "the result is in $result"
say "its picture is in $("$(find_python numpy h5py matplotlib)" "$root/tools/plot.py" "$result")"
