"""test_pages - compares what commands print about the models of the tests, and the last values of
short runs, with the texts in tests/pages/, whole.

If a change of a page is meant: RDSIM_PAGES=write makes the texts anew; `git diff tests/pages` must
then show nothing but this change.
"""
import concurrent.futures
import difflib
import json
import os
import pathlib
import subprocess
import sys

PROGRAM = os.environ["RDSIM_PROGRAM"]
SOURCE = pathlib.Path(os.environ["RDSIM_SOURCE"])
PAGES = SOURCE / "tests/pages"
HOST = ["--backend", "cpu", "--threads", "2"]
# a page, its command, and the models: folder/name of tests/models/, or a name of configs/
COMMANDS = (
    ("check", ["check", *HOST], "app/*.cfg", "plan/*.cfg", "surface/*.cfg", "compartments/*.cfg",
     "*.cfg"),
    ("check_model", ["check", *HOST], "model/*.cfg", "passes/*.cfg"),
    ("check_json", ["check", "--json", *HOST], "app/*.cfg", "compartments/*.cfg",
     "surface/[a-d]*.cfg"),
    ("modes_report", ["modes", "--report"], "formats/*.xml", "export/*.cfg", "plan/c*.cfg",
     "*.cfg"),
    ("modes", ["modes"], "formats/*.xml", "export/*.cfg", "m[ai][pn]*.cfg", "[abo]*.cfg"),
    ("modes_laws", ["modes", "--laws"], "formats/*.xml", "*.cfg"),
    ("export", ["export"], "export/*.cfg", "compartments/*.cfg", "formats/*.cfg", "app/*.cfg"),
    ("import", ["import"], "formats/*.xml"),
    ("run", None, "compartments/*.cfg", "export/*.cfg", "model/*.cfg", "passes/*.cfg", "run/*.cfg",
     "sim/*.cfg", "surface/[a-d]*.cfg"),
)
FREE_MEMORY = "settings.cfg"  # its page names the free memory of the machine
LONG = ("snapshots", "neutral", "compartments", "events", "expressions", "on_surfaces", "settings",
        "substep_reservoir", "recording_late", "reserve_counted", "reserve_individuals", "choice",
        "place_blocks", "random_attributes", "adsorb", "balance",  # runs of more than a second
        "many_runs", "too_much_memory")  # free memory, too


def run_program(*words):
    done = subprocess.run([PROGRAM, *words], cwd=SOURCE, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode in (0, 1, 2), f"{words}: status {done.returncode}"
    return done


def lines_of(part, path=""):
    """Yields a line for each number or text of a document."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from lines_of(value, f"{path}/{name}")
    elif part is not None:
        yield f"{path} {json.dumps(part)}\n"


def last_values(model):
    """Runs a model; returns what info prints about the result, but for what another machine or
    another day changes."""
    result = pathlib.Path.cwd() / (model.replace("/", "-") + ".h5")
    done = run_program("run", model, *HOST, "--quiet", "--force", "--output", str(result))
    page = json.loads(run_program("info", "--json", str(result)).stdout) if result.exists() else {}
    result.unlink(missing_ok=True)
    kept = {name: part for name, part in page.items()
            if name not in ("result", "source", "bytes", "provenance")}
    return f"==== run {model}: status {done.returncode}\n{''.join(lines_of(kept))}{done.stderr}"


def printed(command, model):
    """Returns a title, then what a command prints about a model, then its messages."""
    if not command:
        return last_values(model)
    done = run_program(*command, model)
    return f"==== {' '.join(command)} {model}: status {done.returncode}\n{done.stdout}{done.stderr}"


def models(patterns, is_run):
    found = (path for pattern in patterns
             for path in (SOURCE / ("tests/models" if "/" in pattern else "configs")).glob(pattern))
    return sorted(str(path.relative_to(SOURCE)) for path in found
                  if not (path.stem in LONG if is_run else path.name == FREE_MEMORY))


def main():
    is_different = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, command, *patterns in COMMANDS:
            of = models(patterns, not command)
            found = "".join(pool.map(printed, [command] * len(of), of))
            kept = PAGES / f"{name}.txt"
            if os.environ.get("RDSIM_PAGES") == "write":
                kept.write_text(found)
            lines = kept.read_text().splitlines(), found.splitlines()
            for line in list(difflib.unified_diff(*lines, str(kept), "printed", lineterm=""))[:40]:
                is_different = True
                print(line)
    if is_different:
        print(__doc__.split("\n\n")[1])
    return int(is_different)


if __name__ == "__main__":
    sys.exit(main())
