"""Penalised federated learning (PFL): the free-rider penalty of Eq. 4, and nothing else."""

import numpy as np

from ...arrays import Floats
from ...mechanism import federated_optimum, free_rider_penalty, local_optimum
from ...mechanism.search import least_of_each
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table

_NOTHING = 1e-12  # of the true cost: what an agent reports that uses no data, for P_fr ~ √c


class Penalised(GameRule):
    """Eq. 5 and 9: m* is best for those who report the truth, and the truth is not best."""

    name = "penalised"
    title = "PFL, penalty only"
    source = "FACT, Eq. 4 to 9"
    needs = "true costs, verified samples"

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """A/M and P_fr(m, c), c the reported cost."""
        A, alpha = table.scale, float(table.terms.alpha)
        penalty = free_rider_penalty(samples, table.others[..., None], said, A, alpha)
        with np.errstate(divide="ignore"):
            return Deal(A / (table.others_used[..., None] + used), penalty, used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 3: m* where the report is true; otherwise by search."""
        around = local_optimum(np.maximum(cost, said), table.scale)
        truthful = local_optimum(cost, table.scale)
        if np.array_equal(cost, said):
            return truthful

        def loss(samples: Floats) -> Floats:
            return self.losses_if(table, cost, said[..., None], samples)

        ends = around * 1e-3, np.maximum(truthful, local_optimum(said, table.scale)) * 10
        return np.where(said == cost, truthful, least_of_each(loss, *ends, 5))

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The report that brings the penalty to nothing; there is one for any samples.

        P_fr is a square, zero where m = x(1 + (2−α)(x+S)/(2x+S)), x = √(A/c). For m = 0 it only
        tends to zero as c does.
        """
        S, slack = table.others, 2 - float(table.terms.alpha)
        a, b = 2 + slack, (1 + slack) * S - 2 * samples
        x = (-b + np.sqrt(b * b + 4 * a * samples * S)) / (2 * a)
        with np.errstate(divide="ignore"):
            return np.where(x > 0, table.scale / x**2, _NOTHING * cost)

    def crowds(self, lies: bool) -> bool:
        """A lie makes it plain federated learning."""
        return lies

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """As if there were no rule (Thm 2), with the report that brings the penalty to nothing."""
        samples = federated_optimum(cost, table.others_used, table.scale)
        return self.best_report(table, cost, samples, belief), samples
