"""How long settling takes, how it grows with the agents, and against the plain way.

Each size runs in a process of its own, on one core. Time is from raw columns to the settlement,
checks included. Samples are what the costs suggest (many agents share a number) or, the hardest
case, nearly all different. The plain way does the same sums in fractions, agent by agent.
"""

import os
import resource
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np

from fedfact import Population, Terms, settle
from fedfact.mechanism import whole_local_optimum

SIZES = [10**4, 10**5, 10**6, 10**7]
PLAIN = 300  # agents; the time is quadratic and scaled up to the smallest size


def population(kind, n):
    rng = np.random.default_rng(0)
    if kind == "different":
        samples = rng.integers(1, 10**9, n)
        cost = 1.0 / samples.astype(float) ** 2
    else:
        cost = rng.lognormal(np.log(1e-7), 0.5, n)
        samples = whole_local_optimum(cost, 1.0)
    return [f"agent-{k:08d}" for k in range(n)], cost, samples


def measure(rule, kind, n):
    columns = population(kind, n)
    best = float("inf")
    for _ in range(5 if n <= 10**5 else 1):
        start = time.perf_counter()
        result = settle(Population(*columns), Terms(error_scale=1.0, unit=1e-12, rule=rule), 7)
        best = min(best, time.perf_counter() - start)
    assert result.surplus >= 0
    print(best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def plain():
    """Seconds for fees and pools by definition: every pair of agents, exactly."""
    m, K = population("suggested", PLAIN)[2].tolist(), Fraction(10**12)
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
        f"{'rule':<9} {'samples':<9} {'agents':>10} {'seconds':>9} {'ns/agent':>9} {'peak GiB':>9}"
    )
    smallest, largest = SIZES[0], SIZES[-1]
    for rule in ("sandwich", "rebate"):
        for kind in ("different", "suggested"):
            taken = {}
            for n in SIZES:
                command = [sys.executable, __file__, rule, kind, str(n)]
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                taken[n], gib = map(float, out.split())
                each = taken[n] / n * 1e9
                print(f"{rule:<9} {kind:<9} {n:>10,} {taken[n]:>9.3f} {each:>9.0f} {gib:>9.2f}")
            growth = taken[largest] / largest / (taken[smallest] / smallest)
            print(f"  time per agent, {largest:,} against {smallest:,}: {growth:.2f}x")
    slow = plain() * (smallest / PLAIN) ** 2
    print(f"plain pairs in fractions, {smallest:,} agents: {slow:.0f} s, ", end="")
    print(f"{slow / taken[smallest]:,.0f} times ours (rebate)")


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2], int(sys.argv[3])) if len(sys.argv) > 1 else main()
