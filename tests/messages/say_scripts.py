"""say_scripts - tests the scripts of `rdsim sweep --slurm`, `--pbs` and `--sge` for sweeps with
blanks, quotes, newlines, directives and shell commands in their names. bash checks the syntax, a
stand-in for the queue runs them, and they have the same effect as with any other name."""
import os
import pathlib
import re
import shutil
import subprocess

from say_main import GOOD, PROGRAM, config, rdsim, run_cases

SWEEP = 'base = "base.cfg"; vary = ( { path = "parameters.k"; values = (1.0, 2.0); } );\n' \
        'output = "results/{task}.h5";'
BASE = GOOD.replace("species =", "parameters = { k = 1.0; };\nspecies =", 1)
NAMES = ["plain.cfg", "two words.cfg", "it's.cfg", 'a"b.cfg', "$(touch HIT).cfg", "`touch HIT`.cfg",
         "a\ntouch HIT\n.cfg", "a\n#SBATCH --output=HIT\n.cfg", "a\n#PBS -o HIT\nb.cfg",
         "a\n#$ -o HIT\nb.cfg", "-dash.cfg", "--help", "%j%A%%s%n.cfg", "a;touch HIT;.cfg",
         "a&touch HIT&.cfg", "a|touch HIT.cfg", "a>HIT.cfg", "back\\slash.cfg", "a'\n'b\\n'.cfg",
         "$HOME ~ * ?.cfg", "tab\tand\rreturn\x01\x7f.cfg", "#SBATCH.cfg", "!!.cfg", "1st.cfg",
         "größe.cfg", " blank before.cfg", "${IFS}touch${IFS}HIT.cfg", "a" * 200 + ".cfg", ".cfg",
         "a'$(touch HIT)'.cfg", "a\n\n$(touch HIT)'\"'.cfg", "\\'$(touch HIT).cfg"]
QUEUES = {"--slurm": ("SLURM_ARRAY_TASK_ID", "#SBATCH --job-name="),
          "--pbs": ("PBS_ARRAY_INDEX", "#PBS -N "),
          "--sge": ("SGE_TASK_ID", "#$ -N ")}


def entries():
    return sorted(os.listdir())


def script_of(name, queue):
    return rdsim("sweep", f"./{name}", queue, status=0).stdout


def logs_of(job):
    """Returns the folder of the jobs' output; it has only letters that no queue changes, as the
    job's name has."""
    return job.removeprefix("sweep_").replace("-", "_") + ".logs"


def assert_head_is_safe(script, mark, name):
    """Checks that every queue accepts the job's name, and that no other line is a directive."""
    lines = script.splitlines()
    job = [line[len(mark):] for line in lines if line.startswith(mark)]
    assert len(job) == 1 and re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,62}", job[0]), f"{name}: {job}"
    assert "HIT" not in "".join(line for line in lines if line.startswith("#") and
                                not line.startswith(mark)).replace(logs_of(job[0]), ""), f"{name}: a directive: {script}"
    body = script[script.index("\nagain="):]
    assert not re.search(r"^\s*#(SBATCH|PBS|\$)", body, re.M), f"{name}: a directive: {script}"


def run_as_queue(script, variable, task, folder):
    """Runs a copy of the script under another name, as a queue does."""
    copy = os.path.join(folder, "spooled")
    pathlib.Path(copy).write_text(script)
    subprocess.run(["bash", "-n", copy], check=True, timeout=600)
    environment = dict(os.environ, PBS_O_WORKDIR=os.getcwd(), **{variable: task})
    return subprocess.run(["bash", copy], capture_output=True, text=True, timeout=600, check=False,
                          env=environment)


def names_do_no_harm():
    os.mkdir("spool")
    os.mkdir("work")
    os.chdir("work")
    config("base.cfg", BASE)
    for number, name in enumerate(NAMES):
        pathlib.Path(name).write_text(SWEEP)
        for queue, (variable, mark) in QUEUES.items():
            script = script_of(name, queue)
            assert_head_is_safe(script, mark, name)
            if queue != list(QUEUES)[number % 3]:
                continue
            before = entries()
            done = run_as_queue(script, variable, "2", "../spool")
            assert done.returncode == 0, f"{name!r}: {done.stderr}\n{script}"
            assert entries() == sorted([*before, "results"]), f"{name!r}: {entries()}"
            assert os.listdir("results") == ["2.h5"], f"{name!r}: {os.listdir('results')}"
            shutil.rmtree("results")
        os.unlink(name)


def a_program_in_a_folder_of_any_name_is_called():
    folder = "it's $(touch HIT)\n#$ -o HIT\n/"
    os.mkdir(folder)
    shutil.copy(PROGRAM, folder + "rdsim")
    config("base.cfg", BASE)
    config("s.cfg", SWEEP)
    for queue, (variable, mark) in QUEUES.items():
        script = subprocess.run([os.path.abspath(folder + "rdsim"), "sweep", "s.cfg", queue],
                                capture_output=True, text=True, timeout=600, check=True).stdout
        assert_head_is_safe(script, mark, folder)
        done = run_as_queue(script, variable, "1", ".")
        assert done.returncode == 0, f"{queue}: {done.stderr}"
        assert os.path.exists("results/1.h5") and not os.path.exists("HIT"), os.listdir()
        shutil.rmtree("results")


def a_folder_of_any_name_is_entered():
    """Tests the sweep's folder, which is in the script, too."""
    folder = "a b\n'$(touch HIT)\"`touch HIT`"
    os.mkdir(folder)
    pathlib.Path(folder, "base.cfg").write_text(BASE)
    pathlib.Path(folder, "s.cfg").write_text(SWEEP)
    for queue, (variable, _) in QUEUES.items():
        done = run_as_queue(script_of(f"{folder}/s.cfg", queue), variable, "1", ".")
        assert done.returncode == 0, f"{queue}: {done.stderr}"
        assert os.path.exists(f"{folder}/results/1.h5") and not os.path.exists("HIT"), os.listdir()
        shutil.rmtree(f"{folder}/results")


CASES = [
    names_do_no_harm,
    a_program_in_a_folder_of_any_name_is_called,
    a_folder_of_any_name_is_entered,
]

if __name__ == "__main__":
    run_cases(CASES)
