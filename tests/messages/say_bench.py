"""say_bench - tests rdsim-bench: its table and its JSON, its exit status, and that it changes no
files."""
import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["RDSIM_PROGRAM"] + "-bench"
QUICKSTART = str(pathlib.Path(__file__).resolve().parents[2] / "configs/quickstart.cfg")
SMALL = ("--backend", "cpu", "--threads", "1", "--voxels", "6", "--steps", "2", "--repeat", "2",
         "--quick")


def bench(*words, status=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    assert status == 0 or done.stderr.startswith("rdsim-bench: "), done.stderr
    return done


def assert_refused(*words, message):
    done = bench(*words, status=2)
    assert message in done.stderr, f"{message} not in: {done.stderr}"
    assert done.stdout == "", done.stdout


def every_case_has_its_lines():
    done = bench(*SMALL)
    names = [line.split()[0] for line in bench("--list").stdout.splitlines()]
    assert len(names) == 12, names
    first = [line.split()[0] for line in done.stdout.splitlines() if line]
    for name in ["limit", *names]:
        assert name in first, f"{name} not in: {done.stdout}"
    assert done.stdout.startswith("rdsim "), done.stdout
    assert done.stderr == "", done.stderr


def a_model_is_timed():
    figures = json.loads(bench("--model", QUICKSTART, "--backend", "cpu", "--quick", "--repeat", "2",
                               "--json", "-").stdout)["figures"]
    model = [figure for figure in figures if figure["case"] == "model"]
    assert len(model) == 1 and {figure["case"] for figure in figures} == {"limit", "model"}, figures
    assert model[0]["what"] == "quickstart.cfg" and len(model[0]["repeats"]) == 2, model
    assert model[0]["seconds"] > 0, model
    for words, message in (
            (("--set", "output.every=14"), "between outputs after the first: 0, too few for 3 repeats"),
            (("--set", "time.end=banana"), "time.end")):
        done = subprocess.run([PROGRAM, "--model", QUICKSTART, "--quick", *words],
                              capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 2 and message in done.stderr, done
    done = subprocess.run([PROGRAM, "--model", "/nonexistent.cfg", "--quick"], capture_output=True,
                          text=True, timeout=600, check=False)
    assert done.returncode == 2 and "/nonexistent.cfg: cannot be opened" in done.stderr, done


def json_is_complete():
    report = json.loads(bench(*SMALL, "--case", "peer", "--case", "individuals", "--load", "0.5",
                              "--set", "parameters.load=0.25", "--json", "-").stdout)
    assert report["machine"]["backend"] == "cpu" and report["machine"]["threads"] == 1, report
    assert report["quick"] is True and report["set"] == {"parameters.load": "0.25"}, report
    figures = report["figures"]
    assert {figure["case"] for figure in figures} == {"limit", "peer", "individuals"}, figures
    peer = [figure for figure in figures if figure["case"] == "peer"]
    assert len(peer) == 1 and peer[0]["voxels"] == 6 and peer[0]["load"] == 0.5, peer
    assert peer[0]["steps"] == 2 and len(peer[0]["repeats"]) == 2, peer
    assert abs(peer[0]["seconds"] / (sum(peer[0]["repeats"]) / 2) - 1) < 1e-6, peer
    voxels = peer[0]["value"] * peer[0]["seconds"]
    assert abs(voxels - 216) < 1e-3 and peer[0]["unit"] == "voxels/s", peer
    limits = [figure for figure in figures if figure["case"] == "limit"]
    assert all(limit["value"] > 0 and len(limit["repeats"]) == 7 for limit in limits), limits
    assert [limit["what"].split(":")[0] for limit in limits] == [
        "copy", "random words", "sort by voxel", "scan", "scan of segments"], limits
    assert "0.000108 M pairs, 8 bits" in limits[2]["what"], limits
    copy = limits[0]["value"]
    assert abs(peer[0]["floor_seconds"] / (8 * 3 * 216 / copy) - 1) < 1e-6, peer
    walkers = [figure for figure in figures if "parts" in figure]
    assert walkers and walkers[0]["parts"]["MOVE"] > 0, walkers


def an_existing_file_is_kept():
    path = pathlib.Path("figures.json")
    few = (*SMALL, "--case", "movement", "--json", path)
    path.unlink(missing_ok=True)
    assert "movement" in bench(*few).stdout
    first = path.read_text()
    assert json.loads(first)["figures"]
    assert_refused(*few,
                   message="figures.json: exists; name another file, or replace it with --force")
    assert path.read_text() == first
    bench(*few, "--force")
    assert json.loads(path.read_text())["figures"]
    assert_refused(*SMALL, "--json", "no/such/folder.json",
                   message="no/such/folder.json: cannot be")


def a_page_has_a_table():
    lines = bench(*SMALL, "--case", "movement", "--markdown").stdout.splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) >= 4 and len({row.count("|") for row in rows}) == 1, lines


def wrong_options_give_status_2():
    assert_refused("--case", "peers",
                   message="--case peers: there is no such case; did you mean 'peer'?")
    assert_refused("--case", "banana", message="see rdsim-bench --list")
    assert_refused("--load", "0", message="--load 0: is not valid; give a number above 0, and at most 1000000")
    assert_refused("--load", "x", message="--load x: is not valid; give a number above 0")
    assert_refused("--voxels", "0", message="--voxels 0: is not valid; give an integer from 1 to 2048")
    assert_refused("--repeat", "61", message="--repeat 61: is not valid; give an integer from 1 to 60")
    assert_refused("--steps", "-3", message="--steps -3: is not valid; give an integer from 1 to")
    assert_refused("--case", message="--case has no argument; write --case NAME")
    assert_refused("--timing", message="--timing is not an option; see rdsim-bench --help")
    assert_refused("model.cfg", message="'model.cfg' is not an option")
    done = bench(*SMALL, "--case", "split", "--set", "parameters.q=1", status=2)
    assert "--set parameters.q=1" in done.stderr, done.stderr


if __name__ == "__main__":
    every_case_has_its_lines()
    a_model_is_timed()
    json_is_complete()
    an_existing_file_is_kept()
    a_page_has_a_table()
    wrong_options_give_status_2()
