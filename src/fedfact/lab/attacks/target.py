"""A table of honest agents that some attack, and what is seen of it before and after.

Attackers are the first agents of each population.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Floats, Ints, floats
from ...mechanism.search import least_of_each
from ..game.observed import Observed, observe
from ..game.rule import GameRule
from ..game.table import Table
from ..setting import Setting

_FEW, _FEWEST, _COSTS = 200, 20, 20_000
"""Populations on which attackers try out what to do, and where: fewer, if costs are more in all."""


@dataclass(frozen=True, eq=False)
class Target:
    """A rule, populations of costs (rows), and the table at which all are honest.

    ``start`` is that table where honest agents do not use what the rule asks for, given the costs.
    """

    rule: GameRule
    setting: Setting
    cost: Floats
    seed: int = 0
    start: Table | None = None

    @cached_property
    def honest(self) -> Table:
        """Everybody tells the truth and uses what the rule then asks for."""
        if self.start is not None:
            return self.start
        return self.setting.table(self.cost, self.rule.agreed(self.setting.terms, self.cost))

    @cached_property
    def before(self) -> Observed:
        """What is seen of it."""
        return observe(self.rule, self.honest, self.cost)

    def few(self) -> "Target":
        """A few of the populations, from all over them."""
        count = max(_FEWEST, min(_FEW, _COSTS // self.cost.shape[-1]))
        return Target(self.rule, self.setting, self._every(count), self.seed)

    @cached_property
    def ranked(self) -> "Target":
        """The same few, with agents in the order of their costs."""
        cost = np.sort(self._every(min(_FEW, _COSTS // self.cost.shape[-1])), axis=-1)
        return Target(self.rule, self.setting, cost, self.seed)

    def in_order(self, order: Ints) -> "Target":
        """The same agents in another order."""
        table = self.honest.then(self.cost[:, order], self.honest.samples[:, order])
        return Target(self.rule, self.setting, self.cost[:, order], self.seed, table)

    def _every(self, count: int) -> Floats:
        step = max(1, len(self.cost) // max(1, count))
        return self.cost[::step][: max(1, count)]

    def alone(self, attackers: int) -> Floats:
        """What so many attackers would bear alone, together: what their gain is a part of."""
        return floats(self.setting.alone(self.cost[:, :attackers]).sum(axis=-1))

    def with_attackers(self, said: Floats, samples: Floats, used: Floats | None = None) -> Table:
        """The table at which the first agents do this instead; a column for each."""
        a = said.shape[-1]
        table = self.honest
        reports, told, real = (part.copy() for part in (table.reports, table.samples, table.used))
        reports[..., :a], told[..., :a] = said, samples
        real[..., :a] = samples if used is None else used
        return table.then(reports, told, real)


@dataclass(frozen=True, eq=False)
class After:
    """What attackers bear together (one number a population), and what is seen of the others.

    Attributes:
        others: the columns of honest agents in what is observed.
        said: what attackers that stay who they are report, where that is one thing.
        sampled: whether one draw stands for all that there are.
    """

    borne: Floats
    observed: Observed
    others: slice
    wins: Floats | None = None
    said: Floats | None = None
    sampled: bool = False


Attack = Callable[[Target], After | None]
"""None where the attack makes no sense under a rule."""


def played(target: Target, table: Table, attackers: int) -> After:
    """After an attack by agents that stay who they are."""
    said = table.reports[..., :attackers]
    return replace(of_attackers(observe(target.rule, table, target.cost), attackers), said=said)


def of_attackers(observed: Observed, attackers: int) -> After:
    """What is observed, told of so many attackers that stay who they are."""
    wins = None if observed.wins is None else floats(observed.wins[..., :attackers].sum(axis=-1))
    borne = floats(observed.loss[..., :attackers].sum(axis=-1))
    return After(borne, observed, slice(attackers, None), wins)


def best_part(share: Callable[[float], Floats]) -> float:
    """The part of m* that is best for attackers on average, by search; ``share``: what they bear.

    As parts of the loss alone, so that no population counts for more than another.
    """

    def mean(parts: Floats) -> Floats:
        return floats([[share(float(part)).mean() for part in parts[0]]])

    return float(least_of_each(mean, floats([1e-4]), floats([4.0]), 6, 33, 9)[0])


def choose(way: Floats, ways: list[Floats]) -> Floats:
    """Of each population the rows of the way that it takes."""
    return floats(np.stack(ways)[way, np.arange(len(way))])
