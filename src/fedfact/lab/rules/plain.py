"""Without a mechanism: every agent alone, and plain federated learning (Thm 1 and 2)."""

import numpy as np

from ...arrays import Floats
from ...mechanism import federated_optimum
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table


class _Free(GameRule):
    """No rule at all: nobody asks for anything."""

    needs = "nothing"
    asks = False

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """Nobody asks."""
        return cost


class Local(_Free):
    """Training alone (Eq. 2)."""

    name = "local"
    title = "training alone"
    source = "FACT, Eq. 2"
    federates = False

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """e(m)."""
        return Deal(table.error(used), np.zeros(1), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 1: m*."""
        return table.true_curve.optimum(cost)


class PlainFederated(_Free):
    """Federated learning with no rule at all (Eq. 3): everybody gets the model of all."""

    name = "federated"
    title = "plain federated learning"
    source = "McMahan et al. 2017; FACT, Eq. 3"

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """e(M)."""
        return Deal(table.error(table.others_used[..., None] + used), np.zeros(1), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 2: max(0, m* − S)."""
        return federated_optimum(cost, table.others_used, table.true_curve)

    def crowds(self, lies: bool) -> bool:
        """Thm 2."""
        return True
