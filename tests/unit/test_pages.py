"""test_pages - compares what commands print about the models of the tests, the last values of
short runs, and the messages for models with one mistake, with the texts in tests/pages/, whole.

If a change of a page is meant: RDSIM_PAGES=write makes the texts anew; `git diff tests/pages` must
then show nothing but this change.
"""
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

PROGRAM = os.environ["RDSIM_PROGRAM"]
SOURCE = pathlib.Path(os.environ["RDSIM_SOURCE"])
PAGES = SOURCE / "tests/pages"
# The models as they stand in SOURCE, without results that the user left there.
MODELS = pathlib.Path.cwd() / "models"
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
    ("sweep", ["sweep", "--list"], "app/sweep_[prsz]*[!0].cfg"),
    ("sweep_slurm", ["sweep", "--slurm"], "app/sweep_p*.cfg"),
    ("sweep_pbs", ["sweep", "--pbs", "--mem", "3G"], "app/sweep_z*.cfg"),
    ("sweep_sge", ["sweep", "--sge", "--per-job", "2"], "app/sweep_r*.cfg"),
    ("run", None, "compartments/*.cfg", "export/*.cfg", "model/*.cfg", "passes/*.cfg", "run/*.cfg",
     "sim/*.cfg", "surface/[a-d]*.cfg"),
)
# results of configs/everything.cfg with these options, and what is printed about them
RESULTS = (
    ("a.h5",), ("b.h5", "--seed", "43"),
    ("c.h5", "--runs", "12", "--set", 'output.keep="statistics"'),
    ("d.h5", "--runs", "12", "--seed", "7", "--set", 'output.keep="totals"'),
    ("e.h5", "--set", 'output.layout="sparse"', "--set", 'splitting="lie"'),
    ("f.h5", "--at-once", "1", "--set", 'output.keep="first 1"'),
)
PRINTED = ("diff a.h5 b.h5", "diff a.h5 e.h5", "diff a.h5 f.h5", "diff a.h5 c.h5",
           "compare c.h5 d.h5 --all", "compare c.h5 d.h5 --json", "table a.h5", "table c.h5 --mean",
           "table d.h5 --csv", "table a.h5 --region wide", "info --json c.h5", "info --json e.h5")
# models, of which each second word is replaced by another in turn, and their words
MISTAKES = (
    ("configs/everything.cfg", ["check"], r'"[^"\n]*"|(?<![\w.])\d[\d.]*|\b\w+(?= = )'),
    ("tests/models/compartments/linear.cfg", ["check"], r'"[^"\n]*"|(?<![\w.])\d[\d.]*'),
    ("tests/models/model/individuals.cfg", ["check"], r'"[^"\n]*"|(?<![\w.])\d[\d.]*'),
    ("tests/models/formats/conditions.xml", ["import"], r'"[^"\n]*"|(?<=>)[\w. ]+(?=<)'),
    ("tests/models/formats/delayed-condition.xml", ["import"], r'"[^"\n]*"|(?<=>)[\w. ]+(?=<)'),
)
OF_DAY = ("result", "source", "bytes", "provenance")  # what differs between machines or days
# What follows from inner arrays is left out.
MEMORY = r'^memory .*\n|^ *"memory_bytes".*\n|^ *"memory": \[[^\]]*\],?\n'
FREE_MEMORY = "settings.cfg"  # its page names the free memory of the machine
LONG = ("snapshots", "neutral", "compartments", "events", "expressions", "on_surfaces", "settings",
        "substep_reservoir", "recording_late", "reserve_counted", "reserve_individuals", "choice",
        "place_blocks", "random_attributes", "adsorb", "balance",  # runs of more than a second
        "many_runs", "too_much_memory")  # free memory, too


def link_models():
    MODELS.mkdir(exist_ok=True)
    for name in ("configs", "tests"):
        (MODELS / name).unlink(missing_ok=True)
        (MODELS / name).symlink_to(SOURCE / name)


def run_program(*words, folder=MODELS):
    silent = ["--progress", "none"] if words[0] == "modes" else []
    done = subprocess.run([PROGRAM, *words, *silent], cwd=folder, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode in (0, 1, 2), f"{words}: status {done.returncode}"
    return done


def without_lists(text):
    """Leaves out sentences of libSBML, which change, and lists of keys, which grow."""
    return re.sub(r"(\(rule \d+\)|use one of):? .*", r"\1", text)


def lines_of(part, path=""):
    """Yields a line for each number or text of a document."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from lines_of(value, f"{path}/{name}")
    elif part is not None:
        yield f"{path} {json.dumps(part)}\n"


def facts_of(page):
    """Returns a line for each fact of `info --json`, without those of the machine and the day."""
    facts = json.loads(page) if page else {}
    return "".join(lines_of({name: facts[name] for name in facts if name not in OF_DAY}))


def last_values(model, folder=MODELS):
    """Runs a model; returns what info prints about the result."""
    result = pathlib.Path.cwd() / (model.replace("/", "-") + ".h5")
    done = run_program("run", model, *HOST, "--quiet", "--force", "--output", str(result),
                       folder=folder)
    page = run_program("info", "--json", str(result)).stdout if result.exists() else ""
    result.unlink(missing_ok=True)
    return f"==== run {model}: status {done.returncode}\n{facts_of(page)}{done.stderr}"


def printed(command, model):
    """Returns a title, then what a command prints about a model, then its messages."""
    if not command:
        return last_values(model)
    done = run_program(*command, model)
    page = (done.stdout + done.stderr).replace(PROGRAM, "PROGRAM")
    page = re.sub(MEMORY, "", page, flags=re.M)
    return f"==== {' '.join(command)} {model}: status {done.returncode}\n{page}"


def with_mistakes(text, words):
    """Yields texts, each with one word that is replaced, and what was replaced there."""
    code = re.sub(r"^ *#.*|  #.*", lambda found: " " * len(found[0]), text, flags=re.M)
    for i, word in list(enumerate(re.finditer(words, code)))[::2]:
        others = ('"2 * "', '"nothing"', '""', '"-1"') if word[0][0] == '"' else \
            ("-3", "1e12", "0", "(1, 2)") if word[0][0].isdigit() else (word[0] + "s", "x")
        other = others[i // 2 % len(others)]
        line = text.count("\n", 0, word.start()) + 1
        yield (text[:word.start()] + other + text[word.end():], f"{line}: {word[0]} -> {other}")


def messages_of(model, command, words, pool):
    """Returns the messages for each mistake in a model."""
    def said(i, text):
        path = pathlib.Path(f"{i}{pathlib.Path(model).suffix}")
        path.write_text(text)
        done = subprocess.run([PROGRAM, *command, path.name], capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode in (0, 2), f"{text}: status {done.returncode}"
        path.unlink()
        return without_lists(done.stderr).replace(path.name, "FILE")
    texts, places = zip(*with_mistakes((SOURCE / model).read_text(), words))
    return "".join(f"==== {model}:{place}\n{messages}" for place, messages in
                   zip(places, pool.map(said, range(len(texts)), texts)))


def about_results():
    """Returns what commands print about results of a model that has everything."""
    options = ["--quiet", "--force", "--set", "time.end=1", "--set", "output.times=(0, 0.5, 1)"]
    for path, *words in RESULTS:
        run_program("run", str(SOURCE / "configs/everything.cfg"), *HOST, *options, *words,
                    "--output", path, folder=".")
    pages = []
    for words in PRINTED:
        done = run_program(*words.split(), folder=".")
        text = facts_of(done.stdout) if words.startswith("info") else done.stdout
        pages.append(f"==== {words}: status {done.returncode}\n{text}{done.stderr}")
    for path, *_ in RESULTS:
        pathlib.Path(path).unlink()
    return "".join(pages)


def models(patterns, is_run):
    found = (path for pattern in patterns
             for path in (SOURCE / ("tests/models" if "/" in pattern else "configs")).glob(pattern))
    return sorted(str(path.relative_to(SOURCE)) for path in found
                  if not (path.stem in LONG if is_run else path.name == FREE_MEMORY))


def pages(pool):
    """Yields names of pages with what the program prints now."""
    for name, command, *patterns in COMMANDS:
        of = models(patterns, not command)
        yield name, "".join(pool.map(printed, [command] * len(of), of))
    yield "results", about_results()
    yield "mistakes", "".join(messages_of(*mistakes, pool) for mistakes in MISTAKES)


def compare_checksums(kept, pages, advice):
    """Compares a checksum of each page with those in a file; prints the names of pages that differ,
    and the second paragraph of the advice. Returns 1 if there are any. RDSIM_PAGES=write makes the
    file anew."""
    lines = [f"{zlib.crc32(page.encode()):08x} {name}\n" for name, page in pages.items()]
    if os.environ.get("RDSIM_PAGES") == "write":
        kept.write_text("".join(lines))
    different = sorted({line[9:-1] for line in set(lines) ^ set(kept.read_text().splitlines(True))})
    if different:
        print("other pages or messages:", *different, sep="\n")
        print(advice.split("\n\n")[1])
    return int(bool(different))


def main():
    is_different = False
    link_models()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, found in pages(pool):
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
