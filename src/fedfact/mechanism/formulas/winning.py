"""How likely an agent wins the sandwich: exactly, in the continuum (Lemma 2), and by simulation."""

from typing import Any, Protocol

import numpy as np

from ...arrays import ArrayLike, Floats, Ints, floats
from ...errors import InputError
from ..competition import winner_in_threes


class CostDistribution(Protocol):
    """What is asked of a distribution of costs; the frozen distributions of scipy.stats have it.

    A discrete one has ``pmf`` as well.
    """

    def cdf(self, x: Any) -> Any:
        """P(X ≤ x)."""

    def rvs(self, size: Any, random_state: Any) -> Any:
        """Random draws."""


def _counts(report: ArrayLike, ranked: Floats) -> tuple[Floats, Floats]:
    """How many of the ``ranked`` are below each report, and how many below or at it."""
    c = floats(report)
    return floats(np.searchsorted(ranked, c)), floats(np.searchsorted(ranked, c, side="right"))


def _chance(below: Floats, equal: Floats, above: Floats, n: int) -> Floats:
    """P_i = (3G/n)·[L·U + ½E(L+U) + E(E−1)/6] / C(n−1, 2)."""
    if n < 3:
        raise InputError(f"there are {n} agents; a group needs three")
    ways = below * above + equal * (below + above) / 2 + equal * (equal - 1) / 6
    return 3 * (n // 3) / n * ways / ((n - 1) * (n - 2) / 2)


def win_probability(reported_cost: ArrayLike) -> Floats:
    """Lemma 2 for n ≥ 3 agents: the exact probability, over all draws, that each of them wins.

    The probabilities add up to the number of groups. Leading axes are populations apart.

    >>> win_probability([1.0, 2.0, 3.0])
    array([0., 1., 0.])
    """
    below, equal = places(reported_cost)
    n = below.shape[-1]
    return _chance(below, equal, n - 1 - below - equal, n)


def places(reported_cost: ArrayLike) -> tuple[Floats, Floats]:
    """Of each agent, how many others report less, and how many the same (Lemma 2)."""
    reports = floats(reported_cost)
    n, order = reports.shape[-1], np.argsort(reports, axis=-1)
    ranked, rank = np.take_along_axis(reports, order, -1), np.arange(n)
    new = np.ones(reports.shape, np.bool_)
    new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    first = np.maximum.accumulate(np.where(new, rank, 0), axis=-1)
    ends = np.where(np.roll(new, -1, axis=-1), rank, n)  # a run ends where the next begins
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    below, equal = np.empty_like(reports), np.empty_like(reports)
    np.put_along_axis(below, order, first.astype(np.float64), -1)
    np.put_along_axis(equal, order, (last - first).astype(np.float64), -1)
    return below, equal


def win_probability_against(report: ArrayLike, others: ArrayLike) -> Floats:
    """Lemma 2 for one more agent: exact win probability of each ``report`` among ``others``."""
    ranked = np.sort(floats(others))
    below, upto = _counts(report, ranked)
    return _chance(below, upto - below, len(ranked) - upto, len(ranked) + 1)


def win_probability_if(report: ArrayLike, reported_cost: ArrayLike) -> Floats:
    """Lemma 2 for n agents and a lie: were agent i alone to report ``report[i]`` instead.

    ``report`` has a row for each agent, and a column for each thing it may say; one row where all
    may say the same. Leading axes are populations apart from each other.

    >>> win_probability_if([[1.0, 2.5], [2.0, 0.5], [3.0, 1.5]], [1.0, 2.0, 3.0])
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    """
    below, equal = others_below(report, reported_cost)
    n = floats(reported_cost).shape[-1]
    return _chance(below, equal, n - 1 - below - equal, n)


def others_below(report: ArrayLike, reported_cost: ArrayLike) -> tuple[Floats, Floats]:
    """Of the others, how many report less than agent i would, and how many just that (Lemma 2).

    Shapes as in `win_probability_if`. What agents report anyway is found faster.
    """
    own, said = floats(reported_cost), floats(report)
    if said.shape == (*own.shape, 1) and np.array_equal(said[..., 0], own):
        below, equal = places(own)
        return below[..., None], equal[..., None]
    ranked = np.sort(own, axis=-1)
    if own.ndim == 1:
        below, upto = _counts(said, ranked)
    else:
        rows = ranked.reshape(-1, own.shape[-1])
        asked = np.broadcast_to(said, (*own.shape[:-1], *said.shape[-2:]))
        asked = asked.reshape(len(rows), *said.shape[-2:])
        counts = [_counts(one, row) for one, row in zip(asked, rows, strict=True)]
        shape = (*own.shape[:-1], *said.shape[-2:])
        below, upto = (floats(np.stack(each)).reshape(shape) for each in zip(*counts, strict=True))
    below, upto = below - (own[..., None] < said), upto - (own[..., None] <= said)
    return below, upto - below


def continuum_win_probability(report: ArrayLike, costs: CostDistribution) -> Floats:
    """Win probability against two opponents drawn from ``costs`` (Lemma 2): 2F(c)(1 − F(c)).

    With probability atoms the ties count as the rule counts them: ½ of a pair, ⅓ of three.
    """
    upto = floats(costs.cdf(report))
    atom = floats(getattr(costs, "pmf", np.zeros_like)(floats(report)))
    below, above = upto - atom, 1 - upto
    return 2 * below * above + atom * (below + above) + atom**2 / 3


def simulate_win_probability(
    report: ArrayLike, costs: CostDistribution, trials: int, rng: np.random.Generator
) -> Floats:
    """Monte Carlo of Lemma 2: each trial draws two opponents, all reports face the same draws.

    With the lower and higher opponent of each trial sorted, a report's wins are
    ½(#{low < c} + #{low ≤ c} − #{high < c} − #{high ≤ c}) + ⅓#{low = high = c}.
    """
    draws = np.sort(floats(costs.rvs(size=(trials, 2), random_state=rng)), axis=1)
    low, low_or_at = _counts(report, np.sort(draws[:, 0]))
    high, high_or_at = _counts(report, np.sort(draws[:, 1]))
    both, both_or_at = _counts(report, np.sort(draws[draws[:, 0] == draws[:, 1], 0]))
    wins = (low + low_or_at - high - high_or_at) / 2 + (both_or_at - both) / 3
    return wins / trials


def simulate_draws(reported_cost: ArrayLike, trials: int, rng: np.random.Generator) -> Ints:
    """The winners of so many draws that group all at random (Eq. 10): a row of G for each.

    How often each agent wins is a Monte Carlo of `win_probability` (Lemma 2 for n agents).
    """
    reports = floats(reported_cost)
    n, G = len(reports), len(reports) // 3
    order = rng.permuted(np.tile(np.arange(n), (trials, 1)), axis=1)[:, : 3 * G]
    threes = order.reshape(trials, G, 3)
    first = winner_in_threes(reports[threes])
    winners: Ints = np.take_along_axis(threes, first[..., None], axis=-1)[..., 0]
    return winners
