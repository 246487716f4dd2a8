"""say_conversions - rules of attributes in `convert` events: the values that they give, and the
messages for wrong ones."""
import pathlib

import h5py
import numpy as np

from say_main import assert_message, cpu, rdsim, run_cases

MODEL = """
grid = { voxels = (6, 5); edge = 1.0; };
species = (
    { name = "A"; individuals = { max = 100; attributes = (
        { name = "size"; initial = "uniform(1, 2)"; }, { name = "age"; initial = 3; } ); }; },
    { name = "B"; individuals = { max = 100; attributes = (
        { name = "age"; initial = 0; }, { name = "size"; initial = 0; },
        { name = "old"; initial = 7; }, { name = "both"; initial = 7; } ); }; },
    { name = "C"; } );
initial = ( { species = "A"; count = 30; }, { species = "C"; count = 20; } );
events = (
    { time = 1; convert = { equation = "A -> B"; count = 11;
      attributes = { size = "parent.size / 2"; old = "parent.age + t"; both = "size + age"; }; }; },
    { time = 1.5; convert = { equation = "C -> B"; all = true; attributes = { size = "x"; }; }; } );
time = { end = 2.0; step = 0.5; };
output = { every = 1.0; };
"""

# what is changed, what to, and the message
WRONG = (
    ("parent.size", "parent.siz", "m.cfg:13: events[0], size: 'parent.siz / 2', column 8: 'parent' "
     "has no attribute 'siz'; did you mean 'size'?"),
    ("size + age", "parent.old", "'parent' has no attribute 'old'; use size, age"),
    ('size = "x"', 'size = "parent.size"', "'parent' has no attribute 'size'"),
    ("both =", "bth =", "events[0]: B has no attribute 'bth'; did you mean 'both'?"),
    ('"A -> B"', '"A -> C"', "events[0]: C has no individuals, so no attributes; leave them out"),
    ("parent.age + t", "both", "old uses 'both', which stands after 'old'; declare 'both' first"),
)


def wrong_rules():
    for old, new, message in WRONG:
        assert old in MODEL, old
        pathlib.Path("m.cfg").write_text(MODEL.replace(old, new, 1))
        assert_message(rdsim("check", "m.cfg", status=2), message)


def rules_give_attributes():
    """Tests that rules replace kept attributes, and that the individual keeps its id."""
    pathlib.Path("m.cfg").write_text(MODEL)
    cpu("m.cfg", "--progress", "none", status=0)
    with h5py.File("m.h5", "r") as file:
        before = file["individuals/A"]
        size = dict(zip(before["id"][:30], before["size"][:30]))
        after = {name: file[f"individuals/B/{name}"][:] for name in ("id", "age", "size", "old",
                                                                    "both", "x")}
        first = after["id"] < 30
        assert first.sum() == 22 and len(first) == 42  # 11 at t = 1, and 31 at t = 2
        np.testing.assert_array_equal(after["size"][first],
                                      [size[i] / 2 for i in after["id"][first]])
        assert (after["old"][first] == 4).all() and (after["age"][first] == 3).all()
        np.testing.assert_array_equal(after["both"][first], after["size"][first] + 3)
        np.testing.assert_array_equal(after["size"][~first], after["x"][~first])
        assert (after["old"][~first] == 7).all()


STAGES = """
grid = { voxels = (6, 5); edge = 1.0; };
species = ( { name = "egg"; OF }, { name = "larva"; OF }, { name = "adult"; OF } );
initial = ( { species = "egg"; count = 50; }, { species = "larva"; count = 20; } );
events = ( { every = 1; convert = ( { equation = "egg -> larva"; fraction = 0.6; },
                                    { equation = "larva -> adult"; count = 30; },
                                    { equation = "adult -> egg"; fraction = 0.5; } ); } );
time = { end = 2.0; step = 0.5; };
output = { every = 1.0; };
run = { runs = 3; };
"""
OF = ('individuals = { max = MAX; record = "lineage"; attributes = ( { name = "place"; initial = "x"; '
      "} ); };")


def one_event_converts_individuals_twice():
    """Tests that there are as many of each stage as of counted molecules, and the same individuals
    as before."""
    pathlib.Path("counted.cfg").write_text(STAGES.replace("OF", ""))
    pathlib.Path("stages.cfg").write_text(STAGES.replace("OF", OF.replace("MAX", "70")))
    cpu("counted.cfg", "--progress", "none", status=0)
    cpu("stages.cfg", "--progress", "none", "--verify", status=0)
    with h5py.File("counted.h5", "r") as counted, h5py.File("stages.h5", "r") as file:
        np.testing.assert_array_equal(counted["counts"][:], file["counts"][:])
        stages = [file[f"individuals/{name}"] for name in ("egg", "larva", "adult")]
        for time in 1, 2:
            for run in range(3):
                rows = [slice(s["row_start"][time, run],
                              s["row_start"][time, run] + s["row_count"][time, run]) for s in stages]
                ids = np.concatenate([s["id"][r] for s, r in zip(stages, rows)])
                assert sorted(ids) == list(range(70)), (time, run)
                for s, r in zip(stages, rows):
                    np.testing.assert_array_equal(s["place"][r], s["x"][r])


def one_event_makes_individuals_and_converts_them():
    text = STAGES.replace('"egg"; OF', '"egg"; ')
    pathlib.Path("counted.cfg").write_text(text.replace("OF", ""))
    pathlib.Path("stages.cfg").write_text(text.replace("OF", OF.replace("MAX", "70")))
    cpu("counted.cfg", "--progress", "none", "--force", status=0)
    cpu("stages.cfg", "--progress", "none", "--force", "--verify", status=0)
    with h5py.File("counted.h5", "r") as counted, h5py.File("stages.h5", "r") as file:
        np.testing.assert_array_equal(counted["counts"][:], file["counts"][:])


def a_stage_between_has_its_maximum():
    text = STAGES.replace("OF", OF.replace("MAX", "70")).replace('"larva"; individuals = { max = 70',
                                                                 '"larva"; individuals = { max = 49')
    pathlib.Path("m.cfg").write_text(text)
    assert_message(cpu("m.cfg", "--progress", "none", "--force", status=1),
                   "m.cfg:3: run 0 gets 50 individuals of 'larva' at t = 1, more than max = 49")


if __name__ == "__main__":
    run_cases([wrong_rules, rules_give_attributes, one_event_converts_individuals_twice,
               one_event_makes_individuals_and_converts_them,
               a_stage_between_has_its_maximum])
