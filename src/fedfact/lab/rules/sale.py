"""What auctions and benchmarks have in common: bids decide who works, and contracts hold them."""

import numpy as np

from ...arrays import Floats
from ..game.rule import Belief, GameRule
from ..game.table import Table


class Sale(GameRule):
    """The lowest bids are chosen, as many as there are jobs, and the chosen do their job."""

    jobs: int

    def chosen(self, table: Table, said: Floats) -> Floats:
        """How likely each bid is among the lowest."""
        below, equal = table.below(said)
        return np.clip((self.jobs - below) / (equal + 1), 0, 1)

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The truth, whatever others bid."""
        return cost
