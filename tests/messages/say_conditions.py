"""say_conditions - wrong events on conditions, divisions and conversions, and the message for each."""
import pathlib

from say_main import assert_message, cpu, rdsim, run_cases

MODEL = """grid = { voxels = (6, 4); edge = 1.0; WALLS };
parameters = { k = 1.0; q = 2.0; };
regions = ( { name = "left"; box = { from = (0, 0); to = (3, 4); }; } );
species = (
    { name = "A"; diffusion = DIFFUSION; }, { name = "B"; }, { name = "L"; in = "left"; },
    { name = "W"; diffusion = 0.1; individuals = { max = 100; attributes = ( { name = "u"; initial = 1; } ); }; } );
reactions = ( { equation = "A -> B"; rate = "k"; } );
initial = ( { species = "A"; count = 50; } );
events = (
    { EVENT } );
time = { end = 1.0; };
"""
USUAL = {"WALLS": "", "DIFFUSION": "1.0"}
SETS = 'when = "total(A) < 20"; set = { k = 0.5; };'
# the event, other changes, and the message
WRONG = (
    ('when = "A < 20"; set = { k = 2; };', {}, "'A' is not allowed here; write total(A), or use only parameters, t, "
     "total()"),
    ('when = "x < 20"; set = { k = 2; };', {}, "m.cfg:10: events[0], when: 'x < 20', column 1: 'x' is "
     "not allowed here"),
    ('when = "sum(W.u) < 20"; set = { k = 2; };', {}, "'sum' is not allowed here"),
    ('when = "W.u < 20"; set = { k = 2; };', {}, "'W.u' is not allowed here"),
    ('when = "total(W.u) < 20"; set = { k = 2; };', {}, "found '.'; expected ',' or ')'"),
    ('when = "mean_x(A) < 20"; set = { k = 2; };', {}, "'mean_x' is not allowed here"),
    ('when = "q > 1"; set = { k = 2; };', {}, 'when is "q > 1", which is the same at all times'),
    ('when = "total(A) < 20";', {}, "does nothing; give it set, remove, divide, convert or add"),
    ('when = "total(A) < 20"; time = 0.5; set = { k = 2; };', {}, "has both when and time"),
    ('when = "total(A) < 20"; every = 0.5; set = { k = 2; };', {}, "has both when and every"),
    ('time = 0.5; repeat = true; set = { k = 2; };', {}, "has repeat without when"),
    ('set = { k = 2; };', {}, "has neither time, every nor when; give one of them"),
    (SETS, {"WALLS": 'walls = { xmin = { kind = "absorb"; probability = "k / 2"; }; };'},
     "a wall uses 'k', which an event sets in each run by itself"),
    ('time = 0.1; convert = { equation = "A -> L"; all = true; };', {},
     "may make L outside of its region 'left'; name a place in it"),
    ('time = 0.1; convert = { equation = "A -> 2 B"; all = true; };', {},
     "converts 'A -> 2 B'; write one molecule of a species on each side"),
    ('time = 0.1; convert = { equation = "A -> A"; all = true; };', {}, "write one molecule"),
    ('time = 0.1; convert = { equation = "A <-> B"; all = true; };', {}, "write one molecule"),
    ('time = 0.1; convert = { equation = "A -> C"; all = true; };', {}, "species 'C' is not declared"),
    ('time = 0.1; convert = { equation = "A -> B"; };', {},
     "has none of count, all, fraction, probability or each; give exactly one"),
    ('time = 0.1; convert = { equation = "A -> B"; all = true; count = 3; };', {},
     "has several of count, all, fraction, probability or each; give exactly one"),
    ('time = 0.1; remove = { species = "A"; fraction = "q"; };', {},
     "fraction is 2; give a probability from 0 to 1"),
    ('time = 0.1; divide = { stays = 1.5; };', {}, "1.5"),
    ('time = 0.1; divide = { };', {}, "stays"),
)
# the event, and the message of the run
IMPOSSIBLE = (
    ('when = "total(A) < 40"; convert = { equation = "A -> B"; count = 77; };',
     "77 molecules of 'A' are to be converted at t = "),
    ('when = "total(A) < 40"; set = { k = "1 / (total(B) - total(B))"; };', "sets 'k' to inf"),
    ('when = "total(A) < 40"; remove = { species = "A"; fraction = "total(B)"; };',
     "give a number from 0 to 1"),
    ('when = "total(A) < 40 and q < 2.5"; repeat = true; set = { q = "5 - q"; }; }, '
     '{ when = "q > 2.5"; repeat = true; set = { q = "5 - q"; };',
     "m.cfg:10: this event and others make each other's conditions true at t = "),
)


def written(event, **changes):
    text = MODEL.replace("EVENT", event)
    for key, value in {**USUAL, **changes}.items():
        text = text.replace(key, value)
    pathlib.Path("m.cfg").write_text(text)


def wrong_events_are_reported():
    for event, changes, message in WRONG:
        written(event, **changes)
        assert_message(rdsim("check", "m.cfg", status=2), message)


def make_exact():
    """Makes the model that was written one of the exact solver."""
    text = pathlib.Path("m.cfg").read_text()
    pathlib.Path("m.cfg").write_text(
        text.replace("; individuals = { max = 100; attributes = ( { name = \"u\"; initial = 1; } ); }", "")
        + 'solver = "exact";')


def the_exact_solver_refuses_diffusivities_of_a_run():
    written(SETS, DIFFUSION='"k"')
    make_exact()
    assert_message(rdsim("check", "m.cfg", status=2), '"exact" supports no diffusion or drift')


def impossible_events_end_the_run():
    for event, message in IMPOSSIBLE:
        written(event)
        assert_message(cpu("m.cfg", "--force", status=1), message)


def a_value_that_is_not_finite_ends_its_run_alone():
    written('time = 0.5; set = { k = "1 / (total(A) - 30)^2"; }; remove = { species = "A"; count = 1; };')
    for change in (lambda: None), make_exact:
        change()
        done = cpu("m.cfg", "--force", "--runs", "40", status=1)
        assert_message(done, "m.cfg:10: the event at t = 0.5 sets 'k' to inf; give a finite number")
        assert_message(done, "of 40 runs faulted and are missing in later snapshots")


if __name__ == "__main__":
    run_cases([wrong_events_are_reported, the_exact_solver_refuses_diffusivities_of_a_run,
               impossible_events_end_the_run, a_value_that_is_not_finite_ends_its_run_alone])
