#!/usr/bin/env bash
# check - what the tests do not see: form, layers, warnings, sanitizers, compilers, the package.
# usage: tools/check.sh    (goes on after a fault; the last lines say what failed, and seconds)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

failed=0
summary=()

# step NAME COMMAND...: says, runs and times it.
step()
{
    local name=$1 from=$SECONDS verdict=passed
    shift
    say "$name"
    if ! "$@"; then
        verdict=FAILED
        failed=1
    fi
    summary+=("$(printf '%-6s %4d s  %s' "$verdict" $((SECONDS - from)) "$name")")
}

check_format()
{
    find kernels src tests \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
        xargs -0 clang-format-14 --dry-run -Werror
}

check_cppcheck()
{
    cppcheck --quiet -j "$cores" --std=c11 --language=c --error-exitcode=1 \
        --enable=warning,performance,portability --inline-suppr \
        --suppressions-list=tools/cppcheck.txt -I kernels -I src $(printf -- "-I %s " src/*/) kernels src
}

# build_and_test PRESET "LABELS" [ctest options...]: warnings are errors in every preset.
build_and_test()
{
    local name=$1 labels=$2 label
    shift 2
    for label in $labels; do
        build "$name" "${label}s" || return 1
    done
    quietly tests "$name" -L "^(${labels// /|})\$" "$@"
}

check_clang()
{
    build clang all && build_and_test clang test
}

# Without the scripts, which run the program many times, and without those that run on one thread or
# large configurations, or open each run dozens of times: the other twins have all passes and all
# threads of the program but for those that meet at checkpoints, which one run has.
check_threads()
{
    build_and_test threads twin -E '[.]py$|^twin_(configs|fenced|order|resume)$' &&
        TSAN_OPTIONS=ignore_noninstrumented_modules=1 quietly "$builds/threads/rdsim" \
            configs/everything.cfg --set time.end=1 \
            --set 'output.times=(0.2, 0.4, 0.6, 0.8, 1)' --backend cpu --threads 3 \
            --checkpoint-every 100ms --output "$builds/threads/saved.h5" --force
}

# The same configurations by the release build, clang's and the debug build.
check_same_bytes()
{
    local folder config name
    folder=$(mktemp -d)
    for config in quickstart everything; do
        for name in "$preset" clang debug; do
            mkdir -p "$folder/$name"
            (cd "$folder/$name" && "$builds/$name/rdsim" "$root/configs/$config.cfg" \
                --backend cpu --force --output result.h5 --progress none) || return 1
        done
        "$(find_python h5py numpy)" tools/check_same.py "$folder"/*/result.h5 || return 1
    done
    rm -rf "$folder"
}

check_package()
{
    (cd "$builds/$preset" && quietly cpack) && dpkg-deb --info "$builds/$preset"/rdsim_*.deb
}

"$root/tools/install.sh" build plot check
choose_preset
step "clang-format 14 changes nothing" check_format
step "the layers know what they may know" tools/check_layers.py
step "no function and no file is too long" tools/check_lengths.py
step "cppcheck finds nothing" check_cppcheck
step "$preset: builds without a warning" build "$preset" all
step "clang: builds without a warning, quick tests pass" check_clang
step "address and undefined sanitizers find nothing" build_and_test debug 'test say'
step "the thread sanitizer finds nothing" check_threads
step "the fuzzer finds nothing in half a minute" tools/fuzz.sh 30
step "gcc, clang and the debug build give the same bytes" check_same_bytes
step "the package is built" check_package

say "checks:"
printf '   %s\n' "${summary[@]}"
exit "$failed"
