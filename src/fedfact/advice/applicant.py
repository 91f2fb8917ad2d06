"""The applicant: somebody who asks what joining would mean, what it can do and may expect."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import IN_RANGE, LARGEST, SMALLEST, ArrayLike, Floats
from ..errors import InputError
from ..mechanism import (
    RULES,
    CostDistribution,
    Curve,
    Others,
    Play,
    Rule,
    Standing,
    Terms,
    billing_floor,
    expected_loss,
    least_admitted,
    rule_of,
    whole_local_optimum,
)
from ..mechanism.fees import misfit
from ..mechanism.rules.rule import Chance

SPREAD = 0.1
"""Under Assumption 1 an agent takes its cost for the median; the paper adds a spread of 10 %."""


@dataclass(frozen=True, slots=True, eq=False)
class Applicant:
    """The agent that asks, the terms it was offered, and what it knows of the others.

    Attributes:
        knows_reports: whether the others' reported costs are known, or only samples assumed.
        capacity: the most samples the agent has; None: as many as it likes.
        size: its size, where members have sizes.
    """

    true_cost: float
    terms: Terms
    others: Others
    knows_reports: bool
    capacity: int | None = None
    size: int = 1

    def __post_init__(self) -> None:
        if not SMALLEST <= self.true_cost <= LARGEST:
            raise InputError(f"a cost of {self.true_cost} is out of range; it must be {IN_RANGE}")
        rule, least = rule_of(self.terms), least_admitted(self.terms, self.size)
        if not rule.knows_sizes and (self.size != 1 or self.others.size is not None):
            raise InputError(f"the {rule.name} rule knows no sizes; leave them out")
        if self.capacity is not None and self.capacity < least:
            raise InputError(
                f"the terms ask for at least {least} samples and you have {self.capacity}; "
                "you cannot join under them"
            )
        if reason := misfit(self.samples, self.terms, self.size):
            raise InputError(reason)

    @property
    def standing(self) -> Standing:
        """What the agent is beside the others."""
        return self.others.beside(self.size, self.capacity)

    @property
    def errors(self) -> Curve:
        """What errors cost the agent: as many times the curve of the terms as its size."""
        return self.terms.curve.times(self.size)

    @property
    def at_home(self) -> int:
        """What the agent would use alone."""
        return self._at_most(int(whole_local_optimum(self.true_cost, self.errors)))

    def under(self, rule: Rule) -> "Applicant":
        """The same agent, had the terms this rule, and did all others what is best under it."""
        if rule is rule_of(self.terms):
            return self
        others, standing = self.others, self.standing
        sizes = 1 if others.size is None else others.size
        curve = rule.own_curve(self.terms.curve, sizes, standing.all_sizes)
        best = curve.optimum(others.reported_cost)
        return replace(
            self,
            terms=replace(self.terms, rule=rule.name),
            others=Others(best, others.reported_cost, others.size),
        )

    @property
    def own_curve(self) -> Curve:
        """What the agent's own samples cost it in errors."""
        standing = self.standing
        return rule_of(self.terms).own_curve(self.terms.curve, standing.size, standing.all_sizes)

    @property
    def samples(self) -> int:
        """What the agent should use: what is best for it and can be billed."""
        best = int(whole_local_optimum(self.true_cost, self.own_curve))
        return self._at_most(max(best, billing_floor(self.terms, self.size)))

    def can_use(self, samples: float) -> bool:
        """Whether the agent has so many samples, and can be billed for so few."""
        return billing_floor(self.terms, self.size) <= samples and (
            self.capacity is None or samples <= self.capacity
        )

    def losses(
        self, play: Play, samples: ArrayLike, report: ArrayLike, *, believed: bool = True
    ) -> Floats:
        """Expected loss for using ``samples`` and reporting ``report``."""
        chance = self._chance(RULES[play], believed) if play in RULES else None
        return expected_loss(
            play,
            samples,
            report,
            self.true_cost,
            self.others,
            self.terms,
            chance,
            self.standing,
        )

    def loss(self, play: Play, samples: float, report: float, *, believed: bool = True) -> float:
        """The same for one choice."""
        return float(self.losses(play, samples, report, believed=believed))

    def _at_most(self, samples: int) -> int:
        return samples if self.capacity is None else min(samples, self.capacity)

    def _chance(self, rule: Rule, believed: bool) -> Chance:
        """To win with a report: as the agent believes (Assumption 1), or exactly.

        Against reports that it does not know, only the mean over all agents is sure.
        """
        n = self.others.n
        if believed:
            return lambda report: rule.chance_among(report, self._believed_costs(), n)
        if self.knows_reports:
            return lambda report: rule.chance_against(report, self.others)
        return lambda report: np.full(np.shape(report), rule.among(n) / n)

    def _believed_costs(self) -> CostDistribution:
        """Of all agents: an agent takes its own for the median."""
        from scipy import stats  # here, because it loads slowly

        costs: CostDistribution = stats.norm(self.true_cost, SPREAD * self.true_cost)
        return costs
