#!/usr/bin/env bash
# install - installs missing packages of the distribution (Debian 12, Ubuntu 24.04).
# usage: tools/install.sh [build|plot|test|queue|check]...    (all but queue by default)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The columns: purpose, packages (with commas), and how to test that they are installed.
table='
build  build-essential     command g++
build  cmake               command cmake
build  ninja-build         command ninja
build  libhdf5-dev         package libhdf5-dev
build  libconfig-dev       package libconfig-dev
build  zlib1g-dev          package zlib1g-dev
build  libpng-dev          package libpng-dev
build  libcmocka-dev       package libcmocka-dev
build  libsbml5-dev        package libsbml5-dev
plot   python3-numpy,python3-h5py,python3-matplotlib  python numpy,h5py,matplotlib
test   python3-venv        python ensurepip
test   netcdf-bin          command ncdump
test   4ti2                command 4ti2-rays
test   normaliz            command normaliz
queue  slurm-wlm           package slurm-wlm
check  clang-format-14     command clang-format-14
check  cppcheck            command cppcheck
check  clang               command clang
check  libclang-rt-dev     package libclang-rt-dev
check  libomp-dev          package libomp-dev
check  dpkg-dev            command dpkg-shlibdeps
check  file                command file
'

# is_there KIND NAME: succeeds if a command, package or Python modules are installed.
is_there()
{
    case $1 in
    command) command -v "$2" >/dev/null ;;
    package) [ "$(dpkg-query -W -f '${db:Status-Status}' "$2" 2>/dev/null)" = installed ] ;;
    python) IFS=, read -ra modules <<<"$2" && find_python "${modules[@]}" >/dev/null ;;
    esac
}

# list_missing GROUP...: prints the missing packages of these groups, one per line.
list_missing()
{
    local group packages kind name
    while read -r group packages kind name; do
        if [[ " $* " == *" $group "* ]] && ! is_there "$kind" "$name"; then
            echo "${packages//,/$'\n'}"
        fi
    done <<<"$table"
}

# Runs a command as root.
as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

[ $# -gt 0 ] || set -- build plot test check
mapfile -t missing < <(list_missing "$@")
if [ ${#missing[@]} = 0 ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    say "packages are missing, and there is no apt-get: ${missing[*]}; install them yourself" >&2
    exit 1
fi
# Installs packages by one call of apt-get.
install_packages()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

say "fetching the distribution's list of packages"
quietly as_root apt-get update
say "installing ${missing[*]}"
if quietly install_packages "${missing[@]}"; then
    exit 0
fi
say "not all packages can be installed together: installing one after the other"
failed=()
for package in "${missing[@]}"; do
    quietly install_packages "$package" || failed+=("$package")
done
if [ ${#failed[@]} -gt 0 ]; then
    say "packages cannot be installed: ${failed[*]}; see the messages of apt-get above" >&2
    exit 1
fi
