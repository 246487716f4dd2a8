"""say_labels - tests names of reactions and events, labels in results, and messages that say what to
write instead of what other programs use."""
import h5py

from say_main import assert_message, config, cpu, rdsim, run_cases

MODEL = """
grid = { voxels = (6, 4); edge = 1.0; };
parameters = { k = 1.0; };
species = ( { name = "A"; diffusion = 1.0; label = "alpha"; colour = "red"; }, { name = "B"; } );
reactions = ( { equation = "A -> 0"; rate = "k"; }, { equation = "A->0"; rate = 2; },
              { name = "turn"; equation = "A <-> B"; rate = 1; back = 2; },
              { equation = "A => 0"; rate = 3; }, );
initial = ( { species = "A"; count = 100; } );
events = ( { name = "pulse"; time = 0.5; add = { species = "B"; count = 10; }; } );
time = { end = 1.0; };
"""


def results_have_labels():
    config("model.cfg", MODEL)
    cpu("model.cfg", "--output", "labels.h5", status=0)
    with h5py.File("labels.h5") as file:
        assert list(file["reaction"].asstr()[:]) == ["A -> 0", "A -> 0 #2", "turn", "turn, back",
                                                     "A -> 0 #3"]
        assert list(file["species_label"].asstr()[:]) == ["alpha", ""]
        assert list(file["species_colour"].asstr()[:]) == ["red", ""]
        fired = file["reactions"][0, -1]
        assert all(fired > 0), f"{fired} events: not every direction is counted"
    config("color.cfg", MODEL.replace("colour =", "color ="))
    cpu("color.cfg", status=0)
    with h5py.File("color.h5") as file:
        assert list(file["species_colour"].asstr()[:]) == ["red", ""]
    config("both.cfg", MODEL.replace("colour =", 'color = "blue"; colour ='))
    assert_message(rdsim("check", "both.cfg", status=2),
                   "species 'A': has color and colour, which are the same; give one of them")
    config("plain.cfg", MODEL.replace('label = "alpha"; colour = "red";', ""))
    cpu("plain.cfg", status=0)
    with h5py.File("plain.h5") as file:
        assert "species_label" not in file and "species_colour" not in file


def names_are_paths():
    config("model.cfg", MODEL)
    page = rdsim("check", "model.cfg", "--set", "reactions.turn.back=5", status=0).stdout
    assert "reaction    turn, back, B -> A: propensity 5 B in each voxel\n" in page, page
    rdsim("check", "model.cfg", "--set", "events.pulse.time=0.25", status=0)
    assert_message(rdsim("check", "model.cfg", "--set", "events.puls.time=1", status=2),
                   "has no 'puls' in events", "did you mean 'pulse'?")
    page = rdsim("modes", "--report", "model.cfg", status=0).stdout
    assert "in no mode  turn: " in page and "in no mode  'A -> 0': " in page, page


def messages_say_what_to_write():
    config("model.cfg", MODEL)
    assert_message(rdsim("check", "model.cfg", "--set", "k=3", status=2),
                   "'k' is a parameter; write parameters.k")
    assert_message(rdsim("model.cfg", "--out", "x.h5", status=2),
                   "--out is not an option; did you mean --output?")


def messages_name_divisors():
    config("model.cfg", MODEL.replace('rate = "k"', 'rate = "1 / 3 + 0 / (k - 1)"'))
    assert_message(rdsim("check", "model.cfg", status=2), "reaction 'A -> 0': rate is not a number, "
                   "since it divides by (k - 1), which is 0; give a finite number >= 0")
    config("model.cfg", MODEL.replace('rate = "k"', 'propensity = "k * A / (B - k) / B"'))
    assert_message(rdsim("check", "model.cfg", status=2), "'A -> 0' is negative or not a finite "
                   "number at the start, since it divides by B, which is 0; give a number >= 0")
    config("model.cfg", MODEL.replace('rate = "k"', 'propensity = "if(t < 0.4 or A == 0, 0, k / [B])"')
           .replace("back = 2", "back = 99"))
    assert_message(cpu("model.cfg", status=1), "'A -> 0' is negative or not a finite number",
                   ", since it divides by [B], which is 0; give a number >= 0")
    # runs that fail separately go on, and their counts at the fault are lost
    assert_message(cpu("model.cfg", "--set", "run.runs=2", "--force", status=1),
                   ", and it divides by [B]; give a number >= 0")
    assert_message(cpu("model.cfg", "--set", "run.runs=2", "--strict", "--force",
                       status=1),
                   ", since it divides by [B], which is 0; give a number >= 0")


CASES = [
    results_have_labels,
    names_are_paths,
    messages_say_what_to_write,
    messages_name_divisors,
]

if __name__ == "__main__":
    run_cases(CASES)
