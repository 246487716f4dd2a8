"""say_becomes - which individual a reaction's key `becomes` keeps, in a run; and wrong pairs, with
the messages."""
import os
import subprocess

import h5py

PROGRAM = os.environ["RDSIM_PROGRAM"]
KIND = """individuals = { max = 3000; record = "lineage"; attributes = (
    { name = "gene"; kind = "integer"; initial = "floor(uniform(0, 5))"; birth = "parent.gene"; } ); }; }"""
MODEL = """grid = { voxels = (3, 3); edge = 1.0; };
species = ( { name = "mRNA"; diffusion = 0.1; %s, { name = "busy"; %s, { name = "P"; %s, { name = "ribosome"; } );
initial = ( { species = "mRNA"; count = 30; }, { species = "ribosome"; count = 20; } );
time = { end = 5.0; step = 0.05; };
output = { every = 1.0; };
""" % (KIND, KIND, KIND)
BIND = '{ equation = "mRNA + ribosome -> busy"; rate = 1; }'


def rdsim(*words, rc=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == rc, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + " ".join(done.stderr.split())


def config(reactions):
    with open("m.cfg", "w", encoding="utf-8") as file:
        file.write(MODEL + f"reactions = ( {reactions} );\n")
    return "m.cfg"


def run(reactions):
    rdsim(config(reactions), "-o", "m.h5", "--force", "--backend", "cpu", "--threads", "1")
    rdsim("again", "m.h5", "--threads", "3")
    return h5py.File("m.h5")


def column(file, name, species, time):
    rows = file[f"individuals/{species}"]
    first = rows["row_start"][time, 0]
    return list(rows[name][first:first + rows["row_count"][time, 0]])


def genes(file, time, *species):
    """Returns the gene of each individual of some species, by its id."""
    return {i: g for s in species for i, g in zip(column(file, "id", s, time),
                                                  column(file, "gene", s, time))}


def says(becomes, expected, equation="busy -> mRNA + ribosome + P"):
    config(f'{BIND}, {{ equation = "{equation}"; rate = 2; becomes = {becomes};'
           f'{" back = 1;" if "<->" in equation else ""} }}')
    said = rdsim("check", "m.cfg", rc=2)
    assert expected in said, (becomes, said)


# a translated mRNA is the same one, and its protein is born of it
END = '{ equation = "busy -> mRNA + ribosome + P"; rate = 2; becomes = "busy -> mRNA"; }'
with run(f"{BIND}, {END}") as result:
    first, last = genes(result, 0, "mRNA"), genes(result, 5, "mRNA", "busy")
    assert first == last and len(first) == 30, (first, last)
    assert column(result, "id", "busy", 5) and len(column(result, "id", "P", 5)) > 60
    assert all(first[parent] == gene for parent, gene in
               zip(column(result, "parent", "P", 5), column(result, "gene", "P", 5)))
    assert len(result["lineage/mRNA/births/id"]) == 30
    assert len(result["lineage/busy/deaths/id"]) == 0
page = rdsim("check", "m.cfg")
assert "1 busy becomes mRNA; 1 P is born of busy" in page, page
# the other choice, which is that of the names
OTHER = '{ equation = "busy -> mRNA + ribosome + P"; rate = 2; %s }'
totals = []
for text in ('becomes = "busy -> P";', ""):
    with run(f"{BIND}, {OTHER % text}") as result:
        first, last = genes(result, 0, "mRNA"), genes(result, 5, "P", "mRNA", "busy")
        assert all(last[i] == first[i] for i in first)
        assert len(result["lineage/P/births/id"]) == 0
        totals.append(list(result["totals"][0, -1]))
assert totals[0] == totals[1], totals
# a species that leaves and is made again: the new mRNA is born of the one that became P
with run('{ equation = "mRNA -> mRNA + P"; rate = 1; becomes = "mRNA -> P"; }') as result:
    first, made = genes(result, 0, "mRNA"), genes(result, 5, "P")
    assert len(made) > 100 and len(column(result, "id", "mRNA", 5)) == 30
    assert sum(i in made for i in first) >= 28 and all(made.get(i, g) == g for i, g in first.items())
    assert len(result["lineage/mRNA/births/id"]) == 30 + len(made)
    assert len(result["lineage/P/births/id"]) == 0
# both directions of <->, and several pairs
with run('{ equation = "mRNA + ribosome <-> busy"; rate = 1; back = 2; becomes = "mRNA -> busy"; },'
         '{ equation = "2 busy -> mRNA + P"; rate = 0.1; becomes = ("busy -> P", "busy -> mRNA"); }') as result:
    assert genes(result, 0, "mRNA") == genes(result, 5, "mRNA", "busy", "P")
    assert len(result["lineage/P/births/id"]) == 0 and column(result, "id", "P", 5)
# wrong pairs
says('"busy -> ribosome"', "m.cfg:9: reaction 'busy -> mRNA + ribosome + P': becomes: 'ribosome' is a "
     "counted species, whose molecules have no identity; name species with individuals")
says('"mRNA -> P"', "becomes: 'mRNA' is no reactant; name one of the equation 'busy -> mRNA + ribosome + P'")
says('"busy -> busy"', "becomes: 'busy' is no product; name one of the equation")
says('"busy -> Q"', "'Q' is not declared")
says('("busy -> mRNA", "busy -> P")',
     "becomes: 'busy' is named 2 times as a reactant, but the equation has 1; leave pairs out")
says('("P -> mRNA", "mRNA -> P", "P -> P")', "becomes: 'P' is named 2 times as a reactant, but the "
     "equation has 1; leave pairs out", equation="mRNA + P -> P + mRNA")
says('("busy -> mRNA", "busy -> mRNA")', "becomes: 'mRNA' is named 2 times as a product, but the "
     "equation has 1; leave pairs out", equation="2 busy -> mRNA + P")
for text in ("busy <-> mRNA", "busy -> mRNA + P", "2 busy -> mRNA", "busy -> 0", "0 -> P"):
    says(f'"{text}"', f'becomes: "{text}" is no pair; write one reactant and one product, as in "A -> B"')
says('"busy"', "equation 'busy', column 5: the equation ends without '->'; write it")
says('3', "reactions[1].becomes is 3; give")
print("say_becomes: ok")
