"""What joining would mean for one agent, before it signs.

All of it follows from the agent's own cost, the terms, and what it knows or assumes of the others.
"""

from dataclasses import dataclass

import numpy as np

from ..mechanism import Play, Rule, Terms, largest_alpha, local_loss, local_optimum, reward
from ..mechanism.exact import MOST_MONEY, floor_difference
from .member import Member

WRONG_BY = 1.1
"""By which factor the operator's A is too large when asking what a wrong A would do."""


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
        capped: whether the agent has too few samples for m*.
        optimum: m*, the samples the agent would want, in real numbers.
        samples: what it should use: m* in whole samples, within capacity and minimum.
        alone: loss of the best it can do without joining.
        fee, largest_fee: the fee at ``samples`` with these others, and the most it can be with
            any others (and under the escrow of the terms).
        largest_alpha: the largest α that leaves this agent room to miss its optimum.
        if_error_scale_wrong: worst loss against training alone, as a part of the latter, should
            the A of the terms be a tenth too large; positive is worse than alone.
    """

    true_cost: float
    terms: Terms
    agents: int
    others_samples: float
    knows_reports: bool
    capped: bool
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


def advise(member: Member, *, lie: float = 0.2, free_ride: float = 0.75) -> Advice:
    """Work out what joining means.

    ``lie``: how far to misreport, and ``free_ride``: which part of the data to hold back, when
    asking what that would do.
    """
    true_cost, terms, others, m = member.true_cost, member.terms, member.others, member.samples
    A, K = float(terms.required_error_scale), terms.error_scale_in_units
    alone = member.loss("local", member.at_home, true_cost)
    outcomes = _outcomes(member)
    return Advice(
        true_cost=true_cost,
        terms=terms,
        agents=others.n,
        others_samples=others.total,
        knows_reports=member.knows_reports,
        capped=member.capped,
        optimum=float(local_optimum(true_cost, A)),
        samples=m,
        alone=alone,
        fee=int(floor_difference(K, np.array([m]), m + round(others.total))[0]),
        largest_fee=min(int(K // m), terms.escrow or MOST_MONEY),
        largest_alpha=float(largest_alpha(true_cost, others.total, A)),
        outcomes=outcomes,
        deviations=_deviations(member, alone, lie, free_ride),
        if_error_scale_wrong=_if_error_scale_wrong(member, outcomes),
    )


def _outcomes(member: Member) -> tuple[Outcome, ...]:
    c, m, loss = member.true_cost, member.samples, member.loss
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
    member: Member, alone: float, lie: float, free_ride: float
) -> tuple[Deviation, ...]:
    """Lies and free rides, as far as the agent has the samples and the terms allow them."""
    c, m = member.true_cost, member.samples
    A = float(member.terms.required_error_scale)
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

    choices = (
        (f"report {lie:.0%} more", up, m),
        (f"report {lie:.0%} less", c * (1 - lie), m),
        (f"report {lie:.0%} more, use what that suggests", up, (A / up) ** 0.5),
        (f"hold back {free_ride:.0%} of the data", c, less),
        (f"hold back {free_ride:.0%}, report what fits", A / less**2, less),
    )
    return tuple(deviation(*choice) for choice in choices if member.can_use(choice[2]))


def _if_error_scale_wrong(member: Member, outcomes: tuple[Outcome, ...]) -> float:
    """The fee is of the stated A, what federation and training alone bring is of the true one."""
    c, m, stated = member.true_cost, member.samples, float(member.terms.required_error_scale)
    true = stated / WRONG_BY
    alone = float(local_loss(min(m, float(local_optimum(c, true))), c, true))
    worst = next(outcome.worst for outcome in outcomes if outcome.rule == member.terms.rule)
    return (worst + (true - stated) / (m + member.others.total) - alone) / alone
