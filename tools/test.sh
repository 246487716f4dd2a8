#!/usr/bin/env bash
# test - runs the tests on a fresh machine: installs missing packages, builds, tests.
# usage: tools/test.sh [--quick]    (--quick: only the tests of single functions, in seconds)
#        RDSIM_DRAW=SEED tools/test.sh    (runs only a tenth of the long tests, drawn by a number)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Sets preset, targets and choice: all short tests, and a tenth of the physics tests (law_) and of
# the twin tests that are scripts. Compiled twin tests draw among their samples.
draw_tests()
{
    local long names
    choose_preset
    mapfile -t long < <( (test_programs law && cd "$root/tests/identical" && ls twin_*.py) | sort | drawn)
    say "long tests drawn by seed $RDSIM_DRAW: ${long[*]}"
    targets="tests says twins $(printf '%s\n' "${long[@]}" | { grep -v '[.]py$' || true; } | tr '\n' ' ')"
    names=$(printf '|%s' "${long[@]}")
    choice=(-R "^((test|say)_.*|twin_[^.]*${names//./[.]})\$")
}

case "$*" in
'') choice=() ;;
--quick) choice=(-L '^test$') ;;
*)
    sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac

"$root/tools/install.sh" build test
# Slurm is installed only on machines for tests (as root); elsewhere its twin test is skipped.
if [ "$(id -u)" = 0 ]; then
    "$root/tools/install.sh" queue
fi
prepare_python "$builds/venv" "$root/tests/requirements.txt"
targets=all
if is_drawn; then
    draw_tests
else
    choose_test_preset
fi
say "building in $builds/$preset"
build "$preset" "$targets" -D RDSIM_PYTHON="$python"
say "testing"
tests "$preset" "${choice[@]}"
say "all tests passed in $SECONDS s, set-up and build included"
