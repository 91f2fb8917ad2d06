"""The applicant: somebody who asks what joining would mean, what it can do and may expect."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import IN_RANGE, LARGEST, SMALLEST, ArrayLike, Floats
from ..errors import InputError
from ..mechanism import (
    RULES,
    CostDistribution,
    Others,
    Play,
    Rule,
    Terms,
    expected_loss,
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
    """

    true_cost: float
    terms: Terms
    others: Others
    knows_reports: bool
    capacity: int | None = None

    def __post_init__(self) -> None:
        if not SMALLEST <= self.true_cost <= LARGEST:
            raise InputError(f"a cost of {self.true_cost} is out of range; it must be {IN_RANGE}")
        if not self.can_use(self.terms.minimum_samples):
            raise InputError(
                f"the terms ask for at least {self.terms.minimum_samples} samples and you have "
                f"{self.capacity}; you cannot join under them"
            )
        if reason := misfit(self.samples, self.terms):
            raise InputError(reason)

    @property
    def wanted(self) -> int:
        """m* in whole samples, had the agent as many as it likes."""
        return int(whole_local_optimum(self.true_cost, float(self.terms.required_error_scale)))

    @property
    def at_home(self) -> int:
        """What the agent would use alone."""
        return self.wanted if self.capacity is None else min(self.wanted, self.capacity)

    @property
    def capped(self) -> bool:
        """Whether the agent has too few samples for m*."""
        return self.at_home < self.wanted

    @property
    def samples(self) -> int:
        """What the agent should use in the federation."""
        return max(self.at_home, self.terms.minimum_samples)

    def can_use(self, samples: float) -> bool:
        """Whether the agent has so many samples, and may use so few."""
        most = math.inf if self.capacity is None else self.capacity
        return self.terms.minimum_samples <= samples <= most

    def losses(
        self, play: Play, samples: ArrayLike, report: ArrayLike, *, believed: bool = True
    ) -> Floats:
        """Expected loss for using ``samples`` and reporting ``report``."""
        chance = self._chance(RULES[play], believed) if play in RULES else None
        return expected_loss(
            play, samples, report, self.true_cost, self.others, self.charged_terms, chance
        )

    @property
    def charged_terms(self) -> Terms:
        """The terms as they are applied: an agent that has no more data pays no charge for it."""
        return replace(self.terms, consistency=0.0) if self.capped else self.terms

    def loss(self, play: Play, samples: float, report: float, *, believed: bool = True) -> float:
        """The same for one choice."""
        return float(self.losses(play, samples, report, believed=believed))

    def _chance(self, rule: Rule, believed: bool) -> Chance:
        """To win with a report: as the agent believes under Assumption 1, or exactly against known
        reports; of unknown ones only the mean over all agents is sure."""
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
