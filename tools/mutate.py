#!/usr/bin/env python3
"""mutate - changes one place of the source at a time and counts the changes that the tests detect.

usage: tools/mutate.py [--count N] [--seed S] [--file F] [--known] [--list] [--limit SECONDS]

Draws N changes (mutants; 40 by default) of kernels/ and src/ by a seed, which is printed. Builds
each with preset cpu and runs the tests nearest to the file: those named after it or after a file
that includes its header, those that include its header or expect its messages, and those of its
folder; then those that compare whole pages and results of many models; then all others: test, say,
twin, law; then the unit tests with the address and undefined-behaviour sanitizers, as
tools/check.sh does. --known takes the mutants of tools/mutants.json, with the tests that are named
there; --count then draws some of them. --list prints the mutants and ends. If the nearest tests
take more than --limit seconds (900), one hangs, and the mutant is caught; a later test has the
limit of cmake/tests.cmake.

Exit status: 0; 1 if fewer than 90 % of the drawn mutants, or not all known ones, were caught;
2 if the tests fail without a change.

The checkout is not touched: the work is done in a git worktree in build/mutate/, which has the
tracked files as they are now. Verdicts are kept there: the same command continues a run that was
stopped. A mutant that changes no behaviour stands with its reason in tools/mutants.json, as
"equivalent". The operators are in the table OPERATORS.

A mutant that the compiler translates to the code of the original changes nothing and is not
counted; another is drawn (trivial compiler equivalence: Papadakis, Jia, Harman and Le Traon, ICSE
2015). The code of a header is that of all files that include it.
"""
import argparse
import dataclasses
import functools
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = Path(os.environ.get("RDSIM_BUILD", ROOT / "build")).resolve() / "mutate"
TREE, DONE = PLACE / "tree", PLACE / "verdicts.jsonl"
BUILD, SANITIZED = PLACE / "build", PLACE / "sanitized"
SOURCES = ("kernels/**/*.[ch]", "src/**/*.[ch]")
SHARE = 0.9
NEAREST, CLOSEST = 8, 3  # tests at most, and those of them that run before the others
WHOLE = ("test_pages.py", "twin_hosts")  # pages and results of many models
LABELS = ("test", "say", "twin", "law")
SANITIZED_TESTS = SANITIZED, ["tests"], ["-L", "^test$"]
CORES = len(os.sched_getaffinity(0))
# Memory that is new or freed is overwritten, as in tools/nightly.sh, so that a read of it shows.
PERTURBED = dict(os.environ, MALLOC_PERTURB_="165")

# Comments, texts, directives, sizes of elements, and assertions, which a release build leaves out,
# are not changed.
UNCHANGED = re.compile(r'(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                        r'|^[ \t]*#(?:.*\\\n)*.*|\b(?:static_)?assert\([^;]*;|\bsizeof [\w.>-]+\[0\]', re.M)
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
         "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*"}
BRACKETS = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
# Memory beyond what is needed changes nothing: constants in these stay, except divisors.
SIZES = re.compile(rf"\b(?:m|c|re)alloc\((?![^;]* / ){BRACKETS}\)")

LOOP = r"\bfor \([^;]*;[^;<]* < ([^;&|<]+?)(?: (?:&&|\|\|) [^;]*)?;"

OPERAND = r"([\w.>\[\]-]+)"
# A number after these is changed by another relation, too: i < 9 becomes i <= 9, which is i < 10.
AFTER_RELATION = re.compile(r" (?:<|>=) \d+(?![\w.])")
# The larger of two equal numbers is either.
EXTREME = re.compile(rf"{OPERAND} (?:<=|>=|<|>) {OPERAND} \? (?:\1 : \2|\2 : \1)(?![\w.\[-])")

# What is found (group 1 is replaced), and what takes its place. The last round of a loop is left
# out; one round more would read memory beyond the array, whose effect is not defined and which the
# sanitizers of tools/check.sh detect. -1 means that there is none: as good as -2.
OPERATORS = (
    ("relation", r" (<=|>=|==|!=|<|>)\s", OTHER.get),
    ("round", LOOP, lambda number: f"{number} - 1"),
    ("arithmetic", r" ([-+*/])\s", OTHER.get),
    ("logic", r" (&&|\|\|)\s", OTHER.get),
    ("constant", r"(?<![\w.{-])(\d+)(?![\w.]|\];)", lambda number: str(int(number) + 1)),
    ("condition", rf"\bif \(({BRACKETS})\)", lambda condition: f"!({condition})"),
    ("statement",  # a call or an assignment, but no declaration; what is released is no result
     r"^ +(?!\w*(?:free|va_end)\w*\(|rd_\w+_(?:close|drop)\()((?:[\w.\[\]*]|->)+(?:\([^;]*\)| [-+*/|&]?= [^;{]+|\+\+|--);)",
     lambda _: "(void)0;"),
)


@dataclasses.dataclass
class Mutant:
    """Holds a change of the text between two places of a file, and the tests that run first."""
    file: str
    start: int
    old: str
    new: str
    place: str
    tests: list

    def __str__(self):
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}:{self.place}: {old} -> {new}"

    def apply(self, text):
        return text[:self.start] + self.new + text[self.start + len(self.old):]


def place(text, at):
    """Returns line and column, from 1 on."""
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def identifiers(text):
    """Returns what finds the comparisons of HDF5's identifiers with 0, which is none of them."""
    names = sorted(set(re.findall(r"\bhid_t (?:const )?\*?(\w+)", text)))
    return re.compile(rf"\b(?:{'|'.join(names)}) (?:<|>=) 0\b" if names else r"(?!)")


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def blank_relation(found):
    """Returns the head of a loop without the relation in front of its number of rounds."""
    at = found.start(1) - found.start() - 2
    return found[0][:at] + " " + found[0][at + 1:]


def mutants_of(file, text):
    """Yields every mutant of a file. Code stands in lines that are indented."""
    code = identifiers(text).sub(blank, UNCHANGED.sub(blank, text))
    for kind, pattern, other in OPERATORS:
        changed = AFTER_RELATION.sub(blank, SIZES.sub(blank, code)) if kind == "constant" else \
            EXTREME.sub(blank, re.sub(LOOP, blank_relation, code)) if kind == "relation" else code
        for found in re.finditer(pattern, changed, re.M):
            start, end = found.span(1)
            if text.startswith((" ", "\t"), text.rfind("\n", 0, start) + 1):
                yield Mutant(file, start, text[start:end], other(text[start:end]),
                             place(text, start), [])


def changed_line(mutant, text):
    """Returns the line of a mutant, before and after."""
    first = text.rfind("\n", 0, mutant.start) + 1
    last = text.find("\n", mutant.start + len(mutant.old))
    line = text[first:last]
    return line.strip(), dataclasses.replace(mutant, start=mutant.start - first).apply(line).strip()


def drawn(dice, file, equivalent):
    """Returns all mutants of the tree, or of one file, in an order that the seed determines."""
    found = []
    for path in sorted(path for pattern in SOURCES for path in TREE.glob(pattern)):
        name, text = str(path.relative_to(TREE)), path.read_text()
        if file in (None, name):
            found += [mutant for mutant in mutants_of(name, text)
                      if (name, *changed_line(mutant, text)) not in equivalent]
    dice.shuffle(found)
    return found


def known(entries):
    """Returns the mutants of the list. Each text must stand in its file just once."""
    found = []
    for entry in entries:
        text = (TREE / entry["file"]).read_text()
        if text.count(entry["old"]) != 1:
            sys.exit(f"tools/mutants.json: {entry['file']}: '{entry['old']}' occurs "
                     f"{text.count(entry['old'])} times; give a text that occurs once")
        start = text.index(entry["old"])
        found.append(Mutant(entry["file"], start, entry["old"], entry["new"],
                            place(text, start), entry["tests"]))
    return found


def words_of(name):
    """Returns the words of a name that are long enough to mean something."""
    return {re.sub("e?s?$", "", word) for word in name.split("_") if len(word) > 3}


@functools.cache
def quotable(file):
    """Returns the texts of a file, between their formats, that are long enough to be its own."""
    texts = re.findall(r'"((?:\\.|[^"\\\n])*)"', (TREE / file).read_text())
    return [part for text in texts for part in re.split(r"%[^a-zA-Z]*[a-zA-Z]+|\\n", text)
            if len(part) > 15 and " " in part]


def quotes(path, file):
    """Returns how many texts of a file occur in a test."""
    text = path.read_text()
    return sum(part in text for part in quotable(file))


@functools.cache
def callers_of(stem):
    """Returns the names of the files that include a header."""
    return {path.stem for pattern in SOURCES for path in TREE.glob(pattern)
            if f'/{stem}.h"' in path.read_text()}


def closeness(path, file):
    """Returns how close a test is to a file, 0 being the closest, or None if it is not."""
    stem, folder, (label, _, what) = Path(file).stem, Path(file).parts[1], path.stem.partition("_")
    if what == stem:
        return 0
    if label == "law":  # these take long
        return None
    if f"_{what}_" in f"_{stem}_":
        return 0
    if label == "test" and f'/{stem}.h"' in path.read_text():
        return 1
    if quotes(path, file):
        return 2 - quotes(path, file) / 100
    if what in callers_of(stem):
        return 2
    shared = len(words_of(what) & (words_of(stem) | words_of(folder)))
    if shared or path.parts[-3:-1] == ("unit", folder):
        return 4 - min(shared, 2) if shared else 5
    return 6 if label == "test" and f'#include "{folder}/' in path.read_text() else None


def nearest(file):
    """Returns the names of the tests that are named like the file, include its header, expect its
    messages, or share a word with its name or its folder's, and of the unit tests of its
    folder."""
    found = []
    for path in sorted((TREE / "tests").rglob("*_*.*")):
        if path.stem.partition("_")[0] in LABELS and path.suffix in (".c", ".py"):
            how = closeness(path, file)
            if how is not None:
                found.append((how, path.stem if path.suffix == ".c" else path.name))
    found.sort(key=lambda entry: entry[0])
    return [name for how, name in found[:NEAREST]] + [
        name for how, name in found[NEAREST:] if how == 5]


def git(*words, cwd=ROOT):
    return subprocess.run(["git", *words], cwd=cwd, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def prepare():
    """Brings the worktree to the present state of the tracked files; returns the hash of that."""
    commit = git("stash", "create") or git("rev-parse", "HEAD")
    PLACE.mkdir(parents=True, exist_ok=True)
    if not (TREE / ".git").exists():
        git("worktree", "prune")
        git("worktree", "add", "--quiet", "--force", "--detach", str(TREE), commit)
    git("checkout", "--quiet", "--force", "--detach", commit, cwd=TREE)
    return git("rev-parse", f"{commit}^{{tree}}")


def configure(python):
    """Configures the builds; a mutant may have warnings, but must not exceed an array. Scripts run
    without sanitizers."""
    for preset, folder, *flags in (
            ("cpu", BUILD, "-D", "CMAKE_C_FLAGS=-Werror=array-bounds",
             "-D", f"RDSIM_PYTHON={python}"), ("debug", SANITIZED, "-D", "RDSIM_PYTHON=")):
        subprocess.run(["cmake", "--preset", preset, "-B", folder, "-D", "RDSIM_WERROR=OFF", *flags],
                       cwd=TREE, check=True, stdout=subprocess.DEVNULL)


def build(folder, targets):
    done = subprocess.run(["cmake", "--build", folder, "-j", str(CORES), "--target", *targets],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0


@functools.cache
def compile_commands():
    """Returns the commands that compile kernels/ and src/, by source file."""
    entries = json.loads(subprocess.run(["ninja", "-C", BUILD, "-t", "compdb"], check=True,
                                        stdout=subprocess.PIPE).stdout)
    return {entry["file"]: shlex.split(entry["command"]) for entry in entries
            if entry["file"].startswith((f"{TREE}/kernels/", f"{TREE}/src/"))
            and entry["file"].endswith(".c")}


@functools.cache
def users_of(file):
    """Returns the source files that include a header; those whose name is like its name first."""
    words = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split("\n\n")
    users, header = set(), (TREE / file).resolve()
    for paths in ([(BUILD / line.strip()).resolve() for line in word.splitlines()[1:]]
                  for word in words):
        if header in paths and str(paths[0]) in compile_commands():
            users.add(str(paths[0]))
    return sorted(users, key=lambda user: (-len(words_of(Path(user).stem) &
                                                words_of(Path(file).stem)), user))


def assembly_of(source):
    """Returns the code that the compiler makes of a file, without its debugging data."""
    command, words = compile_commands()[source], []
    for before, word in zip(["", *command], command):
        if before not in ("-o", "-MT", "-MF") and word not in ("-c", "-o", "-MD", "-MT", "-MF") \
                and not word.endswith("ccache"):
            words.append(word)
    done = subprocess.run([*words, "-g0", "-S", "-o", "-"], cwd=BUILD, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout if done.returncode == 0 else None


original_of = functools.cache(assembly_of)


def changes_code(mutant):
    """Returns whether a mutant, or None if it does not compile, differs in its code."""
    path = TREE / mutant.file
    text = path.read_text()
    sources = [str(path)] if path.suffix == ".c" else users_of(mutant.file)
    for source in sources:
        before = original_of(source)
        path.write_text(mutant.apply(text))
        try:
            after = assembly_of(source)
        finally:
            path.write_text(text)
        if after is None:
            return None
        if after != before:
            return True
    return False


def failing(folder, selection, limit=None):
    """Runs tests up to the first that fails, in empty folders, as in a fresh build; returns its
    name, or None if all pass."""
    for place_of_test in (folder / "scratch").iterdir():
        shutil.rmtree(place_of_test)
        place_of_test.mkdir()
    command = ["ctest", "--test-dir", folder, "-j", str(CORES + 1), "--stop-on-failure", *selection]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=PERTURBED, start_new_session=True) as run:
        try:
            output, _ = run.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return "the time limit"
    found = re.search(r"^\s*\d+ - (\S+) \((?!Skipped|Not Run)", output, re.M)
    if run.returncode != 0 and not found:
        sys.exit(f"mutate: ctest failed without a test that failed:\n{output}")
    return found[1] if run.returncode != 0 else None


def named(tests):
    return ["-R", "^(" + "|".join(map(re.escape, tests)) + ")$", "--no-tests=error"]


def targets_of(tests):
    scripts = any(test.endswith(".py") for test in tests)
    return [test for test in tests if not test.endswith(".py")] + (
        ["rdsim", "rdsim_library", "rdsim-bench", "failing", "little_memory",
         "old_driver"] if scripts
        else ["rdsim_core"])


def stages(tests, limit, is_known):
    """Yields what is built and run, in order: folder, targets, selection of tests, and limit."""
    for some in tests[:CLOSEST], tests[CLOSEST:], () if is_known else WHOLE:
        if some:
            yield BUILD, targets_of(some), named(some), limit
    if not is_known:
        for label in LABELS:
            yield BUILD, [f"{label}s"], ["-L", f"^{label}$"], None
        yield *SANITIZED_TESTS, None


def judge(mutant, limit, is_known):
    """Returns the test that fails, "" if none does, or None if the mutant does not build or changes
    nothing."""
    if not is_known and not changes_code(mutant):
        return None
    path = TREE / mutant.file
    text = path.read_text()
    path.write_text(mutant.apply(text))
    try:
        for folder, targets, selection, most in stages(mutant.tests, limit, is_known):
            if not build(folder, targets):
                return None
            test = failing(folder, selection, most)
            if test:
                return f"{test}, sanitized" if folder == SANITIZED else test
        return ""
    finally:
        path.write_text(text)


def verdicts(tree):
    """Returns the verdicts of earlier runs for the same files."""
    lines = DONE.read_text().splitlines() if DONE.exists() else []
    return {entry["mutant"]: entry["test"] for entry in map(json.loads, lines)
            if entry["tree"] == tree}


def judge_all(mutants, options, tree):
    """Judges mutants until enough of them build; returns how many were caught and how many built."""
    before, caught, built = verdicts(tree), 0, 0
    for mutant in mutants:
        if built == options.count:
            break
        begin, name = time.monotonic(), str(mutant)
        mutant.tests = mutant.tests or nearest(mutant.file)
        test = before[name] if name in before else judge(mutant, options.limit, options.known)
        if name not in before:
            with DONE.open("a") as out:
                print(json.dumps({"tree": tree, "mutant": name, "test": test}), file=out)
        built += test is not None
        caught += bool(test)
        verdict = "no change of the code" if test is None else \
            f"caught by {test}" if test else "SURVIVED"
        print(f"{verdict:32} {time.monotonic() - begin:4.0f} s  {name}", flush=True)
    return caught, built


def check_unchanged(mutants, is_known):
    """Ends the program if a test fails without a change."""
    tests = sorted({test for mutant in mutants for test in mutant.tests or nearest(mutant.file)})
    runs = [(BUILD, targets_of([*tests, *WHOLE]), named([*tests, *WHOLE]))]
    for folder, targets, selection in runs + ([] if is_known else [SANITIZED_TESTS]):
        if not build(folder, targets):
            sys.exit("mutate: the program does not build without a change; see tools/test.sh")
        test = failing(folder, selection)
        if test:
            print(f"mutate: {test} fails without a change; see tools/test.sh", file=sys.stderr)
            sys.exit(2)


def options_of(words):
    python = PLACE.parent / "venv/bin/python"
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog=__doc__.split("\n", 3)[3])
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(10 ** 6))
    parser.add_argument("--file")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--limit", type=float, default=900.0)
    parser.add_argument("--python", default=python if python.exists() else sys.executable)
    return parser.parse_args(words)


def main(words):
    options, lists = options_of(words), json.loads((ROOT / "tools/mutants.json").read_text())
    tree, dice = prepare(), random.Random(options.seed)
    if options.known:
        mutants = [mutant for mutant in known(lists["known"])
                   if options.file in (None, mutant.file)]
        mutants = dice.sample(mutants, min(options.count or len(mutants), len(mutants)))
    else:
        options.count = options.count or 40
        mutants = drawn(dice, options.file, {
            (entry["file"], entry["old"].strip(), entry["new"].strip())
            for entry in lists["equivalent"]})
    print(f"seed {options.seed}: {len(mutants)} mutants to draw from", flush=True)
    if options.list:
        print(*mutants[:options.count], sep="\n")
        return 0
    configure(options.python)
    check_unchanged(mutants[:options.count], options.known)
    caught, built = judge_all(mutants, options, tree)
    print(f"{caught} of {built} mutants were caught ({caught / max(built, 1):.0%})")
    return int(caught < (1.0 if options.known else SHARE) * built)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
