"""test_library - installs librdsim, and builds and runs the example of docs/examples with it. Also
tests that the library exports the functions of rdsim.h and no others."""
import os
import pathlib
import re
import shutil
import subprocess

PROGRAM = pathlib.Path(os.environ["RDSIM_PROGRAM"])
SOURCE = pathlib.Path(os.environ["RDSIM_SOURCE"])
EXAMPLE = SOURCE / "docs/examples/stepping.c"
LINES_MOST = 60


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def flags(prefix):
    """Returns what a compiler needs, from pkg-config if that is there."""
    folder = next(prefix.rglob("rdsim.pc")).parent
    if shutil.which("pkg-config"):
        return run("pkg-config", "--cflags", "--libs", "rdsim",
                   env={**os.environ, "PKG_CONFIG_PATH": str(folder)}).split()
    return [f"-I{prefix}/include", f"-L{folder.parent}", "-lrdsim"]


def test_example(prefix):
    assert len(EXAMPLE.read_text().splitlines()) <= LINES_MOST
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", str(EXAMPLE), "-o", "stepping", *flags(prefix),
        f"-Wl,-rpath,{next(prefix.rglob('librdsim.so')).parent}")
    page = run("./stepping")
    assert "t = 0: 100 molecules" in page and "stepping.h5 is written" in page, page
    assert len(re.findall(r"^t = \d", page, re.M)) == 10, page
    assert "identical" in run(str(PROGRAM), "again", "stepping.h5")


def test_symbols(prefix):
    header = (prefix / "include/rdsim.h").read_text()
    declared = set(re.findall(r"^RDSIM_API .*?(rdsim_\w+)\(", header, re.M))
    table = run("nm", "-D", "--defined-only", str(next(prefix.rglob("librdsim.so"))))
    exported = {line.split()[-1] for line in table.splitlines() if " T " in line}
    assert exported == declared and len(declared) > 20, exported ^ declared


def main():
    prefix = pathlib.Path("installed").resolve()
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", str(PROGRAM.parent), "--prefix", str(prefix), "--component", "library")
    test_symbols(prefix)
    test_example(prefix)


if __name__ == "__main__":
    main()
