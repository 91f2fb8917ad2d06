"""The table: what everybody said and used, and what each agent is faced with by the others.

Arrays end in an axis of n agents; axes before it are populations apart from each other. A question
"what if agent i alone ..." has one axis more, for the things it may do; of what all may do alike,
one row is enough. So every rule is one formula, for outcomes, replies and learners.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev

from ...arrays import IN_RANGE, LARGEST, SMALLEST, ArrayLike, Floats, floats
from ...errors import InputError
from ...mechanism import Curve, Terms, others_below

_DEGREES = 10, 80
"""Of the polynomial that stands for a sum over all others: for nearly one total, and at most."""

_DEGREES_PER_E = 20
"""More of them where the largest total is so many times e as large as the least."""


Term = Callable[[Floats, Floats, Floats], Floats]
"""What an agent adds to a sum, from the total of samples, its own samples and its report."""


@dataclass(frozen=True, eq=False)
class Table:
    """One round of play.

    Attributes:
        samples: what the rule is told that each agent used, and goes by.
        used: what each put into the model; less, where nobody verifies.
        won: who won a draw; None for expectations over all draws.
        truth: the curve that errors follow; None: that of the terms.
        size: u_i, whole numbers, one row for all populations; None: all alike, 1.
    """

    terms: Terms
    reports: Floats
    samples: Floats
    used: Floats
    won: Floats | None = None
    truth: Curve | None = None
    size: Floats | None = None

    @classmethod
    def of(
        cls, terms: Terms, reports: ArrayLike, samples: ArrayLike, used: ArrayLike | None = None
    ) -> "Table":
        """A table on which everybody used what it said, unless ``used`` says otherwise."""
        told = floats(samples)
        return cls(terms, floats(reports), told, told if used is None else floats(used))

    def then(self, reports: Floats, samples: Floats, used: Floats | None = None) -> "Table":
        """The same agents under the same terms, once they do this."""
        real = samples if used is None else used
        return replace(self, reports=reports, samples=samples, used=real)

    @property
    def n(self) -> int:
        """Number of agents."""
        return int(self.reports.shape[-1])

    @cached_property
    def curve(self) -> Curve:
        """e(m) as the terms have it."""
        return self.terms.curve

    def error(self, samples: Floats) -> Floats:
        """What errors really cost an agent, by the samples (..., n, k) of its model."""
        error = self.true_curve.error(samples)
        return error if self.size is None else self.size[:, None] * error

    @property
    def true_curve(self) -> Curve:
        """e(m) as it is."""
        return self.curve if self.truth is None else self.truth

    @cached_property
    def others(self) -> Floats:
        """S_i = Σ_{j≠i} m_j by what they said."""
        return without_own(self.samples)

    @cached_property
    def others_used(self) -> Floats:
        """S_i by what they used."""
        return self.others if self.used is self.samples else without_own(self.used)

    def below(self, said: Floats) -> tuple[Floats, Floats]:
        """How many of the others report less than each report, and how many the same."""
        return others_below(said, self.reports)

    def of_others(self, rank: Floats | int) -> Floats:
        """The report with this rank among the others of each agent; 0 is the lowest."""
        order = np.argsort(self.reports, axis=-1, kind="stable")
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.broadcast_to(np.arange(self.n), order.shape), -1)
        wanted = np.broadcast_to(np.asarray(rank, np.int64), order.shape)
        wanted = np.clip(wanted + (wanted >= place), 0, self.n - 1)
        return np.take_along_axis(np.sort(self.reports, axis=-1), wanted, -1)

    def sum_over_others(self, term: Term, samples: Floats) -> Floats:
        """Σ_{j≠i} term_j(M') where agent i uses ``samples`` and M' is what all use then.

        The sum is a smooth function of the one number M', and is interpolated (in log M') where
        agents ask for many; so this costs as much as n agents, not as n². The agent with the most
        samples is counted apart: where it asks what less would bring, M' may be below what it uses
        now, and its own term has no meaning there.
        """
        m, c = self.samples[..., None], self.reports[..., None]
        now = m.sum(axis=-2, keepdims=True)
        if samples.shape[-1] == 1 and np.array_equal(samples, m):
            return without_own(term(now, m, c)[..., 0])[..., None]
        total = self.others[..., None] + samples
        low = np.log(np.minimum(total.min(axis=(-2, -1), keepdims=True), now)) - 1e-3
        high = np.log(np.maximum(total.max(axis=(-2, -1), keepdims=True), now)) + 1e-3
        least, most = _DEGREES
        degree = min(most, least + int(_DEGREES_PER_E * (high - low).max()))
        nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
        top = self.samples.argmax(axis=-1)[..., None, None]
        is_top = np.arange(self.n)[:, None] == top
        rest = np.where(is_top, 0, term(np.exp(low + (high - low) * (nodes + 1) / 2), m, c))
        weights = chebyshev.chebvander(nodes, degree).T * (2 / (degree + 1))
        weights[0] /= 2
        coefficients = np.moveaxis(rest.sum(axis=-2) @ weights.T, -1, 0)[..., None, None]
        where = 2 * (np.log(total) - low) / (high - low) - 1
        summed = chebyshev.chebval(where, coefficients, tensor=False)
        m_top, c_top = (np.take_along_axis(part, top, -2) for part in (m, c))
        others = summed - term(total, m, c) + term(total, m_top, c_top)
        return floats(np.where(is_top, summed, others))


def checked(table: Table) -> Table:
    """The table; refused where a report or a number of samples makes no sense."""
    if table.reports.shape != table.samples.shape or not table.reports.size:
        raise InputError(
            f"there are reports {table.reports.shape} and samples {table.samples.shape}; give one "
            "of each for every agent"
        )
    if not np.all((table.reports >= SMALLEST) & (table.reports <= LARGEST)):
        raise InputError(f"a report is not {IN_RANGE}; check the reports")
    if not np.all((table.samples > 0) & np.isfinite(table.samples)):
        raise InputError("a number of samples is not above 0; leave out agents that use none")
    return table


def without_own(each: Floats) -> Floats:
    """Σ_{j≠i}, the sum over all others of each."""
    return floats(each.sum(axis=-1, keepdims=True) - each)
