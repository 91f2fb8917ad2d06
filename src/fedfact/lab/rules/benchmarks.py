"""What is possible at best: the first best, and the Groves rule that gets there by payments.

Neither is a rule to sign. Errors cost all agents alike, so the least that all can bear together is
what the cheapest data costs, used for all of them:

    W(c) = min over x of n·e(x) + c·x,    c the lowest cost.

The first best is just that, in equal parts, by an operator who knows all costs and whom all obey. A
Groves rule leaves agent i with W(lowest report) − h_i, h_i free of its own report, so that the
truth is dominant; VCG is one of them. Here h_i = W(y₁) − W(y₂)/(n − 2), y₁ ≤ y₂ the lowest reports
of the others, with which the operator never pays. All data comes from one agent.
"""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import Curve, Terms
from ..game.rule import Deal
from ..game.table import Table
from .sale import Sale


class _OneForAll(Sale):
    """The agent with the lowest report uses what is best for all."""

    gives_model = True
    benchmark = True
    jobs = 1

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """The model of the chosen agent, for all. Ties are broken by lot; this is the mean."""
        of_all, lowest = table.curve.times(table.n), table.of_others(0)[..., None]
        chosen, mine, another = self.chosen(table, said), *map(of_all.optimum, (said, lowest))
        error = chosen * table.error(mine) + (1 - chosen) * table.error(another)
        paid = self.paid(table, said, chosen, of_all)
        return Deal(error, paid, chosen * mine + 0 * paid)

    def paid(self, table: Table, said: Floats, chosen: Floats, of_all: Curve) -> Floats:
        """What each pays."""
        raise NotImplementedError

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """The job."""
        return table.curve.times(table.n).optimum(said)

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """The job, for whoever is chosen."""
        return terms.curve.times(floats(reports).shape[-1]).optimum(reports)


class FirstBest(_OneForAll):
    """The least that all can bear together, in equal parts."""

    name = "first-best"
    title = "first best (benchmark)"
    needs = "true costs, and that all obey"
    federates = False
    asks = False

    def paid(self, table: Table, said: Floats, chosen: Floats, of_all: Curve) -> Floats:
        """What makes up a part of W for each."""
        cost = np.minimum(said, table.of_others(0)[..., None])
        job = of_all.optimum(cost)
        return of_all.least_loss(cost) / table.n - table.curve.error(job) - chosen * said * job


class Groves(_OneForAll):
    """Truth is dominant, the cheapest agent uses what is best for all, the operator never pays."""

    name = "vcg"
    title = "VCG (benchmark)"
    source = "Vickrey 1961, Clarke 1971, Groves 1973"
    needs = "bids, verified samples"
    least = 3

    def paid(self, table: Table, said: Floats, chosen: Floats, of_all: Curve) -> Floats:
        """What the others bear, by what they report, less h."""
        lowest, second = (table.of_others(k)[..., None] for k in (0, 1))
        mine, another = table.curve.error(of_all.optimum(said)), of_all.least_loss(lowest)
        rest = another - table.curve.error(of_all.optimum(lowest))
        h = another - of_all.least_loss(second) / (table.n - 2)
        return chosen * (table.n - 1) * mine + (1 - chosen) * rest - h
