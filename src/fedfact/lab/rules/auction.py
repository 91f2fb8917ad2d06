"""A reverse auction: the server buys k equal jobs from the k lowest bids, at the next bid.

The representative of a family (Le et al. 2020, Zhou et al. 2021, FedAB: Wu et al. 2023), which have
in common that agents bid a cost, low bids are chosen, and the chosen are paid their critical bid.
As there, agents sell work for money and the model is the server's; each trains alone for itself
besides. (If the model were a winner's only, a bid would have to weigh it, and the cost would not be
the best bid; if it were everybody's, nothing in this file would change but a constant.)
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...errors import InputError
from ...mechanism import Terms
from ..game.rule import Deal
from ..game.table import Table
from .sale import Sale


@dataclass(frozen=True)
class Auction(Sale):
    """Vickrey's auction of ``jobs`` jobs of ``size`` samples: truthful in dominant strategies."""

    name = "auction"
    title = "reverse auction"
    source = "Vickrey 1961; Le et al. 2020, Zhou et al. 2021, Wu et al. 2023"
    needs = "bids, verified samples, a purse"
    gives_model = False
    purse = True

    jobs: int
    size: float

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """The chosen are paid the lowest bid that was not, a sample.

        Ties are broken by lot, and this is the expectation: who is chosen is then paid its own bid,
        so that nothing hangs on the lot for an agent that bids its cost.
        """
        if table.n <= self.jobs:
            raise InputError(
                f"{self.jobs} jobs need {self.jobs + 1} bidders, and there are {table.n}; "
                "auction fewer jobs"
            )
        chosen = self.chosen(table, said)
        price = table.of_others(self.jobs - 1)[..., None]
        return Deal(
            np.zeros(1),
            -chosen * price * np.minimum(samples, self.size),
            chosen * np.minimum(used, self.size),
        )

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """The job, which a contract binds the chosen to."""
        return np.full_like(cost, self.size)

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """The job."""
        return np.full_like(floats(reports), self.size)
