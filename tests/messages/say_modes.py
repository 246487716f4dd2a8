"""say_modes - rdsim modes as a program: what it prints, its exit status, and what it says about
networks and options that are wrong."""
import math
import os
import random
import re
import subprocess

import h5py

from say_main import GOOD, PROGRAM, SOURCE, assert_message, config, rdsim, run_cases

NETWORKS = SOURCE / "tests" / "networks"
SMALL = """# external: X_out Y_out
in : X_out => 2 A
both : A <=> B
half : 0.5 B => C
out : C => Y_out
other : A => C
never : D => A
"""
STEPS = """MAL 2 2 22 4 4 26
PEP 2 3 21 6 6 27
OAA 3 3 21 9 6 27
CO2 1 9 17 9 9 26
SUCC 3 5 18 15 11 29
CoASH 3 14 12 42 42 54
ACoA 0 0 54 0 0 54
PYR 33 8 13 264 96 109
NAD 92 6 11 552 232 243
NADH 0 0 243 0 0 243
ADP 227 6 10 1362 830 840
ATP 0 0 840 0 0 840
"""


def modes(text, *words, status=0):
    config("small.net", text)
    return rdsim("modes", "small.net", *words, status=status)


def lines(done):
    return [line for line in done.stdout.splitlines() if not line.startswith("#")]


def refuse(text, *message, words=()):
    assert_message(modes(text, *words, status=2), *message)


def modes_are_printed():
    done = modes(SMALL, "--net")
    assert lines(done) == ["in + 2 out + 2 other : X_out => 2 Y_out",
                           "in + 2 both + 4 half + 4 out : X_out => 4 Y_out"], done.stdout
    assert "# never never runs: no reaction that can run makes D" in done.stdout, done.stdout
    assert lines(modes(SMALL, "--most", "1")) == ["in + 2 out + 2 other"]
    assert "there are more" in modes(SMALL, "--most", "1").stdout
    assert "there are more" not in modes(SMALL, "--most", "2").stdout
    for words, found in ((("--csv",), "1,0,0,2,2,0\n# the shortest; there are more\n"),
                         (("--count",), ", the shortest; there are more\n")):
        assert modes(SMALL, "--most", "1", *words).stdout.endswith(found)
        assert "more" not in modes(SMALL, "--most", "2", *words).stdout
    assert lines(modes(SMALL, "--longest", "3")) == ["in + 2 out + 2 other"]
    for words in (("--longest", "1"), ("--through", "never"), ("--most", "1", "--longest", "2")):
        assert modes(SMALL, *words).stdout.startswith("# 0 modes of 6 reactions"), words
    assert lines(modes(SMALL, "--most", "1", "--through", "both", "--longest", "4")) == [
        "in + 2 both + 4 half + 4 out"]
    assert lines(modes(SMALL, "--through", "half")) == ["in + 2 both + 4 half + 4 out"]
    assert lines(modes(SMALL, "--without", "half")) == ["in + 2 out + 2 other"]
    assert modes(SMALL, "--csv").stdout == ("in,both,half,out,other,never\n1,0,0,2,2,0\n"
                                            "1,2,4,4,0,0\n")
    assert modes(SMALL, "--count").stdout.startswith("2 modes, hash ")
    assert lines(modes(SMALL, "--plain")) == lines(modes(SMALL))
    unnamed = ": A => B\n: A => B\n: B => A\n"
    assert lines(modes(unnamed)) == ["'A => B' + 'B => A'", "'A => B' #2 + 'B => A'"]
    turned = "a : A => B\nb : B => A\nc : => A\nd : B =>\n"
    assert lines(modes(turned)) == ["a + b", "a + c + d"]
    assert lines(modes(turned, "--reversible")) == ["a + c + d"]


def more_reactions_than_bits_of_a_word():
    """i X and Y are made, and j X lost: each pair of i and j is a mode, with the least numbers."""
    n = 40
    text = "\n".join([f"in{i} : X_out => {i} X + Y\nout{i} : {i} X => Y_out" for i in
                      range(1, n + 1)] + ["last : Y => Y_out"])
    found = lines(modes("# external: X_out Y_out\n" + text))
    wanted = set()
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            times = [f"{number} " if number > 1 else "" for number in
                     (j // math.gcd(i, j), i // math.gcd(i, j))]
            wanted.add(f"{times[0]}in{i} + {times[1]}out{j} + {times[0]}last")
    assert len(found) == n * n, len(found)
    assert {frozenset(line.split(" + ")) for line in found} == {
        frozenset(line.split(" + ")) for line in wanted}, sorted(found)[:9]


def the_shortest_are_found_without_the_others():
    """A chain of 40 choices has 2^40 modes of 40 reactions, and 4 of 2 beside it."""
    chain = "".join(f"{way}{i} : X{i} => X{i + 1}\n" for i in range(40) for way in "ab")
    text = "# external: X0 X40\n" + chain + "turn : X1 => X0\nback : X40 => X39\n"
    done = modes(text, "--most", "1")
    assert lines(done) == ["a0 + turn"] and "there are more" in done.stdout, done.stdout
    done = modes(text, "--most", "2", "--through", "back", "--longest", "5")
    assert lines(done) == ["a39 + back", "b39 + back"] and "more" not in done.stdout, done.stdout


def a_configuration_is_a_network():
    done = rdsim("modes", SOURCE / "configs" / "quickstart.cfg", status=0)
    assert lines(done) == ["'hare -> 2 hare' + '2 hare -> hare'",
                           "'hare -> 2 hare' + 'hare + fox -> 2 fox' + 'fox -> 0'"], done.stdout


def a_configuration_comes_from_standard_input():
    text = (SOURCE / "configs" / "quickstart.cfg").read_text()
    assert len(lines(rdsim("modes", "-", status=0, input=text))) == 2
    assert "siphon      fox" in rdsim("modes", "--report", "-", status=0, input=text).stdout
    titled = 'title = "a : b -> c";\n' + re.sub("title *= *[^;]*;", "", text)
    assert len(lines(rdsim("modes", "-", status=0, input=titled))) == 2


def a_network_text_is_known_by_its_content():
    text = "\n# a comment\na : A <=> 2 B\nb : 2 B => A\n"
    assert lines(rdsim("modes", "-", status=0, input=text)) == ["a + b"]
    assert lines(rdsim("modes", config("network.txt", text), status=0)) == ["a + b"]
    assert_message(rdsim("modes", "-", status=2, input=text.replace("=> A", "=> 0 A")),
                   "<stdin>:4: equation", "is 0")
    for text in (text, (SOURCE / "configs" / "quickstart.cfg").read_text()):
        done = subprocess.run(["bash", "-c", f'"$0" modes <(cat {config("piped", text)})', PROGRAM],
                              stdout=subprocess.PIPE, text=True, check=True)
        assert len(lines(done)) in (1, 2)


def the_reference_prints_its_steps():
    done = rdsim("modes", NETWORKS / "ecoli-irrev-compressed.net", "--plain", "--steps", status=0)
    assert done.stdout == STEPS, done.stdout


def laws_are_counted():
    network = NETWORKS / "syn3A_sm22.net"
    for words in ("--laws", "--semiflows"):
        page = rdsim("modes", network, words, status=0).stdout
        assert page.startswith(f"# 22 {words[2:]} over 47 species\n"), page
        assert page.count("\n") == 23
    assert modes("a : 2 A <=> 3 B\nb : B + C <=> 0.5 D\n", "--laws").stdout.splitlines()[1:] == [
        "C + 2 D", "3 A + 2 B + 4 D"]
    # external species are in no law, and stand between others
    text = "# external: X\na : B + X => 2 A\nb : A + B <=> C\n"
    assert modes(text, "--semiflows").stdout == "# 1 semiflow over 3 species\n2 B + A + 3 C\n"
    text = "# external (not balanced): none: there are none\na : A + 0.5 A + A => B + 0.25 B\n"
    assert modes(text, "--laws").stdout == "# 1 law over 2 species\nA + 2 B\n"
    assert "A - B" in modes("# external: none\na : A + B =>\n", "--laws").stdout
    assert modes("a : A + B =>\n", "--laws").stdout == "# 1 law over 2 species\nA - B\n"
    assert modes("a : A + B =>\n", "--semiflows").stdout == "# 0 semiflows over 0 species\n"


def bytes_do_not_depend_on_threads():
    network = NETWORKS / "ecoli-irrev.net"
    one = rdsim("modes", network, "--threads", "1", status=0).stdout
    assert one == rdsim("modes", network, "--threads", "3", status=0).stdout
    assert one == rdsim("modes", network, "--plain", status=0).stdout
    assert one.count("\n") - one.count("#") == 840


def hdf5_and_csv_agree():
    modes(SMALL, "--hdf5", "small.h5")
    table = [[int(x) for x in row.split(",")]
             for row in modes(SMALL, "--csv").stdout.splitlines()[1:]]
    with h5py.File("small.h5") as file:
        start = file["start"][:]
        for i, row in enumerate(table):
            part = slice(start[i], start[i + 1])
            found = dict(zip(file["reaction"][part], file["coefficient"][part]))
            assert found == {k: x for k, x in enumerate(row) if x}, found
        assert file["reactions"].asstr()[1] == "both" and len(start) == 3
        assert modes(SMALL, "--count").stdout.split()[3] == file.attrs["hash"]
        assert file.attrs["more"] == 0 and file.attrs["partial"] == 0
    modes(SMALL, "--most", "1", "--hdf5", "short.h5")
    with h5py.File("short.h5") as file:
        assert file.attrs["more"] == 1 and len(file["start"]) == 2
    os.remove("short.h5")
    assert_message(modes(SMALL, "--hdf5", "small.h5", status=2), "small.h5: exists")
    assert_message(modes("a : A => B\n", "--hdf5", "no/a.h5", status=2), "there is no folder 'no'")
    os.symlink("nowhere", "link.h5")
    assert_message(modes(SMALL, "--hdf5", "link.h5", status=2), "link.h5: exists")
    os.remove("link.h5")
    os.remove("small.h5")


def too_little_memory_gives_partial_results():
    network = NETWORKS / "ecoli-rev-compressed.net"
    done = rdsim("modes", network, "--mem", "500K", status=3)
    assert rdsim("modes", network, "--mem", str(500 * 1024), status=3).stdout == done.stdout
    assert_message(done, "not complete", "rows", "--mem 500K")
    all_of_them = set(lines(rdsim("modes", network, status=0)))
    assert "partial" in done.stdout.splitlines()[0] and set(lines(done)) < all_of_them
    assert len(lines(done)) > 0 and len(all_of_them) == 40693
    text = "".join(f"a{i} : A{i} + B{i} => A{i + 1} + B{i + 1}\n" for i in range(12))
    done = modes(text, "--semiflows", "--mem", "100K", status=3)
    assert_message(done, "small.net: the semiflows are not complete", "rows", "--mem 100K")
    assert "partial" in done.stdout.splitlines()[0] and len(lines(done)) < 2**13
    assert len(lines(modes(text, "--semiflows"))) == 2**13


def names_and_numbers_may_be_odd():
    """A byte order mark, line ends of Windows, blanks and quotes in names, and large numbers."""
    assert lines(modes("\ufeffa : => A\r\nb : A =>\r\n")) == ["a + b"]
    assert modes('"x", y : => A+\n[z] : A+ =>', "--csv").stdout == '"""x"", y",[z]\n1,1\n'
    assert lines(modes(f"a : => {2**63 - 1} A\nb : 2 A =>\n")) == [f"2 a + {2**63 - 1} b"]
    assert lines(modes("a : => 1e12 A\nb : 1.5 A + 0.2 A => 2.5e-3 B\nc : B =>\n")) == [
        "17 a + 10000000000000 b + 25000000000 c"]
    config("null.cfg", """grid = { voxels = 1; edge = 1.0; }; time = { end = 1; };
species = ( { name = "null"; }, { name = "A_1"; }, { name = "_2"; } );
reactions = ( { name = "a"; equation = "0 -> A_1"; rate = 1; }, { name = "b"; equation = "A_1 -> null"; rate = 1; },
    { name = "c"; equation = "null -> 2 _2"; rate = 1; }, { name = "d"; equation = "_2 -> 0"; rate = 1; } );""")
    assert lines(rdsim("modes", "null.cfg", status=0)) == ["a + b + c + 2 d"]
    assert lines(modes("a : => 2A\nb : 2 A =>\nc : 2A => A\n")) == ["2 a + b + 2 c"]
    done = modes("a : => A\nb : 2A =>\nc : 2 A =>\n")
    assert lines(done) == ["2 a + c"]
    assert_message(done, "small.net: '2A' is a species, and so is 'A'; write a blank")
    done = modes("a : A+B => C\nb : C => A + B\nc : A + B =>\n", status=2)
    assert_message(done, "small.net: 'A+B' is a species, and so are its parts; write blanks")
    assert "is a species" not in modes("a : => 3pg\nb : 3pg => 2pg\nc : 2pg =>\n").stderr
    text = "a : => 0.123456789012345678 A\nb : 0.1 A => 1.000000000000000001 B\nc : B =>\n"
    assert_message(modes(text, status=1), "small.net: the coefficients of a result", "64 bits")
    draw = random.Random("large coefficients")
    text = "".join(f"r{i} : " + " + ".join(f"{draw.getrandbits(62) + 1} S{k}" for k in range(4)) +
                   f" <=> {draw.getrandbits(62) + 1} S{i % 4 + 4}\n" for i in range(12))
    assert_message(modes(text, status=1), "small.net: the coefficients of the nullspace", "digits")
    text = "a : => 9223372036854775807 A\nb : 9223372036854775805 A =>\n"
    assert_message(modes(text.replace("A =>", "A => 2 B") + "c : 9223372036854775803 B =>", status=1),
                   "small.net: the coefficients", "use fewer digits")



def laws_are_checked_beyond_residues():
    """Laws are computed modulo 2^61 - 1, where this reaction seems to change no A."""
    assert lines(modes(f"a : {2 ** 61 - 1} A => B\n", "--laws")) == []
    assert lines(modes("a : 1000003 A => B\n", "--laws")) == ["A + 1000003 B"]

def wide_coefficients_are_no_fault_of_small_modes():
    """Numbers between the start and the end do not fit into 64 bits, coefficients of modes do."""
    text = ("r0 : 0.25 S1 + 1e-6 S0 => S2\nr1 : 0.25 S2 => 2.5 S1 + 0.25 S2\n"
            "r2 : S2 <=> 0.25 S1 + 1e-6 S0\nr3 : 3804597 S0 <=> S2 + 0.5 S0\n"
            "r4 : 3804597 S0 => S2 + 0.5 S0\nr5 : 3 S0 => 3804597 S3 + 3 S0\n"
            "r6 : S1 + 1.5 S2 <=> 2 S3\nr7 :  => 3 S0 + 3 S1\n")
    assert lines(modes(text)) == ["r0 + r2", "-r3 + r4"]
    text = ("r0 : S2 + 3804597 S1 <=> S1\nr1 : 0.5 S1 =>\nr2 : 0.1 S0 + 0.1 S1 => 0.1 S1\n"
            "r3 :  <=> S2 + 0.5 S0\nr4 : S1 + 0.1 S2 => 3804597 S0\nr5 :  <=> 2 S2 + S0\n")
    assert lines(modes(text))[:2] == ["2 r3 - r5", "-r0 + 7609172 r1 + 380459700 r2 + 10 r4"]
    assert lines(modes(text)) == lines(modes(text, "--plain"))


def wrong_networks_are_refused():
    refuse("# external: A\n\n# external: Q\na : A => B\n", "small.net:3: ", "'Q'", "in no reaction")
    refuse("a : => 9223372036854775808 A\n", "does not fit into 64 bits")
    refuse("# nothing\n", "has no reaction")
    refuse("a : A => B\n", "no reaction can run in a steady state")
    refuse("a : A => B\nb : B => A\n", "--without a: no other reaction can run in a steady state",
           words=["--without", "a"])
    refuse("a : A => B\nb : B =>\na : => A\n", "small.net:3", "'a' is there twice")
    refuse("A => B\n", "small.net:1", "has no name")
    refuse("a: A => B\n", "small.net:1", "has no name", "a blank on each side of the colon")
    refuse("a : A B => C\n", "column 3", "'+' or an arrow is missing here")
    refuse("a : A + => C\n", "a species is missing here")
    refuse("a : A\n", "an arrow is missing")
    refuse("a : 0.00000000000000000001 A => B\n", "64 bits")
    refuse("a : 0.0 A => B\n", "is 0")
    refuse("".join(f"r{i} : => A\n" for i in range(70000)), "more than 65536 reactions")
    many = "".join('{ equation = "A -> B"; rate = 1; },' for _ in range(66000))
    config("many.cfg", 'species = ( { name = "A"; }, { name = "B"; } ); time = { end = 1; };'
           f"grid = {{ voxels = 1; edge = 1.0; }}; reactions = ( {many[:-1]} );")
    done = rdsim("modes", "many.cfg", status=2)
    assert_message(done, "many.cfg:1: has more than 65536 reactions")
    assert done.stderr.count("\n") == 1, done.stderr
    assert_message(rdsim("modes", "missing.net", status=2), "missing.net: cannot be read")
    config("wrong.cfg", 'grid = { voxels = 1; edge = 1.0; }; species = ( { name = "A"; } ); '
           'reactions = ( { equation = "A -> B"; rate = 1; } ); time = { end = 1; }; '
           'output = { every = 1; };')
    assert_message(rdsim("modes", "wrong.cfg", status=2), "wrong.cfg:1",
                   "species 'B' is not declared")
    for length in (79, 80, 81, 100):
        name = "B" * length
        config("wrong.cfg", GOOD.replace('reactions = (', f'reactions = ( {{ equation = "A -> {name}"; '
                                         'rate = 1; },'))
        assert_message(rdsim("modes", "wrong.cfg", status=2), f"species '{name[:80]}' is not declared")


def wrong_options_are_refused():
    refuse(SMALL, "--through nothing", "no reaction of this name", words=("--through", "nothing"))
    refuse(SMALL, "--steps", "--plain", words=("--steps",))
    refuse(SMALL, "--mem 4Q", "bytes", words=("--mem", "4Q"))
    refuse(SMALL, "--mem 0", words=("--mem", "0"))
    refuse(SMALL, "--mem has no effect", words=("--mem", "4G", "--plain"))
    refuse(SMALL, "--laws and --semiflows", words=("--laws", "--semiflows"))
    for option, value in ("--through", "in"), ("--without", "in"), ("--longest", "2"), ("--most", "1"):
        refuse(SMALL, "are about the whole network; leave out", option,
               words=("--report", option, value))
    refuse(SMALL, "--runs is not an option of rdsim modes", words=("--runs", "4"))
    assert rdsim("--count", "modes", "small.net", status=0).stdout.startswith("2 modes")


CASES = [
    modes_are_printed,
    more_reactions_than_bits_of_a_word,
    the_shortest_are_found_without_the_others,
    a_configuration_is_a_network,
    a_configuration_comes_from_standard_input,
    a_network_text_is_known_by_its_content,
    the_reference_prints_its_steps,
    laws_are_counted,
    bytes_do_not_depend_on_threads,
    hdf5_and_csv_agree,
    too_little_memory_gives_partial_results,
    names_and_numbers_may_be_odd,
    wide_coefficients_are_no_fault_of_small_modes,
    laws_are_checked_beyond_residues,
    wrong_networks_are_refused,
    wrong_options_are_refused,
]

if __name__ == "__main__":
    run_cases(CASES)
