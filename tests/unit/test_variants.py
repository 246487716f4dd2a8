"""test_variants - compares what commands print about 7,200 variants of the models of the tests, in
each of which one word is another or one setting is left out, with a checksum for each command and
model in tests/pages/variants.txt.

If a change is meant: RDSIM_PAGES=write makes the checksums anew. To see what changed, run
`python3 tests/unit/test_variants.py NAME.cfg` with RDSIM_SOURCE set to the checkout and RDSIM_PROGRAM
to this program, then to that of the commit before.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import sys
import zlib

import test_pages

KEPT = test_pages.PAGES / "variants.txt"
TEXT = r'"[^"\n]*"(?= *[;,])'
NUMBER = r"(?<![\w.])\d[\d.]*(?:e-?\d+)?"
NAME = r"(?<![\w.])[A-Za-z_]\w*(?! =)\b"
OPERATOR = r"(?<=[\w)] )[-+*/<>](?= [\w(])"
SETTING = r"\b\w+ = [^;{}]*;"
# what is changed in files of this kind
WORDS = {".cfg": "|".join((NUMBER, NAME, TEXT, OPERATOR)),
         ".xml": r'"[^"\n]*"|(?<=>)[\w. ]+(?=<)|(?<=<)\w+(?=[ />])',
         ".net": rf"{NUMBER}|{NAME}|<?=>|[()]"}
# commands, the folders (or all) and the names of the models that each is given, and how many variants
# of each
COMMANDS = (
    (["check", *test_pages.HOST], "", "*.cfg", 8),
    (["run"], "compartments cpu export model passes plan run sim", "*.cfg", 4),
    (["sweep", "--list"], "app", "sweep_*.cfg", 40),
    (["export"], "export", "*.cfg", 40),
    (["export"], "compartments", "*.cfg", 20),
    (["modes", "--report"], "export", "*.cfg", 12),
    (["import"], "formats", "*.xml", 40),
    (["modes", "--report"], "formats", "*.xml", 12),
    (["import"], "formats", "l*.net", 200),
    (["modes", "--net"], "formats", "*.net", 200),
    (["modes", "--laws"], "formats", "*.net", 40),
)
LONG = {"run": ("linear", "reserve_rates", "capacity", "mix")}  # variants that run for seconds
# Lines that depend on the machine's memory
OF_MACHINE = re.compile(test_pages.MEMORY + r"|.*\b(free|memory)\b.*\n", re.M)


def others(word, same):
    """Returns what may stand in place of a word, given all words of its kind: for a number, others of
    about its size, so that no variant needs much memory."""
    if word.endswith(";"):
        return [""]
    if word[0] == '"':
        return ['""', f'"{word[1:-1]} * 2"', f'"({word[1:-1]}) / 3"', f'"x + {word[1:-1]}"', "0.25",
                *same]
    if word[0].isdigit():
        return ["-3", "0", "0.5", "(1, 2)", f"{word}.5" if word.isdigit() else f"2{word}", "1", "2"]
    return (same or ["x"]) if word[0].isalpha() else ["-", "*", "/", "<", *same]


def kind(word):
    """Returns what words have in common that may take each other's places."""
    return "a" if word[0].isalpha() else "0" if word[0].isdigit() else word[0]


def variants(text, suffix, n, dice):
    """Yields texts in which one word is another."""
    code = re.sub(r"^ *#.*|  #.*", lambda found: " " * len(found[0]), text, flags=re.M)
    words = list(re.finditer(WORDS[suffix], code))
    settings = list(re.finditer(SETTING, code)) if suffix == ".cfg" else []
    for word in dice.sample(words, min(n, len(words))) + dice.sample(settings, min(n // 3, len(settings))):
        same = sorted({x[0] for x in words if kind(x[0]) == kind(word[0])} - {word[0]})
        yield text[:word.start()] + dice.choice(others(word[0], same)) + text[word.end():]


def page_about(command, path):
    """Returns what a command prints about a model; after a run, its last values."""
    if command == ["run"]:
        return OF_MACHINE.sub("", test_pages.last_values(path.name, path.parent))
    done = test_pages.run_program(*command, path.name, folder=path.parent)
    page = test_pages.without_lists(OF_MACHINE.sub("", done.stdout + done.stderr))
    return f"==== status {done.returncode}\n{page}"


def printed(command, n, path):
    """Returns a title, and what a command prints about each variant of a model, beside a copy of
    it."""
    title = f"{' '.join(command[:2])} {path}"
    beside = path.with_name(f"{path.stem}.{zlib.crc32(title.encode())}{path.suffix}")
    pages = []
    for text in variants(path.read_text(), path.suffix, n, random.Random(zlib.crc32(title.encode()))):
        beside.write_text(text)
        pages.append(page_about(command, beside))
    beside.unlink()
    return title, "".join(pages)


def tasks(name):
    """Yields commands, numbers of variants and models whose path ends with a name."""
    for command, folders, pattern, n in COMMANDS:
        for path in sorted(pathlib.Path("models").glob(f"*/{pattern}")):
            if path.name.endswith(name) and path.stem not in test_pages.LONG + LONG.get(command[0], ()) \
                    and (not folders or path.parent.name in folders.split()) \
                    and ("grid" in path.read_text() or path.suffix != ".cfg" or command[0] == "sweep"):
                yield command, n, path


def main(words):
    shutil.rmtree("models", ignore_errors=True)
    shutil.copytree(test_pages.SOURCE / "tests/models", "models")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = dict(pool.map(lambda task: printed(*task), list(tasks(*words or [""]))))
    if words:
        print(*pages.values())
        return 0
    return test_pages.compare_checksums(KEPT, pages, __doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
