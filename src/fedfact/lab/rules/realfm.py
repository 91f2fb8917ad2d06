"""RealFM (Bornstein, Bedi, Sahu, Khan and Huang 2023): shaping, and a share of the server's profit.

What a model is worth to an agent is a non-linear payoff φ of its accuracy a, and that is what is
shaped: φ(a_i(m)) = φ(a(m°)) + (c + ε)(m − m°) from the local optimum m° on, up to φ(a(M)). The
server values the model too, and pays agents 1 − p of that value, in proportion to samples.

``worth`` is φ∘a. In the lab all rules have the same agents, to whom a model of m samples is worth
−e(m), and ``worth`` is that; in RealFM's own model it is `Payoff`. Two things differ from the
source: the shaped payoff is exact (the published code has its Taylor polynomial of second order,
under which agents use less data and keep some of the gain), and its slope is c + ε with the share
paid on top (with slope c − r + ε, as we understand the paper, and a rate r that falls in one's own
samples, an agent would stop at m° unless ε is large).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...mechanism import Curve, Terms
from ...mechanism.search import least_of_each
from ..game.rule import Deal
from ..game.table import Table
from .shaping import EXTRA, Shaped, shaped_equilibrium

_LITTLE = 1e-9
"""Of the most that anybody would use alone: where agents begin to whom that is not worth it."""


class Worth(Protocol):
    """What a model is worth to an agent, by the samples it was trained on."""

    def __call__(self, samples: Floats) -> Floats:
        """φ(a(m))."""

    def alone(self, cost: Floats) -> Floats:
        """m°: the samples of an agent by itself, 0 where it is not worth its cost."""


@dataclass(frozen=True)
class Error:
    """−e(m), as everywhere else in the lab."""

    curve: Curve

    def __call__(self, samples: Floats) -> Floats:
        """−e(m)."""
        return -self.curve.error(samples)

    def alone(self, cost: Floats) -> Floats:
        """Thm 1."""
        return self.curve.optimum(cost)


@dataclass(frozen=True)
class Payoff:
    """RealFM's φ(a) = 1/(1−a)² − 1 of a(m) = max(0, a_opt − (√(2k(2 + ln(m/k))) + 4)/√m).

    ``linear`` is the payoff φ(a) = a of accuracy shaping.
    """

    best: float = 0.95
    k: float = 1.0
    linear: bool = False

    def accuracy(self, samples: Floats) -> Floats:
        """a(m): after m samples."""
        m = np.maximum(samples, self.k)
        bound = np.sqrt(2 * self.k * (2 + np.log(m / self.k))) + 4
        return np.where(samples < self.k, 0.0, np.maximum(0, self.best - bound / np.sqrt(m)))

    def __call__(self, samples: Floats) -> Floats:
        """φ(a(m))."""
        a = self.accuracy(floats(samples))
        return a if self.linear else 1 / (1 - a) ** 2 - 1

    def alone(self, cost: Floats) -> Floats:
        """By search, above the samples at which accuracy begins; 0 where that is not worth it."""
        c = floats(cost)

        def loss(samples: Floats) -> Floats:
            return c[..., None] * samples - self(samples)

        best = least_of_each(loss, np.full_like(c, self.k), 1e12 * self.k + 0 * c, 9, 513, 17)
        return np.where(loss(best[..., None])[..., 0] < 0, best, 0.0)


@dataclass(frozen=True)
class RealFM(Shaped):
    """The server keeps ``kept`` of what a model is worth to it beyond one of ``start`` samples."""

    name = "realfm"
    title = "RealFM"
    source = "Bornstein, Bedi, Sahu, Khan and Huang 2023"
    needs = "true costs, verified samples, a profit"
    purse = True

    start: float
    kept: float = 0.5
    payoff: Worth | None = None

    def worth(self, terms: Terms) -> Worth:
        """To an agent of these terms."""
        return Error(terms.curve) if self.payoff is None else self.payoff

    def profit(self, terms: Terms, total: Floats) -> Floats:
        """What a model of all samples is worth to the server."""
        worth = self.worth(terms)
        return np.maximum(worth(total) - worth(floats(self.start)), 0)

    def deal(self, table: Table, said: Floats, samples: Floats, used: Floats) -> Deal:
        """The shaped worth, never above that of all data; less its share of the profit."""
        worth = self.worth(table.terms)
        total = table.others_used[..., None] + used
        alone = worth.alone(said)
        with np.errstate(invalid="ignore"):
            line = worth(alone) + (1 + EXTRA) * said * (samples - alone)
            shaped = np.where(samples <= alone, worth(samples), line)
            part = np.where(samples > 0, samples / (table.others[..., None] + samples), 0)
        share = (1 - self.kept) * self.profit(table.terms, total) * part
        return Deal(-np.minimum(shaped, worth(total)), -share, used)

    def best_samples(self, table: Table, cost: Floats, said: Floats) -> Floats:
        """By search: up to where the shaped worth is that of all data, or on for the share."""
        reach = 100 * self.worth(table.terms).alone(cost) + 10 * (table.others + table.samples)

        def loss(samples: Floats) -> Floats:
            return self.losses_if(table, cost, said[..., None], samples)

        return least_of_each(loss, reach * 1e-12, reach, 16, 49, 7)

    def agreed(self, terms: Terms, reports: ArrayLike) -> Floats:
        """Where all use what is best for them: shaping's equilibrium, and on from there."""
        cost = floats(reports)
        alone = self.worth(terms).alone(cost)
        little = _LITTLE * alone.max(axis=-1, keepdims=True)
        first = np.maximum(alone, np.where(little > 0, little, _LITTLE))
        samples = shaped_equilibrium(first, terms.curve.exponent)
        for _ in range(60):
            table = Table.of(terms, cost, samples)
            now, samples = samples, self.best_samples(table, cost, cost)
            if np.allclose(now, samples, rtol=1e-5, atol=0):
                break
        return samples
