"""say_tables - wrong tables and wrong indices of look(), and the messages."""
import os
import subprocess

import h5py

PROGRAM = os.environ["RDSIM_PROGRAM"]
MODEL = """grid = { voxels = 1; edge = 1.0; };
species = ( { name = "A"; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; %s; } );
initial = ( { species = "A"; count = 5; } );
time = { end = 1e6; };
"""


def says(table, rate, expected, rc=2, more=""):
    with open("m.cfg", "w", encoding="utf-8") as file:
        file.write(MODEL % rate + f"tables = {{ {table} }};\n{more}")
    done = subprocess.run([PROGRAM, "m.cfg", "-o", "m.h5", "--force", "--backend", "cpu"],
                          capture_output=True, text=True, check=False)
    said = " ".join(done.stderr.split())
    assert done.returncode == rc and expected in said, (table, rate, done.returncode, said)


with open("t.csv", "w", encoding="utf-8") as f:
    f.write("gene,rate\n0,1.5\n1,two\n")
with open("short.csv", "w", encoding="utf-8") as f:
    f.write("gene,rate\n0,1.5\n1\n")
with open("quoted.csv", "w", encoding="utf-8") as f:
    f.write('"gene, or none" , "rate"\n"a,b","2"\nc,"3"x\n')
with open("empty.csv", "w", encoding="utf-8") as f:
    f.write("gene,rate\n")
with open("comma.csv", "w", encoding="utf-8") as f:
    f.write("rate\n1.5\n2,5\n")
with open("twice.csv", "w", encoding="utf-8") as f:
    f.write("rate,gene,rate\n1,2,3\n")
with h5py.File("t.h5", "w") as f:
    f["square"] = [[1, 2], [3, 4]]
    f["nan"] = [1.0, float("nan")]
    f["text"] = "words"

K = "k = { values = (1, 2, 3); };"
LOOK = 'rate = "look(k, 1)"'
# files
says('k = { file = "t.csv"; column = "speed"; };', LOOK,
     "m.cfg:6: table 'k': t.csv has no column 'speed'; choose one of: gene, rate")
says('k = { file = "t.csv"; column = "rate"; };', LOOK,
     "m.cfg:6: table 'k': line 3 of t.csv has 'two' in column 2; give a finite number")
says('k = { file = "short.csv"; column = "rate"; };', LOOK,
     "m.cfg:6: table 'k': line 3 of short.csv ends before column 2; complete it")
says('k = { file = "quoted.csv"; column = "speed"; };', LOOK,
     "quoted.csv has no column 'speed'; choose one of: gene, or none, rate")
says('k = { file = "quoted.csv"; column = "rate"; };', LOOK,
     "line 3 of quoted.csv has '\"3\"x' in column 2; give a finite number")
says('k = { file = "empty.csv"; column = "rate"; };', LOOK, "empty.csv has no values; add lines")
says('k = { file = "comma.csv"; column = "rate"; };', LOOK,
     "table 'k': line 3 of comma.csv has 2 entries, more than columns (1); write numbers with a "
     "decimal point, and texts with commas in quotes")
says('k = { file = "twice.csv"; column = "rate"; };', LOOK,
     "table 'k': twice.csv has several columns 'rate'; leave one of them")
says('k = { file = "none.csv"; column = "rate"; };', LOOK,
     "m.cfg:6: table 'k': none.csv: cannot be opened")
says('k = { file = "t.h5"; column = "rate"; };', LOOK, "t.h5: is not a table, but")
says('k = { file = "t.h5"; dataset = "square"; };', LOOK, "square in t.h5 has 2 dimensions")
says('k = { file = "t.h5"; dataset = "nan"; };', LOOK, "has nan at index 1; give finite numbers")
says('k = { file = "t.h5"; dataset = "text"; };', LOOK, "has no numbers; name another data set")
says('k = { file = "t.h5"; dataset = "none"; };', LOOK, "has no data set 'none'")
# the section
says('k = { file = "t.csv"; };', LOOK, "table 'k'")
says('k = { values = (1, 2); file = "t.csv"; column = "rate"; };', LOOK, "table 'k'")
says('k = { values = (1, 2); column = "rate"; };', LOOK,
     "table 'k': has column without file; leave it out")
says('k = { values = (); };', LOOK, "tables.k.values is")
says('k = { values = (1, "1 / 0"); };', LOOK, "table 'k': value 1 is inf; give a finite number")
says('k = 3;', LOOK, "tables.k is 3; give a group { ... }")
says('k = { values = (1, 2); speed = 3; };', LOOK, "'speed' is not a key of tables.k")
# expressions
says(K, 'rate = "look(q, 1)"', "table 'q' is not declared; declare it in 'tables'")
says(K, 'rate = "look(k)"', "expected ','")
says(K, 'rate = "look(3, 1)"', "look(3, 1)")
says(K, 'rate = "look(k, 1, 2)"', "look(k, 1, 2)")
says(K, 'rate = "look(k, 3)"',
     "since look(k, ...) has the index 3, and the table has integer indices from 0 to 2")
says(K, 'rate = "look(k, -1)"', "since look(k, ...) has the index -1,")
says(K, 'rate = "look(k, 0.5)"', "since look(k, ...) has the index 0.5,")
says(K.replace("; };", '; interpolate = "linear"; };'), 'rate = "look(k, 2.5)"',
     "has the index 2.5, and the table has indices from 0 to 2")
# units: values are converted, and what is made of them must fit
UNITS = ' units = { length = "um"; time = "s"; }; tables = { '


def fits(unit, rate, expected, values="60, 6"):
    model = MODEL.replace("voxels = 1;", "voxels = (2, 2, 2);") % rate
    with open("m.cfg", "w", encoding="utf-8") as file:
        file.write(model + UNITS + f'k = {{ values = ({values}); unit = "{unit}"; }}; }};\n')
    done = subprocess.run([PROGRAM, "check", "m.cfg"], capture_output=True, text=True, check=False)
    said = done.stdout + " ".join(done.stderr.split())
    assert expected in said, (unit, rate, said)


fits("/min", 'rate = "look(k, 0)"', "A -> B: propensity 1 A")
fits("/min", 'rate = "look(k, 1) / 2"', "A -> B: propensity 0.05 A")
fits("/min", 'rate = "look(k, 0)"', "table       k: 2 values in /min\n")
fits("nM", 'rate_law = "look(k, 0)"', "\"look(k, 0)\" is molecules/volume; rate_law is molecules/volume/time, as")
fits("1e3 /min", 'rate = "look(k, 0)"', "table 'k': unit is \"1e3 /min\", which is none; use units of the table in")
fits("parsec", 'rate = "look(k, 0)"', "table 'k': unit is \"parsec\", which is none")
fits("um^2/s", 'rate = "look(k, 0)"', "\"look(k, 0)\" is length^2/time; rate is 1/time, as")
fits("/s", 'rate = "look(k, 0) + look(k, 1) * A"', "A -> B: propensity")
fits("/s", 'rate = "look(k, 0) + 1 / look(k, 1)"', "adds or compares 1/time and a time")
fits("/s", 'rate = "look(k, look(k, 0))"', "has 1/time as the index of a table, which must be a pure number")
says('k = { values = (1, 2); unit = "/s"; };', LOOK,
     "table 'k': \"/s\" is a quantity, which cannot be converted, since units.length is")
# SBML has no tables
with open("m.cfg", "w", encoding="utf-8") as file:
    file.write(MODEL % 'propensity = "look(k, A)"' + f"tables = {{ {K} }};\n")
done = subprocess.run([PROGRAM, "export", "m.cfg"], capture_output=True, text=True, check=False)
assert done.returncode == 2 and not done.stdout, (done.returncode, done.stdout, done.stderr)
assert "m.cfg:6: table 'k': SBML has no tables" in done.stderr, done.stderr
# faults during the run
says(K, 'propensity = "look(k, A)"',
     "since look(k, ...) has the index 5, and the table has integer indices from 0 to 2", rc=1)
says(K, 'propensity = "look(k, A / 2)"', "has the index 2.5,", rc=1)
says("k = { values = (1, 2, 3, 4, 5, 6); };", 'propensity = "if(B < 3, look(k, A), look(k, A - 3))"',
     "since look(k, ...) has the index -1,", rc=1)
says(K, 'rate = "if(t < 1, 1, look(k, 2 + B))"', "propensity of reaction 'A -> B'", rc=1)
# the index is not known when each run fails for itself; it is if an event sets it
says(K, 'rate = "1 / (1 + B) + look(k, B)"', "before t = 10000, and it divides by (1 + B), and it has "
     "look(k, B); give a number >= 0", rc=1, more="run = { runs = 2; };")
EVENT = 'parameters = { j = 1; }; events = ( { time = 1; set = { j = 7; }; } );'
says(K, 'rate = "look(k, j)"', "the rate is nan, since look(k, ...) has the index 7, and the table has",
     more=EVENT)
