#!/usr/bin/env bash
# check - checks what the tests do not: form, layers, warnings, sanitizers, compilers, the package.
# usage: tools/check.sh    (goes on after a failure; the last lines list verdicts and seconds)
#        RDSIM_DRAW=SEED tools/check.sh    (runs only one of the long checks, drawn by a number)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

failed=0
summary=()

# step NAME COMMAND...: prints the name, runs the command, and records its verdict and seconds.
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
    find kernels src tests tools \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
        xargs -0 clang-format-14 --dry-run -Werror
}

# With more than one job cppcheck looks at each file by itself, so that the result is the same on any
# number of cores.
check_cppcheck()
{
    cppcheck --quiet -j $((cores + 1)) --std=c11 --language=c --error-exitcode=1 \
        --enable=warning,performance,portability --inline-suppr \
        --suppressions-list=tools/cppcheck.txt -I src -I . -I tools kernels src tools/bench
}

# build_and_test PRESET "LABELS" [EXCEPT]: builds the program and the tests with these labels, or
# the tenth that is drawn, and runs them, except those with names that match EXCEPT. Warnings are
# errors.
build_and_test()
{
    local names
    names=$(test_programs $2 | { grep -Ev "${3:-^$}" || true; } | drawn)
    build "$1" "rdsim failing old_driver $(tr '\n' ' ' <<<"$names")" || return 1
    if is_drawn; then
        quietly tests "$1" -R "^($(paste -sd '|' <<<"$names"))\$"
    else
        quietly tests "$1" -L "^(${2// /|})\$" -E "${3:-^$}"
    fi
}

check_clang()
{
    if ! is_drawn; then
        build clang all || return 1
    fi
    build_and_test clang test && check_same_bytes clang
}

check_debug()
{
    build_and_test debug 'test say' && check_same_bytes debug
}

# Runs the twin tests with the thread sanitizer, except scripts, which run the program many times,
# and tests with one thread, with large configurations, or with dozens of restarts per run. The
# remaining twins cover all passes and threads except those of checkpoints, which one run of rdsim
# covers.
check_threads()
{
    build_and_test threads twin '[.]py$|^twin_(configs|fenced|order|resume)$' &&
        TSAN_OPTIONS=ignore_noninstrumented_modules=1 quietly "$builds/threads/rdsim" \
            configs/everything.cfg --set time.end=1 \
            --set 'output.times=(0.2, 0.4, 0.6, 0.8, 1)' --backend cpu --threads 3 \
            --checkpoint-every 100ms --output "$builds/threads/saved.h5" --force
}

# check_same_bytes PRESET: compares the results of two configurations between its build and the
# release build.
check_same_bytes()
{
    local folder config name
    folder=$(mktemp -d)
    build "$preset" rdsim || return 1
    for config in quickstart everything; do
        for name in "$preset" "$1"; do
            mkdir -p "$folder/$name"
            (cd "$folder/$name" && "$builds/$name/rdsim" "$root/configs/$config.cfg" \
                --backend cpu --force --output result.h5 --progress none) || return 1
        done
        "$builds/$preset/rdsim" diff "$folder"/*/result.h5 || return 1
    done
    rm -rf "$folder"
}

# Compiles the CUDA code to PTX. On a machine with a device, the release build has this code
# already.
check_cuda()
{
    if ! has_nvcc; then
        say "there is no nvcc: the CUDA code is not compiled"
        return
    fi
    CUDAARCHS=${CUDAARCHS:-90-virtual} build cuda rdsim
}

check_package()
{
    (cd "$builds/$preset" && quietly cpack) && dpkg-deb --info "$builds/$preset"/rdsim_*.deb
}

# Runs the long checks, or the one that RDSIM_DRAW draws.
long_checks()
{
    local -a title=("cppcheck finds nothing"
        "clang: builds without a warning, quick tests pass, bytes are the same"
        "address and undefined sanitizers find nothing, bytes are the same"
        "the thread sanitizer finds nothing"
        "the fuzzer finds nothing in half a minute"
        "the CUDA code compiles"
        "the package is built")
    local -a command=(check_cppcheck check_clang check_debug check_threads "tools/fuzz.sh 30"
        check_cuda check_package)
    local i
    for i in "${!title[@]}"; do
        if ! is_drawn || [ $((RDSIM_DRAW % ${#title[@]})) = "$i" ]; then
            step "${title[i]}" ${command[i]}
        fi
    done
}

"$root/tools/install.sh" build plot check
choose_preset
step "clang-format 14 changes nothing" check_format
step "folders include only folders before them" tools/check_layers.py
step "no function or file is too long, no unit too small" tools/check_lengths.py
step "names and pages use the words of the field" tools/check_words.py
step "$preset: the program builds without a warning" build "$preset" rdsim
long_checks

say "checks:"
printf '   %s\n' "${summary[@]}"
exit "$failed"
