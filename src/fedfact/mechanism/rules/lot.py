"""Who wins where a rule draws, and how likely: by lot, all alike, unless a rule overrides it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...arrays import ArrayLike, Bools, Floats, Ints, floats
from ..competition import draw_order
from ..formulas.winning import CostDistribution
from ..other_agents import Others


class Lot(ABC):
    """The draw of a rule; a rule that does not draw divides its pools and asks for nothing here.

    Attributes:
        draws: whether chance decides who gets something back.
    """

    draws: ClassVar[bool] = False

    @abstractmethod
    def among(self, agents: int) -> int:
        """By what a pool is divided for so many agents; if the rule draws, so many win."""

    def draw(self, agents: Sequence[str], reported_cost: Floats, seed: int) -> tuple[Ints, Bools]:
        """The group of each agent (−1: none) and whether it won, where the rule draws."""
        won = np.zeros(len(agents), np.bool_)
        won[draw_order(agents, seed)[: self.among(len(agents))]] = True
        return np.full(len(agents), -1, np.int64), won

    def winners(self, reported_cost: Floats, rng: np.random.Generator) -> Ints:
        """The positions of those that win one draw at random."""
        agents = [f"agent-{k + 1}" for k in range(len(reported_cost))]
        return np.flatnonzero(self.draw(agents, reported_cost, int(rng.integers(2**63)))[1])

    def chances(self, said: ArrayLike, reported_cost: ArrayLike) -> Floats:
        """How likely agent i wins that alone reports ``said[i, k]``; as `win_probability_if`.

        As likely as all others, unless the rule goes by reports.
        """
        said, reports = floats(said), floats(reported_cost)
        n = reports.shape[-1]
        return np.full(np.broadcast_shapes(said.shape, (*reports.shape, 1)), self.among(n) / n)

    def chance_against(self, report: ArrayLike, others: Others) -> Floats:
        """The same of each report of one more agent among others."""
        said = floats(report)
        reports = np.append(others.reported_cost, 1.0)  # its own, which decides nothing
        return floats(self.chances(said.reshape(1, -1), reports)[-1].reshape(said.shape))

    def chance_among(self, report: ArrayLike, costs: CostDistribution, agents: int) -> Floats:
        """The same for an agent that only knows how the costs of all others are distributed."""
        return np.full(np.shape(report), self.among(agents) / agents)

    def wins_at_quantile(self, part: float, attackers: int, agents: int) -> float | None:
        """How often agents win together that report this quantile of costs, all others honest.

        None where no formula is known.
        """
        return None

    def middle_winner(self, agents: int) -> Floats | None:
        """How likely the winner in the middle of all has the lowest report, the next, ...

        Of two in the middle it is the lower; None where no formula is known.
        """
        return None
