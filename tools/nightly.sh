#!/usr/bin/env bash
# nightly - runs all tests and all checks, of which CI draws a part. Then runs the models of
# configs/ at full size and checks their results (tools/nightly.py), reads results with the newest
# versions of the Python packages (tools/test.sh has pinned ones), compares SBML models with other
# simulators (tools/judges.py), and changes the source in 40 places to measure whether the tests
# detect it (tools/mutate.py).
# usage: tools/nightly.sh [MODEL...]    (half an hour on one core; calcium and oregonator: hours)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Runs the tests of readers with the newest versions that PyPI has.
read_with_newest()
{
    local folder=$builds/venv-newest
    rm -f "$folder/requirements"
    prepare_python "$folder" "$root/tests/requirements.in" --upgrade &&
        say "the newest versions are $("$python" -m pip freeze | tr '\n' ' ')" &&
        build "$preset" rdsim -D RDSIM_PYTHON="$python" &&
        tests "$preset" -L '^readers$' --no-tests=error
}

# Compares SBML models with libRoadRunner, COPASI and Antimony; without the packages of PyPI it runs
# with those that the tests have, and skips the others with a message.
judge()
{
    local python=$python
    prepare_python "$builds/venv-judges" "$root/tests/judges.txt" ||
        python=$builds/venv/bin/python
    "$python" "$root/tools/judges.py" "$builds/$preset/rdsim" "$builds/judges"
}

"$root/tools/install.sh" build plot test
choose_preset
say "building in $builds/$preset"
build "$preset" rdsim
prepare_python "$builds/venv" "$root/tests/requirements.txt"
verdict=0
MALLOC_PERTURB_=165 "$root/tools/test.sh" || verdict=1
"$root/tools/check.sh" || verdict=1
"$python" "$root/tools/nightly.py" "$builds/$preset/rdsim" "$builds/nightly" "$@" || verdict=1
read_with_newest || verdict=1
judge || verdict=1
say "installing the Python package with the newest and with the oldest versions that it allows"
"$root/tools/wheel.py" "$builds/wheel" || verdict=1
"$root/tools/wheel.py" "$builds/wheel" --oldest || verdict=1
say "changing the source: the known places, then 40 that are drawn"
"$root/tools/mutate.py" --known || verdict=1
"$root/tools/mutate.py" --count 40 || verdict=1
exit $verdict
