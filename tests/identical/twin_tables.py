"""twin_tables - tests that look(table, index) gives the same bytes as the formula that the table was
made from: for counted species and individuals, for tables in the configuration, in comma-separated
values and in HDF5; and that `again` finds the file, and a change of it."""
import os
import subprocess

import h5py

PROGRAM = os.environ["RDSIM_PROGRAM"]
BOX = "grid = { voxels = (4, 4); edge = 1.0; };\ntime = { end = 2; };\noutput = { every = 1; };\n"
RATES = [round(0.11 * i, 2) for i in range(400)]
# propensities by counts, a rate by place, and interpolation between integers
COUNTED = """run = { runs = 3; };
species = ( { name = "A"; diffusion = 0.5; }, { name = "B"; } );
reactions = ( { equation = "A -> B"; propensity = "%s"; }, { equation = "B -> A"; rate = "%s"; },
    { equation = "B -> 0"; propensity = "%s"; }, { equation = "0 -> A"; rate = "%s"; } );
initial = ( { species = "A"; count = 200; } );
"""
INDIVIDUALS = """species = ( { name = "P"; diffusion = 0.2; individuals = { max = 500;
    attributes = ( { name = "gene"; initial = "floor(uniform(0, 5))"; birth = "parent.gene"; } ); }; },
    { name = "Q"; } );
reactions = ( { equation = "P -> Q"; rate = "%s"; } );
initial = ( { species = "P"; count = 200; } );
"""
VALUES = "tables = { k = { values = (" + ", ".join(f"{v:.2f}" for v in RATES) + "); };\n" \
    "    half = { values = (0, 1, 2, 3); interpolate = \"linear\"; }; };\n"
FILES = "tables = { k = { file = \"genes.csv\"; column = \"rate of \\\"k\\\"\"; };\n" \
    "    half = { file = \"half.h5\"; dataset = \"/a/half\"; interpolate = \"linear\"; }; };\n"
FILES = FILES.replace('rate of \\"k\\"', "k rate")


def run(name, text, *options, rc=0):
    with open(f"{name}.cfg", "w", encoding="utf-8") as file:
        file.write(BOX + text)
    return rdsim(f"{name}.cfg", "-o", f"{name}.h5", "--backend", "cpu", "--force", *options, rc=rc)


def rdsim(*words, rc=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == rc, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def write_files():
    with open("genes.csv", "w", encoding="utf-8") as file:
        file.write("# a comment\r\ngene, k rate ,\"name, long\"\r\n\r\n")
        for i, rate in enumerate(RATES):
            file.write(f"{i},{rate},\"gene, {i}\"\r\n")
    with h5py.File("half.h5", "w") as file:
        file["a/half"] = [0, 1, 2, 3]


def same(one, other):
    rdsim("diff", f"{one}.h5", f"{other}.h5")


write_files()
LOOKS = ("look(k, A)", "look(k, 3)", "look(half, min(B, 6) / 2)", "1 + look(k, floor(x))")
PLAIN = ("if(A < 399, floor(A * 11 + 0.5) / 100, 0)", "0.33", "min(B, 6) / 2",
         "1 + floor(floor(x) * 11 + 0.5) / 100")
run("plain", COUNTED % PLAIN)
run("values", VALUES + COUNTED % LOOKS)
run("files", FILES + COUNTED % LOOKS)
same("plain", "values")
same("plain", "files")
run("exact", COUNTED % PLAIN + 'solver = "exact";\n')
run("exact_files", FILES + COUNTED % LOOKS + 'solver = "exact";\n')
same("exact", "exact_files")
run("people", INDIVIDUALS % "sum(floor(P.gene * 11 + 0.5) / 100)")
run("people_files", FILES + INDIVIDUALS % "sum(look(k, P.gene))")
same("people", "people_files")
# a table with a unit has the numbers of parameters that are quantities
UNITS = 'units = { length = "um"; time = "s"; };\n'
QUANTITIES = [0.1, 7.3, 1e6 / 3, 55]
run("quantities", UNITS + "parameters = { " + " ".join(
    f'p{i} = "{v!r} /min";' for i, v in enumerate(QUANTITIES)) + " };\n" +
    COUNTED % ("A * p0", "p1 / 100", "p2 / 1e6", "p3 / volume"))
run("units", UNITS + "tables = { p = { values = (" + ", ".join(map(repr, QUANTITIES)) +
    '); unit = "/min"; }; };\n' +
    COUNTED % ("A * look(p, 0)", "look(p, 1) / 100", "look(p, 2) / 1e6", "look(p, 3) / volume"))
same("quantities", "units")
assert "tables.NAME" in rdsim("keys", "tables")
rdsim("again", "files.h5")
page = rdsim("check", "files.cfg")
assert "table       k: 400 values from genes.csv\n" in page, page
assert "table       half: 4 values from half.h5, interpolated\n" in page, page
run("set", VALUES + COUNTED % LOOKS, "--set", 'tables.k.values=(1, 2, 3, 4)', rc=1)
with open("genes.csv", "a", encoding="utf-8") as file:
    file.write("400,1,more\r\n")
said = rdsim("again", "files.h5", rc=2)
assert "genes.csv: has changed since the run read it" in said, said
