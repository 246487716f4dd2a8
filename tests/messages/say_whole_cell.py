"""say_whole_cell - tests the script that writes the whole-cell benchmark: its model runs, keeps genes
and machines, and wrong numbers are refused."""
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np

SCRIPT = pathlib.Path(os.environ["RDSIM_SOURCE"]) / "configs/whole_cell.py"
GENES = 8


def write(*words):
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True,
                          timeout=60, check=False)


def genes_and_machines_are_conserved():
    pathlib.Path("cell.cfg").write_text(
        write("--genes", str(GENES), "--molecules", "4000", "--end", "2e-5").stdout,
        encoding="utf-8")
    done = subprocess.run([os.environ["RDSIM_PROGRAM"], "cell.cfg", "--force", "--set",
                           "parameters.meet=10", "--set", "parameters.fold=1e5"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    with h5py.File("cell.h5") as file:
        names = [name.decode() for name in file["species"][:]]
        last = dict(zip(names, np.asarray(file["totals"][0, -1])))
        first = dict(zip(names, np.asarray(file["totals"][0, 0])))
    assert sum(first.values()) == 4000, first
    for machine, bound in (("polymerase", "GR"), ("ribosome", "MR"), ("degradosome", "MD")):
        kept = sum(last[f"{bound}{i}"] for i in range(GENES))
        assert last[machine] + kept == first[machine], last
    for i in range(GENES):
        assert last[f"G{i}"] + last[f"GR{i}"] == 1, last
    assert sum(last[f"charged_{code}"] for code in "ACDEF") > 0, "no reaction happened"


def wrong_numbers_are_refused():
    for words, message in ((("--genes", "3"), "--genes 3: at least 8 genes"),
                           (("--molecules", "1000"), "--molecules 1000: one of each species needs"),
                           (("--end", "soon"), "--end: invalid float value")):
        done = write(*words)
        assert done.returncode == 2 and message in done.stderr and not done.stdout, done


if __name__ == "__main__":
    genes_and_machines_are_conserved()
    wrong_numbers_are_refused()
