#!/usr/bin/env bash
# run - runs a configuration on a fresh machine: installs missing packages, builds, runs, plots.
# usage: tools/run.sh CONFIG [options of rdsim...]
#   RDSIM_CUDA=AUTO  (default) with a CUDA compiler and a device: also builds the CUDA program,
#                    after the first picture; later calls run it
#   RDSIM_CUDA=ON    builds it without a device too (CUDAARCHS chooses architectures)
#   RDSIM_CUDA=OFF   never builds it
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# = 0 ] || [ "$1" = --help ]; then
    sed -n '2,7s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
fi

# Draws a result. If a Python package is missing, prints a message; the result itself is complete.
draw()
{
    local python picture
    if ! python=$(find_python numpy h5py matplotlib); then
        stop "no picture: no Python has numpy, h5py and matplotlib; install them, then run" \
            "$rdsim plot $1"
    fi
    picture=$(RDSIM_PYTHON=$python "$rdsim" plot "$1")
    say "its picture is in $picture"
}

"$root/tools/install.sh" build plot
choose_preset
wanted=$preset
# The first picture does not wait for the build of the CUDA program.
[ -x "$builds/cuda/rdsim" ] || preset=cpu
rdsim=$builds/$preset/rdsim
say "building in $builds/$preset"
build "$preset" rdsim
say "the program is $rdsim"
say "running $1"
result=$("$rdsim" "$@")
say "the result is in $result"
draw "$result"
if [ "$preset" != "$wanted" ]; then
    say "building the CUDA program in $builds/cuda, for the next runs (RDSIM_CUDA=OFF skips it)"
    build cuda rdsim
fi
