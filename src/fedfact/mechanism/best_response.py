"""The exact best response of one agent to given others, found by search rather than by theorem.

The theorems give these optima in closed form; here they are looked for without using them, so
that each can be checked, and so that lies can be tried where truth is not the best answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, floats
from .other_agents import Others
from .outcome import Play, expected_loss
from .rules import RULES
from .search import minimise
from .terms import Terms

_MANY_POINTS = 20_001  # one step in a thousand over the search's twelve orders of magnitude


@dataclass(frozen=True, slots=True)
class Response:
    """What the agent does, and the loss it expects from it."""

    samples: float
    reported_cost: float
    loss: float


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
    m_star = float(terms.curve.optimum(true_cost))

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
