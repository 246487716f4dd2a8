"""say_links - tests entries of OUT.parts that are not files of the run itself (links, FIFOs,
folders, other users' files). The program refuses them with status 2 and changes nothing that they
lead to."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

from say_main import GOOD, PROGRAM, assert_message, config, rdsim, run_cases

LONGER = GOOD.replace("end = 2;", "end = 20; step = 0.005;")
VICTIM = b"to be kept\n" * 1000
ONE = ("--backend", "cpu", "--threads", "1", "--progress", "none")


def interrupt():
    """Leaves long.h5.parts with a checkpoint and segments."""
    config("long.cfg", LONGER)
    with subprocess.Popen([PROGRAM, "long.cfg", *ONE], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as run:
        until = time.monotonic() + 60
        while not os.path.exists("long.h5.parts/temporary.h5"):
            assert time.monotonic() < until, "no run began within a minute"
            time.sleep(0.01)
        time.sleep(0.2)
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 75, run.returncode
    assert any(name.endswith(".checkpoint") for name in os.listdir("long.h5.parts")), "no checkpoint"


def contents(folder):
    """Returns each entry of a folder with its kind and its bytes or the target of its link."""
    seen = {}
    for entry in sorted(pathlib.Path(folder).iterdir()):
        seen[entry.name] = (os.readlink(entry) if entry.is_symlink() else
                            entry.read_bytes() if entry.is_file() else entry.lstat().st_mode)
    return seen


def refuse(words, *message):
    """Fails unless --resume and --force are refused with this message and change nothing."""
    for option in ("--resume", "--force"):
        before = contents("long.h5.parts"), contents("."), contents("elsewhere")
        done = rdsim("long.cfg", *ONE, option, status=2)
        assert_message(done, *message)
        after = contents("long.h5.parts"), contents("."), contents("elsewhere")
        assert after == before, f"{words} {option}: something was changed"
    shutil.rmtree("long.h5.parts", ignore_errors=True)


def put(kind, path):
    """Puts an entry of this kind at path and removes an earlier one."""
    pathlib.Path("elsewhere/victim").write_bytes(VICTIM)
    if os.path.lexists(path):
        os.unlink(path)
    if kind == "link":
        os.symlink(os.path.abspath("elsewhere/victim"), path)
    elif kind == "relative link":
        os.symlink("../elsewhere/victim", path)
    elif kind == "loose link":
        os.symlink("../elsewhere/new", path)
    elif kind == "circle":
        os.symlink(os.path.basename(path), path)
    elif kind == "hard link":
        os.link("elsewhere/victim", path)
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)


MESSAGES = {"link": "it is a symbolic link, not a regular file; move it elsewhere",
            "relative link": "it is a symbolic link, not a regular file; move it elsewhere",
            "loose link": "it is a symbolic link, not a regular file; move it elsewhere",
            "circle": "it is a symbolic link, not a regular file; move it elsewhere",
            "hard link": "which has 2 names (hard links)",
            "FIFO": "it is a FIFO, not a regular file; move it elsewhere",
            "folder": "it is a folder, not a regular file; move it elsewhere"}


def entries_that_are_no_files_of_the_run_are_refused():
    os.mkdir("elsewhere")
    interrupt()
    shutil.copytree("long.h5.parts", "kept")
    names = os.listdir("kept")
    segment = next(name for name in names if name.endswith(".h5"))
    checkpoint = next(name for name in names if name.endswith(".checkpoint"))
    kinds = dict.fromkeys(("temporary.checkpoint", "temporary.h5"), MESSAGES)
    few = ("link", "hard link", "FIFO")
    for name in ("lock", "000000.batches", "999999.h5", segment, checkpoint):
        kinds[name] = {kind: MESSAGES[kind] for kind in few}
    for name, each in kinds.items():
        for kind, message in each.items():
            shutil.rmtree("long.h5.parts", ignore_errors=True)
            shutil.copytree("kept", "long.h5.parts")
            put(kind, f"long.h5.parts/{name}")
            refuse(f"{name} as {kind}", f"long.h5.parts: contains '{name}'", message)
    shutil.copytree("kept", "long.h5.parts")
    rdsim("long.cfg", *ONE, "--resume", status=0)


def a_folder_that_is_a_link_is_refused():
    os.mkdir("elsewhere")
    interrupt()
    shutil.copytree("long.h5.parts", "kept")
    for target in ("elsewhere", "../" + os.path.basename(os.getcwd()) + "/elsewhere", "nowhere"):
        shutil.rmtree("elsewhere")
        shutil.copytree("kept", "elsewhere")
        shutil.rmtree("long.h5.parts", ignore_errors=True)
        if os.path.lexists("long.h5.parts"):
            os.unlink("long.h5.parts")
        os.symlink(target, "long.h5.parts")
        for options in (("--resume",), ("--force",)):
            before = contents("elsewhere"), sorted(os.listdir())
            done = rdsim("long.cfg", *ONE, *options, status=2)
            assert_message(done, "long.h5.parts: is a symbolic link",
                           "remove the link, or write elsewhere")
            assert (contents("elsewhere"), sorted(os.listdir())) == before, f"{target} {options}"
        os.rename("long.h5", "away.h5")
        done = rdsim("long.cfg", *ONE, status=2)
        assert_message(done, "long.h5.parts: is a symbolic link")
        assert contents("elsewhere") == before[0], target
        os.rename("away.h5", "long.h5")


def a_folder_that_is_a_file_is_refused():
    config("long.cfg", LONGER)
    for make in (os.mkfifo, lambda path: pathlib.Path(path).write_bytes(VICTIM)):
        make("long.h5.parts")
        for options in ((), ("--resume",), ("--force",)):
            assert_message(rdsim("long.cfg", *ONE, *options, status=2),
                           "long.h5.parts: is not a folder", "move it elsewhere")
        os.unlink("long.h5.parts")


def files_of_another_user_are_refused():
    if os.geteuid() != 0:
        print("only root can make files of another user: that they are refused is not tested")
        return
    os.mkdir("elsewhere")
    interrupt()
    shutil.copytree("long.h5.parts", "kept")
    name = next(name for name in os.listdir("kept") if name.endswith(".checkpoint"))
    os.chown(f"long.h5.parts/{name}", 12345, 12345)
    refuse(name, f"long.h5.parts: contains '{name}', which belongs to another user (number 12345)")
    shutil.copytree("kept", "long.h5.parts")
    os.chown("long.h5.parts", 12345, 12345)
    refuse("folder", "long.h5.parts: belongs to another user (number 12345)")


def a_reason_is_not_written_through_a_link():
    """Tests a link in place of the file that says why a task failed."""
    pathlib.Path("victim").write_bytes(VICTIM)
    config("base.cfg", GOOD.replace("propensity = \"1\"", "propensity = \"1.25 - t * k\"")
           .replace("species =", "parameters = { k = 1.0; };\nspecies =", 1))
    config("s.cfg", 'base = "base.cfg"; vary = ( { path = "parameters.k"; values = (1.0, 2.0); } );')
    os.mkdir("s")
    for name in ("s/1.h5.failed", "s/1.h5.collecting"):
        os.symlink("../victim", name)
    os.mkfifo("s/2.h5.failed")
    rdsim("sweep", "s.cfg", "--status", status=1)
    rdsim("sweep", "s.cfg", "--retry", "--backend", "cpu", "--progress", "none", status=1)
    assert pathlib.Path("victim").read_bytes() == VICTIM, "it was written"
    for task in "12":
        assert "is negative" in pathlib.Path(f"s/{task}.h5.failed").read_text(), task


CASES = [
    entries_that_are_no_files_of_the_run_are_refused,
    a_folder_that_is_a_link_is_refused,
    a_folder_that_is_a_file_is_refused,
    files_of_another_user_are_refused,
    a_reason_is_not_written_through_a_link,
]

if __name__ == "__main__":
    run_cases(CASES)
