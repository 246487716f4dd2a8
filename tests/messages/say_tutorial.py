"""say_tutorial - tests that every command of docs/tutorial.md, docs/recipes.md, docs/models.md and
docs/coming-from.md
runs and prints what the page has. Files are the blocks after a line `NAME.cfg`:. Outputs are
compared without leading spaces; lines of the error stream begin with an exclamation mark."""
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from say_main import unwrapped


def files_in(text):
    return re.findall(r"^`(\w+\.cfg)`:\n\n```\n(.*?)```$", text, re.M | re.S)


def commands_in(text):
    """Returns pairs (command, the lines that it prints), in order."""
    found = []
    text = re.sub(r"\n {18}(?=[^ ])", " ", text)  # lines of check that are wrapped
    for line in re.findall(r"^    (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line != "...":
            found[-1][1].append(line)
    return found


def words(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def check(command, answers, folder, program):
    if command.startswith("rdsim plot ") and not importlib.util.find_spec("matplotlib"):
        return  # pictures need this optional package
    done = subprocess.run([program, *shlex.split(command)[1:]], cwd=folder, capture_output=True,
                          text=True, timeout=600, env={**os.environ, "RDSIM_PYTHON": sys.executable})
    stdout, stderr = words(unwrapped(done.stdout)), words(done.stderr)
    for answer in answers:
        line = " ".join(answer.removeprefix("! ").split())
        if line not in (stderr if answer.startswith("! ") else stdout):
            raise SystemExit(f"{command}: no line '{line}' in\n{done.stdout}{done.stderr}")
    fails = any(answer.startswith("! rdsim: --set") or ": exists; " in answer
                for answer in answers)
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{command}: status {done.returncode}\n{done.stderr}")


def check_page(name, least):
    """Runs all commands of a page, which must have at least so many."""
    text = (Path(os.environ["RDSIM_SOURCE"]) / name).read_text()
    commands = commands_in(text)
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files_in(text):
            (Path(folder) / file).write_text(content)
        for command, answers in commands:
            check(command, answers, folder, os.environ["RDSIM_PROGRAM"])
    print(f"{name}: {len(commands)} commands, {sum(len(answers) for _, answers in commands)} lines")
    return len(commands) >= least


def main():
    pages = (("docs/tutorial.md", 9), ("docs/recipes.md", 19), ("docs/models.md", 1),
             ("docs/coming-from.md", 4))
    return 0 if all([check_page(*page) for page in pages]) else 1


if __name__ == "__main__":
    sys.exit(main())
