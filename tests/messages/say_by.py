"""say_by - wrong entries of output.by, and the messages."""
import os
import subprocess

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """grid = { voxels = 4; edge = 1.0; };
parameters = { n = 6; half = 2.5; };
species = ( { name = "A"; }, { name = "P"; individuals = { max = 50;
    attributes = ( { name = "gene"; initial = "%s"; }, { name = "age"; initial = "t"; } ); }; },
    { name = "plain"; individuals = { max = 5; }; } );
initial = ( { species = "P"; count = 9; } );
events = ( { time = 1.5; add = ( { species = "P"; count = 1; attributes = { gene = "n + half"; }; } ); } );
time = { end = 3; step = 0.5; };
"""
ENTRY = '{ species = "P"; attribute = "gene"; range = (0, 8); }'


def says(by, expected, rc=2, gene="3", runs=1, more="every = 1;", start="{"):
    with open("m.cfg", "w", encoding="utf-8") as file:
        file.write(MODEL % gene + f"output = {start} {more} {by} }};\n")
    done = subprocess.run([PROGRAM, "m.cfg", "-o", "m.h5", "--force", "--backend", "cpu",
                           "--runs", str(runs)], capture_output=True, text=True, check=False)
    said = " ".join(done.stderr.split())
    assert done.returncode == rc and expected in said, (by, done.returncode, said)


def entry(expected, **changes):
    keys = {"species": '"P"', "attribute": '"gene"', "range": "(0, 8)", **changes}
    says("by = ( { " + "".join(f"{k} = {v}; " for k, v in keys.items() if v) + "} );", expected)


# the configuration
entry("m.cfg:9: output.by: species 'Q' is not declared", species='"Q"')
entry("m.cfg:9: output.by: 'A' is a counted species, which has no attributes; name a species with "
      "individuals", species='"A"')
entry("'P' has no attribute 'gen'; choose one of: gene, age", attribute='"gen"')
entry("'plain' has no attribute 'gene'; declare it", species='"plain"')
entry("m.cfg:9: output.by[0].range is missing; give a list of numbers", range=None)
entry("output.by[0].species is missing", species=None)
entry("range has 1 number; give the least and the largest value", range="(0)")
entry("range has 3 numbers; give the least and the largest value", range="(0, 1, 2)")
entry("range is from 4 to 3; give the least value first", range="(4, 3)")
entry("range is 2.5; give an integer from", range='(0, "half")')
entry("range is 3e+09; give an integer from", range="(0, 3e9)")
entry("range has 1048577 values; give at most 1048576", range="(0, 1048576)")
entry("range", range='"all"')
entry("'a/b' is not a name; write a letter, then letters, digits or _", name='"a/b"')
entry("has a name of 70 characters; set one with at most 62", name='"' + 70 * "n" + '"')
entry("has a name of 63 characters; set one with at most 62", name='"' + 63 * "n" + '"')
entry("'speed' is not a key of output.by[0]", speed="3")
says(f"by = ( {ENTRY}, {ENTRY} );", "has the name 'P_gene' of an earlier entry; set another `name`")
says("by = 3;", "output.by is 3; give")
says(f'name = "by"; by = ( {ENTRY} );', "every result has its own /by")
# faults, which have the value
says(f"by = ( {ENTRY} );", "m.cfg:9: 'gene' of an individual of 'P' is 8.5 in run 0 at t = 2, no "
     "integer of range = (0, 8); correct the rules of the attribute", rc=1)
says('by = ( { species = "P"; attribute = "gene"; range = (0, 2); } );',
     "'gene' of an individual of 'P' is 3 in run 0 at t = 0, outside of range = (0, 2); set a larger "
     "range", rc=1)
says('by = ( { species = "P"; attribute = "gene"; range = (-9, -1); } );',
     "'gene' of an individual of 'P' is -12 in run 0 at t = 0, outside of range = (-9, -1)", rc=1,
     gene="-12")
says(f"by = ( {ENTRY} );", "; then all other runs faulted too", rc=1, runs=3)
# a name of 62 characters, and one name in two groups
says(ENTRY.join(("by = ( ", " );")).replace("range", 'name = "' + 62 * "n" + '"; range'),
     "snapshots in m.h5: 2", rc=0, more="times = (0, 1);")
says(f'by = ( {ENTRY} ); }}, {{ name = "b"; times = (0, 1); by = ( {ENTRY} ); }} );\n#',
     "snapshots in m.h5: 2", rc=0, more='name = "a"; times = (0, 1);', start="( {")
# no fault where the group has no time
says(f"by = ( {ENTRY} );", "snapshots in m.h5: 2", rc=0, more="times = (0, 1);")
says('by = ( { species = "P"; attribute = "gene"; range = ("n - n", "n + 2"); } );',
     "snapshots in m.h5: 2", rc=0, more="times = (0, 1);")
