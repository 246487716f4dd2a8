"""say_command - tests the conventions of the command line: usage, help, short options, quiet, keys
NAME, JSON, and a configuration from standard input."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import time

import h5py

from say_main import GOOD, MODEL, PROGRAM, assert_message, config, cpu, rdsim, run_cases, state, unwrapped


def piped(text, *words, status):
    """Runs the program with the text on standard input."""
    done = subprocess.run([PROGRAM, *words], input=text, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}"
    return done


def no_words_print_the_usage():
    done = rdsim(status=2)
    assert done.stdout == "", done.stdout
    assert "\n  rdsim CONFIG [options]\n" in done.stderr, done.stderr
    for command in ("run", "check", "sweep", "help", "version"):
        assert f"\n  rdsim {command} " in done.stderr or f"\n  rdsim {command}" in done.stderr, command
    assert "rdsim --help" in done.stderr, done.stderr


def help_and_version_have_short_forms():
    whole = rdsim("--help", status=0).stdout
    for words in (["-h"], ["help"], ["help", "help"], ["help", "-h"]):
        assert rdsim(*words, status=0).stdout == whole, words
    assert rdsim("help", "sweep", status=0).stdout == rdsim("sweep", "--help", status=0).stdout
    version = rdsim("--version", status=0).stdout
    for words in (["-v"], ["-V"], ["version"], ["check", "-v"]):
        assert rdsim(*words, status=0).stdout == version, words
    assert_message(rdsim("help", "chekc", status=2), "did you mean 'check'?")


def empty_names_are_refused():
    """A variable of the shell may be empty."""
    for words in ([""], ["run", ""], ["check", ""], ["info", ""], ["diff", "a.h5", ""],
                  ["diff", "", "a.h5"], ["sweep", ""]):
        assert_message(rdsim(*words, status=2), "the name of a file is empty; write rdsim ")


def quiet_prints_only_errors():
    config("good.cfg", GOOD)
    for words in (["good.cfg", "-qo", "a.h5"], ["check", "good.cfg", "-q"],
                  ["again", "a.h5", "--quiet"]):
        done = cpu(*words, status=0)
        assert done.stdout == "" and done.stderr == "", f"{words}: {done}"
    cpu("good.cfg", "--seed", "8", "-qo", "b.h5", status=0)
    for file, status in (("a.h5", 0), ("b.h5", 1)):
        done = rdsim("diff", "-q", "a.h5", file, status=status)
        assert done.stdout == "" and done.stderr == "", f"{file}: {done}"
    done = cpu("good.cfg", "-qo", "a.h5", status=2)
    assert_message(done, "a.h5: exists; use --force to replace it")
    assert done.stdout == "", done.stdout
    config("sweep.cfg", 'base = "good.cfg"; vary = ( { path = "time.end"; values = (1, 2); } );')
    for words in (["sweep", "sweep.cfg", "-q", "--jobs", "1"], ["sweep", "sweep.cfg", "-q"]):
        done = rdsim(*words, status=0)
        assert done.stdout == "" and done.stderr == "", f"{words}: {done}"
    assert state("sweep/1.h5") == "complete"


def cpu_seconds(process):
    words = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def quiet_prints_no_progress():
    """Tests a run on a terminal that takes longer than the time between two reports."""
    reader, writer = pty.openpty()
    with subprocess.Popen([PROGRAM, config("good.cfg", GOOD), "-qo", "a.h5", "--backend", "cpu",
                           "--set", "time.end=1e8", "--set", "output.every=1e8", "--threads", "1"], stdout=subprocess.PIPE,
                          stderr=writer) as run:
        while run.poll() is None and cpu_seconds(run.pid) < 0.6:
            time.sleep(0.01)
        run.kill()
        assert run.communicate() == (b"", None) and run.returncode == -signal.SIGKILL
    os.set_blocking(reader, False)
    os.write(writer, b"end")
    printed = os.read(reader, 1000)
    assert printed == b"end", printed
    os.close(reader)
    os.close(writer)


def one_key_is_explained():
    for name, words, absent in [
        ("grid.voxels", ["voxels: "], ["edge: ", "species"]),
        ("species", ["The species.", "diffusion: ", "individuals: "], ["equation: "]),
        ("species[0].diffusion", ["species.diffusion", "diffusion: "], ["drift: "]),
        ("equation", ["reactions.equation"], ["rate: "]),
        ("attributes", ["species.individuals.attributes", "birth: "], ["grid"]),
        ("vary", ["values: "], []),
        ("time", ["The end, the step", "end: ", "see also units.time, events.time"], ["Changes at"]),
    ]:
        page = rdsim("keys", name, status=0).stdout
        for word in words:
            assert word in page, f"{name}: {word}: {page}"
        for word in absent:
            assert word not in page, f"{name}: {word}: {page}"
    for name, near in [("difusion", "diffusion"), ("grid.voxel", "grid.voxels"), ("spcies", "species")]:
        done = rdsim("keys", name, status=2)
        assert done.stdout == "", done.stdout
        assert_message(done, f"'{name}' is not a key; did you mean '{near}'?")
    assert_message(rdsim("keys", "banana", status=2),
                   "'banana' is not a key; see rdsim keys")


def check_prints_json():
    config("good.cfg", GOOD.replace("10;", "10; ", 1).replace('name = "A"; diffusion = 1.0;',
                                                            'name = "A"; diffusion = 0.1; drift = (3, 0);'))
    pathlib.Path("good.h5").write_text("mine")
    page = unwrapped(rdsim("check", "good.cfg", status=0).stdout).splitlines()
    done = rdsim("check", "good.cfg", "--json", status=0)
    assert done.stderr == "", done.stderr
    report = json.loads(done.stdout)
    assert report["file"] == "good.cfg" and report["output"] == "good.h5"
    assert report["derived"]["end_time"] == 2 and report["memory_bytes"] > 0
    texts = [text for texts in report["report"].values() for text in texts]
    for line in page:
        if line.startswith("warning "):
            assert any(line[12:] == f"{w['place']}: {w['text']}" for w in report["warnings"]), line
        else:
            assert line[12:] in texts, line
    assert len(report["report"]["reaction"]) == 2, report["report"]
    places = [warning["place"] for warning in report["warnings"]]
    assert "good.cfg:3" in places and "good.h5" in places, report["warnings"]
    rdsim("check", "good.cfg", "--json", "check.json", status=0)
    assert json.loads(pathlib.Path("check.json").read_text()) == report
    assert json.loads(rdsim("check", "--json", "good.cfg", status=0).stdout) == report


def check_prints_errors_as_json():
    config("bad.cfg", GOOD.replace("edge = 1.0", "edge = -1.0").replace("rate = 0.5", "rte = 0.5"))
    config("soon.cfg", MODEL.replace("PROPENSITY", "t - 1"))
    config("odd.cfg", 'grid = "\t\\"\u00e9";')
    for words, place, text in [
        (["bad.cfg"], "bad.cfg:2", "grid.edge is -1"), (["bad.cfg"], "bad.cfg:4", "'rte'"),
        (["soon.cfg"], "soon.cfg:5", "the propensity of reaction '0 -> A' is negative"),
        (["odd.cfg"], "odd.cfg:1", ""), (["none.cfg"], "none.cfg", "cannot be opened"),
        (["bad.cfg", "--forse"], None, "--forse is not an option"),
        ([], None, "CONFIG is missing"), ([b"\xff\xfe.cfg"], "\ufffd\ufffd.cfg", "cannot be opened"),
    ]:
        done = subprocess.run([PROGRAM, "check", "--json", *words], capture_output=True, timeout=600,
                              check=False)
        assert done.returncode == 2, done
        errors = json.loads(done.stdout.decode("utf-8"))["error"]
        assert any(error["place"] == place and text in error["text"] for error in errors), errors
        assert done.stderr, words


def a_configuration_comes_from_standard_input():
    with h5py.File("field.h5", "w") as file:
        file["f"] = [[1.0] * 60] * 50
    text = GOOD + 'fields = ( { name = "f"; file = "field.h5"; dataset = "/f"; } );'
    done = piped(text, "check", "-", status=0)
    assert "60 x 50 voxels" in done.stdout and "field       f: 1 to 1" in done.stdout, done.stdout
    assert json.loads(piped(text, "check", "-", "--json", status=0).stdout)["file"] == "-"
    assert_message(piped(GOOD.replace("edge = 1.0", "edge = -1.0"), "check", "-", status=2),
                   "<stdin>:2: grid.edge is -1")
    assert_message(piped("", "check", "-", status=2), "<stdin>: is empty")
    assert_message(piped(text, "-", status=2),
                   "<stdin>: the result has no name; name it with --output FILE")
    assert os.listdir() == ["field.h5"], os.listdir()
    assert piped(text, "-", "--backend", "cpu", "-o", "a.h5", status=0).stdout == "a.h5\n"
    config("a.cfg", text)
    cpu("a.cfg", "-o", "b.h5", status=0)
    rdsim("diff", "a.h5", "b.h5", status=0)
    cpu("again", "a.h5", status=0)


CASES = [
    empty_names_are_refused,
    no_words_print_the_usage,
    help_and_version_have_short_forms,
    quiet_prints_only_errors,
    quiet_prints_no_progress,
    one_key_is_explained,
    check_prints_json,
    check_prints_errors_as_json,
    a_configuration_comes_from_standard_input,
]

if __name__ == "__main__":
    run_cases(CASES)
