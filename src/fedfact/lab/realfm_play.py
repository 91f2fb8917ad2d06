"""RealFM among the agents that its source has in mind: to whom accuracy has a non-linear payoff.

The lab plays all rules with agents to whom a model of m samples is worth −A/m. Here a model is
worth φ(a(m)) to them, RealFM's own φ(a) = 1/(1−a)² − 1, and beside it the linear φ(a) = a: what
they use and have alone, in plain federated learning, and under RealFM, with true reports and not.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..mechanism import Terms
from ..mechanism.arrays import Floats
from .dynamics import ROUNDS, replies
from .realfm import Payoff, RealFM
from .setting import Setting
from .written import written

_COSTS = ((Payoff(), 4.3755e-3), (Payoff(linear=True), 1.00185e-5))
"""Payoffs, and the cost of a sample with which an agent alone uses 5,500, as in the source."""

_ALONE = 5500.0
_PART = 0.01
"""Of what an agent would use alone: who uses less is no contributor."""


def realfm(setting: Setting, *, rounds: int = ROUNDS, seed: int = 0) -> dict[str, Any]:
    """All of it, the costs of agents being spread about RealFM's as those of the setting are."""
    spread = setting.population(seed) / setting.median
    rows = [row for payoff, cost in _COSTS for row in _rows(payoff, cost, spread, rounds, seed)]
    return {**setting.describe(), "seed": seed, "kept": RealFM.kept, "rows": written(rows)}


def _rows(
    payoff: Payoff, median: float, spread: Floats, rounds: int, seed: int
) -> Iterator[dict[str, Any]]:
    cost = median * spread
    alone = payoff.alone(cost)
    by_oneself = payoff(alone) - cost * alone
    about = {"payoff": "linear" if payoff.linear else "convex"}

    def row(how: str, used: Floats, has: Floats, accuracy: Floats, server: float) -> dict[str, Any]:
        return {
            **about,
            "how": how,
            "samples": float(used.sum()),
            "samples_share": float(used.sum() / alone.sum()),
            "contributors": int((used >= _PART * _ALONE).sum()),
            "accuracy": float(accuracy.mean()),
            "payoff_mean": float(has.mean() / by_oneself.mean()),
            "payoff_worst": float((has - by_oneself).min() / by_oneself.mean()),
            "server": server,
        }

    yield row("alone", alone, by_oneself, payoff.accuracy(alone), 0.0)
    # Thm 2 holds of any payoff that grows ever more slowly: the cheapest uses what it would alone.
    one = np.where(np.arange(len(cost)) == cost.argmin(), alone, 0.0)
    model = float(payoff(one.sum()))
    yield row("federated", one, model - cost * one, payoff.accuracy(one.sum()), model)
    rule = RealFM(start=0.0, payoff=payoff)
    terms = Terms(error_scale=float(median * _ALONE**2))  # so that √(A/c) is about what is used
    agents = Setting(terms, len(cost), "spread", tuple(cost.tolist()))
    for how, lies in (("true", False), ("lies", True)):
        play = replies(rule, agents, cost, lies=lies, rounds=rounds, seed=seed)
        total = play.used.sum()
        server = float(rule.profit(terms, total) + play.paid.sum())
        yield {
            **row(how, play.used, -play.loss, payoff.accuracy(total), server),
            "rounds": play.rounds,
            "converged": play.converged,
        }
