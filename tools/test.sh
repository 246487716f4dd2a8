#!/usr/bin/env bash
# test - from a fresh machine to every test's verdict: installs what is missing, builds, tests.
# usage: tools/test.sh [--quick]    (--quick: only the tests of single functions, in seconds)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "$*" in
'') choice=() ;;
--quick) choice=(-L '^test$') ;;
*)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac

# Sets python to an interpreter for the tests; makes one where there is none.
prepare_python()
{
    local modules=(numpy scipy h5py matplotlib xarray netCDF4 h5netcdf)
    if ! python=$(find_python "${modules[@]}"); then
        say "making a Python environment for the tests in $builds/venv"
        quietly "$(find_python ensurepip)" -m venv "$builds/venv"
        quietly "$builds/venv/bin/pip" install -r "$root/tools/requirements.txt"
        python=$builds/venv/bin/python
    fi
    python=$("$python" -c 'import sys; print(sys.executable)')
}

"$root/tools/install.sh" build test
# A queueing system is for machines that are there for tests; elsewhere its twin is skipped.
if [ "$(id -u)" = 0 ]; then
    "$root/tools/install.sh" queue
fi
prepare_python
choose_preset
say "building in $builds/$preset"
build "$preset" all -D RDSIM_PYTHON="$python"
say "testing"
tests "$preset" "${choice[@]}"
say "all tests passed in $SECONDS s, set-up and build included"
