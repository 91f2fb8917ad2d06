"""Without a mechanism: every agent alone, and plain federated learning (Thm 1 and 2)."""

import numpy as np

from ...arrays import Floats
from ...mechanism import federated_optimum, local_optimum
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
        """A/m."""
        with np.errstate(divide="ignore"):
            return Deal(table.scale / used, np.zeros(1), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 1: m*."""
        return local_optimum(cost, table.scale)


class PlainFederated(_Free):
    """Federated learning with no rule at all (Eq. 3): everybody gets the model of all."""

    name = "federated"
    title = "plain federated learning"
    source = "McMahan et al. 2017; FACT, Eq. 3"

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """A/M."""
        with np.errstate(divide="ignore"):
            return Deal(table.scale / (table.others_used[..., None] + used), np.zeros(1), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """Thm 2: max(0, m* − S)."""
        return federated_optimum(cost, table.others_used, table.scale)

    def crowds(self, lies: bool) -> bool:
        """Thm 2."""
        return True
