"""Figure 3 and Theorem 3: is m* what an agent wants to use, and what does any other choice cost?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mechanism import (
    Others,
    best_response,
    expected_loss,
    free_rider_penalty,
    local_optimum,
    penalised_loss,
)
from ..mechanism.arrays import Bools, Floats, floats
from ..mechanism.best_response import minimise
from .config import Study
from .members import Members

ALPHAS = (1.9,)
"""Drawn beside the study's own α."""


@dataclass(frozen=True, eq=False)
class Contribution:
    """For each agent: its best samples, found by search, and what deviating from honesty costs it.

    ``contributes``: it uses the whole number of samples that is best for it, or all that it has.
    ``cost``: its expected loss under our sandwich settlement by the formula A/m, less that of
    telling the truth and using m*; what a draw of groups among these reports brings included.
    """

    best: Floats
    cost: Floats
    contributes: Bools


def contribution(study: Study, members: Members) -> Contribution:
    """Theorem 3, agent by agent: the samples that minimise the penalised loss (Eq. 5), by search.

    The theorem says m*. The search does not know it.
    """
    terms, A = study.terms.agreed("sandwich"), study.terms.error_scale
    best, cost = np.empty(len(members)), np.empty(len(members))
    for k, c in enumerate(members.true_cost):
        others = Others(floats(np.delete(members.samples, k)), np.delete(members.reported_cost, k))
        report, used = members.reported_cost[k], members.samples[k]
        best[k] = best_response("penalised", c, others, terms, reported_cost=report).samples
        honest = expected_loss("sandwich", local_optimum(c, A), c, c, others, terms)
        cost[k] = expected_loss("sandwich", used, report, c, others, terms) - honest
    near = np.abs(members.samples - best) <= 1
    return Contribution(best, cost, near | (members.capped & (members.samples == members.agreed)))


def penalty_curves(study: Study, members: Members) -> dict[str, Any]:
    """P_fr(m) + c·m around m* for an agent at the median cost, the others as they are.

    ``values`` is what the paper draws, and ``total`` what an agent minimises: with the error A/M
    (Eq. 5). Only the latter is lowest at exactly m* (Thm 3). The slope of A/M at m*, −c/(1 + s)²,
    is what the former lacks, so its lowest point is below m*, the further the less others use.
    """
    A, c = study.terms.error_scale, float(np.median(members.true_cost))
    m_star = float(local_optimum(c, A))
    k = int(np.argmin(np.abs(members.true_cost - c)))
    S = float(members.samples.sum() - members.samples[k])
    m = np.linspace(0, 2 * m_star, 201)
    curves = [_curve(alpha, m, m_star, S, c, A) for alpha in alphas(study)]
    return {"samples": m.tolist(), "optimum": m_star, "cost": c, "curves": curves}


def alphas(study: Study) -> list[float]:
    """The study's own α, and those drawn beside it."""
    return list(dict.fromkeys((study.terms.alpha, *ALPHAS)))


def _curve(alpha: float, m: Floats, m_star: float, S: float, c: float, A: float) -> dict[str, Any]:
    """Both curves of one α, and where each is lowest, by search."""

    def paper(m: Floats) -> Floats:
        return free_rider_penalty(m, S, c, A, alpha) + c * m

    def total(m: Floats) -> Floats:
        return penalised_loss(m, S, c, c, A, alpha)

    ends = m_star / 1000, 2 * m_star
    return {
        "alpha": alpha,
        "values": paper(m).tolist(),
        "lowest": minimise(paper, *ends),
        "total": total(m).tolist(),
        "best": minimise(total, *ends),
    }
