#!/usr/bin/env python3
"""majority_vote - writes configs/majority_vote.cfg: robots that record opinions, and vote.

usage: tools/majority_vote.py > configs/majority_vote.cfg

A species is an opinion, red or green, with the numbers of red and green robots met so far: R21 is
a red robot that has met two red ones and a green one. This gives 465 reactions.
"""
from itertools import combinations_with_replacement

NOTES = 5

HEAD = """\
# Do robots reach agreement by meetings of two? Each has an opinion, red or green. When two meet,
# each notes the other's opinion; a robot with five notes takes the opinion of most of them, and
# begins a new page (Vigelius, Meyer and Pascoe, PLoS ONE 9, e111542 (2014)). R21 is a red robot
# with two red and one green notes: 30 species, and a reaction for each of the 465 pairs.
#
# What should come out: 75 of each opinion on average at first, chance tips the balance, and in the
# end all have the same opinion, either one as often. Robots meet seldom: each has five notes
# after some 280 s, and it takes a quarter of an hour to an hour until all agree.
#
# The solver is the exact one: most voxels are empty, and the 150 robots make few events.
# Made by tools/majority_vote.py.

title = "A vote by majority";
units = { length = "m"; time = "s"; };

grid = { voxels = (64, 64); edge = "1 / 64"; };

parameters = {
    N = 150;
    red = "N / 2";       # robots with that opinion at first
    D = 0.003;
    k = 0.485675;        # meetings per time and pair in a voxel
};
"""

TAIL = """\
initial = (
    { species = "R00"; count = "red"; },
    { species = "G00"; count = "N - red"; }
);

time = { end = 4000.0; };
output = { every = 2.0; keep = "totals"; };
solver = "exact";
"""


def noted(robot, opinion):
    """Returns the state of a robot after it has met one of that opinion."""
    own, red, green = robot
    red, green = red + (opinion == "R"), green + (opinion == "G")
    if red + green == NOTES:
        return ("R" if red > green else "G", 0, 0)
    return (own, red, green)


def name(robot):
    return "{}{}{}".format(*robot)


def meeting(a, b):
    after = noted(a, b[0]), noted(b, a[0])
    rate = "k" if a != b else "k / 2"
    return (f'    {{ equation = "{name(a)} + {name(b)} -> {name(after[0])} + {name(after[1])}"; '
            f'rate = "{rate} * volume"; }}')


def main():
    robots = [(own, red, green) for own in "RG"
              for red in range(NOTES) for green in range(NOTES - red)]
    print(HEAD)
    print("species = (")
    print(",\n".join(f'    {{ name = "{name(robot)}"; diffusion = "D"; }}' for robot in robots))
    print(");\n\nreactions = (")
    pairs = combinations_with_replacement(robots, 2)
    print(",\n".join(meeting(a, b) for a, b in pairs))
    print(");\n")
    print(TAIL, end="")


if __name__ == "__main__":
    main()
