#!/usr/bin/env bash
# fuzz - runs the fuzzers of the readers of texts and files, starting from valid inputs.
# usage: tools/fuzz.sh [SECONDS]    (for all targets in parallel; default 30; keeps bad inputs)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
seconds=${1:-30}
seeds=$builds/fuzz-seeds
found=$builds/fuzz-found

# Writes a file for each piece of code in the page about expressions.
seed_expressions()
{
    local text number=0
    while read -r text; do
        printf '%s' "$text" >"$seeds/fuzz_expr/$((number++))"
    done < <(grep -o '`[^`]*`' "$root/docs/expressions.md" | tr -d '`' | sort -u)
}

seed()
{
    mkdir -p "$seeds"/fuzz_{config,expr,checkpoint,network} "$found"
    cp --backup=numbered "$root"/configs/*.cfg "$root"/tests/models/*/*.cfg "$seeds/fuzz_config"
    cp "$root"/tests/networks/ecoli-*.net "$seeds/fuzz_network"
    printf 'a : => 2 A\nb : A <=> 0.5 B\nc : B => C\nd : A => C\ne : C =>\nf : C <=> A\n' \
        >"$seeds/fuzz_network/small"
    "$builds/fuzz/seeds" "$seeds/fuzz_checkpoint"
    seed_expressions
    local harmful # inputs that once crashed a reader
    for harmful in "$root"/tests/fuzz/found/*; do
        cp "$harmful" "$seeds/$(basename "${harmful%%-*}")"
    done
    # the names of keys, which random inputs would hardly contain
    "$builds/fuzz/rdsim" keys | grep -oE '[a-z_]+' | sort -u | sed 's/.*/"&"/' >"$seeds/words"
}

# fuzz TARGET: runs one fuzzer; succeeds if it finds no input that crashes.
fuzz()
{
    local grown=$builds/fuzz-grown/$1
    mkdir -p "$grown"
    (cd "$found" && "$builds/fuzz/$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -max_len=4096 -dict="$seeds/words" -artifact_prefix="$found/$1-" -verbosity=0 \
        -print_final_stats=1 "$grown" "$seeds/$1") >"$found/$1.log" 2>&1
}

"$root/tools/install.sh" build check
say "building in $builds/fuzz"
build fuzz all
seed
say "fuzzing for $seconds s"
declare -A job
for target in "$builds"/fuzz/fuzz_*; do
    fuzz "$(basename "$target")" &
    job[$(basename "$target")]=$!
done
failed=0
for name in "${!job[@]}"; do
    if wait "${job[$name]}"; then
        say "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$name.log") inputs, no harm"
    else
        tail -n 40 "$found/$name.log"
        say "$name: an input does harm; it is kept in $found"
        failed=1
    fi
done
exit "$failed"
