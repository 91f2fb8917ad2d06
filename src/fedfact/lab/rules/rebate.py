"""FACT rebate, our other rule: fee B, charge Q for data that does not fit the report, rebate H."""

import numpy as np

from ...arrays import Floats, floats
from ...mechanism.rules import Rebate as RebateRule
from ..game.rule import Belief
from ..game.table import Table
from .settled import SettledRule


class Rebate(SettledRule):
    """The truth and m* are strictly dominant (docs/theory.md)."""

    def __init__(self) -> None:
        super().__init__(RebateRule())
        self.source = "ours, docs/theory.md"

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """√((1+κ)A/(c_i + κc)): m* where the report is true."""
        kappa = float(table.terms.consistency)
        return floats(np.sqrt((1 + kappa) * table.scale / (cost + kappa * said)))

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The cost that fits the samples, A/m², for which there is no charge."""
        return cost if table.terms.consistency == 0 else floats(table.scale / samples**2)
