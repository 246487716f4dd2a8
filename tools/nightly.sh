#!/usr/bin/env bash
# nightly - runs the models of configs/ at full size, and says of each whether what must come out did.
# usage: tools/nightly.sh [MODEL...]    (half an hour on one core; then calcium and the oregonator, some hours)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/install.sh" build plot
choose_preset
say "building in $builds/$preset"
build "$preset" rdsim
"$(find_python h5py numpy scipy)" "$root/tools/nightly.py" "$builds/$preset/rdsim" "$builds/nightly" "$@"
