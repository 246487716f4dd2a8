"""test_variants - compares what `rdsim check` prints about 3,300 variants of the models of the tests,
in each of which one word is another, with a checksum for each model in tests/pages/variants.txt.

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
import subprocess
import sys
import zlib

import test_pages

KEPT = test_pages.PAGES / "variants.txt"
VARIANTS = 8  # at most, of a model
# numbers, names that are no keys, texts, and operators of expressions
WORDS = (r'(?<![\w.])\d[\d.]*(?:e-?\d+)?|(?<![\w.])[A-Za-z_]\w*(?! =)\b|"[^"\n]*"(?= *[;,])|(?<=[\w)] )[-+*/<>]'
         r'(?= [\w(])')
# Lines that depend on the machine's memory
OF_MACHINE = re.compile(test_pages.MEMORY + r"|.*\b(free|memory)\b.*\n", re.M)


def others(word, names):
    """Returns what may stand in place of a word: for a number, others of about its size, so that no
    variant needs much memory."""
    if word[0] == '"':
        return ['""', f'"{word[1:-1]} * 2"', f'"({word[1:-1]}) / 3"', f'"x + {word[1:-1]}"', "0.25"]
    if word[0].isdigit():
        return ["-3", "0", "0.5", "(1, 2)", f"{word}.5" if word.isdigit() else f"2{word}", "1", "2"]
    return names if word[0].isalpha() else ["-", "*", "/", "<"]


def variants(text, dice):
    """Yields texts in which one word is another."""
    code = re.sub(r"^ *#.*|  #.*", lambda found: " " * len(found[0]), text, flags=re.M)
    words = list(re.finditer(WORDS, code))
    names = sorted({word[0] for word in words if word[0][0].isalpha()})
    for word in dice.sample(words, min(VARIANTS, len(words))):
        yield text[:word.start()] + dice.choice(others(word[0], names)) + text[word.end():]


def printed(model):
    """Returns what the program prints about each variant of a model, beside a copy of it."""
    path = pathlib.Path(model)
    beside, pages = path.with_name(path.stem + ".variant.cfg"), []
    for text in variants(path.read_text(), random.Random(zlib.crc32(model.encode()))):
        beside.write_text(text)
        done = subprocess.run([test_pages.PROGRAM, "check", *test_pages.HOST, beside.name],
                              cwd=path.parent, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 1, 2), f"{text}: status {done.returncode}"
        pages.append(f"==== status {done.returncode}\n{OF_MACHINE.sub('', done.stdout + done.stderr)}")
    beside.unlink()
    return "".join(pages)


def main(words):
    shutil.rmtree("models", ignore_errors=True)
    shutil.copytree(test_pages.SOURCE / "tests/models", "models")
    models = sorted(str(path) for path in pathlib.Path("models").rglob("*.cfg")
                    if path.stem not in test_pages.LONG and "grid" in path.read_text())
    if words:
        print("".join(printed(model) for model in models if model.endswith(words[0])))
        return 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = dict(zip(models, pool.map(printed, models)))
    return test_pages.compare_checksums(KEPT, pages, __doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
