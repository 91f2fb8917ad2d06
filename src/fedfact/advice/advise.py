"""What joining would mean for one agent, before it signs.

All of it follows from the agent's own cost, the terms, and what it knows or assumes of the others.
"""

from dataclasses import asdict, dataclass
from typing import Any

from ..mechanism import RULES, Play, Rule, Terms, least_admitted, rule_of
from ..mechanism.fees import largest_fee
from ..results import Tabular, html_table, text_table
from .applicant import Applicant
from .wrong_curve import WrongCurve, wrong_curves


@dataclass(frozen=True, slots=True)
class LossRange:
    """What an agent may end with under one rule, for honest use of the samples that are best there.

    ``fee`` is in minor units, below 0 where the agent is paid; losses are in the unit of the terms.
    """

    rule: str
    samples: int
    fee: int
    worst: float
    believed: float
    realised: float
    best: float


_LOSSES = ("worst", "believed", "realised", "best")


@dataclass(frozen=True, slots=True)
class Deviation:
    """What a lie or a free ride changes: ``added`` loss, as a part of the loss alone, by play.

    Positive is worse for the agent, and None cannot be done. The plays are ``federated``,
    ``penalised`` and every rule by its name. A rule that draws is there twice: as the agent
    believes under Assumption 1 and, as ``NAME_realised``, as the others' reports make it (None
    where these are not known). Report and samples are those under the rule of the terms; under each
    play the agent, and the others, start from what is best there.
    """

    name: str
    reported_cost: float
    samples: float
    added: dict[str, float | None]


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Tabular):
    """What joining means. Losses in the unit of the terms, fees in minor units.

    Attributes:
        optimum: m*, the samples the agent would want under these terms, in real numbers.
        samples: what it should use: m* in whole samples, within capacity and the billing floor.
        least: the fewest samples with which the operator admits it.
        alone: loss of the best it can do without joining, with ``at_home`` samples.
        fee, largest_fee: the fee at ``samples`` with these others, and the most it can be with
            any others.
        outcomes: under every rule, were the terms to have it; those without a draw first.
        if_wrong: what a wrong curve would do to it.
    """

    true_cost: float
    terms: Terms
    agents: int
    others_samples: float
    knows_reports: bool
    size: int
    capacity: int | None
    optimum: float
    samples: int
    least: int
    at_home: int
    alone: float
    fee: int
    largest_fee: int
    outcomes: tuple[LossRange, ...]
    deviations: tuple[Deviation, ...]
    if_wrong: tuple[WrongCurve, ...]

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
        """One row a rule: what an honest member may end with under it, in minor units."""
        unit = float(self.terms.unit)
        return [
            {key: cell / unit if key in _LOSSES else cell for key, cell in asdict(outcome).items()}
            for outcome in self.outcomes
        ]

    def shown_rows(self) -> list[dict[str, Any]]:
        """The same with losses as people write money."""
        written = self.terms.money_unit.written_loss
        fee, plain = self.terms.money_unit.written, ("rule", "samples")
        return [
            {
                name: cell if name in plain else fee(cell) if name == "fee" else written(cell)
                for name, cell in row.items()
            }
            for row in map(asdict, self.outcomes)
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
    true_cost, terms = applicant.true_cost, applicant.terms
    rule = rule_of(terms)
    alone = applicant.loss("local", applicant.at_home, true_cost)
    # What leaves nothing to chance comes first; sizes are for rules that know them.
    fitting = [each for each in RULES.values() if each.knows_sizes or applicant.others.size is None]
    rules = sorted(fitting, key=lambda each: each.draws)
    outcomes = tuple(_outcome(each, applicant.under(each)) for each in rules)
    samples = applicant.samples
    return Advice(
        true_cost=true_cost,
        terms=terms,
        agents=applicant.others.n,
        others_samples=applicant.others.total,
        knows_reports=applicant.knows_reports,
        size=applicant.size,
        capacity=applicant.capacity,
        optimum=float(applicant.own_curve.optimum(true_cost)),
        samples=samples,
        least=least_admitted(terms, applicant.size),
        at_home=applicant.at_home,
        alone=alone,
        fee=next(each.fee for each in outcomes if each.rule == rule.name),
        largest_fee=largest_fee(samples, terms, applicant.size),
        outcomes=outcomes,
        deviations=_deviations(applicant, rules, alone, lie, free_ride),
        if_wrong=wrong_curves(applicant, rules),
    )


def _outcome(rule: Rule, applicant: Applicant) -> LossRange:
    c, m, standing = applicant.true_cost, applicant.samples, applicant.standing
    worst, best = rule.bounds(m, c, c, applicant.others, applicant.terms, standing)
    return LossRange(
        rule.name,
        samples=m,
        fee=rule.fee_for(m, m + round(applicant.others.total), standing, applicant.terms),
        worst=worst,
        believed=applicant.loss(rule.name, m, c),
        realised=applicant.loss(rule.name, m, c, believed=False),
        best=best,
    )


def _deviations(
    applicant: Applicant, rules: list[Rule], alone: float, lie: float, free_ride: float
) -> tuple[Deviation, ...]:
    """Lies and free rides from what is best under each play, as far as the agent can do them."""
    c, names = applicant.true_cost, [rule.name for rule in rules]

    def under(play: Play) -> Applicant:
        return applicant.under(RULES[play]) if play in RULES else applicant

    def choices(play: Play) -> dict[str, tuple[float, float]]:
        """The report and the samples of each."""
        who = under(play)
        m, own = (who.samples, who.own_curve) if play in RULES else (who.at_home, who.errors)
        up, less = c * (1 + lie), m * (1 - free_ride)
        return {
            "tell the truth": (c, m),
            f"report {lie:.0%} more": (up, m),
            f"report {lie:.0%} less": (c * (1 - lie), m),
            f"report {lie:.0%} more, use what that suggests": (up, float(own.optimum(up))),
            f"hold back {free_ride:.0%} of the data": (c, less),
            f"hold back {free_ride:.0%}, report what fits": (float(own.fitting_cost(less)), less),
        }

    def changes(play: Play, *, believed: bool = True) -> dict[str, float | None]:
        """What each adds to the loss of telling the truth; None where it cannot be done."""
        (said, used), *_ = choices(play).values()
        who = under(play)
        honest = who.loss(play, used, said, believed=believed)
        return {
            name: (who.loss(play, samples, report, believed=believed) - honest) / alone
            if who.can_use(samples)
            else None
            for name, (report, samples) in list(choices(play).items())[1:]
        }

    added = {play: changes(play) for play in ("federated", "penalised", *names)}
    for rule in rules:
        if rule.draws:
            unknown = dict.fromkeys(added[rule.name])
            known = changes(rule.name, believed=False) if applicant.knows_reports else unknown
            added[f"{rule.name}_realised"] = known
    return tuple(
        Deviation(name, *choice, {play: change[name] for play, change in added.items()})
        for name, choice in list(choices(applicant.terms.rule).items())[1:]
        if applicant.can_use(choice[1])
    )
