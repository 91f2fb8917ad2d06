"""What one agent can expect, given the others, under each rule.

Real numbers, for advice and for finding best responses; the amounts paid are the settlement's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .arrays import ArrayLike, Floats, floats
from .errors import InputError
from .losses import federated_loss, local_loss, penalised_loss
from .terms import Terms
from .winning import win_probability_against

Play = Literal["local", "federated", "penalised", "sandwich", "rebate"]
"""Training alone, federation without a mechanism, with the penalty only (PFL), and FACT's rules."""


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """The other agents, j ≠ i: their samples and reported costs."""

    samples: Floats
    reported_cost: Floats

    def __post_init__(self) -> None:
        if len(self.samples) < 2 or len(self.samples) != len(self.reported_cost):
            raise InputError("give samples and reported_cost of two other agents at least")

    @property
    def total(self) -> float:
        """S = Σ_{j≠i} m_j."""
        return float(self.samples.sum())

    @property
    def n(self) -> int:
        """Number of agents, the one in question included."""
        return len(self.samples) + 1

    def pool(self, error_scale: float) -> float:
        """Σ_{j≠i} A(1/m_j − 1/S): what they put up for agent i, whatever i does."""
        return float((error_scale / self.samples).sum()) - (self.n - 1) * error_scale / self.total


def reward(others: Others, terms: Terms) -> float:
    """What a winner of the sandwich receives (Eq. 10, mended): (1−ρ)·pool/G."""
    return _kept(terms) * others.pool(_scale(terms)) / (others.n // 3)


def rebate(others: Others, terms: Terms) -> float:
    """H_i, what everybody receives under the rebate rule (Ours): (1−ρ)·pool/(n−1)."""
    return _kept(terms) * others.pool(_scale(terms)) / (others.n - 1)


def consistency_charge(samples: ArrayLike, reported_cost: ArrayLike, terms: Terms) -> Floats:
    """Q = κ(√(A/m) − √(c·m))²."""
    m = floats(samples)
    gap = (_scale(terms) / m) ** 0.5 - (floats(reported_cost) * m) ** 0.5
    return float(terms.consistency) * gap**2


def expected_loss(
    play: Play,
    samples: ArrayLike,
    reported_cost: ArrayLike,
    true_cost: ArrayLike,
    others: Others,
    terms: Terms,
    win_probability: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """Loss of one agent that uses ``samples`` and reports ``reported_cost`` (Eq. 2, 3, 9, 11).

    Under ``sandwich`` an expectation over the draw: with ``win_probability`` of a report as the
    agent believes it or, where none is given, exactly as these others' reports make it.
    """
    A, S = _scale(terms), others.total
    if play == "federated":
        return federated_loss(samples, S, true_cost, A)
    if play == "penalised":
        alpha = float(terms.alpha)
        return penalised_loss(samples, S, true_cost, reported_cost, A, alpha)
    alone = local_loss(samples, true_cost, A)
    if play == "sandwich":
        chance = win_probability or (lambda c: win_probability_against(c, others.reported_cost))
        return alone - chance(floats(reported_cost)) * reward(others, terms)
    if play == "rebate":
        return alone + consistency_charge(samples, reported_cost, terms) - rebate(others, terms)
    return alone


def _scale(terms: Terms) -> float:
    return float(terms.required_error_scale)


def _kept(terms: Terms) -> float:
    return 1 - float(terms.retention)
