"""Figure 3 and Theorem 3: is m* what an agent wants to use, and what does any other choice cost?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, floats
from ...mechanism import (
    RULES,
    free_rider_penalty,
    local_loss,
    local_optimum,
    penalised_loss,
    pool_of_others,
)
from ...mechanism.search import least_of_each, minimise
from ..config.agents import Agents
from ..config.study import Study
from ..files.keys import PAPER

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


def contribution(study: Study, agents: Agents) -> Contribution:
    """Theorem 3, agent by agent: the samples that minimise the penalised loss (Eq. 5), by search.

    The theorem says m*. The search does not know it.
    """
    A, n = study.terms.error_scale, len(agents)
    c, report, m = agents.true_cost, agents.reported_cost, floats(agents.samples)
    S = m.sum() - m

    def penalised(samples: Floats) -> Floats:
        alpha = study.terms.alpha
        return penalised_loss(samples, S[:, None], c[:, None], report[:, None], A, alpha)

    around = local_optimum(report, A)
    best = least_of_each(penalised, around / 1000, around * 1000)
    pool = pool_of_others(A * ((1 / m).sum() - 1 / m), S, n, A)
    rule = RULES[PAPER]
    prize = rule.part_of(pool, n, study.terms.agreed(PAPER))
    chance = rule.chances(np.stack([report, c], axis=1), report)
    own = local_loss(m, c, A) - chance[:, 0] * prize
    honest = local_loss(local_optimum(c, A), c, A) - chance[:, 1] * prize
    near = np.abs(agents.samples - best) <= 1
    capped = agents.capped & (agents.samples == agents.agreed)
    return Contribution(best, own - honest, near | capped)


def penalty_curves(study: Study, agents: Agents) -> dict[str, Any]:
    """P_fr(m) + c·m around m* for an agent at the median cost, the others as they are.

    ``values`` is what the paper draws, and ``total`` what an agent minimises: with the error A/M
    (Eq. 5). Only the latter is lowest at exactly m* (Thm 3). The slope of A/M at m*, −c/(1 + s)²,
    is what the former lacks, so its lowest point is below m*, the further the less others use.
    """
    A, c = study.terms.error_scale, float(np.median(agents.true_cost))
    m_star = float(local_optimum(c, A))
    k = int(np.argmin(np.abs(agents.true_cost - c)))
    S = float(agents.samples.sum() - agents.samples[k])
    m = np.linspace(0, 2 * m_star, 201)
    alphas = dict.fromkeys((study.terms.alpha, *ALPHAS))
    curves = [_curve(alpha, m, m_star, S, c, A) for alpha in alphas]
    return {"samples": m.tolist(), "optimum": m_star, "cost": c, "curves": curves}


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
