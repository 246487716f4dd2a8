"""say_names - tests a sweep whose results would have the name of one file, or leave the folder that
`output` names. It is refused with status 2 before any task runs."""
import os
import pathlib

from say_main import GOOD, assert_message, config, rdsim, run_cases

BASE = GOOD.replace("60, 50", "6, 5").replace("species =", 'parameters = { k = 1.0; j = 1.0; };\n'
                                             'title = "a"; species =', 1)
TITLES = 'vary = ( { path = "title"; name = "t"; values = (%s); } );'
TWO = 'vary = ( { path = "title"; name = "t"; values = (%s); },' \
      ' { path = "output.every"; name = "j"; values = (%s); } );'


def refuse(output, vary, *message):
    """Fails unless every command refuses the sweep and writes nothing."""
    config("base.cfg", BASE)
    config("s.cfg", f'base = "base.cfg"; {vary} output = "{output}";')
    before = sorted(pathlib.Path(os.pardir).iterdir()), sorted(os.listdir())
    for words in (["--list"], ["--count"], ["--status"], ["--slurm"], ["--task", "1"], []):
        done = rdsim("sweep", "s.cfg", *words, *([] if words[:1] not in ([], ["--task"]) else
                                                 ["--backend", "cpu"]), status=2)
        assert_message(done, "s.cfg: output: ", *message)
    assert (sorted(pathlib.Path(os.pardir).iterdir()), sorted(os.listdir())) == before, output


def accept(output, vary, names):
    config("base.cfg", BASE)
    config("s.cfg", f'base = "base.cfg"; {vary} output = "{output}";')
    listed = rdsim("sweep", "s.cfg", "--list", status=0).stdout.splitlines()[1:]
    assert [line.split("  ")[-1] for line in listed] == names, listed


def written(*titles):
    return TITLES % ", ".join(f'"{title}"' for title in titles)


OUT = "leads out of the folder"


def names_outside_of_the_folder_are_refused():
    refuse("{task}/../same.h5", written("a", "b"), "'1/../same.h5'", "whose part '..'", OUT)
    refuse("r/{t}/x.h5", written("..", "b"), "task 1 would write 'r/../x.h5'", OUT, "'r/'")
    refuse("r/{t}/x.h5", written("b", ".."), "task 2 would write 'r/../x.h5'", OUT)
    refuse("{t}", written("a", ".."), "task 2", OUT)
    refuse("{t}/x.h5", written("a", "."), "task 2", "whose part '.'", OUT)
    refuse("{t}/x.h5", written("a", ""), "task 2 would write '/x.h5'", "whose part ''")
    refuse("r/{t}/{task}.h5", written("..", "b"), "task 1 would write 'r/../1.h5'", OUT)
    refuse("r/.{t}/x{task}.h5", written("a", "."), "task 2 would write 'r/../x2.h5'", OUT)
    refuse("r/{t}./x{task}.h5", written("a", "."), "task 2 would write 'r/../x2.h5'", OUT)
    refuse("{task}/./x.h5", written("a", "b"), "whose part '.'")
    refuse("{task}//x.h5", written("a", "b"), "whose part ''")
    refuse("{task}/", written("a", "b"), "whose part ''")
    refuse("{t}/../../{task}.h5", written("a", "b"), "whose part '..'", OUT)
    refuse("/tmp/{t}/../{task}.h5", written("a", "b"), "whose part '..'", OUT, "'/tmp/'")
    refuse("r/{t}{t}/{task}.h5", written("a", "."), "whose part '..'", OUT)


def names_of_one_file_are_refused():
    refuse("{t}.h5", written("a/b", "a_b"), "tasks 1 and 2 would both write a_b.h5")
    refuse("{t}.h5", written("a*b", "a?b"), "would both write a_b.h5")
    refuse("r/{t}{j}", TWO % ('"1", "11"', "1, 11"), "would both write r/111")
    refuse("{t}{task}{j}", TWO % ('"1", "12"', "1, 31"), "tasks 2 and 3 would both write 1231")
    refuse("{t}", written("x.h5", "x.h5.parts"), "task 2 would write x.h5.parts, a name that task 1 "
           "needs for x.h5")
    refuse("{t}", written("x.h5.failed", "x.h5"), "task 1 would write x.h5.failed")
    refuse("same.h5", written("a", "b"), "tasks 1 and 2 would both write same.h5")


def distinct_names_are_accepted():
    accept("r/{t}.h5", written("..a", "a.."), ["r/..a.h5", "r/a...h5"])
    accept("../{task}.h5", written("a", "b"), ["../1.h5", "../2.h5"])
    accept("./r//{t}/{task}.h5", written("a", "b"), ["./r//a/1.h5", "./r//b/2.h5"])
    accept("/tmp/{t}.h5", written("a", "b"), ["/tmp/a.h5", "/tmp/b.h5"])
    accept("{t}", written("../a", "/b", "..."), [".._a", "_b", "..."])
    accept("{t}/x.h5", written("a.h5", "a.h5.parts"), ["a.h5/x.h5", "a.h5.parts/x.h5"])


CASES = [
    names_outside_of_the_folder_are_refused,
    names_of_one_file_are_refused,
    distinct_names_are_accepted,
]

if __name__ == "__main__":
    run_cases(CASES)
