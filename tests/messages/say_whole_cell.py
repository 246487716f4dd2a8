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


def families_keep_genes_and_machines():
    """Tests the same with the genes as families: each gene stays one, by its number."""
    pathlib.Path("families.cfg").write_text(
        write("--genes", "100", "--molecules", "4000", "--end", "1e-4", "--families").stdout,
        encoding="utf-8")
    done = subprocess.run([os.environ["RDSIM_PROGRAM"], "families.cfg", "--force", "--set",
                           "parameters.meet=10", "--set", "parameters.fold=1e5", "--set",
                           "parameters.transcribe=1e5", "--set", "parameters.translate=1e5",
                           "--set", "parameters.slow=5", "--backend", "cpu"],
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    with h5py.File("families.h5") as file:
        names = [name.decode() for name in file["species"][:]]
        first, last = (dict(zip(names, np.asarray(file["totals"][0, at]))) for at in (0, -1))
        by = {name: file[f"by/{name}_gene/counts"][0] for name in names if f"by/{name}_gene" in file}
    assert len(names) == 20 and sum(first.values()) == 4000, first
    for machine, bound in (("polymerase", "GR"), ("ribosome", "MR"), ("degradosome", "MD")):
        assert last[machine] + last[bound] == first[machine], last
    assert (by["G"] + by["GR"] == 1).all(), by["G"]
    assert (by["tRNA"] + by["charged"] == [100] * 20 + [0] * 80).all() and by["charged"][-1].sum() > 0
    assert sum(last[x] for x in ("M", "MR", "MD")) == 100 + last["transcribed"] - last["degraded"]
    assert last["transcribed"] > 0 and last["translated"] > 0, last
    membrane = np.arange(100) % 4 == 3
    assert by["N"][:, membrane].sum() == 0 and by["PM"][:, ~membrane].sum() == 0
    assert by["NM"].sum() + by["NT"].sum() + by["N"].sum() > 0


def wrong_numbers_are_refused():
    for words, message in ((("--genes", "3"), "--genes 3: at least 8 genes"),
                           (("--molecules", "1000"), "--molecules 1000: one of each species needs"),
                           (("--end", "soon"), "--end: invalid float value")):
        done = write(*words)
        assert done.returncode == 2 and message in done.stderr and not done.stdout, done


if __name__ == "__main__":
    genes_and_machines_are_conserved()
    families_keep_genes_and_machines()
    wrong_numbers_are_refused()
