"""Figure 1: what an agent gains over training alone, against what it adds to its true cost.

The paper's simulation has two opponents drawn from 2,000 Gaussian costs around the agent's own, a
tenth of it wide; two independent draws. So the probability to win with a report of c·(1 + x) is
2F(1 − F) with F the normal distribution function of x/0.1 (Lemma 2): no simulation is needed, and
ours is only there to confirm it. That is what an agent *believes* that takes itself for the median.
What it would *realise* against the reports of this very study is the exact P_i (docs/theory.md).
"""

from typing import Any

import numpy as np
from scipy.stats import norm

from ...arrays import Floats
from ...mechanism import (
    continuum_win_probability,
    paper_pool,
    simulate_win_probability,
    win_probability_if,
)
from ...training.seeds import generator
from ..config.agents import StudyAgents
from .losses import Losses

BELIEF = 0.1
"""Standard deviation of the costs an agent believes in, as a part of its own."""
TRIALS = 100_000
ADDED = np.arange(-50, 51) / 100
SIMULATED = np.arange(-50, 51, 5) / 100


def truthfulness(agents: StudyAgents, losses: Losses, seed: int) -> dict[str, list[float]]:
    """Improvement over the local loss, the mean over agents, for each part added to the cost.

    The prize is the paper's: (3/n)·Σ_{j≠i} f_j.
    """
    prize = paper_pool(losses.gain)
    costs = norm(1.0, BELIEF)
    chances = win_probability_if(agents.true_cost[:, None] * (1 + ADDED), agents.reported_cost)
    rng = generator(seed, "truthfulness")
    simulated = simulate_win_probability(1 + SIMULATED, costs, TRIALS, rng)
    return {
        "believed": _mean(prize, continuum_win_probability(1 + ADDED, costs)[None, :]),
        "simulated": _mean(prize, simulated[None, :]),
        "realised": _mean(prize, chances),
    }


def truthfulness_document(seeds: list[dict[str, list[float]]]) -> dict[str, Any]:
    """The curves of all seeds, with what they are drawn over."""
    return {
        "added": ADDED.tolist(),
        "simulated_at": SIMULATED.tolist(),
        "trials": TRIALS,
        **{name: [curves[name] for curves in seeds] for name in seeds[0]},
    }


def _mean(prize: Floats, chance: Floats) -> list[float]:
    """The mean over agents of what each gains: its prize times its chance."""
    mean: list[float] = (prize[:, None] * chance).mean(axis=0).tolist()
    return mean
