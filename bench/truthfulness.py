"""The paper's truthfulness curve: 16 agents, 121 reported costs from −60 % to +60 %, three ways.

The straightforward loop draws 2,000 Gaussian costs in every trial, picks two and compares; it is
timed on fewer trials of one point and scaled up to 100,000 trials of all points.
"""

import time

import numpy as np
from scipy import stats

from fedfact.mechanism import continuum_win_probability, simulate_win_probability

AGENTS, REPORTS, TRIALS, TIMED = 16, 121, 100_000, 2_000


def timed(work, repeat):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, np.asarray(result)


def loop(cost, report, trials, rng):
    wins = 0
    for _ in range(trials):
        costs = rng.normal(cost, cost / 10, 2000)
        low, high = sorted(rng.choice(costs, 2, replace=False))
        wins += low < report < high
    return wins / trials


def main():
    cost = np.linspace(0.8, 1.2, AGENTS) * 1.024e-7
    added = np.linspace(-0.6, 0.6, REPORTS)
    rng = np.random.default_rng(0)
    belief = stats.norm(cost[:, None], cost[:, None] / 10)
    beliefs = [stats.norm(c, c / 10) for c in cost]

    closed, exact = timed(
        lambda: continuum_win_probability(cost[:, None] * (1 + added), belief), repeat=20
    )
    monte, simulated = timed(
        lambda: [
            simulate_win_probability(c * (1 + added), b, TRIALS, rng)
            for c, b in zip(cost, beliefs, strict=True)
        ],
        repeat=1,
    )
    short, _ = timed(lambda: loop(cost[0], cost[0] * 1.05, TIMED, rng), repeat=1)
    plain = short / TIMED * TRIALS * AGENTS * REPORTS
    error = np.abs(simulated - exact).max()
    print(f"loop         {plain:>12,.0f} s  (scaled up from {TIMED:,} trials in {short:.2f} s)")
    print(f"Monte Carlo  {monte:>12.3f} s  {plain / monte:>14,.0f}x faster; ", end="")
    print(f"largest difference from the closed form {error:.4f}")
    print(f"closed form  {closed:>12.6f} s  {plain / closed:>14,.0f}x faster")


if __name__ == "__main__":
    main()
