"""A rule of our settlements as a game: what the mechanism's own object says, in real numbers."""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import Curve, Rule, Standing, Terms
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table, without_own

FARTHEST = 1e8
"""Times the median cost, or its inverse: no report is farther from it to win or lose on purpose."""


class SettledRule(GameRule):
    """Any rule that terms can name, or an object of one's own, played by its own formulas."""

    needs = "verified samples, reports"
    least = 3
    priced = True

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.name = rule.name
        self.title = rule.title
        self.source = rule.source
        self.lottery = rule if rule.draws else None
        self.knows_sizes = rule.knows_sizes

    def own_curve(self, table: Table) -> Curve:
        """As the rule prices an agent's samples, whatever the others do."""
        if table.size is None:
            return self.rule.own_curve(table.curve, 1, table.n)
        return self.rule.own_curve(table.curve, table.size, table.size.sum())

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """What is best by that curve."""
        own = self.rule.own_curve(terms.curve, 1, floats(reports).shape[-1])
        return own.optimum(reports)

    def prize(self, table: Table, samples: Floats) -> Floats:
        """What agent i gets from its pool, if it gets any: nothing that i does changes it."""
        errors, S = without_own(self.own_curve(table).error(table.samples)), table.others

        def pool(size: int, total: int | None = None) -> Floats:
            return self.rule.pool_in_reals(errors, S, Standing(table.n, size, total), table.curve)

        if table.size is None:
            pools = pool(1)
        else:
            total = int(table.size.sum())
            pools = sum((table.size == u) * pool(int(u), total) for u in np.unique(table.size))
        return self.rule.part_of(floats(pools)[..., None], table.n, table.terms)

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """e(M); the fee (Alg. 2) and the charge, less the prize by the chance to get it."""
        size, own = 1 if table.size is None else table.size[:, None], self._own_each(table)
        fee = own.error(samples) - size * table.curve.error(table.others[..., None] + samples)
        charge = self.rule.charge_in_reals(samples, said, table.terms, own)
        back = self.chance(table, said) * self.prize(table, samples)
        error = table.error(table.others_used[..., None] + used)
        return Deal(error, fee + charge - back, used)

    def _own_each(self, table: Table) -> Curve:
        """The same curve, for each thing that an agent may do."""
        own = self.own_curve(table)
        return own if table.size is None else Curve(floats(own.error_scale)[:, None], own.exponent)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """As the rule says: nothing that others do moves them."""
        return self.rule.best_samples(cost, said, table.terms, self.own_curve(table))

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """As the rule says where nothing is drawn, or one takes oneself for the median (Thm 5).

        Who knows the distribution says what wins most often where all others say its median; who
        knows all reports goes by what it would then pay and get, among reports that may be best.
        """
        alone = self.rule.best_report(cost, samples, table.terms, self.own_curve(table))
        if self.lottery is None or belief.knows == "own":
            return alone
        if belief.knows == "distribution":
            median = np.full_like(cost, belief.median)
            tries = np.stack([alone, median], axis=-1)
            return _best(tries, self.lottery.chances(tries, median))
        tries = np.stack([alone, *reports_to_try(table, belief.median)], axis=-1)
        chance = np.round(self.lottery.chances(tries, table.reports), 12)
        own = self._own_each(table)
        charge = self.rule.charge_in_reals(samples[..., None], tries, table.terms, own)
        return _best(tries, chance * self.prize(table, samples[..., None]) - charge)


def reports_to_try(table: Table, median: float) -> list[Floats]:
    """What agents may best say that know all reports, if only ranks and ties decide who wins.

    What they say now; the middle of the others and the gaps beside all that report it, where the
    median of a group is most likely found; beyond all others. Agents that all go beyond each other
    find no end, and stop `FARTHEST` from the median cost: who finds others there already goes to
    the other end.
    """
    n, reports = table.n, table.reports
    middle = table.of_others((n - 1) // 2)
    below, equal = (part[..., 0] for part in table.below(middle[..., None]))
    left = np.where(below > 0, table.of_others(below - 1), middle)
    right = np.where(below + equal < n - 1, table.of_others(below + equal), middle)
    highest, lowest = (
        np.broadcast_to(end(reports, axis=-1, keepdims=True), reports.shape)
        for end in (np.max, np.min)
    )
    return [
        reports,
        middle,
        (left + middle) / 2,
        (middle + right) / 2,
        np.minimum(2 * highest, FARTHEST * median),
        np.maximum(lowest / 2, median / FARTHEST),
    ]


def _best(tries: Floats, score: Floats) -> Floats:
    """Of each agent the first of those tried whose score is highest."""
    best = score.argmax(axis=-1)[..., None]
    return floats(np.take_along_axis(tries, best, -1)[..., 0])
