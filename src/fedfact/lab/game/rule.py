"""What a rule is to its players: from what all said and used to what each gets and pays."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...errors import InputError
from ...mechanism import Curve, Rule, Terms
from .table import Table, checked

Knows = Literal["own", "distribution", "all"]
"""What an agent knows of costs: its own, how all costs are distributed, what all others report."""


@dataclass(frozen=True)
class Belief:
    """What an agent goes by when it chooses a report; ``median`` is that of the distribution.

    An agent that knows its own cost only takes itself for the median (Assumption 2).
    """

    knows: Knows
    median: float


@dataclass(frozen=True, eq=False)
class Deal:
    """What an agent gets: the error of its model, what it pays (less what it receives), its work.

    ``used`` are the samples it has to use, in expectation: an auction asks the chosen only.
    """

    error: Floats
    paid: Floats
    used: Floats

    def loss(self, cost: Floats) -> Floats:
        """All that the agent bears: error + c·m + what it pays."""
        return self.error + self.paid + cost * self.used


class GameRule(ABC):
    """A mechanism: it sees reported costs and samples, and never a true cost."""

    name: str
    title: str
    source: str = ""
    needs: str = ""
    """What the server has to know."""
    federates: bool = True
    """Otherwise every agent trains alone, and there is nobody to attack."""
    gives_model: bool = True
    """Otherwise agents only sell, and train alone for themselves besides."""
    asks: bool = True
    """Whether reports matter."""
    lottery: Rule | None = None
    """The rule of the mechanism by whose draw some are paid; None where nothing is drawn."""
    least: int = 1
    """Agents that it needs."""
    knows_sizes: bool = False
    """Whether agents may have sizes."""
    purse: bool = False
    """Whether the server is meant to pay from its own pocket."""
    benchmark: bool = False
    """Not a rule to sign: what would be possible, if data were what it is said to be."""
    priced: bool = False
    """Whether money goes by the curve of the terms, so that a wrong one costs somebody."""

    @property
    def draws(self) -> bool:
        """Whether chance decides who is paid."""
        return self.lottery is not None

    def chance(self, table: Table, said: Floats) -> Floats:
        """How likely each agent is paid with each report, or who was; 1 where nothing is drawn."""
        if table.won is not None:
            return table.won[..., None]
        return np.ones(1) if self.lottery is None else self.lottery.chances(said, table.reports)

    @abstractmethod
    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """What agent i gets where it alone reports and claims and uses this, all others as they do.

        Axes (..., n, k); an expectation over draws, unless the table says who won.
        """

    @abstractmethod
    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Samples (..., n) that are best for an agent of this cost that reports ``said``.

        Others use what they say.
        """

    @abstractmethod
    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The report (..., n) that is best for an agent that uses ``samples``; else the truth."""

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """The report and the samples that are best, all others as they are."""
        samples = self.best_samples(table, cost, cost)
        return self.best_report(table, cost, samples, belief), samples

    def crowds(self, lies: bool) -> bool:
        """Whether data of others takes the place of one's own, with agents that lie or do not."""
        return False

    def own_curve(self, table: Table) -> Curve:
        """What an agent's own samples count for in its errors, by the terms, to be best for it."""
        return table.curve

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """What agents that report this use where all are honest: m*, unless the rule asks else."""
        return terms.curve.optimum(reports)

    def at(self, table: Table) -> Deal:
        """What everybody gets at this table."""
        deal = self.deal(
            table, table.reports[..., None], table.samples[..., None], table.used[..., None]
        )
        shape = table.reports.shape
        return Deal(
            *(
                np.broadcast_to(part, (*shape, 1))[..., 0]
                for part in (deal.error, deal.paid, deal.used)
            )
        )

    def outcome(
        self, terms: Terms, reports: ArrayLike, samples: ArrayLike, seed: int | None = None
    ) -> Deal:
        """From terms, reports, samples and the seed of a draw to each agent's outcome.

        Without a seed: the expectation over all draws. An auction's lots among equal bids are an
        expectation always.
        """
        table = checked(Table.of(terms, reports, samples))
        if table.n < self.least:
            raise InputError(
                f"{self.name} needs {self.least} agents, and there are {table.n}; take more agents"
            )
        if self.lottery is not None and seed is not None:
            agents = [f"agent-{k + 1}" for k in range(table.n)]
            _, won = self.lottery.draw(agents, table.reports, seed)
            table = replace(table, won=floats(won))
        return self.at(table)

    def losses(self, table: Table, cost: Floats) -> Floats:
        """What everybody bears at this table."""
        return self.at(table).loss(cost) + self.besides(table, cost)

    def losses_if(
        self, table: Table, cost: Floats, said: Floats, samples: Floats, used: Floats | None = None
    ) -> Floats:
        """What agent i would bear for each thing it may do, all others as they are."""
        deal = self.deal(table, said, samples, samples if used is None else used)
        loss = deal.loss(cost[..., None]) + self.besides(table, cost)[..., None]
        return loss + np.zeros(np.broadcast_shapes(said.shape, samples.shape))

    def besides(self, table: Table, cost: Floats) -> Floats:
        """What an agent bears outside of the rule: training alone where it gets no model."""
        alone = table.true_curve.least_loss(cost)
        return np.zeros_like(alone) if self.gives_model else alone
