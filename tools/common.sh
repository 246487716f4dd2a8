# common - functions of all scripts: paths, properties of the machine, builds without output.
# Scripts read it with `source`. RDSIM_BUILD names another folder for builds than build/.
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

# Runs a command; prints its output only if it fails.
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

# find_python MODULE...: prints the first interpreter that has all these modules, in any version.
# Pictures and checks use it; tests use pinned versions (prepare_python).
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

# Prints the first interpreter of the machine that can make an environment of the pinned versions:
# it must be Python 3.11 or later with ensurepip.
find_base_python()
{
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import ensurepip, sys
sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# prepare_python FOLDER REQUIREMENTS [pip options...]: makes a virtual environment, or updates it if
# REQUIREMENTS has changed since, and sets python to its interpreter. The environment contains no
# distribution packages or other Python packages of the machine. Modules are compiled when a test
# imports them (to the folder in cmake/tests.cmake), since compiling all of them takes minutes.
prepare_python()
{
    local folder=$1 requirements=$2 made_from=$1/requirements base
    shift 2
    python=$folder/bin/python
    if cmp -s "$requirements" "$made_from" && "$python" -c '' 2>/dev/null; then
        return
    fi
    base=$(find_base_python) ||
        stop "Python: no interpreter is 3.11 or later and has ensurepip; install python3 and python3-venv"
    say "making a Python environment in $folder (${requirements#"$root/"})"
    quietly "$base" -m venv --clear "$folder" &&
        quietly "$python" -m pip install --disable-pip-version-check --no-compile "$@" \
            -r "$requirements" &&
        cp "$requirements" "$made_from"
}

# Succeeds if there is a CUDA compiler; adds its usual folder to PATH if needed.
has_nvcc()
{
    if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH=$PATH:/usr/local/cuda/bin
    fi
    command -v nvcc >/dev/null
}

# Succeeds if a CUDA program is to be built and run: if RDSIM_CUDA is ON, or if it is AUTO (the
# default) and the machine has both a CUDA compiler and a device.
needs_cuda()
{
    case ${RDSIM_CUDA:-AUTO} in
    ON) has_nvcc || stop "RDSIM_CUDA: is ON, but there is no nvcc; put its folder in PATH" ;;
    OFF) return 1 ;;
    AUTO) has_nvcc && nvidia-smi -L >/dev/null 2>&1 ;;
    *) stop "RDSIM_CUDA: '$RDSIM_CUDA' is not a choice; use ON, OFF or AUTO" ;;
    esac
}

# Prints a message and ends the script with status 2.
stop()
{
    say "$@" >&2
    exit 2
}

# Sets the architectures of a CUDA program: those of this machine's devices. Without a device, those
# of cmake/cuda.cmake remain.
choose_architectures()
{
    if nvidia-smi -L >/dev/null 2>&1; then
        export CUDAARCHS=${CUDAARCHS:-native}
    fi
}

# Sets preset for a program that is to be run: cuda or cpu.
choose_preset()
{
    preset=cpu
    if needs_cuda; then
        preset=cuda
        choose_architectures
    fi
}

# Sets preset for the tests. With a CUDA compiler, but no device, CUDA code is compiled to PTX,
# which shows that it compiles; the assembler would take minutes more for each architecture.
choose_test_preset()
{
    choose_preset
    if [ $preset = cpu ] && [ "${RDSIM_CUDA:-AUTO}" != OFF ] && has_nvcc; then
        preset=cuda
        export CUDAARCHS=${CUDAARCHS:-90-virtual}
        say "there is a CUDA compiler, but no device: compiling CUDA code to PTX (CUDAARCHS=$CUDAARCHS)"
    fi
}

# build PRESET "TARGETS" [cmake options...]: configures and builds the targets in $builds/PRESET;
# prints the time that it took.
build()
{
    local name=$1 from=$SECONDS targets
    read -ra targets <<<"$2"
    shift 2
    (cd "$root" && quietly cmake --preset "$name" -B "$builds/$name" "$@") &&
        quietly cmake --build "$builds/$name" --target "${targets[@]}" -j "$cores" &&
        say "built preset $name (${targets[*]:0:9}) in $((SECONDS - from)) s"
}

# Succeeds if RDSIM_DRAW is set: then only a tenth of the long tests is run, which this number
# draws.
is_drawn()
{
    [ -n "${RDSIM_DRAW:-}" ]
}

# Prints the lines that it reads: all, or the tenth that is drawn.
drawn()
{
    awk -v seed="${RDSIM_DRAW:-}" 'seed == "" || NR % 10 == seed % 10'
}

# test_programs LABEL...: prints the names of the tests with these labels that are compiled.
test_programs()
{
    local label
    for label in "$@"; do
        find "$root/tests" -name "${label}_*.c" -printf '%f\n'
    done | sed 's/[.]c$//' | LC_ALL=C sort
}

# tests PRESET [ctest options...]: runs the tests of a build. The number of parallel tests is one
# more than that of cores, since some tests mostly wait.
tests()
{
    local name=$1
    shift
    ctest --test-dir "$builds/$name" -j $((cores + 1)) --output-on-failure "$@"
}
