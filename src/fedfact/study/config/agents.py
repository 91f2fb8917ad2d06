"""Who takes part in one arm of a study, for one seed: costs, reports, samples agreed and used."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, floats
from ...errors import InputError
from ...mechanism import Curve, Population, Rule, Standing, whole_local_optimum
from ...training.seeds import generator
from .arm import Arm, arms
from .study import Study

HONEST = "honest"
_LEAST = 0.05  # of the mean: a Gaussian cost below would not be one


@dataclass(frozen=True, eq=False)
class StudyAgents:
    """The agents, in columns.

    ``agreed`` are the samples that fit an agent's report (m*, Thm 1) or that the study gives, and
    ``used`` is the part of them that it uses. It cannot use more than the ``dealt`` ones it has.
    """

    names: list[str]
    kind: list[str]
    true_cost: Floats
    reported_cost: Floats
    dealt: Ints
    agreed: Ints
    used: Floats

    def __len__(self) -> int:
        return len(self.names)

    @property
    def standing(self) -> Standing:
        """What each is beside the others: all have the same size."""
        return Standing(len(self))

    @property
    def samples(self) -> Ints:
        """What each trains on."""
        return self._of(self.agreed)

    def samples_under(self, rule: Rule, curve: Curve) -> Ints:
        """What each would use under a rule.

        A study trains once, so this differs from what was trained on where the rule makes other
        samples best than training alone does.
        """
        if rule.measurable:
            return self.samples
        best = whole_local_optimum(self.reported_cost, rule.own_curve(curve, 1, len(self)))
        return self._of(np.minimum(best, self.agreed))

    def population(self, samples: Ints, **losses: Any) -> Population:
        """The agents as a settlement takes them, with measured losses or without."""
        return Population(self.names, self.reported_cost, samples, self.dealt, **losses)

    def _of(self, agreed: Ints) -> Ints:
        return np.maximum(1, np.floor(self.used * agreed + 1e-9)).astype(np.int64)


def agents_of(study: Study, arm: Arm, seed: int, there: int) -> StudyAgents:
    """The agents of an arm, of whom all together have ``there`` samples to share.

    The agents that deviate are drawn from the seed, the same ones first in every arm. Costs depend
    on the seed alone, and an agent that uses less than is best for it has what is best, so honest
    agents have the same data in every arm; unless somebody reports a lower cost and needs more.
    """
    n = study.agents
    if n > there:
        raise InputError(f"{n} agents cannot share {there} samples; take fewer agents")
    kind, lie, used = _deviations(arm, seed)
    cost = _true_costs(study, seed, there)
    report = cost * lie
    try:
        agreed, dealt = _wanted(cost, lie, study.terms.curve)
    except InputError as error:
        raise InputError(f"{study.name}, {arm.name}, seed {seed}: {error}") from None
    if study.samples is not None:
        agreed = dealt = np.broadcast_to(np.asarray(study.samples, np.int64), n)
    if dealt.sum() > there:
        raise InputError(
            f"{study.name}, {arm.name}, seed {seed}: the agents want {dealt.sum():,} samples and "
            f"there are {there:,}; {_remedy(study, float(dealt.sum() / there))}"
        )
    width = max(2, len(str(n)))
    return StudyAgents(
        names=list(study.costs.names or [f"agent-{k + 1:0{width}d}" for k in range(n)]),
        kind=kind,
        true_cost=cost,
        reported_cost=report,
        dealt=dealt,
        agreed=agreed,
        used=used,
    )


def _deviations(arm: Arm, seed: int) -> tuple[list[str], Floats, Floats]:
    """Of each agent its kind, its report as a part of its cost, and its data used of the agreed."""
    kind, lie, used = [HONEST] * arm.agents, np.ones(arm.agents), np.ones(arm.agents)
    order, taken = generator(seed, "deviators").permutation(arm.agents), 0
    for each, number in arm.deviators:
        who = order[taken : taken + number]
        taken += number
        for k in who:
            kind[k] = each.kind
        if each.kind == "misreport":
            lie[who] = 1 + each.strength
        else:
            used[who] = 1 - each.strength
    return kind, lie, used


def _wanted(cost: Floats, lie: Floats, curve: Curve) -> tuple[Ints, Ints]:
    """m* of each report, and what each agent is dealt: that, or m* of its true cost if more."""
    best = whole_local_optimum(cost * lie, curve)
    return best, np.maximum(best, whole_local_optimum(cost, curve))


def _remedy(study: Study, times: float) -> str:
    """What to change where so many times the samples are wanted that there are."""
    if study.samples is not None:
        return "take fewer samples or fewer agents"
    dearer = times ** (1 + study.terms.exponent)
    if study.costs.kind == "file":
        return f"take fewer agents, or costs {dearer:.3g} times as high, or give samples"
    return (
        f"take fewer agents, or a costs.mean {dearer:.3g} times as high, or leave it out to use "
        "all there are"
    )


def _true_costs(study: Study, seed: int, there: int) -> Floats:
    """c_i of all agents."""
    n, curve, costs = study.agents, study.terms.curve, study.costs
    if costs.values is not None:
        return floats(costs.values)
    rng, relative = generator(seed, "costs"), np.ones(n)
    if costs.kind == "gaussian":
        relative = np.maximum(rng.normal(1, costs.spread, n), _LEAST)
    elif costs.kind == "lognormal":
        relative = rng.lognormal(0, costs.spread, n)
    if costs.mean is not None:
        return floats(costs.mean * relative)
    if study.samples is not None:  # costs at which they are m*, or around those
        return floats(curve.fitting_cost(np.broadcast_to(floats(study.samples), n)) * relative)
    return floats(_mean_that_uses_all(study, relative, seed, there) * relative)


def _mean_that_uses_all(study: Study, relative: Floats, seed: int, there: int) -> float:
    """The mean cost at which the m* of all agents add up to all of the data.

    Or the least above at which, with m* rounded and in every arm, no more is wanted than there is.
    """
    curve = study.terms.curve
    lies = [_deviations(arm, seed)[1] for arm in arms(study)]

    def fits(mean: float) -> bool:
        return max(int(_wanted(mean * relative, lie, curve)[1].sum()) for lie in lies) <= there

    shares = relative ** (-1 / (1 + curve.exponent))  # of m*, which falls as costs rise
    low = float(curve.fitting_cost(there / shares.sum()))
    if fits(low):
        return low
    one_each = float(curve.fitting_cost(1))
    high = one_each / float(min((relative * lie).min() for lie in lies))
    for _ in range(100):
        mean = (low + high) / 2
        low, high = (low, mean) if fits(mean) else (mean, high)
    return high
