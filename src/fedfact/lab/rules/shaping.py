"""Accuracy shaping (Karimireddy, Guo and Jordan 2022): no money, a worse model for less data.

An agent is offered the error e(m) up to its m*, from there a line that falls by c + ε a sample,
just more than a sample costs, and at best the error e(M) of all data. So it uses data up to m_max,
where the line meets e(M):

    m_max solves  e(m*) − (c + ε)·(m − m*) = e(m + S).

For the paper's curve A/m and ε → 0 all of it together is M = P + √(P² − Q), P = Σm*, Q = Σm*², and
m = 2m* − m*²/M. For other curves both are found by Newton's method, which comes from above and
cannot pass the root, since both sides are convex.
"""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import Curve, Terms
from ..game.rule import Belief, Deal, GameRule
from ..game.table import Table

EXTRA = 1e-6
"""ε/c: what the line falls by beyond the cost; without it agents would not care where to stop."""

_EXACT = 1e-15
_STEPS = 60
"""Of Newton's method at most; it takes so many only where nobody else has data."""

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
        """The shaped error, never below e(M); no money."""
        all_data = table.error(table.others_used[..., None] + used)
        return Deal(
            np.maximum(all_data, shaped_error(samples, said, table.curve)), np.zeros(1), used
        )

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """m_max, or what plain federated learning asks for if more; m* if the report is too low."""
        most = most_samples(said, table.others, table.curve)
        alone = table.curve.optimum(cost)
        enough = np.maximum(most, alone - table.others)
        return np.where(said * (1 + EXTRA) >= cost, enough, np.minimum(alone, most))

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """The one equilibrium of agents that report the truth."""
        return shaped_equilibrium(terms.curve.optimum(reports), terms.curve.exponent)


def shaped_error(samples: Floats, said: Floats, curve: Curve) -> Floats:
    """e(m) up to m*, then a line that falls by (1 + `EXTRA`)·c a sample; not below 0."""
    alone = curve.optimum(said)
    line = curve.error(alone) - (1 + EXTRA) * said * (samples - alone)
    return np.where(samples <= alone, curve.error(samples), np.maximum(line, 0))


def most_samples(said: Floats, others: Floats, curve: Curve) -> Floats:
    """m_max: 1 − kb·(y − 1) = (y + s)^(−b) for y = m_max/m*, s = S/m*, k = 1 + `EXTRA`."""
    alone, b, k = curve.optimum(said), curve.exponent, 1 + EXTRA
    s = others / alone
    if b != 1:
        y = 1 + 1 / (k * b) + np.zeros_like(s)
        for _ in range(_STEPS):
            there = (y + s) ** -b
            step = (1 - k * b * (y - 1) - there) / (b * there / (y + s) - k * b)
            y = y - step
            if np.all(np.abs(step) <= _EXACT * y):
                break
        return floats(alone * y)
    half = 1 + k - k * s
    root = np.sqrt(np.maximum(half**2 + 4 * k * ((1 + k) * s - 1), 0))
    # The larger root; where half < 0 in the form that does not cancel.
    with np.errstate(invalid="ignore", divide="ignore"):
        y = np.where(half >= 0, (half + root) / (2 * k), 2 * ((1 + k) * s - 1) / (root - half))
    return floats(alone * y)


def shaped_equilibrium(alone: Floats, exponent: float = 1) -> Floats:
    """What all use where each uses m_max: one equation for M, then m = m*(1 + (1 − e(M)/e(m*))/kb).

    For A/m it is a square equation.
    """
    b, k = exponent, 1 + EXTRA
    P = (1 + 1 / (k * b)) * alone.sum(axis=-1, keepdims=True)
    if b == 1:
        Q = (alone**2).sum(axis=-1, keepdims=True) / k
        M = (P + np.sqrt(np.maximum(P**2 - 4 * Q, 0))) / 2
        return floats(alone + (alone - alone**2 / M) / k)
    Q, M = (alone ** (1 + b)).sum(axis=-1, keepdims=True) / (k * b), P
    for _ in range(_STEPS):
        step = (P - Q * M**-b - M) / (b * Q * M ** (-b - 1) - 1)
        M = M - step
        if np.all(np.abs(step) <= _EXACT * M):
            break
    return floats(alone * (1 + (1 - (alone / M) ** b) / (k * b)))
