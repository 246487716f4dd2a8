#!/usr/bin/env python3
"""check_words - finds words that rdsim does not use, and names that have two meanings.

usage: tools/check_words.py    (prints each place; exit status 1 if there is any)

Names: no file, tag, function, constant, member or variable of the program, its tests, its tools
and the Python package uses a word of NAMES, each of which has a word of the field in its place
(docs/glossary.md). Texts: no message, key or attribute has such a word either. SENSES lists where a
word has another sense than the one that is replaced. Everywhere: the words of NOWHERE occur in no
file but docs/notes/ and the glossary. Tags: no struct, union or enum tag is defined twice.
Functions: no function, static ones included, is defined in two files. Pages: no line of docs/ is
longer than 90 columns outside of tables and code.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = [path for folder in ("kernels", "src", "tools/bench")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".c", ".h", ".cu", ".cuh")]
TESTS = [path for path in sorted((ROOT / "tests").rglob("*"))
         if path.suffix in (".c", ".h", ".py")]
SCRIPTS = [path for pattern in ("tools/*.py", "tools/*.sh", "python/**/*.py", "cmake/*",
                                "CMakeLists.txt", "configs/*.py")
           for path in sorted(ROOT.glob(pattern))]
INPUTS = [path for pattern in ("configs/*.cfg", "tests/models/*/*", "tests/networks/*",
                               "tests/fuzz/*/*") for path in sorted(ROOT.glob(pattern))]
PAGES = sorted(ROOT.glob("docs/**/*.md")) + [ROOT / name for name in (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
TEXTS = CODE + TESTS + SCRIPTS + PAGES + [path for path in INPUTS if path.suffix == ".cfg"] + [
    ROOT / ".ci/run"]

# A word, and what is used instead.
NAMES = dict(pair.split(":") for pair in """
    cell:voxel cells:voxels chance:probability chances:probabilities throng:binomial_batch
    throngs:crowded_voxels party:batch tour:uniformised_walk tours:uniformised_walks pace:hop_rate
    paces:hop_rates roam:substep_hop gauge:update_rates alight:deposit await:check_substeps
    hopper:hop_state enact:apply_event crew:members roles:participants recall:roll_back
    census:count_run facet:field_component flow:field_rate incline:field_gradient scene:eval_context
    beat:step_clock keen:has_attribute_rates steered:is_by_state restless:is_by_position
    sweeper:fusion march:persistent_kernel chart:table_cache aside:deferred upkeep:update_lists
    regroup:sort_by_voxel wander:move_and_sort lift:async_copy muster:placing mustered:placed
    roster:placements parcels:snapshot_buffers arrival:placement
    endowment:initial_attributes herd:individuals_snapshot parcel:snapshot_buffer card:device
    blame:fault_message keeper:checkpoints heed:signals hear:read wish:request tape:checkpoint_file
    spool:batch_file shield:crash_guard story:result_info labour:scheduler harvest:collect
    foreman:scheduler outcome:jump gate:departure mover:transport play:ssa reckon:count_events
    trouble:run_fault halt:first_faulting_pass still:frozen nobody:none somebody:any
    sentence:message told:reported who:which beats:step_clocks sweepers:tile_threads
    learnt:loaded journey:arguments wandering:moving wanderers:moved grant:reserve granted:reserved
    grants:reserved lifted:copied kin:species asker:draw askers:draw_threads
    outcomes:jumps crowd:overfull_box crowds:crowded_voxels teller:batches tells:reports
    draft:temporary_file hears:reads ask:test asks:tests asked:tested
    wants:needs scenes:eval_contexts keepers:checkpoints whom:which gates:departures movers:transports halts:faults
    settle:commit settles:commits settled:committed""".split())
# Where a word of NAMES has another sense, by a pattern of places.
SENSES = {
    "cell": "whole_cell|growing-cell|law_sbml|keys_amounts|case_texts|cases[.]c|sbml_cell|say_notebook",  # a living cell, or a part of a notebook
    "cells": "rename_keys|say_notebook",
    "spool": "slurm",  # a key of Slurm
}
# Files whose texts name the words that they replace: old keys and those of other programs.
OLD_WORDS = ("src/config/key_hint.c", "src/result/files/open_result.c", "tools/rename_keys.py",
             "tools/check_words.py", "tests/messages/say_renamed.py")
# Types that backend.h declares and each back end defines for itself.
OPAQUE = {"rd_machine", "rd_async_copy"}
NOWHERE = ("throng crew muster roster endowment herd blame parcel keeper foreman labour hopper "
           "reckon regroup nobody somebody everybody").split()

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
SCRIPT_COMMENT = re.compile(r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FUNCTION = re.compile(r"^[a-zA-Z_][\w \*<>,]*?(?:__launch_bounds__\([^()]*\)\s*)?\b(\w+)"
                      r"\([^;{}#]*?\)\s*\{", re.M)
TAG = re.compile(r"^(?:typedef )?(struct|union|enum) (\w+)\s*\{", re.M)


def blank(match):
    """Returns the newlines of a comment or text, which keeps line numbers."""
    return "\n" * match.group().count("\n")


def is_meant(word, place):
    """Returns whether the word has the sense that is replaced."""
    return word in NAMES and not re.search(SENSES.get(word, "(?!)"), place)


def file_names():
    """Yields the files with a word of NAMES in their name."""
    for path in CODE + TESTS + SCRIPTS + INPUTS + PAGES:
        place = str(path.relative_to(ROOT))
        for word in re.split(r"[_.-]", path.name):
            if is_meant(word, place):
                yield f"{place}: the file's name: {word} is {NAMES[word]}"


def names():
    """Yields the names of code that use a word of NAMES."""
    yield from file_names()
    for path in CODE + TESTS + SCRIPTS:
        place = str(path.relative_to(ROOT))
        if place in OLD_WORDS:
            continue
        comment = COMMENT if path.suffix in (".c", ".h", ".cu", ".cuh") else SCRIPT_COMMENT
        for number, line in enumerate(comment.sub(blank, path.read_text()).splitlines(), 1):
            for name in re.findall(r"[A-Za-z_]\w*", line):
                for word in set(name.lower().split("_")):
                    if is_meant(word, place):
                        yield f"{place}:{number}: {name}: {word} is {NAMES[word]}"


def messages():
    """Yields the texts of the program's code that use a word of NAMES."""
    for path in CODE:
        place = str(path.relative_to(ROOT))
        if place in OLD_WORDS:
            continue
        text = path.read_text()
        for found in COMMENT.finditer(text):
            for word in set(re.findall("[a-z]+", found.group().lower())):
                if found.group()[0] == '"' and is_meant(word, place):
                    line = text.count("\n", 0, found.start()) + 1
                    yield f"{place}:{line}: {found.group()}: {word} is {NAMES[word]}"


def words():
    """Yields the places of words of NOWHERE."""
    pattern = re.compile(r"(?<![a-z])(" + "|".join(NOWHERE) + r")s?(?![a-z])", re.I)
    for path in TEXTS:
        place = str(path.relative_to(ROOT))
        if place.startswith("docs/notes/") or place in ("docs/glossary.md", "tools/check_words.py"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for found in pattern.findall(line):
                yield f"{place}:{number}: {found}"


def tags():
    """Yields tags that are defined in two places."""
    found = defaultdict(set)
    for path in CODE:
        text = COMMENT.sub(blank, path.read_text())
        for kind, tag in TAG.findall(text):
            found[tag].add(f"{kind} in {path.relative_to(ROOT)}")
    for tag, where in sorted(found.items()):
        if len(where) > 1 and tag not in OPAQUE:
            yield f"{tag} has {len(where)} definitions: {', '.join(sorted(where))}"


def functions():
    """Yields functions that are defined in two files."""
    found = defaultdict(set)
    for path in CODE:
        text = COMMENT.sub(blank, path.read_text())
        for name in FUNCTION.findall(text):
            found[name].add(str(path.relative_to(ROOT)))
    for name, where in sorted(found.items()):
        if len(where) > 1 and name != "main":
            yield f"{name} has {len(where)} definitions: {', '.join(sorted(where))}"


def lines():
    """Yields lines of pages that are too long."""
    for path in PAGES:
        place = str(path.relative_to(ROOT))
        is_code = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            is_code ^= line.lstrip().startswith("```")
            is_free = is_code or line.startswith(("    ", "\t")) or line.lstrip().startswith("|")
            if len(line) > 90 and not is_free and "](" not in line:
                yield f"{place}:{number}: {len(line)} columns"


def main():
    broken = 0
    for rule, places in (("names use the words of the field", names()),
                         ("messages use the words of the field", messages()),
                         ("some words occur nowhere", words()),
                         ("a tag has one definition", tags()),
                         ("a function has one definition", functions()),
                         ("pages have lines of at most 90 columns", lines())):
        places = list(places)
        broken += len(places)
        if places:
            print(f"broken: {rule}: {len(places)} places", *places, sep="\n    ")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
