"""The exact best response of one agent to given others, found by search rather than by theorem.

The theorems give these optima in closed form; here they are looked for without using them, so
that each can be checked, and so that lies can be tried where truth is not the best answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, floats
from .others import Others
from .outcome import Play, expected_loss
from .rules import RULES
from .terms import Terms

_POINTS = 65
_MANY_POINTS = 20_001  # one step in a thousand over the search's twelve orders of magnitude


@dataclass(frozen=True, slots=True)
class Response:
    """What the agent does, and the loss it expects from it."""

    samples: float
    reported_cost: float
    loss: float


def minimise(
    loss: Callable[[Floats], Floats], low: float, high: float, points: int = _POINTS
) -> float:
    """Where ``loss`` is least between two positive bounds: best of a grid, then of finer ones."""
    while high / low > 1 + 1e-13:
        grid = np.geomspace(low, high, points)
        k = int(np.argmin(loss(grid)))
        bounds = float(grid[max(k - 1, 0)]), float(grid[min(k + 1, points - 1)])
        if bounds == (low, high):
            break
        (low, high), points = bounds, _POINTS
    return low if loss(floats([low, high])).argmin() == 0 else high


def least_of_each(
    loss: Callable[[Floats], Floats],
    low: Floats,
    high: Floats,
    rounds: int = 10,
    points: int = 33,
    finer: int = 33,
) -> Floats:
    """Where each row of ``loss`` is least between its positive bounds: finer and finer grids.

    ``loss`` takes a grid, whose last axis are the points tried, and gives the loss at each. The
    first grid has ``points`` of them and those after it ``finer``, between the neighbours of the
    best; with ten rounds a step of the last one is below one part in a thousand million.
    """
    start, width = np.log(low), np.log(high) - np.log(low)
    for k in range(rounds):
        last = (finer if k else points) - 1
        grid = np.exp(start[..., None] + width[..., None] * (np.arange(last + 1) / last))
        best = loss(grid).argmin(axis=-1)
        left, right = np.maximum(best - 1, 0), np.minimum(best + 1, last)
        start, width = start + width * left / last, width * (right - left) / last
    return floats(np.take_along_axis(grid, best[..., None], -1)[..., 0])


def best_response(
    play: Play,
    true_cost: float,
    others: Others,
    terms: Terms,
    reported_cost: float | None = None,
    win_probability: Callable[[Floats], Floats] | None = None,
) -> Response:
    """Samples and report that minimise one agent's expected loss, others given (cf. Thm 1 to 3).

    With ``reported_cost`` only the samples are chosen. Reports and samples are searched over
    twelve orders of magnitude around what truth would suggest; using no data is tried as well.
    Where truth does as well as any other report, the answer is the truth.
    """
    m_star = (float(terms.required_error_scale) / true_cost) ** 0.5

    def best_samples(report: float) -> Response:
        def loss(m: Floats) -> Floats:
            return expected_loss(play, m, report, true_cost, others, terms, win_probability)

        m = minimise(loss, m_star * 1e-6, m_star * 1e6)
        if play in ("federated", "penalised") and loss(floats(0.0)) <= loss(floats(m)):
            m = 0.0
        return Response(m, report, float(loss(floats(m))))

    if reported_cost is not None:
        return best_samples(reported_cost)
    truthful = best_samples(true_cost)
    if play in ("local", "federated"):
        return truthful
    low, high = true_cost * 1e-6, true_cost * 1e6
    if play in RULES and RULES[play].draws:
        m = truthful.samples  # the report moves the chance to win and nothing else

        def loss_of_report(reports: Floats) -> Floats:
            return expected_loss(play, m, reports, true_cost, others, terms, win_probability)

        if win_probability is None:  # only the rank counts: try every rank and every tie
            known = np.unique(others.reported_cost)
            tries = np.concatenate((known, (known[1:] + known[:-1]) / 2))
            report = float(tries[np.argmin(loss_of_report(tries))])
        else:
            report = minimise(loss_of_report, low, high, _MANY_POINTS)
    else:
        report = minimise(
            lambda reports: floats([best_samples(float(c)).loss for c in reports]), low, high
        )
    best = best_samples(report)
    return best if best.loss < truthful.loss - 1e-12 * abs(truthful.loss) else truthful
