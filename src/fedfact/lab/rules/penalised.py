"""Penalised federated learning (PFL): the free-rider penalty of Eq. 4, and nothing else."""

import numpy as np

from ...arrays import Floats
from ...mechanism import federated_optimum, free_rider_penalty, penalty_slope, penalty_weight
from ...mechanism.search import least_of_each
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table

_HALVINGS = 50
_NOTHING = 1e-12  # of the true cost: what an agent reports that uses no data, for P_fr ~ √c


class Penalised(GameRule):
    """Eq. 5 and 9: m* is best for those who report the truth, and the truth is not best."""

    name = "penalised"
    title = "PFL, penalty only"
    source = "FACT, Eq. 4 to 9"
    needs = "true costs, verified samples"
    priced = True

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """e(M) and P_fr(m, c), c the reported cost."""
        alpha = float(table.terms.alpha)
        penalty = free_rider_penalty(samples, table.others[..., None], said, table.curve, alpha)
        return Deal(table.error(table.others_used[..., None] + used), penalty, used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 3: m* where the report is true; otherwise by search."""
        around = table.curve.optimum(np.maximum(cost, said))
        truthful = table.curve.optimum(cost)
        if np.array_equal(cost, said):
            return truthful

        def loss(samples: Floats) -> Floats:
            return self.losses_if(table, cost, said[..., None], samples)

        ends = around * 1e-3, np.maximum(truthful, table.curve.optimum(said)) * 10
        return np.where(said == cost, truthful, least_of_each(loss, *ends, 5))

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The report that brings the penalty to nothing; there is one for any samples.

        P_fr is a square, zero where m = x + g/(2λ), x = m*(c) (Lemma 1). With A/m that is a square
        equation, g/(2λ) = (2−α)·x(x+S)/(2x+S); with other curves x is found by halving, between
        m/(1 + (2−α)/b) and m/(1 + (2−α)/(1+b)). For m = 0 the penalty only tends to zero as c does.
        """
        curve, S, alpha = table.curve, table.others, float(table.terms.alpha)
        b, slack = curve.exponent, 2 - alpha
        if b == 1:
            quadratic, linear = 2 + slack, (1 + slack) * S - 2 * samples
            root = np.sqrt(linear**2 + 4 * quadratic * samples * S)
            x = (-linear + root) / (2 * quadratic)
        else:
            low, high = samples / (1 + slack / b), samples / (1 + slack / (1 + b))
            for _ in range(_HALVINGS):
                x = (low + high) / 2
                said = curve.fitting_cost(x)
                with np.errstate(divide="ignore", invalid="ignore"):
                    beyond = penalty_slope(said, S, curve) / penalty_weight(said, S, curve, alpha)
                below = x + beyond / 2 < samples
                low, high = np.where(below, x, low), np.where(below, high, x)
        with np.errstate(divide="ignore"):
            return np.where(x > 0, curve.fitting_cost(x), _NOTHING * cost)

    def crowds(self, lies: bool) -> bool:
        """A lie makes it plain federated learning."""
        return lies

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """As if there were no rule (Thm 2), with the report that brings the penalty to nothing."""
        samples = federated_optimum(cost, table.others_used, table.curve)
        return self.best_report(table, cost, samples, belief), samples
