"""RealFM among the agents that its source has in mind: to whom accuracy has a non-linear payoff.

The lab plays all rules with agents to whom a model of m samples is worth −A/m. Here a model is
worth φ(a(m)) to them, RealFM's own φ(a) = 1/(1−a)² − 1, and beside it the linear φ(a) = a: what
they use and have alone, in plain federated learning, and under RealFM, with true reports and not.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Floats
from ...mechanism import Terms
from ..results import LabResult, without_infinities
from ..rules.realfm import Payoff, RealFM
from ..setting import Setting
from .dynamics import ROUNDS, replies

_COSTS = ((Payoff(), 4.3755e-3), (Payoff(linear=True), 1.00185e-5))
"""Payoffs, and the cost of a sample with which an agent alone uses 5,500, as in the source."""

_ALONE = 5500.0
_PART = 0.01
"""Of what an agent would use alone: an agent that uses less is none of the contributors."""


@dataclass(frozen=True)
class RealFMRow:
    """One way to train with one payoff; ``rounds`` and ``converged`` only where agents play.

    Attributes:
        samples_share: of what all agents would use alone.
        payoff_mean: what an agent has, and ``payoff_worst``: how much more than alone for whom
            federation does least; both as parts of the mean alone.
        server: what the server has.
    """

    payoff: str
    how: str
    samples: float
    samples_share: float
    contributors: int
    accuracy: float
    payoff_mean: float
    payoff_worst: float
    server: float
    rounds: int | None = None
    converged: bool | None = None

    def document(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            key: without_infinities(value)
            for key, value in asdict(self).items()
            if value is not None
        }


@dataclass(frozen=True, eq=False, repr=False)
class RealFMPlay(LabResult):
    """What agents use and have alone, in plain federated learning, and under RealFM."""

    setting: Setting
    seed: int
    kept: float
    ways: tuple[RealFMRow, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each payoff and way to train."""
        return [asdict(way) for way in self.ways]

    def document(self) -> dict[str, Any]:
        """The setting, the part that the server keeps, and every row."""
        return {
            **self.setting.describe(),
            "seed": self.seed,
            "kept": self.kept,
            "rows": [way.document() for way in self.ways],
        }


def realfm(setting: Setting, *, rounds: int = ROUNDS, seed: int = 0) -> RealFMPlay:
    """All of it, the costs of agents being spread about RealFM's as those of the setting are."""
    spread = setting.population(seed) / setting.median
    ways = [way for payoff, cost in _COSTS for way in _ways(payoff, cost, spread, rounds, seed)]
    return RealFMPlay(setting, seed, RealFM.kept, tuple(ways))


def _ways(
    payoff: Payoff, median: float, spread: Floats, rounds: int, seed: int
) -> Iterator[RealFMRow]:
    cost = median * spread
    alone = payoff.alone(cost)
    by_oneself = payoff(alone) - cost * alone

    def row(how: str, used: Floats, has: Floats, accuracy: Floats, server: float) -> RealFMRow:
        return RealFMRow(
            payoff="linear" if payoff.linear else "convex",
            how=how,
            samples=float(used.sum()),
            samples_share=float(used.sum() / alone.sum()),
            contributors=int((used >= _PART * _ALONE).sum()),
            accuracy=float(accuracy.mean()),
            payoff_mean=float(has.mean() / by_oneself.mean()),
            payoff_worst=float((has - by_oneself).min() / by_oneself.mean()),
            server=server,
        )

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
        found = row(how, play.used, -play.loss, payoff.accuracy(total), server)
        yield replace(found, rounds=play.rounds, converged=play.converged)
