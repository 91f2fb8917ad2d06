"""What joining would mean for one agent, before it signs.

All of it follows from the agent's own cost, the terms, and what it knows or assumes of the others.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from ..mechanism import (
    InputError,
    Others,
    Play,
    Rule,
    Terms,
    continuum_win_probability,
    expected_loss,
    largest_alpha,
    local_loss,
    local_optimum,
    reward,
    whole_local_optimum,
    win_probability_against,
)
from ..mechanism.arrays import ArrayLike, Floats
from ..mechanism.exact import exact, floor_difference

SPREAD = 0.1
"""Under Assumption 1 an agent takes its cost for the median; the paper adds a spread of 10 %."""

TOO_LARGE = 1.1
"""How wrong the operator's A is supposed to be when asking what a wrong A would do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Losses an agent may end with under one rule, for honest use of the advised samples."""

    rule: Rule
    worst: float
    believed: float
    realised: float
    best: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a lie or a free ride changes under each play: added loss, as a part of the loss alone.

    Positive is worse for the agent. ``sandwich`` is as the agent believes under Assumption 1,
    ``sandwich_realised`` as the others' reports make it, where these are known.
    """

    name: str
    reported_cost: float
    samples: float
    federated: float
    penalised: float
    sandwich: float
    sandwich_realised: float | None
    rebate: float


@dataclass(frozen=True, slots=True)
class Advice:
    """What joining means. Losses in the unit of the terms, fees in minor units.

    Attributes:
        optimum: m*, the samples the agent would want, in real numbers.
        samples: what it should use: m* in whole samples, within capacity and minimum.
        alone: loss of the best it can do without joining.
        fee, largest_fee: the fee at ``samples`` with these others, and whoever the others are.
        largest_alpha: the largest α that leaves this agent room to miss its optimum.
        if_error_scale_wrong: worst loss against training alone, as a part of the latter, should
            the A of the terms be a tenth too large; positive is worse than alone.
    """

    true_cost: float
    terms: Terms
    agents: int
    others_samples: float
    knows_reports: bool
    optimum: float
    samples: int
    alone: float
    fee: int
    largest_fee: int
    largest_alpha: float
    outcomes: tuple[Outcome, ...]
    deviations: tuple[Deviation, ...]
    if_error_scale_wrong: float

    @property
    def outcome(self) -> Outcome:
        """The outcome under the rule of the terms."""
        return next(outcome for outcome in self.outcomes if outcome.rule == self.terms.rule)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """The agent that asks, the terms it was offered, and what it knows of the others.

    ``knows_reports``: whether the others' reported costs are known, or only their samples assumed.
    """

    true_cost: float
    terms: Terms
    others: Others
    knows_reports: bool

    def losses(
        self, play: Play, samples: ArrayLike, report: ArrayLike, *, believed: bool = True
    ) -> Floats:
        """Expected loss for using ``samples`` and reporting ``report``."""
        chance = self.believed_chance if believed else self.realised_chance
        c, others, terms = self.true_cost, self.others, self.terms
        return expected_loss(play, samples, report, c, others, terms, chance)

    def loss(self, play: Play, samples: float, report: float, *, believed: bool = True) -> float:
        """The same for one choice."""
        return float(self.losses(play, samples, report, believed=believed))

    def believed_chance(self, report: Floats) -> Floats:
        """Under Assumption 1."""
        costs = stats.norm(self.true_cost, SPREAD * self.true_cost)
        return continuum_win_probability(report, costs)

    def realised_chance(self, report: Floats) -> Floats:
        """Exact against known reports; of unknown ones only the mean over all agents is sure."""
        if self.knows_reports:
            return win_probability_against(report, self.others.reported_cost)
        return np.full(np.shape(report), self.others.n // 3 / self.others.n)


def advise(
    member: Member, *, capacity: int | None = None, lie: float = 0.2, free_ride: float = 0.75
) -> Advice:
    """Work out what joining means.

    ``capacity``: the most samples the agent has. ``lie``: how far to misreport, and ``free_ride``:
    which part of the data to hold back, when asking what that would do.
    """
    true_cost, terms, others = member.true_cost, member.terms, member.others
    A = float(terms.required_error_scale)
    wanted = int(whole_local_optimum(true_cost, A))
    own = wanted if capacity is None else min(wanted, capacity)
    if capacity is not None and capacity < terms.minimum_samples:
        raise InputError(
            f"the terms ask for at least {terms.minimum_samples} samples and you have {capacity}; "
            "you cannot join under them"
        )
    samples = max(own, terms.minimum_samples)
    alone = float(local_loss(own, true_cost, A))
    if own < wanted:  # no consistency charge for who has no more data
        member = replace(member, terms=replace(terms, consistency=0.0))
    K = terms.required_error_scale / exact(terms.unit)
    outcomes = _outcomes(member, samples)
    return Advice(
        true_cost=true_cost,
        terms=terms,
        agents=others.n,
        others_samples=others.total,
        knows_reports=member.knows_reports,
        optimum=float(local_optimum(true_cost, A)),
        samples=samples,
        alone=alone,
        fee=int(floor_difference(K, np.array([samples]), samples + round(others.total))[0]),
        largest_fee=int(K // samples),
        largest_alpha=float(largest_alpha(true_cost, others.total, A)),
        outcomes=outcomes,
        deviations=_deviations(member, samples, alone, lie, free_ride),
        if_error_scale_wrong=_if_error_scale_wrong(member, samples, outcomes),
    )


def _outcomes(member: Member, m: int) -> tuple[Outcome, ...]:
    c, loss = member.true_cost, member.loss
    steady = loss("rebate", m, c)
    lost = loss("local", m, c)
    return (
        Outcome("rebate", steady, steady, steady, steady),
        Outcome(
            "sandwich",
            worst=lost,
            believed=loss("sandwich", m, c),
            realised=loss("sandwich", m, c, believed=False),
            best=lost - reward(member.others, member.terms),
        ),
    )


def _deviations(
    member: Member, m: int, alone: float, lie: float, free_ride: float
) -> tuple[Deviation, ...]:
    c, A = member.true_cost, float(member.terms.required_error_scale)
    up, less = c * (1 + lie), m * (1 - free_ride)

    def deviation(name: str, report: float, samples: float) -> Deviation:
        def change(play: Play, *, believed: bool = True) -> float:
            honest = member.loss(play, m, c, believed=believed)
            return (member.loss(play, samples, report, believed=believed) - honest) / alone

        known = member.knows_reports
        return Deviation(
            name=name,
            reported_cost=report,
            samples=samples,
            federated=change("federated"),
            penalised=change("penalised"),
            sandwich=change("sandwich"),
            sandwich_realised=change("sandwich", believed=False) if known else None,
            rebate=change("rebate"),
        )

    return (
        deviation(f"report {lie:.0%} more", up, m),
        deviation(f"report {lie:.0%} less", c * (1 - lie), m),
        deviation(f"report {lie:.0%} more, use what that suggests", up, (A / up) ** 0.5),
        deviation(f"hold back {free_ride:.0%} of the data", c, less),
        deviation(f"hold back {free_ride:.0%}, report what fits", A / less**2, less),
    )


def _if_error_scale_wrong(member: Member, m: int, outcomes: tuple[Outcome, ...]) -> float:
    """The fee is of the stated A, what federation and training alone bring is of the true one."""
    c, stated = member.true_cost, float(member.terms.required_error_scale)
    true = stated / TOO_LARGE
    alone = float(local_loss(min(m, float(local_optimum(c, true))), c, true))
    M = m + member.others.total
    worst = next(outcome.worst for outcome in outcomes if outcome.rule == member.terms.rule)
    return (worst + (true - stated) / M - alone) / alone
