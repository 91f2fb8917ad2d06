"""A rule of our settlements as a game: what the mechanism's own object says, in real numbers."""

import numpy as np

from ...arrays import Floats
from ...mechanism import Rule, effective_fee, local_optimum
from ...mechanism.best_response import least_of_each
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table

_REACH = 1e6
"""Times the truth, and its inverse: how far the best report and samples are looked for."""


class SettledRule(GameRule):
    """Any rule that terms can name, played by its own formulas; what is best is found by search.

    `Sandwich` and `Rebate` know what is best in closed form.
    """

    needs = "verified samples, reports"
    least = 3

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.name = rule.name
        self.title = f"FACT {rule.name}"
        self.source = "ours"
        self.draws = rule.draws

    def back(self, table: Table, said: Floats, samples: Floats) -> Floats:
        """What agent i gets back from the pool of the others."""
        return self.rule.part_of(table.pool[..., None], table.n, table.terms)

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """A/M; the fee B (Alg. 2) and the charge, less what is given back."""
        fee = effective_fee(samples, table.others[..., None], table.scale)
        charge = self.rule.charge_in_reals(samples, said, table.terms)
        with np.errstate(divide="ignore"):
            error = table.scale / (table.others_used[..., None] + used)
        return Deal(error, fee + charge - self.back(table, said, samples), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """m* where nothing is charged for; otherwise by search."""
        m_star = local_optimum(cost, table.scale)
        if not self.rule.charges:
            return m_star

        def loss(samples: Floats) -> Floats:
            return self.losses_if(table, cost, said[..., None], samples)

        return least_of_each(loss, m_star / _REACH, m_star * _REACH)

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The truth, unless another report is charged less for these samples."""
        if not self.rule.charges:
            return cost

        def charge(said: Floats) -> Floats:
            return self.rule.charge_in_reals(samples[..., None], said, table.terms)

        best = least_of_each(charge, cost / _REACH, cost * _REACH)
        gains = charge(best[..., None]) < charge(cost[..., None])
        return np.where(gains[..., 0], best, cost)
