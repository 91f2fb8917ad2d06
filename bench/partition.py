"""Dealing out 50,000 samples to agents, against drawing them one by one."""

import time

import numpy as np

from fedfact.data import partition

LABELS = np.repeat(np.arange(10), 5_000)


def one_by_one(labels, samples, concentration, rng):
    """The usual way: draw a label by the agent's ratios, then take a sample of it."""
    left = [list(rng.permutation(np.flatnonzero(labels == k))) for k in range(10)]
    shards = []
    for m in samples:
        ratios, shard = rng.dirichlet(np.full(10, concentration)), []
        while len(shard) < m:
            ratios = np.where([bool(of_label) for of_label in left], ratios + 1e-12, 0)
            ratios /= ratios.sum()
            shard.append(left[rng.choice(10, p=ratios)].pop())
        shards.append(np.array(shard))
    return shards


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main():
    for agents in (16, 1_000):
        samples = np.full(agents, len(LABELS) // agents)
        plain = seconds(lambda m=samples: one_by_one(LABELS, m, 0.3, np.random.default_rng(0)))
        for how in ("iid", "dirichlet:0.3"):
            ours = min(
                seconds(lambda m=samples, h=how: partition(LABELS, m, h, np.random.default_rng(0)))
                for _ in range(5)
            )
            times = plain / ours
            print(f"  {agents:5} agents, {how:14}{ours * 1e3:8.1f} ms, {times:,.0f}x one by one")


if __name__ == "__main__":
    main()
