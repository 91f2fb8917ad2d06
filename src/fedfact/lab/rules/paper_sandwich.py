"""The paper's own sandwich: the competition of our rule, with another pool."""

import numpy as np

from ...arrays import Floats
from ...mechanism import contract_fee, free_rider_penalty
from ...mechanism.rules import Sandwich
from ..game.rule import Belief
from ..game.table import Table
from .settled import SettledRule


class PaperSandwich(SettledRule):
    """The paper's own pool, Δℓ_j = B_j − P_fr: of what others are said to owe, penalties off."""

    def __init__(self) -> None:
        super().__init__(Sandwich())
        self.name = "sandwich-paper"
        self.title = "FACT sandwich, paper's pool"
        self.source = "FACT, Eq. 10"

    def prize(self, table: Table, samples: Floats) -> Floats:
        """(3/n)·Σ_{j≠i} Δℓ_j, which i's samples move through the total."""

        def fees(total: Floats, m: Floats, c: Floats) -> Floats:
            S = np.maximum(total - m, 0)
            return contract_fee(m, S, c, table.curve, float(table.terms.alpha))

        return 3 / table.n * table.sum_over_others(fees, samples)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """e'(m) + c = P·(3/n)·Σ_{j≠i} dΔℓ_j/dM: to first order in the little that it is above m*.

        Exact where play stands still, since the right side is taken where the table is.
        """
        curve, alpha = table.curve, float(table.terms.alpha)
        S, step = table.others, 1e-6 * table.samples.sum(axis=-1, keepdims=True)
        up, down = (
            free_rider_penalty(table.samples, side, table.reports, curve, alpha)
            for side in (S + step, np.maximum(S - step, 0))
        )
        total = table.samples.sum(axis=-1, keepdims=True)
        slope = curve.fitting_cost(total) - (up - down) / (2 * step)
        pull = self.chance(table, said[..., None])[..., 0] * 3 / table.n
        pull = pull * (slope.sum(axis=-1, keepdims=True) - slope)
        return curve.optimum(np.clip(cost - pull, cost / 9, 9 * cost))

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """The report first: it decides about the samples, a little."""
        said = self.best_report(table, cost, table.samples, belief)
        return said, self.best_samples(table, cost, said)
