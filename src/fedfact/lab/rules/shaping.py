"""Accuracy shaping (Karimireddy, Guo and Jordan 2022): no money, a worse model for who uses less.

An agent is offered the error A/m up to its m*, from there a line that falls by c + ε a sample, just
more than a sample costs, and at best the error A/M of all data. So it uses data up to m_max, where
the line meets A/M. In our notation, with b = 1 + ε/c:

    m_max solves  A/m* − b·c·(m − m*) = A/(m + S).

As ε → 0 all of it together: M = P + √(P² − Q), P = Σm*, Q = Σm*², and m = 2m* − m*²/M.
"""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import Terms, local_optimum
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table

EXTRA = 1e-6
"""ε/c: what the line falls by beyond the cost; without it agents would not care where to stop."""

BEYOND = 1e8
"""Times the true cost: a report so high that the rule hardly asks for data."""


class Shaped(GameRule):
    """What all rules have in common that ask for the more data the less it is said to cost."""

    def best_report(self, table: Table, cost: Floats, samples: Floats, belief: Belief) -> Floats:
        """So high a cost that the rule gives the whole model for next to no data."""
        return BEYOND * cost

    def crowds(self, lies: bool) -> bool:
        """A lie makes it plain federated learning."""
        return lies

    def reply(self, table: Table, cost: Floats, belief: Belief) -> tuple[Floats, Floats]:
        """As if there were no rule (Thm 2), by reporting a cost that it takes for an excuse."""
        said = self.best_report(table, cost, cost, belief)
        return said, self.best_samples(table, cost, said)


class Shaping(Shaped):
    """The most data that any rule collects without money and without a loss to anybody."""

    name = "shaping"
    title = "accuracy shaping"
    source = "Karimireddy, Guo and Jordan 2022"
    needs = "true costs, verified samples"

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """The shaped error, never below A/M; no money."""
        A = table.scale
        with np.errstate(divide="ignore"):
            all_data = A / (table.others_used[..., None] + used)
        return Deal(np.maximum(all_data, shaped_error(samples, said, A)), np.zeros(1), used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """m_max, or what plain federated learning asks for if more; m* for who reports too low."""
        most = most_samples(said, table.others, table.scale)
        alone = local_optimum(cost, table.scale)
        enough = np.maximum(most, alone - table.others)
        return np.where(said * (1 + EXTRA) >= cost, enough, np.minimum(alone, most))

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """The one equilibrium of agents that report the truth."""
        return shaped_equilibrium(local_optimum(reports, float(terms.required_error_scale)))


def shaped_error(samples: Floats, said: Floats, A: float) -> Floats:
    """A/m up to m*, then a line that falls by (1 + `EXTRA`)·c a sample; not below 0."""
    alone = local_optimum(said, A)
    with np.errstate(divide="ignore"):
        early = A / samples
    line = A / alone - (1 + EXTRA) * said * (samples - alone)
    return np.where(samples <= alone, early, np.maximum(line, 0))


def most_samples(said: Floats, others: Floats, A: float) -> Floats:
    """m_max: (1 + b − b·y)(y + s) = 1 for y = m_max/m*, s = S/m*, b = 1 + `EXTRA`."""
    alone, b = local_optimum(said, A), 1 + EXTRA
    s = others / alone
    half = 1 + b - b * s
    root = np.sqrt(np.maximum(half**2 + 4 * b * ((1 + b) * s - 1), 0))
    # The larger root; where half < 0 in the form that does not cancel.
    with np.errstate(invalid="ignore", divide="ignore"):
        y = np.where(half >= 0, (half + root) / (2 * b), 2 * ((1 + b) * s - 1) / (root - half))
    return floats(alone * y)


def shaped_equilibrium(alone: Floats) -> Floats:
    """What all use where each uses m_max: a quadratic for M, and then m = m* + (m* − m*²/M)/b."""
    b = 1 + EXTRA
    P = (1 + 1 / b) * alone.sum(axis=-1, keepdims=True)
    Q = (alone**2).sum(axis=-1, keepdims=True) / b
    M = (P + np.sqrt(np.maximum(P**2 - 4 * Q, 0))) / 2
    return floats(alone + (alone - alone**2 / M) / b)
