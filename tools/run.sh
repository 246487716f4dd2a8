#!/usr/bin/env bash
# run - from a fresh machine to a picture: installs what is missing, builds, runs, plots.
# usage: tools/run.sh CONFIG [options of rdsim...]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# = 0 ] || [ "$1" = --help ]; then
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
fi
config=$1
if [ ! -f "$config" ]; then
    echo "$config: there is no such file; give the path of a configuration, for example" \
        "$root/configs/quickstart.cfg" >&2
    exit 2
fi

"$root/tools/install.sh" build plot
choose_preset
build "$preset" rdsim
say "running $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$builds/$preset/rdsim" "$@" | tee "$log"
