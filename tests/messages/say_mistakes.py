"""say_mistakes - warnings about probable mistakes in a configuration: `rdsim check` prints all, a run
those that concern what it computes."""
import os
import pathlib
import subprocess

from say_main import run_cases

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """
grid = { voxels = (10, 10); edge = 1.0; };
parameters = { k = 0.1; K = 5.0; };
species = ( { name = "A"; diffusion = 1.0; }, { name = "B"; }, { name = "C"; } );
reactions = ( { equation = "A + B -> C"; RATE; }, { equation = "C -> A"; rate = "k / K"; } );
initial = ( { species = "A"; count = 100; }, { species = "B"; count = 100; } );
time = { end = 1.0; };
"""


def rdsim(text, *words):
    """Returns what is printed on both streams."""
    pathlib.Path("m.cfg").write_text(text)
    done = subprocess.run([PROGRAM, *words, "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def warnings(text):
    return [line for line in rdsim(text, "check").splitlines() if line.startswith("warning")]


def mass_action_twice():
    wrong = MODEL.replace("RATE", 'rate = "k * A * [B]"')
    words = ("m.cfg:5: reaction 'A + B -> C': rate = \"k * A * [B]\" has the reactant A as a factor, and "
             "mass action multiplies by it once more; write the rate constant alone, or all of it as "
             "rate_law (concentration per time) or propensity (events per time in a voxel)")
    assert warnings(wrong) == ["warning     " + words], warnings(wrong)
    assert "rdsim: warning: " + words in rdsim(wrong, "run", "--force", "--backend", "cpu")
    for right in ('rate = "k"', 'rate = "k / (K + A)"', 'rate = "k * C"', 'rate = "k * (1 + A)"',
                  'rate_law = "k * [A] * [B]"', 'propensity = "k * A * B / volume"'):
        assert not any("factor" in line for line in warnings(MODEL.replace("RATE", right))), right


CASES = [mass_action_twice]

if __name__ == "__main__":
    run_cases(CASES)
