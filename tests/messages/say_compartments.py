"""say_compartments - what `rdsim check` prints about compartments, and the messages for wrong ones."""
import os
import pathlib
import subprocess

from say_main import run_cases

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """
grid = {{ voxels = (4, 4); edge = 1.0; }};
regions = ( {{ name = "cell"; box = {{ from = (0, 0); to = (3, 3); }}; }}{regions} );
compartments = ( {{ name = "pool"; volume = {volume}; }}, {{ name = "bath"; volume = 5; }}{more} );
parameters = {{ k = 1.0; }};
fields = ( {{ name = "light"; value = "x"; {field} }} );
species = ( {{ name = "A"; diffusion = {diffusion}; in = "cell"; }},
            {{ name = "I"; in = "cell"; individuals = {{ max = 5; }}; }},
            {{ name = "B"; }},
            {{ name = "P"; in = "pool"; {species} }},
            {{ name = "Q"; in = "{place}"; }} );
reactions = ( {{ equation = "{equation}"; {speed} }}, {{ equation = "P -> Q"; rate = 1.0; }} );
initial = ( {{ species = "{who}"; {much} }} );
events = ( {{ time = 0.5; add = {{ species = "P"; {add} }}; }} );
time = {{ end = 1.0; {stop} }};
output = {{ {output} }};
"""
USUAL = {"regions": "", "volume": "2.0", "more": "", "field": "", "diffusion": "1.0", "species": "",
         "place": "bath", "equation": "A -> P", "speed": "rate = 1.0;", "who": "P",
         "much": "count = 10;", "add": "count = 1;", "stop": "", "output": ""}
# what is changed, and the message
WRONG = (
    ({"volume": "0"}, "compartments[0].volume is 0; give a number"),
    ({"volume": "-1.0"}, "m.cfg:4: compartments[0].volume is -1; give a number"),
    ({"volume": '"k - 1"'}, "compartment 'pool': volume is 0; give a finite number > 0"),
    ({"volume": '"x"'}, "volume"),
    ({"more": ', { name = "cell"; volume = 1.0; }'}, "region 'cell' is declared twice"),
    ({"more": ', { name = "pool"; volume = 1.0; }'}, "region 'pool' is declared twice"),
    ({"more": ', { name = "third"; }'}, "compartments[2].volume is missing"),
    ({"place": "lake"}, "region 'lake' is not declared"),
    ({"species": "diffusion = 1.0;"}, "m.cfg:10: species 'P': 'P' is in the compartment 'pool', "
     "which is well mixed and has no places: it does not move; remove 'diffusion'"),
    ({"species": 'diffusion = "k";'}, "it does not move; remove 'diffusion'"),
    ({"species": "drift = (1.0, 0);"}, "it does not move; remove 'drift'"),
    ({"species": 'walls = { x = "absorb"; };'}, "it meets no wall; remove 'walls'"),
    ({"species": "individuals = { max = 4; };"}, "it is only counted; remove 'individuals'"),
    ({"species": 'on = "cell";'}, "it is on no surface; remove 'on'"),
    ({"diffusion": '"1 + P"'}, "species 'A': diffusion reads 'P', which is in the compartment "
     "'pool' and has no number in a voxel"),
    ({"diffusion": '"if(in(pool), 1, 2)"'}, "diffusion uses in(pool), but this is a compartment"),
    ({"field": 'in = "pool";'}, "'pool' is a compartment, which has no voxels; name a region"),
    ({"regions": ', { name = "more"; union = ("cell", "pool"); }'},
     "'pool' is a compartment, which has no voxels; name a region"),
    ({"output": 'regions = ("pol");'}, "region 'pol' is not declared; did you mean 'pool'?"),
    ({"equation": "A -> P", "speed": 'rate = 1.0; rate_model = "instant";'},
     "rate_model is \"instant\", and its arrow leads one way; write '<->' with rate and back"),
    ({"equation": "A <-> 2 P", "speed": 'rate = 1.0; back = 1.0; rate_model = "instant";'},
     "which is for one molecule in voxels and one in a compartment, as in 'A <-> P'"),
    ({"equation": "A <-> B", "speed": 'rate = 1.0; back = 1.0; rate_model = "instant";'},
     "which is for one molecule in voxels and one in a compartment, as in 'A <-> P'"),
    ({"equation": "A <-> P", "speed": 'rate = "x"; back = 1.0; rate_model = "instant";'},
     "whose rates are constants, since only their ratio matters; give rate and back by parameters"),
    ({"equation": "A <-> P", "speed": 'rate = 0; back = 0; rate_model = "instant";'},
     "the rates of both directions are 0 and 0, so they have no ratio"),
    ({"equation": "A <-> P", "speed": 'rate = 1; back = 1; rate_model = "instant"; radius = 1;'},
     "has radius, which belongs to rate_model = \"microscopic\""),
    ({"equation": 'A <-> P"; rate = 1; back = 1; rate_model = "instant"; }, { equation = "B <-> P',
      "speed": 'rate = 1; back = 1; rate_model = "instant";'},
     "and 'A -> P' mixes one of its species, too; a species can be in one such reaction"),
    ({"equation": "A <-> P", "speed": 'rate = 1; back = 1; rate_model = "instant";',
      "stop": '}; solver = "exact"; units = { length = "um";'},
     "\"exact\" has no steps, and the rate_model of 'A -> P' is \"instant\""),
    ({"equation": "A -> B", "speed": 'rate = 1.0; in = "pool";'},
     "m.cfg:12: reaction 'A -> B': its species are in voxels, not in the compartment 'pool'"),
    ({"equation": "A -> P", "speed": 'rate = 1.0; in = "pool";'},
     "it happens in voxels, since A is there, not in the compartment 'pool'"),
    ({"equation": "P -> Q", "speed": 'rate = 1.0; in = "cell";'},
     "it happens in the compartment 'pool', so the region 'cell' has no effect"),
    ({"equation": "P -> Q", "speed": 'rate = 1.0; in = "bath";'},
     "its reactants are in the compartment 'pool', not in 'bath'; leave out 'in'"),
    ({"equation": "P + Q -> 0"},
     "its reactants are in two compartments, 'pool' and 'bath', so it has no volume"),
    ({"equation": "0 -> P + Q"}, "its products are in two compartments, 'pool' and 'bath'"),
    ({"equation": "0 -> A + P"}, "it makes molecules in a compartment and in voxels"),
    ({"equation": "P + A -> B", "speed": 'propensity = "k * A";'},
     "a voxel has no number of the reactants in the compartment 'pool'"),
    ({"equation": "A -> B", "speed": 'propensity = "P"; in = "cell";'},
     "propensity reads 'P', which is in the compartment 'pool' and has no number in a voxel"),
    ({"equation": "A -> B", "speed": 'rate = "k * P"; in = "cell";'},
     "rate reads 'P', which is in the compartment 'pool' and has no number in a voxel; write "
     "total(P), or make it a reactant"),
    ({"equation": "P -> A", "speed": 'rate = "k * A";'},
     "rate reads 'A', which is in voxels of the lattice, but it is for the compartment 'pool'"),
    ({"equation": "P -> 0", "speed": 'rate = "k * x";'},
     "rate uses x, y or z, but it is for the compartment 'pool', which has no places"),
    ({"equation": "P -> 0", "speed": 'rate = "light";'}, "rate uses a field or a slope"),
    ({"equation": "P -> 0", "speed": 'rate = "mean_x(A)";'}, "rate uses a mean position"),
    ({"equation": "P -> 0", "speed": 'rate = "if(in(cell), 1, 2)";'}, "rate uses in()"),
    ({"equation": "I -> P"}, "'I' has individuals, and a reaction with species in a compartment"),
    ({"equation": "P + A -> B", "speed": 'rate = 1.0; rate_model = "microscopic"; radius = 0.1;'},
     "microscopic"),
    ({"much": "value = 3;"}, "'P' is in the compartment 'pool', which has no voxels; give a count "
     "or a density instead of a value"),
    ({"much": "count = 3; at = (1.0, 1.0);"}, "which has no voxels; leave out at, voxel and voxels"),
    ({"much": 'count = 3; in = "cell";'}, "which has no voxels; leave out in"),
    ({"who": "A", "much": 'count = 3; in = "pool";'},
     "'A' is in voxels of the lattice, not in the compartment 'pool'"),
    ({"much": 'density = "x";'}, "density uses x, y or z, but it is for the compartment 'pool'"),
    ({"diffusion": '"1 + total(A, pool)"'}, "total(A, pool): A is not there; write total(A)"),
    ({"diffusion": '"1 + total(P, cell)"'}, "total(P, cell): P is not there; write total(P)"),
    ({"regions": ', { name = "u"; union = ("cell", "bath"); }'},
     "'bath' is a compartment, which has no voxels; name a region"),
    ({"add": 'count = 3; in = "bath";'}, "which has no voxels; leave out in"),
    ({"add": 'count = 1; }; convert = { equation = "P -> A"; all = true;'},
     "only one of 'P' and 'A' is in a compartment, and a conversion moves no molecules"),
)


def check(**changes):
    pathlib.Path("m.cfg").write_text(MODEL.format(**{**USUAL, **changes}))
    return subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, timeout=600,
                          check=False)


def wrong_compartments_are_refused():
    for changes, message in WRONG:
        done = check(**changes)
        assert done.returncode == 2, (changes, done)
        assert message in done.stderr, (changes, done.stderr)


def compartments_are_printed():
    done = check(diffusion="0.1")
    assert done.returncode == 0, done.stderr
    for line in ("compartment pool: volume 2, well mixed; P", "compartment bath: volume 5",
                 "species     P: does not move; lives in the compartment pool",
                 "reaction    A -> P: propensity 1 A in each voxel",
                 "reaction    P -> Q: propensity 1 P in the compartment pool"):
        assert line in done.stdout, (line, done.stdout)
    done = check(much="density = 3;", stop='}; units = { length = "um"; time = "s";')
    assert "initial     P: density 3 /um^2\n" in done.stdout, done.stdout
    done = check(equation="2 P -> A")
    assert ("2 P -> A: propensity 0.5 P (P-1) in the compartment pool; products appear in one of 9 "
            "voxels, by volume") in " ".join(done.stdout.split()), done.stdout
    done = check(equation="2 P + A -> B")
    assert "2 P + A -> B: propensity 0.25 A P (P-1) in each voxel" in done.stdout, done.stdout


if __name__ == "__main__":
    run_cases([wrong_compartments_are_refused, compartments_are_printed])
