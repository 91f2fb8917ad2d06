"""How long settling takes, how it grows with the agents, and against the plain way.

Each size runs in a process of its own, on one core. Time is from raw columns to the settlement,
checks included. The plain way does the same exact sums in Python fractions, agent by agent.
"""

import os
import resource
import subprocess
import sys
import time
from fractions import Fraction

SIZES = [10**4, 10**5, 10**6, 10**7]
PLAIN = 300


def population(n):
    import numpy as np

    from fedfact.mechanism import whole_local_optimum

    cost = np.random.default_rng(0).lognormal(np.log(1e-7), 0.5, n)
    return [f"agent-{k:08d}" for k in range(n)], cost, whole_local_optimum(cost, 1.0)


def one(rule, n):
    from fedfact import Population, Terms, settle

    columns = population(n)
    best = float("inf")
    for _ in range(5 if n <= 10**5 else 1):
        start = time.perf_counter()
        result = settle(Population(*columns), Terms(error_scale=1.0, rule=rule), seed=7)
        best = min(best, time.perf_counter() - start)
    assert result.surplus >= 0
    print(best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def plain(rule, n):
    """Fees and pools by definition: every pair of agents, exactly."""
    _, _, samples = population(n)
    m, K = samples.tolist(), Fraction(10**9)
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
    print(f"{'rule':<9} {'agents':>10} {'seconds':>9} {'ns/agent':>9} {'peak GiB':>9}")
    for rule in ("sandwich", "rebate"):
        each = {}
        for n in SIZES:
            command = [sys.executable, __file__, rule, str(n)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            seconds, gib = map(float, out.split())
            each[n] = seconds / n * 1e9
            print(f"{rule:<9} {n:>10,} {seconds:>9.3f} {each[n]:>9.0f} {gib:>9.2f}")
        growth = each[SIZES[-1]] / each[SIZES[0]]
        print(f"{rule}: time per agent, {SIZES[-1]:,} against {SIZES[0]:,}: {growth:.2f}x")
    slow = plain("rebate", PLAIN) / PLAIN**2 * 10**8  # quadratic: scaled up to 10,000 agents
    print(f"plain pairs in fractions, 10,000 agents: {slow:.0f} s,", end=" ")
    print(f"{slow / (each[10**4] * 1e-5):,.0f} times ours (rebate)")


if __name__ == "__main__":
    one(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else main()
