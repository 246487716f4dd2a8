#!/usr/bin/env python3
"""peers - runs the cases of benchmark.py in other programs, through their Python interfaces.

usage: peers.py smoldyn TIME | peers.py gillespy2 RUNS
The last two lines printed are a description, and the CPU seconds that benchmark.py compares.
"""
import os
import resource
import sys
import sysconfig


def cpu_seconds():
    """Returns the CPU seconds of this process and of the children that it has waited for."""
    used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def smoldyn(end):
    """Runs the mixture of benchmark.py in a continuous box, in steps of 0.01; prints CPU seconds
    per time unit."""
    import smoldyn as peer

    n, load, step = 32, 10, 0.01
    s = peer.Simulation(low=[0] * 3, high=[n] * 3, boundary_type=["p"] * 3)
    a, b, c = (s.addSpecies(name, difc=1.0) for name in "ABC")
    for species in (a, b, c):
        species.addToSolution(n**3 * load // 3)
    s.addPartition("molperbox", 1)  # the fastest value for this case; the default is 4
    s.addReaction("bind", [a, b], [c], rate=3 / load)
    s.addReaction("split", [c], [a, b], rate=1.0)
    clock = [cpu_seconds()]
    for stop in (step, 2 * step + end):  # each run begins with the same set-up and one step
        s.run(stop=stop, dt=step, display=False, quit_at_end=False)
        clock.append(cpu_seconds())
    seconds = (clock[2] - clock[1]) - (clock[1] - clock[0])
    print(f"{n**3 * load * end / step / seconds / 1e6:.3g} M molecule-steps/s, steps of {step}")
    print(seconds / end)


def gillespy2(runs):
    """Runs the well-mixed ensemble of benchmark.py with the compiled solver; prints CPU seconds."""
    import gillespy2 as peer
    import numpy as np

    os.environ["PYTHONPATH"] = sysconfig.get_path("purelib")  # its build starts another Python
    model = peer.Model(name="four")
    model.add_parameter([peer.Parameter(name=name, expression=value) for name, value in
                         (("aa", 0.001), ("ab", 0.01), ("a", 1.2), ("b", 1.0))])
    a, b = (peer.Species(name=name, initial_value=n) for name, n in (("A", 10), ("B", 12)))
    model.add_species([a, b])
    model.add_reaction([peer.Reaction(name="r1", reactants={a: 2}, rate="aa"),
                        peer.Reaction(name="r2", reactants={a: 1, b: 1}, rate="ab"),
                        peer.Reaction(name="r3", products={a: 1}, rate="a"),
                        peer.Reaction(name="r4", products={b: 1}, rate="b")])
    model.timespan(peer.TimeSpan(np.linspace(0, 600, 7)))
    solver = peer.SSACSolver(model=model)
    begin = cpu_seconds()
    results = model.run(solver=solver, number_of_trajectories=int(runs), seed=1)
    seconds = cpu_seconds() - begin
    print("mean A, B at the end:", *(f"{np.mean([r[x][-1] for r in results]):.4g}" for x in "AB"))
    print(seconds)


if __name__ == "__main__":
    {"smoldyn": smoldyn, "gillespy2": gillespy2}[sys.argv[1]](float(sys.argv[2]))
