"""say_again - tests what `rdsim again`, `rdsim diff` and `rdsim info` print about results, and
their exit status."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import zlib

import h5py
import numpy as np

from say_main import GOOD, PROGRAM, assert_message, config, cpu, rdsim, run_cases

# Runs longer than any test; a signal ends it.
ENDLESS = GOOD.replace("end = 2;", "end = 100000; step = 0.1;").replace(
    "species =", 'fields = ( { name = "still"; value = "x"; } );\nspecies =', 1)
# Has many steps, so that a signal stops it between them.
LONGER = GOOD.replace("end = 2;", "end = 20; step = 0.005;")
# Reads the places of reactions from a picture, the initial state from a data set, and the death
# rate from another one, whose time integral is a field.
LABELLED = GOOD.replace("species = (", """regions = (
    { name = "left"; labels = { file = "left.png"; equals = 7; }; },
    { name = "low"; labels = { file = "low.h5"; dataset = "low"; equals = 1; }; } );
species = (""").replace("rate = 0.5;", 'rate = 0.5; in = "left";') \
    .replace("density = 10;", 'density = 10; in = "low";') \
    .replace("rate = 0.5;", 'rate = "map";') + """
fields = ( { name = "map"; file = "map.h5"; dataset = "map"; },
           { name = "dose"; value = 0.0; rate = "map"; } );
"""
SNAPSHOT = GOOD.replace('{ species = "A"; density = 10; }', '{ from = "first.h5"; }')


def add_one(path, name, place):
    with h5py.File(path, "r+") as file:
        file[name][place] += 1


def assert_identical(path, words, n_times, *options):
    done = cpu("again", path, *options, "--progress", "none", status=0, **words)
    assert done.stdout.startswith(f"identical: {n_times} times to t = "), done.stdout
    assert done.stderr == "", done.stderr


def a_result_is_repeated_from_itself():
    cpu(config("good.cfg", GOOD), "--set", "species.A.diffusion=2", "--seed", "99", "--runs", "2",
        status=0)
    os.remove("good.cfg")
    os.mkdir("elsewhere")
    before = pathlib.Path("good.h5").read_bytes()
    assert_identical("good.h5", {}, 5)
    assert_identical("../good.h5", {"cwd": "elsewhere", "threads": "2"}, 5)
    assert pathlib.Path("good.h5").read_bytes() == before, "it is changed"
    assert sorted(os.listdir()) == ["elsewhere", "good.h5"], os.listdir()
    done = rdsim("again", "good.h5", "--backend", "cpu", status=0)
    assert "rdsim: t = " in done.stderr or done.stderr == "", done.stderr


def a_difference_is_reported():
    cpu(config("good.cfg", GOOD), status=0)
    add_one("good.h5", "counts", (0, 3, 1, 0, 7, 4))
    done = cpu("again", "good.h5", status=1)
    assert done.stdout.startswith("/counts: 1 value differs, first at t = 1.5, run 0, species B, "
                                  "voxel (4, 7, 0): "), done.stdout
    assert done.stdout.endswith("different: 1 values in 1 data sets, first at t = 1.5 in /counts\n")
    assert sorted(os.listdir()) == ["good.cfg", "good.h5"], os.listdir()


def keep_names_the_second_result():
    cpu(config("good.cfg", GOOD), status=0)
    assert_identical("good.h5", {}, 5, "--keep", "second.h5")
    assert sorted(os.listdir()) == ["good.cfg", "good.h5", "second.h5"], os.listdir()
    assert rdsim("diff", "good.h5", "second.h5", status=0).stdout.startswith("identical: 5 times")
    for path in ("second.h5", "good.h5"):
        done = cpu("again", "good.h5", "--keep", path, status=2)
        assert_message(done, f"--keep {path}: exists; name another file")
    with h5py.File("good.h5", "r") as file:
        assert file["provenance"].attrs["state"] == "complete"


def state_of(path):
    """Returns the state that info prints and the number of snapshots; checks that the page and the
    JSON agree."""
    info = json.loads(rdsim("info", path, "--json", "-", status=0).stdout)
    page = rdsim("info", path, status=0).stdout
    if info["state"] == "running":  # it may continue between the two calls
        assert "state          running at t = " in page, page
        return "running", None
    expected = info["state"]
    if info["state"] != "complete":
        expected += f" at t = {info['until']:.10g}"
        expected += f", {info['snapshots']} of {info['snapshots_wanted']} snapshots"
    assert f"state          {expected}\n" in page, page
    return info["state"], info["snapshots"]


def info_has_json():
    text = GOOD.replace("grid =", 'title = "a \\"quoted\\" one"; grid =')
    cpu(config("good.cfg", text), "--runs", "3", status=0)
    assert state_of("good.h5") == ("complete", 5)
    rdsim("info", "good.h5", "--json", "good.json", status=0)
    info = json.loads(pathlib.Path("good.json").read_text())
    with h5py.File("good.h5", "r") as file:
        means = file["totals"][:, -1].mean(axis=0)
        fired = file["reactions"][:, -1].mean(axis=0)
        attributes = file["provenance"].attrs
        assert info["provenance"]["seconds_REACT"] > 0, info
        assert info["provenance"].keys() == attributes.keys(), info
        assert info["provenance"]["start"] == attributes["start"], info
    for name, expected in zip("AB", means):
        assert abs(info["species"][name] - expected) < 1e-9, info
    for number, expected in zip(info["reaction"].values(), fired):
        assert abs(number - expected) < 1e-9, info
    assert (info["voxels"], info["runs"], info["first_run"]) == ([60, 50, 1], 3, 0), info
    assert info["title"] == 'a "quoted" one' and info["derived"]["end_time"] == 2, info
    assert info["individuals"] == {} and info["lineage"] == {}, info
    before = pathlib.Path("good.json").read_bytes()
    assert_message(rdsim("info", "good.h5", "--json", "good.json", status=2),
                   "--json good.json: cannot be made: File exists; name another file, or - for "
                   "stdout")
    assert pathlib.Path("good.json").read_bytes() == before, "it is changed"
    assert_message(rdsim("info", "good.cfg", "--json", "new.json", status=2),
                   "good.cfg: is not an HDF5 file")
    assert not os.path.exists("new.json"), "it is left"


def info_has_fields():
    """Tests constant and varying fields: info prints their range, at the last time for varying
    ones."""
    text = GOOD.replace("species =", """fields = ( { name = "still"; value = "x - 3"; },
        { name = "cue"; value = "1"; rate = "0.1 * A - cue + x"; } );\nspecies =""", 1)
    cpu(config("fields.cfg", text), status=0)
    info = json.loads(rdsim("info", "fields.h5", "--json", "-", status=0).stdout)["fields"]
    page = rdsim("info", "fields.h5", status=0).stdout
    with h5py.File("fields.h5", "r") as file:
        for name, changes in (("still", False), ("cue", True)):
            field = file["fields"][name]
            last = field[0, -1] if changes else field[:]
            assert info[name]["changes"] is changes, info
            assert abs(info[name]["least"] - last.min()) < 1e-9 and last.min() < last.max(), info
            assert abs(info[name]["most"] - last.max()) < 1e-9, info
            words = f"  {name:30} {last.min():.10g} to {last.max():.10g}"
            assert words + ("\n" if changes else ", always\n") in page, page


def a_folder_that_cannot_be_written_needs_keep():
    """Runs the program as another user if this one is root, which may write all folders."""
    other = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
    os.mkdir("closed")
    cpu(config("good.cfg", GOOD), "--output", "closed/good.h5", status=0)
    os.mkdir("open")
    os.chmod("open", 0o777)
    os.chmod("closed", 0o555)
    os.chmod(".", 0o755)
    place = pathlib.Path.cwd()
    if other and any(not each.stat().st_mode & 1 for each in (place, *place.parents, pathlib.Path(PROGRAM).parent)):
        print("another user cannot reach this folder: a folder that is read only is not tested")
        return
    done = cpu("again", "closed/good.h5", status=2, **other)
    assert_message(done, "closed/good.h5: is in a folder that cannot be written, where its second run "
                   "needs a file; name a file elsewhere with --keep FILE")
    done = cpu("again", "closed/good.h5", "--keep", "open/second.h5", status=0, **other)
    assert done.stdout.startswith("identical: 5 times"), done.stdout
    os.chmod("closed", 0o755)


def damaged_and_missing_parts_are_reported():
    """Tests that info prints what it can read, and then a message that this is not all."""
    cpu(config("good.cfg", GOOD), status=0)
    with h5py.File("good.h5", "r+") as file:
        del file["x"]
    done = rdsim("info", "good.h5", status=2)
    assert_message(done, "good.h5: is damaged: not all of it can be read")
    assert "species" in done.stdout, done.stdout
    rdsim("info", "good.h5", "--json", "good.json", status=2)
    assert not os.path.exists("good.json"), "it is left"
    stopped_by(signal.SIGKILL)
    os.mkdir("away")
    os.rename("long.h5", "away/long.h5")
    done = rdsim("info", "long.h5", "--json", "-", status=2, cwd="away")
    assert_message(done, "long.h5: some of it is missing; ", "segments 'long.h5.parts' of a killed run")
    assert set(json.loads(done.stdout)["species"].values()) == {None}, done.stdout


def damaged_files_do_not_crash_the_program():
    """Tests files with changed bytes, which may crash the HDF5 library but not the program."""
    cpu(config("good.cfg", GOOD), status=0)
    whole = pathlib.Path("good.h5").read_bytes()
    ends = range(len(whole) - 600, len(whole), 40)  # the file's table of contents
    for place in [*range(0, len(whole), len(whole) // 12), *ends]:
        damaged = bytearray(whole)
        damaged[place] ^= 0xff
        pathlib.Path("damaged.h5").write_bytes(damaged)
        for words in (["diff", "damaged.h5", "good.h5"], ["info", "damaged.h5"]):
            done = subprocess.run([PROGRAM, *words], capture_output=True, timeout=600, check=False)
            assert done.returncode in (0, 1, 2), f"{place}: {words}: {done.returncode}"
            assert done.returncode < 2 or b"damaged.h5" in done.stderr, done.stderr


def texts_without_end_are_reported():
    """Tests a file in which a disk has lost a sector with texts: HDF5 goes on to the next text of
    the heap by its length, which is 0."""
    cpu(config("good.cfg", GOOD), status=0)
    damaged = bytearray(pathlib.Path("good.h5").read_bytes())
    heap = damaged.index(b"GCOL\x01\0\0\0")
    damaged[heap + 16:heap + 32] = bytes(16)
    pathlib.Path("damaged.h5").write_bytes(damaged)
    for words in (["diff", "damaged.h5", "good.h5"], ["info", "damaged.h5"],
                  ["run", "good.cfg", "--resume", "--output", "damaged.h5"]):
        assert_message(rdsim(*words, status=2), "damaged.h5",
                       "is damaged: HDF5 reads a text of this file without end; use another copy")


def wait_for(path):
    until = time.monotonic() + 60
    while not os.path.exists(path):
        assert time.monotonic() < until, f"{path}: is not there after a minute"
        time.sleep(0.01)


def stopped_by(number):
    """Returns the number of snapshots of a run that a signal stopped."""
    config("long.cfg", ENDLESS)
    with subprocess.Popen([PROGRAM, "long.cfg", "--backend", "cpu", "--threads", "1", "--progress",
                           "none"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        wait_for("long.h5.parts/temporary.h5")
        if number == signal.SIGKILL:
            run.send_signal(signal.SIGUSR1)  # otherwise snapshots appear after ten seconds
            wait_for("long.h5")
            running = rdsim("diff", "long.h5", "long.h5", status=0)
            assert running.stdout.startswith("identical: "), running.stdout
            assert state_of("long.h5") == ("running", None), "while it runs"
        run.send_signal(number)
        run.communicate(timeout=600)
    with h5py.File("long.h5", "r") as file:
        assert (file["fields/still"][0, 0] == file["x"][:]).all(), "a small field is there at once"
        return len(file["time"])


def interrupted_results_are_compared():
    for number in (signal.SIGTERM, signal.SIGKILL):
        n = stopped_by(number)
        assert state_of("long.h5") == ("interrupted", n), "after the stop"
        assert_identical("long.h5", {}, n)
        if number == signal.SIGTERM:
            cpu("again", "long.h5", "--keep", "second.h5", status=0)
            with h5py.File("second.h5", "r") as file:
                assert len(file["time"]) == n, "it stops with the last snapshot of the first"
            add_one("long.h5", "totals", (0, n - 1, 0))
            done = cpu("again", "long.h5", status=1)
            assert "/totals: 1 value differs, first at t = " in done.stdout, done.stdout
        for name in os.listdir():
            subprocess.run(["rm", "-r", name], check=True)


def later_rows_of_lineage_are_left_out():
    """Tests a run that is stopped between two snapshots: births and deaths after the last of them
    are in the result, but not in its repetition. Those before it are compared."""
    config("long.cfg", """
        grid = { voxels = (4, 4); edge = 1.0; };
        species = ( { name = "C"; individuals = { max = 9000; record = "lineage"; }; } );
        reactions = ( { equation = "C -> 2 C"; rate = 0.5; }, { equation = "C -> 0"; rate = 0.5; } );
        initial = ( { species = "C"; count = 600; } );
        time = { end = 1e6; step = 0.01; };
        output = { times = (0.0, 0.25, 1e6); file = "long.h5"; };""")
    with subprocess.Popen([PROGRAM, "long.cfg", "--backend", "cpu", "--threads", "1", "--progress",
                           "none"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        wait_for("long.h5.parts/temporary.h5")
        time.sleep(0.5)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=600)
    with h5py.File("long.h5", "r") as file:
        deaths = file["lineage/C/deaths/time"][:]
        end = file["time"][-1]
    assert end == 0.25 and deaths[0] < end < deaths[-1], (end, deaths)
    assert_identical("long.h5", {}, 2)
    with h5py.File("long.h5", "r+") as file:
        group = file["lineage/C/deaths"]
        for name, values in [(name, data_set[:]) for name, data_set in group.items()]:
            del group[name]
            group[name] = values[:(deaths < end).sum() - 1]
    done = cpu("again", "long.h5", status=1)
    assert "/lineage/C/deaths/id: " in done.stdout, done.stdout


def changed_inputs_are_refused():
    cpu(config("first.cfg", GOOD), status=0)
    cpu(config("then.cfg", SNAPSHOT), status=0)
    assert_identical("then.h5", {}, 5)
    os.mkdir("elsewhere")
    done = cpu("again", "../then.h5", status=2, cwd="elsewhere")
    assert_message(done, "first.h5: cannot be opened: No such file or directory")
    assert_message(done,
                   "first.h5: is a file that the run read; start rdsim in the folder of the run")
    add_one("first.h5", "counts", (0, 4, 0, 0, 0, 0))
    done = cpu("again", "then.h5", status=2)
    assert_message(done, "first.h5: has changed since the run read it: it had ", " bytes with hash ",
                   ", and has ")
    assert sorted(os.listdir("elsewhere")) == [], os.listdir("elsewhere")


def write_png(path, label):
    """Writes labels up to 255, row by row, as a grey picture."""
    def chunk(kind, text):
        return struct.pack(">I", len(text)) + kind + text + struct.pack(">I", zlib.crc32(kind + text))
    rows = b"".join(b"\0" + row.tobytes() for row in label.astype(np.uint8))
    head = struct.pack(">IIBBBBB", label.shape[1], label.shape[0], 8, 0, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def changed_labels_are_refused():
    y, x = np.mgrid[:50, :60]
    write_png("left.png", 7 * (x < 20))
    with h5py.File("low.h5", "w") as file:
        file["low"] = (y < 10).astype(int)
    with h5py.File("map.h5", "w") as file:
        file["map"] = x / 60 + y
    cpu(config("good.cfg", LABELLED), status=0)
    with h5py.File("good.h5") as file:
        assert np.allclose(file["fields/dose"][0, -1, 0], 2 * file["fields/map"][0]), "the dose"
        assert (file["fields/map"][0] == x / 60 + y).all(), "the map"
        assert file["counts"][0, 0, 0, 0, :10].sum() == file["totals"][0, 0, 0] > 0, "where they are"
    assert_identical("good.h5", {}, 5)
    add_one("good.h5", "fields/dose", (0, 3, 0, 49, 1))
    done = cpu("again", "good.h5", status=1)
    assert done.stdout.startswith("/fields/dose: 1 value differs, first at t = 1.5, run 0, voxel "
                                  "(1, 49, 0): "), done.stdout
    before = pathlib.Path("left.png").read_bytes()
    write_png("left.png", 7 * (x < 21))
    done = cpu("again", "good.h5", status=2)
    assert_message(done, "left.png: has changed since the run read it: it had ", " bytes with hash ",
                   ", and has ")
    pathlib.Path("left.png").write_bytes(before)
    add_one("low.h5", "low", (49, 0))
    done = cpu("again", "good.h5", status=2)
    assert_message(done, "low.h5: has changed since the run read it: it had ", " bytes with hash ",
                   ", and has ")
    add_one("map.h5", "map", (49, 0))
    done = cpu("again", "good.h5", status=2)
    assert_message(done, "map.h5: has changed since the run read it: it had ", " bytes with hash ",
                   ", and has ")


def resumed_results_are_repeated():
    words = [config("long.cfg", LONGER), "--backend", "cpu", "--threads", "1", "--progress", "none"]
    with subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as run:
        wait_for("long.h5.parts/temporary.h5")
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 75, run.returncode
    assert state_of("long.h5")[0] == "interrupted"
    rdsim(*words, "--resume", status=0)
    assert_identical("long.h5", {}, 41)


def another_program_gives_a_warning():
    cpu(config("good.cfg", GOOD), status=0)
    with h5py.File("good.h5", "r+") as file:
        file["provenance"].attrs["stream_version"] = [999.0]
        del file["provenance"].attrs["program"]
    done = cpu("again", "good.h5", status=0)
    assert_message(done, "warning: good.h5: has stream version 999, but this program has ",
                   "expect other bytes")
    assert_message(done, "warning: good.h5: is a result of , but this program is rdsim ")


def files_that_are_no_results_give_status_2():
    with h5py.File("other.h5", "w") as file:
        file["a"] = 1
    cpu(config("good.cfg", GOOD), status=0)
    with h5py.File("good.h5", "r+") as file:
        del file["model/effective_configuration"]
    config("big.cfg", GOOD.replace("60, 50", "60, 51"))
    cpu("big.cfg", status=0)
    for words, message in [
        (["again", "good.cfg"], "good.cfg: is not an HDF5 file"),
        (["again", "other.h5"], "other.h5: is an HDF5 file, but no result of rdsim"),
        (["again", "good.h5"], "good.h5: does not contain its configuration; name another result"),
        (["again"], "FILE is missing; write rdsim again FILE"),
        (["again", "good.h5", "--seed", "7"], "--seed is not an option of rdsim again"),
        (["diff", "good.h5", "other.h5"], "other.h5: is an HDF5 file, but no result of rdsim"),
        (["diff", "good.h5", "big.h5"], "good.h5 and big.h5 have different grids"),
    ]:
        done = rdsim(*words, status=2)
        assert done.stdout == "", f"{words}: stdout: {done.stdout}"
        assert_message(done, message)


def diff_gives_status_1_for_other_data():
    cpu(config("good.cfg", GOOD), status=0)
    cpu("good.cfg", "--output", "other.h5", "--seed", "8", status=0)
    done = rdsim("diff", "good.h5", "other.h5", status=1)
    assert "/counts: " in done.stdout and done.stdout.splitlines()[-1].startswith("different: ")
    assert done.stderr == "", done.stderr


CASES = [
    a_result_is_repeated_from_itself,
    a_difference_is_reported,
    keep_names_the_second_result,
    interrupted_results_are_compared,
    later_rows_of_lineage_are_left_out,
    changed_inputs_are_refused,
    changed_labels_are_refused,
    resumed_results_are_repeated,
    another_program_gives_a_warning,
    files_that_are_no_results_give_status_2,
    diff_gives_status_1_for_other_data,
    info_has_json,
    info_has_fields,
    a_folder_that_cannot_be_written_needs_keep,
    damaged_and_missing_parts_are_reported,
    damaged_files_do_not_crash_the_program,
    texts_without_end_are_reported,
]

if __name__ == "__main__":
    run_cases(CASES)
