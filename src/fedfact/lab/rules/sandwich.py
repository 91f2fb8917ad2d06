"""FACT's competition: fee B, and the member in the middle of its group of three is rewarded.

With our pool (on B, leaving the winner out, 1/G) and with the paper's (on Δℓ, 3/n; Eq. 10).
"""

from abc import abstractmethod

import numpy as np

from ...arrays import Floats, floats
from ...mechanism import contract_fee, free_rider_penalty, local_optimum
from ...mechanism.rules import Sandwich as SandwichRule
from ..game.rule import Belief
from ..game.table import Table
from .settled import SettledRule

FARTHEST = 1e8
"""Times the median cost, or its inverse: no report is farther from it to lose on purpose."""


class _Sandwich(SettledRule):
    """What both pools have in common."""

    def __init__(self) -> None:
        super().__init__(SandwichRule())

    @abstractmethod
    def prize(self, table: Table, samples: Floats) -> Floats:
        """What agent i receives if it wins, having used ``samples``."""

    def back(self, table: Table, said: Floats, samples: Floats) -> Floats:
        """The prize, by the chance to win it (Lemma 2)."""
        return table.chance(said) * self.prize(table, samples)

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """The truth where one takes oneself for the median (Thm 5); else the median.

        Who knows all reports goes for the middle, or away from it where a winner would have to pay.
        """
        if belief.knows == "own":
            return cost
        if belief.knows == "distribution":
            return np.full_like(cost, belief.median)
        prize = self.prize(table, samples[..., None])[..., 0]
        away = outer_report(table, cost, belief.median)
        return np.where(prize >= 0, middle_report(table, cost), away)

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """The report first: with the paper's pool it decides about the samples, a little."""
        said = self.best_report(table, cost, table.samples, belief)
        return said, self.best_samples(table, cost, said)


class Sandwich(_Sandwich):
    """The rule of our settlements."""

    def __init__(self) -> None:
        super().__init__()
        self.source = "FACT, Alg. 2, with the pool on B"

    def prize(self, table: Table, samples: Floats) -> Floats:
        """The winner's part of its pool: nothing that i does changes it."""
        return self.rule.part_of(table.pool[..., None], table.n, table.terms)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """m*: the agent bears its local loss, less what it cannot change."""
        return local_optimum(cost, table.scale)


class PaperSandwich(_Sandwich):
    """The paper's own pool, Δℓ_j = B_j − P_fr: of what others are said to owe, penalties off."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "sandwich-paper"
        self.title = "FACT sandwich, paper's pool"
        self.source = "FACT, Eq. 10"

    def prize(self, table: Table, samples: Floats) -> Floats:
        """(3/n)·Σ_{j≠i} Δℓ_j, which i's samples move through the total."""

        def fees(total: Floats, m: Floats, c: Floats) -> Floats:
            S = np.maximum(total - m, 0)
            return contract_fee(m, S, c, table.scale, float(table.terms.alpha))

        return 3 / table.n * table.sum_over_others(fees, samples)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """−A/m² + c = P·(3/n)·Σ_{j≠i} dΔℓ_j/dM: to first order in the little that it is above m*.

        Exact where play stands still, since the right side is taken where the table is.
        """
        A, alpha = table.scale, float(table.terms.alpha)
        S, step = table.others, 1e-6 * table.samples.sum(axis=-1, keepdims=True)
        up, down = (
            free_rider_penalty(table.samples, side, table.reports, A, alpha)
            for side in (S + step, np.maximum(S - step, 0))
        )
        slope = A / table.samples.sum(axis=-1, keepdims=True) ** 2 - (up - down) / (2 * step)
        pull = table.chance(said[..., None])[..., 0] * 3 / table.n
        pull = pull * (slope.sum(axis=-1, keepdims=True) - slope)
        return floats(np.sqrt(A / np.clip(cost - pull, cost / 9, 9 * cost)))


def middle_report(table: Table, cost: Floats) -> Floats:
    """The report most likely to win, others' reports known: in the middle of them, or tied there.

    With L below, E tied and U above, the chance goes with (L + E/2)(U + E/2) − E²/12 − E/6: highest
    in a gap in the middle of the others or, where many report one number there, with them or beside
    them. Where truth does as well it is the truth; else what the agent says now.
    """
    n = table.n
    middle = table.of_others((n - 1) // 2)
    below, equal = (part[..., 0] for part in table.below(middle[..., None]))
    left = np.where(below > 0, table.of_others(below - 1), middle)
    right = np.where(below + equal < n - 1, table.of_others(below + equal), middle)
    tries = np.stack(
        [cost, table.reports, middle, (left + middle) / 2, (middle + right) / 2], axis=-1
    )
    return _best(tries, table.chance(tries))


def outer_report(table: Table, cost: Floats, median: float) -> Floats:
    """A report that does not win: the truth, what the agent says now, or beyond all others.

    Agents that all go beyond each other find no end, and stop `FARTHEST` from the median cost: who
    finds others there already goes to the other end.
    """
    highest, lowest = (
        np.broadcast_to(end(table.reports, axis=-1, keepdims=True), cost.shape)
        for end in (np.max, np.min)
    )
    above = np.minimum(2 * highest, FARTHEST * median)
    below = np.maximum(lowest / 2, median / FARTHEST)
    tries = np.stack([cost, table.reports, above, below], axis=-1)
    return _best(tries, -table.chance(tries))


def _best(tries: Floats, score: Floats) -> Floats:
    """Of each agent the first of those tried whose score is highest."""
    best = np.round(score, 12).argmax(axis=-1)[..., None]
    return floats(np.take_along_axis(tries, best, -1)[..., 0])
