# common - what the scripts share: where things are, which machine this is, how to build quietly.
# Read by them with `source`; RDSIM_BUILD names another place for the builds than build/.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builds=${RDSIM_BUILD:-$root/build}
mkdir -p "$builds"
builds=$(cd "$builds" && pwd)
cores=$(nproc)

say()
{
    printf '== %s\n' "$*"
}

# Runs a command without its output, unless it fails.
quietly()
{
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

# The first interpreter that has all the modules named.
find_python()
{
    local python
    for python in "$builds/venv/bin/python" python3 /usr/bin/python3; do
        if "$python" -c 'import importlib.util as i, sys
sys.exit(not all(map(i.find_spec, sys.argv[1:])))' "$@" 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# Whether there is a CUDA compiler; its usual place need not be in PATH.
has_nvcc()
{
    if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH=$PATH:/usr/local/cuda/bin
    fi
    command -v nvcc >/dev/null
}

# Sets preset to this machine's. CUDA code is made for the cards that are here. Without one it is made
# as far as PTX, which shows that it compiles: what the assembler makes of that takes minutes for each
# kind of card.
choose_preset()
{
    if has_nvcc; then
        preset=cuda
        if nvidia-smi -L >/dev/null 2>&1; then
            export CUDAARCHS=${CUDAARCHS:-native}
        else
            export CUDAARCHS=${CUDAARCHS:-90-virtual}
        fi
        say "CUDA compiler found: building with both back ends (CUDAARCHS=$CUDAARCHS)"
    else
        preset=cpu
        say "no CUDA compiler here: building the CPU program"
    fi
}

# build PRESET TARGET [cmake options...]: configures and builds it in $builds/PRESET.
build()
{
    local name=$1 target=$2
    shift 2
    (cd "$root" && quietly cmake --preset "$name" -B "$builds/$name" "$@")
    quietly cmake --build "$builds/$name" --target "$target" -j "$cores"
}

# tests PRESET [ctest options...]: what was built, tested; one more at once than there are cores,
# since some mostly wait.
tests()
{
    local name=$1
    shift
    ctest --test-dir "$builds/$name" -j $((cores + 1)) --output-on-failure "$@"
}
