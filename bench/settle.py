"""How long settling takes, how it grows with the agents and the curve, and against the plain way.

Each settlement runs in a process of its own, on one core. Seconds are of that core, so that a busy
machine does not count, and go from raw columns to the settlement, checks included. Samples are what
the costs suggest (many agents share a number) or, the hardest case, nearly all different; members
of different sizes share none. The plain way does the same sums in fractions, agent by agent.

With a number of agents as its argument it only measures that many, under every rule.
"""

import os
import resource
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np

from fedfact import RULES, Population, Terms, settle
from fedfact.mechanism import Curve

MILLION, B, KINDS = 10**6, 0.37, ("suggested", "different")
SIZES = [10**4, 10**5, MILLION, 10**7]
PLAIN = 300  # agents; the time is quadratic and scaled up to the smallest size


def population(rule, kind, n, exponent):
    """Agent ids, costs, samples and sizes."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 1001, n) if kind == "sizes" else None
    total = n if sizes is None else int(sizes.sum())
    own = RULES[rule].own_curve(Curve(1.0, exponent), 1 if sizes is None else sizes, total)
    if kind == "different":
        samples = rng.integers(1, 10**9, n)
        cost = own.fitting_cost(samples)
    else:
        cost = rng.lognormal(np.log(1e-7), 0.5, n)
        samples = np.maximum(1, np.rint(own.optimum(cost))).astype(np.int64)
    return [f"agent-{k:08d}" for k in range(n)], cost, samples, sizes


def measure(rule, kind, n, exponent):
    names, cost, samples, sizes = population(rule, kind, n, exponent)
    terms = Terms(error_scale=1.0, exponent=exponent, rule=rule)
    best = float("inf")
    for _ in range(5 if n <= 10**5 else 1):
        start = time.process_time()
        result = settle(Population(names, cost, samples, size=sizes), terms, 7)
        best = min(best, time.process_time() - start)
    assert result.surplus >= 0
    print(best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def measured(rule, kind, n, exponent):
    """The same in a process of its own, and as a line; the seconds."""
    command = [sys.executable, __file__, rule, kind, str(n), str(exponent)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, gib = map(float, out.split())
    each = seconds / n * 1e9
    print(f"{rule:<9} {kind:<9} {exponent:>4} {n:>10,} {seconds:>9.3f} {each:>9.0f} {gib:>9.2f}")
    return seconds


def plain():
    """Seconds for fees and pools by definition: every pair of agents, exactly."""
    m, K = population("sandwich", "suggested", PLAIN, 1.0)[2].tolist(), Fraction(10**9)
    start = time.perf_counter()
    M = sum(m)
    fees = [K * (M - x) // (x * M) for x in m]
    pools = [
        sum(K * (M - x - y) // (y * (M - x)) for j, y in enumerate(m) if j != i)
        for i, x in enumerate(m)
    ]
    assert all(fees + pools)
    return time.perf_counter() - start


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(
        f"{'rule':<9} {'samples':<9} {'b':>4} {'agents':>10} {'seconds':>9} {'ns/agent':>9} "
        f"{'peak GiB':>9}"
    )
    kinds = {"sandwich": KINDS, "rebate": KINDS, "shared": (*KINDS, "sizes")}
    if len(sys.argv) == 2:
        for rule in RULES:
            measured(rule, kinds[rule][-1], int(sys.argv[1]), B)
        return
    smallest, largest = SIZES[0], SIZES[-1]
    for rule in RULES:
        for kind in kinds[rule]:
            taken = {n: measured(rule, kind, n, 1.0) for n in SIZES}
            growth = taken[largest] / largest / (taken[smallest] / smallest)
            print(f"  time per agent, {largest:,} against {smallest:,}: {growth:.2f}x")
            other = measured(rule, kind, MILLION, B)
            print(f"  b = {B} against b = 1, {MILLION:,} agents: {other / taken[MILLION]:.2f}x")
    slow = plain() * (smallest / PLAIN) ** 2
    print(f"plain pairs in fractions, {smallest:,} agents: {slow:.0f} s, ", end="")
    print(f"{slow / taken[smallest]:,.0f} times ours (shared, with sizes)")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
    else:
        main()
