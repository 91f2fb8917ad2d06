"""Who takes part in one arm of a study, for one seed: costs, reports, samples agreed and used."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mechanism import InputError, Population, local_optimum, whole_local_optimum
from ..mechanism.arrays import Bools, Floats, Ints, floats
from ..training.seeds import generator
from .arm import Arm
from .config import Study

HONEST = "honest"
_LEAST = 0.05  # of the mean: a Gaussian cost below would not be one


@dataclass(frozen=True, eq=False)
class Members:
    """The agents, in columns.

    ``agreed`` are the samples that fit an agent's report (m*, Thm 1) or that the study gives;
    ``samples`` are those it uses. An agent is ``capped`` where it agreed to fewer than m*.
    """

    agents: list[str]
    kind: list[str]
    true_cost: Floats
    reported_cost: Floats
    agreed: Ints
    samples: Ints
    capped: Bools

    def __len__(self) -> int:
        return len(self.agents)

    def population(self, **losses: Any) -> Population:
        """The agents as a settlement takes them, with measured losses or without."""
        return Population(self.agents, self.reported_cost, self.samples, self.capped, **losses)


def members(study: Study, arm: Arm, seed: int, there: int) -> Members:
    """The agents of an arm, of whom all together have ``there`` samples to share.

    The agents that deviate are drawn from the seed, the same ones first in every arm. Costs depend
    on the seed alone, so arms differ in nothing but what they are to show.
    """
    n, A = study.agents, study.terms.error_scale
    cost = _true_costs(study, seed, there)
    kind, report, used = [HONEST] * n, cost.copy(), np.ones(n)
    order, taken = generator(seed, "deviators").permutation(n), 0
    for each, number in arm.deviators:
        who = order[taken : taken + number]
        taken += number
        for k in who:
            kind[k] = each.kind
        if each.kind == "misreport":
            report[who] *= 1 + each.strength
        else:
            used[who] -= each.strength
    if study.samples is None:
        agreed = whole_local_optimum(report, A)
    else:
        agreed = np.broadcast_to(np.asarray(study.samples, np.int64), n).copy()
    if agreed.sum() > there:
        raise InputError(
            f"{study.name}, {arm.name}, seed {seed}: the agents want {agreed.sum():,} samples and "
            f"there are {there:,}; take fewer agents, or a mean cost higher by "
            f"{(agreed.sum() / there) ** 2 - 1:.1%} or more, or leave it out"
        )
    samples = np.maximum(1, np.floor(used * agreed + 1e-9)).astype(np.int64)
    width = max(2, len(str(n)))
    return Members(
        agents=[f"agent-{k + 1:0{width}d}" for k in range(n)],
        kind=kind,
        true_cost=cost,
        reported_cost=report,
        agreed=agreed,
        samples=samples,
        capped=agreed < whole_local_optimum(report, A),
    )


def _true_costs(study: Study, seed: int, there: int) -> Floats:
    """c_i of all agents."""
    n, A, costs = study.agents, study.terms.error_scale, study.costs
    if costs.values is not None:
        return floats(costs.values)
    if study.samples is not None and costs.mean is None:  # of agents whose samples are their m*
        return floats(A / np.broadcast_to(floats(study.samples), n) ** 2)
    rng, relative = generator(seed, "costs"), np.ones(n)
    if costs.kind == "gaussian":
        relative = np.maximum(rng.normal(1, costs.spread, n), _LEAST)
    elif costs.kind == "lognormal":
        relative = rng.lognormal(0, costs.spread, n)
    mean = costs.mean or _mean_that_uses_all(relative, A, there)
    return floats(mean * relative)


def _mean_that_uses_all(relative: Floats, A: float, there: int) -> float:
    """The mean cost at which the m* of all agents are all of the data, or as near as can be."""
    mean = A * float((1 / np.sqrt(relative)).sum() / there) ** 2
    while whole_local_optimum(mean * relative, A).sum() > there:  # rounding may ask for a few more
        mean *= 1 + 1 / there
    return mean


def optimum(members: Members, A: float) -> Floats:
    """m* of each report (Thm 1), not rounded."""
    return local_optimum(members.reported_cost, A)
