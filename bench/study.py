"""What measuring and settling a study costs as agents grow; training is bench/training.py's."""

import time

import numpy as np

from fedfact.study.config.agents import agents_of
from fedfact.study.config.arm import arms
from fedfact.study.config.load import read_study
from fedfact.study.measure.by_curve import by_curve
from fedfact.study.measure.contribution import contribution
from fedfact.study.measure.losses import losses
from fedfact.study.measure.truthfulness import truthfulness


def seconds(agents: int) -> dict[str, float]:
    study = read_study("digits", [f"agents={agents}", "costs.mean=1e-4"])
    rng, took = np.random.default_rng(0), {}
    start = time.perf_counter()
    who = agents_of(study, arms(study)[0], 0, 10**9)
    took["members"] = time.perf_counter() - start
    start = time.perf_counter()
    contribution(study, who)
    took["contribution"] = time.perf_counter() - start
    local, federated = rng.normal(2, 0.1, agents), np.full(agents, 0.5)
    start = time.perf_counter()
    of = losses(study, who, local, federated, 0)
    took["measured losses, every rule that can"] = time.perf_counter() - start
    start = time.perf_counter()
    by_curve(study, who, 0)
    took["by the curve, every rule"] = time.perf_counter() - start
    start = time.perf_counter()
    truthfulness(who, of, 0)
    took["truthfulness"] = time.perf_counter() - start
    return took


def main() -> None:
    seconds(1_000)  # once, for libraries to load
    few, many = 1_000, 100_000
    small = {name: min(seconds(few)[name] for _ in range(5)) for name in seconds(few)}
    large = seconds(many)
    for name in large:
        ratio = (large[name] / many) / (small[name] / few)
        print(
            f"{name}: {large[name]:.2f} s for {many:,} agents; time per agent {ratio:.2f}x that "
            f"of {few:,}"
        )


if __name__ == "__main__":
    main()
