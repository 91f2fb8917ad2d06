"""Figure 3 and Theorem 3: is m* what an agent wants to use, and what does any other choice cost?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mechanism import (
    Others,
    best_response,
    free_rider_penalty,
    local_optimum,
    penalised_loss,
)
from ..mechanism.arrays import Bools, Floats, floats
from .config import Study
from .members import Members

ALPHAS = (1.9,)
"""Drawn beside the study's own α."""


@dataclass(frozen=True, eq=False)
class Contribution:
    """For each agent: its best samples found by search, and what its own choice costs it instead.

    ``contributes``: it uses the whole number of samples that is best for it, or all that it has.
    """

    best: Floats
    cost: Floats
    contributes: Bools


def contribution(study: Study, members: Members) -> Contribution:
    """Theorem 3, agent by agent: the samples that minimise the penalised loss (Eq. 5), by search.

    The theorem says m*. The search does not know it.
    """
    terms, A = study.agreed_terms("sandwich"), study.terms.error_scale
    best, cost = np.empty(len(members)), np.empty(len(members))
    for k, c in enumerate(members.true_cost):
        others = Others(floats(np.delete(members.samples, k)), np.delete(members.reported_cost, k))
        report = members.reported_cost[k]
        found = best_response("penalised", c, others, terms, reported_cost=report)
        own = penalised_loss(members.samples[k], others.total, c, report, A, study.terms.alpha)
        best[k], cost[k] = found.samples, own - found.loss
    near = np.abs(members.samples - best) <= 1
    return Contribution(best, cost, near | (members.capped & (members.samples == members.agreed)))


def penalty_curves(study: Study, members: Members) -> dict[str, Any]:
    """P_fr(m) + c·m around m* (Eq. 8) for an agent at the median cost, the others as they are."""
    A, c = study.terms.error_scale, float(np.median(members.true_cost))
    m_star = float(local_optimum(c, A))
    k = int(np.argmin(np.abs(members.true_cost - c)))
    S = float(members.samples.sum() - members.samples[k])
    m = np.linspace(0, 2 * m_star, 201)
    curves = [
        {"alpha": alpha, "values": (free_rider_penalty(m, S, c, A, alpha) + c * m).tolist()}
        for alpha in dict.fromkeys((study.terms.alpha, *ALPHAS))
    ]
    return {"samples": m.tolist(), "optimum": m_star, "cost": c, "curves": curves}
