"""What joining would mean for one agent, before it signs.

All of it follows from the agent's own cost, the terms, and what it knows or assumes of the others.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..mechanism import RULES, Play, Rule, Terms, largest_alpha, local_loss, local_optimum
from ..mechanism.exact import MOST_MONEY, floor_difference
from ..results import Tabular, html_table, text_table
from .applicant import Applicant

WRONG_BY = 1.1
"""By which factor the operator's A is too large when asking what a wrong A would do."""


@dataclass(frozen=True, slots=True)
class LossRange:
    """Losses an agent may end with under one rule, for honest use of the advised samples."""

    rule: str
    worst: float
    believed: float
    realised: float
    best: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a lie or a free ride changes: ``added`` loss, as a part of the loss alone, by play.

    Positive is worse for the agent. The plays are ``federated``, ``penalised`` and every rule by
    its name. A rule that draws is there twice: as the agent believes under Assumption 1 and, as
    ``NAME_realised``, as the others' reports make it (None where these are not known).
    """

    name: str
    reported_cost: float
    samples: float
    added: dict[str, float | None]


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Tabular):
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
    outcomes: tuple[LossRange, ...]
    deviations: tuple[Deviation, ...]
    if_error_scale_wrong: float

    def __repr__(self) -> str:
        """Say what to use and what that costs, and show the outcomes under every rule."""
        return f"{self._title}\n{text_table(self.shown_rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.shown_rows(), self._title)

    @property
    def _title(self) -> str:
        money = self.terms.money_unit
        return (
            f"Advice under {self.terms.rule}: use {self.samples:,} samples, fee "
            f"{money.money(self.fee)}; alone you lose {money.worth(self.alone)}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row a rule: what an honest member may end with under it."""
        return [asdict(outcome) for outcome in self.outcomes]

    def shown_rows(self) -> list[dict[str, Any]]:
        """The same with losses as people write money."""
        written = self.terms.money_unit.written_loss
        return [
            {name: cell if name == "rule" else written(cell) for name, cell in row.items()}
            for row in self.rows()
        ]

    @property
    def outcome(self) -> LossRange:
        """The outcome under the rule of the terms."""
        return next(outcome for outcome in self.outcomes if outcome.rule == self.terms.rule)


def advise(applicant: Applicant, *, lie: float = 0.2, free_ride: float = 0.75) -> Advice:
    """Work out what joining means.

    ``lie``: how far to misreport, and ``free_ride``: which part of the data to hold back, when
    asking what that would do.
    """
    true_cost, terms, others, m = (
        applicant.true_cost,
        applicant.terms,
        applicant.others,
        applicant.samples,
    )
    A, K = float(terms.required_error_scale), terms.error_scale_in_units
    alone = applicant.loss("local", applicant.at_home, true_cost)
    outcomes = _outcomes(applicant)
    return Advice(
        true_cost=true_cost,
        terms=terms,
        agents=others.n,
        others_samples=others.total,
        knows_reports=applicant.knows_reports,
        capped=applicant.capped,
        optimum=float(local_optimum(true_cost, A)),
        samples=m,
        alone=alone,
        fee=int(floor_difference(K, np.array([m]), m + round(others.total))[0]),
        largest_fee=min(int(K // m), terms.escrow or MOST_MONEY),
        largest_alpha=float(largest_alpha(true_cost, others.total, A)),
        outcomes=outcomes,
        deviations=_deviations(applicant, alone, lie, free_ride),
        if_error_scale_wrong=_if_error_scale_wrong(applicant, outcomes),
    )


def _outcomes(applicant: Applicant) -> tuple[LossRange, ...]:
    """Of rules that leave nothing to chance first."""
    return tuple(
        _outcome(rule, applicant) for rule in sorted(RULES.values(), key=lambda r: r.draws)
    )


def _outcome(rule: Rule, applicant: Applicant) -> LossRange:
    c, m = applicant.true_cost, applicant.samples
    worst, best = rule.bounds(m, c, c, applicant.others, applicant.charged_terms)
    return LossRange(
        rule.name,
        worst=worst,
        believed=applicant.loss(rule.name, m, c),
        realised=applicant.loss(rule.name, m, c, believed=False),
        best=best,
    )


def _deviations(
    applicant: Applicant, alone: float, lie: float, free_ride: float
) -> tuple[Deviation, ...]:
    """Lies and free rides, as far as the agent has the samples and the terms allow them."""
    c, m = applicant.true_cost, applicant.samples
    A = float(applicant.terms.required_error_scale)
    up, less = c * (1 + lie), m * (1 - free_ride)

    def deviation(name: str, report: float, samples: float) -> Deviation:
        def change(play: Play, *, believed: bool = True) -> float:
            honest = applicant.loss(play, m, c, believed=believed)
            return (applicant.loss(play, samples, report, believed=believed) - honest) / alone

        added: dict[str, float | None] = {play: change(play) for play in ("federated", "penalised")}
        for rule in RULES.values():
            added[rule.name] = change(rule.name)
            if rule.draws:
                realised = change(rule.name, believed=False) if applicant.knows_reports else None
                added[f"{rule.name}_realised"] = realised
        return Deviation(name, report, samples, added)

    choices = (
        (f"report {lie:.0%} more", up, m),
        (f"report {lie:.0%} less", c * (1 - lie), m),
        (f"report {lie:.0%} more, use what that suggests", up, (A / up) ** 0.5),
        (f"hold back {free_ride:.0%} of the data", c, less),
        (f"hold back {free_ride:.0%}, report what fits", A / less**2, less),
    )
    return tuple(deviation(*choice) for choice in choices if applicant.can_use(choice[2]))


def _if_error_scale_wrong(applicant: Applicant, outcomes: tuple[LossRange, ...]) -> float:
    """The fee is of the stated A, what federation and training alone bring is of the true one."""
    c, m, stated = (
        applicant.true_cost,
        applicant.samples,
        float(applicant.terms.required_error_scale),
    )
    true = stated / WRONG_BY
    alone = float(local_loss(min(m, float(local_optimum(c, true))), c, true))
    worst = next(outcome.worst for outcome in outcomes if outcome.rule == applicant.terms.rule)
    return (worst + (true - stated) / (m + applicant.others.total) - alone) / alone
