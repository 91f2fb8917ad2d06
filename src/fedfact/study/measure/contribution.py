"""Figure 3 and Theorem 3: is m* what an agent wants to use under the paper's penalty?

The penalty belongs to the paper's figures: no settlement collects it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, floats
from ...mechanism import Curve, free_rider_penalty, local_optimum, penalised_loss
from ...mechanism.search import least_of_each, minimise
from ..config.agents import StudyAgents
from ..config.study import Study

ALPHAS = (1.9,)
"""Drawn beside the study's own α."""


@dataclass(frozen=True, eq=False)
class Contribution:
    """For each agent: its best samples, found by search, and whether it uses them.

    ``contributes``: it uses the whole number of samples that is best for it, or all that it has.
    """

    best: Floats
    contributes: Bools


def contribution(study: Study, agents: StudyAgents) -> Contribution:
    """Theorem 3, agent by agent: the samples that minimise the penalised loss (Eq. 5), by search.

    The theorem says m*. The search does not know it.
    """
    curve, m = study.terms.curve, floats(agents.samples)
    c, report, S = agents.true_cost, agents.reported_cost, m.sum() - m

    def penalised(samples: Floats) -> Floats:
        alpha = study.terms.alpha
        return penalised_loss(samples, S[:, None], c[:, None], report[:, None], curve, alpha)

    around = local_optimum(report, curve)
    best = least_of_each(penalised, around / 1000, around * 1000)
    near = np.abs(agents.samples - best) <= 1
    all_it_has = (agents.samples == agents.dealt) & (agents.dealt < best)
    return Contribution(best, near | all_it_has)


def penalty_curves(study: Study, agents: StudyAgents) -> dict[str, Any]:
    """P_fr(m) + c·m around m* for an agent at the median cost, the others as they are.

    ``values`` is what the paper draws, and ``total`` what an agent minimises: with the error e(M)
    (Eq. 5). Only the latter is lowest at exactly m* (Thm 3). The slope of e(M) at m*, for A/M
    −c/(1 + s)², is what the former lacks, so its lowest point is below m*, the further the less
    others use.
    """
    curve, c = study.terms.curve, float(np.median(agents.true_cost))
    m_star = float(local_optimum(c, curve))
    k = int(np.argmin(np.abs(agents.true_cost - c)))
    S = float(agents.samples.sum() - agents.samples[k])
    m = np.linspace(0, 2 * m_star, 201)
    alphas = dict.fromkeys((study.terms.alpha, *ALPHAS))
    curves = [_penalty(alpha, m, m_star, S, c, curve) for alpha in alphas]
    return {"samples": m.tolist(), "optimum": m_star, "cost": c, "curves": curves}


def _penalty(
    alpha: float, m: Floats, m_star: float, S: float, c: float, curve: Curve
) -> dict[str, Any]:
    """Both curves of one α, and where each is lowest, by search."""

    def paper(m: Floats) -> Floats:
        return free_rider_penalty(m, S, c, curve, alpha) + c * m

    def total(m: Floats) -> Floats:
        return penalised_loss(m, S, c, c, curve, alpha)

    ends = m_star / 1000, 2 * m_star
    return {
        "alpha": alpha,
        "values": paper(m).tolist(),
        "lowest": minimise(paper, *ends),
        "total": total(m).tolist(),
        "best": minimise(total, *ends),
    }
