"""FACT rebate, our other rule: fee B, charge Q for data that does not fit the report, rebate H."""

from typing import ClassVar

import numpy as np

from ..mechanism import effective_fee
from ..mechanism.arrays import Floats, floats
from .rule import Belief, Deal, Rule
from .table import Table


class Rebate(Rule):
    """The truth and m* are strictly dominant (docs/theory.md)."""

    name: ClassVar[str] = "rebate"
    title: ClassVar[str] = "FACT rebate"
    source: ClassVar[str] = "ours, docs/theory.md"
    needs: ClassVar[str] = "verified samples, reports"
    least: ClassVar[int] = 3

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """A/M; B + κ(√(A/m) − √(c·m))² − (1−ρ)·pool/(n−1)."""
        A, kappa = table.scale, float(table.terms.consistency)
        with np.errstate(divide="ignore"):
            charge = kappa * (np.sqrt(A / samples) - np.sqrt(said * samples)) ** 2
            error = A / (table.others_used[..., None] + used)
        back = (1 - float(table.terms.retention)) * table.pool[..., None] / (table.n - 1)
        return Deal(error, effective_fee(samples, table.others[..., None], A) + charge - back, used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """√((1+κ)A/(c_i + κc)): m* where the report is true."""
        kappa = float(table.terms.consistency)
        return floats(np.sqrt((1 + kappa) * table.scale / (cost + kappa * said)))

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The cost that fits the samples, A/m², for which there is no charge."""
        return cost if table.terms.consistency == 0 else floats(table.scale / samples**2)
