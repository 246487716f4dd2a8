"""make_network - writes a BioNetGen network of any size: a chain of complexes that bind, dissociate
and are modified, as rules about a receptor with several sites make it.

usage: make_network.py SPECIES REACTIONS [SEED] > model.net
"""
import random
import sys


def species_name(i):
    return f"R(a~{i % 4},b!{i}).L(r!{i},s~{i // 4})"


def network(n_species, n_reactions, seed=1):
    """Returns the text of a network. Species 1 is a pool that nothing uses up."""
    draw = random.Random(seed)
    lines = ["# Created by a test", 'substanceUnits("Number")', "begin parameters"]
    lines += [f"    {k + 1} k{k}            {0.001 * (k + 1):.6g}  # Constant" for k in range(20)]
    lines += ["   21 total         100*k0*1000 # ConstantExpression", "end parameters",
              "begin functions", "    1 saturated() k3/(1+All/1000)", "end functions",
              "begin species", "    1 $Pool() 1"]
    lines += [f"    {i} {species_name(i)} {'total' if i < 20 else 0}"
              for i in range(2, n_species + 1)]
    lines += ["end species", "begin reactions"]
    for r in range(n_reactions):
        a, b, c = (draw.randint(2, n_species) for _ in range(3))
        rate = "0.5*k1" if a == b else f"k{r % 20}" if r % 50 else "saturated"
        sides = (f"{a},{b} {c}", f"{c} {a},{b}", f"{a} {c}", f"1 1,{c}", f"{a} 0")[r % 5]
        lines.append(f"    {r + 1} {sides} {rate} #_R{r + 1}")
    lines += ["end reactions", "begin groups"]
    lines.append("    1 All " + ",".join(str(i) for i in range(2, n_species + 1)))
    lines.append("    2 Twice " + ",".join(f"2*{i}" for i in range(2, n_species + 1, 3)))
    lines += ["end groups", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(network(*(int(word) for word in sys.argv[1:])), end="")
