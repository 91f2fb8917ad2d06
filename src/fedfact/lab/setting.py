"""Who plays, and for what: terms, the number of agents, and where their costs come from."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..arrays import IN_RANGE, LARGEST, SMALLEST, Floats, floats
from ..errors import InputError
from ..io.regular import is_file
from ..io.tables import read_columns
from ..mechanism import Curve, Terms
from .game.distribution import distribution, is_distribution
from .game.rule import Belief, GameRule, Knows
from .game.table import Table
from .rules.registry import Choice, Choices, all_rules, select_rules

COSTS = "norm:loc=1,scale=0.1"
"""The paper's Gaussian spread of a tenth."""

TERMS = Terms(error_scale=1e6, rule="sandwich")
"""With costs around 1 an agent alone uses about 1,000 samples."""

MOST = 500_000
"""Costs that are played with at once, of all agents and populations: a few gigabytes."""

_TRIES = 100
"""How often a cost is drawn anew that is not above 0."""

_APART = 1e30
"""How many times the cheapest cost the dearest may be; beyond that rules reckon no numbers."""


@dataclass(frozen=True)
class Setting:
    """A world to play in.

    Attributes:
        costs: as it was given: a distribution of scipy.stats, or a file.
        given: the costs of the file; None where they are drawn.
        truth: the curve that errors follow where the terms are wrong about it; None: theirs.
    """

    terms: Terms
    agents: int
    costs: str
    given: tuple[float, ...] | None = None
    truth: Curve | None = None

    @classmethod
    def read(cls, costs: str = COSTS, agents: int | None = None, terms: Terms = TERMS) -> Self:
        """From what a user says; refused where it makes no sense.

        Costs are ``NAME:KEY=VALUE,...``, a distribution of scipy.stats, or a CSV or JSON file.
        """
        _ = terms.required_error_scale
        if agents is not None and agents < 3:
            raise InputError(f"there are {agents} agents; the lab needs 3 at least")
        if agents is not None and agents > MOST:
            raise InputError(f"there are {agents:,} agents; there is room for {MOST:,}")
        if _is_file(costs):
            given = _costs_of_file(Path(costs))
            if agents not in (None, len(given)):
                raise InputError(f"{costs}: has {len(given)} agents, not {agents}; leave that out")
            setting = cls(terms, len(given), costs, given)
        else:
            setting = cls(terms, 16 if agents is None else agents, costs)
        if setting.agents < 3:
            raise InputError(f"there are {setting.agents} agents; the lab needs 3 at least")
        if setting.agents > MOST:
            raise InputError(f"{costs}: has {setting.agents:,} agents; there is room for {MOST:,}")
        setting.populations(1, 0)  # most of what cannot be drawn is refused here
        return setting

    def describe(self) -> dict[str, Any]:
        """In words and numbers, for documents to carry."""
        return {
            "agents": self.agents,
            "costs": self.costs,
            "error_scale": float(self.terms.required_error_scale),
            "exponent": float(self.terms.exponent),
            "alpha": float(self.terms.alpha),
            "retention": float(self.terms.retention),
            "consistency": float(self.terms.consistency),
        }

    @cached_property
    def distribution(self) -> Any:
        """Of costs, as agents may know it: of a file, its costs."""
        return None if self.given is not None else distribution(self.costs)

    @property
    def continuous(self) -> bool:
        """Whether costs are drawn, and no two of them are ever the same."""
        return self.given is None and not hasattr(self.distribution, "pmf")

    @cached_property
    def median(self) -> float:
        """Of the distribution of costs."""
        return self.quantile(0.5)

    def quantile(self, part: float) -> float:
        """The cost that so large a part of all costs is below."""
        if self.given is not None:
            return float(np.quantile(self.given, part))
        low = self.distribution.cdf(SMALLEST)  # below, as beyond, a cost is drawn anew
        high = self.distribution.cdf(LARGEST) if self.continuous else 1.0
        return float(self.distribution.ppf(low + part * (high - low)))

    def population(self, seed: int) -> Floats:
        """The costs of all agents."""
        return floats(self.populations(1, seed)[0])

    def populations(self, count: int, seed: int) -> Floats:
        """So many populations, a row each. Of a file: the same costs in other orders."""
        drawn = self._drawn(count, seed)
        if (drawn.max(axis=-1) > _APART * drawn.min(axis=-1)).any():
            raise InputError(
                f"--costs {self.costs}: one agent's cost is more than {_APART:g} times another's, "
                "beyond what can be reckoned with; give costs that lie closer together"
            )
        return drawn

    def _drawn(self, count: int, seed: int) -> Floats:
        rng = np.random.default_rng(seed)
        if self.given is not None:
            if count == 1:
                return floats(self.given)[None]
            return rng.permuted(np.tile(floats(self.given), (count, 1)), axis=1)
        with np.errstate(all="ignore"):  # what is out of range is drawn anew
            drawn = floats(self.distribution.rvs(size=(count, self.agents), random_state=rng))
            for _ in range(_TRIES):
                bad = ~((drawn >= SMALLEST) & (drawn <= LARGEST))
                if not bad.any():
                    return drawn
                drawn[bad] = self.distribution.rvs(size=int(bad.sum()), random_state=rng)
        raise InputError(
            f"--costs {self.costs}: nearly all costs are not {IN_RANGE}; take another distribution"
        )

    def rules(self, wanted: Choices | None = None) -> list[GameRule]:
        """All rules, fit for these agents, or those that are wanted, by name or as objects."""
        rules = all_rules(self.terms, self.agents, self.median)
        return rules if wanted is None else select_rules(rules, wanted)

    def rule(self, wanted: Choice, agents: int | None = None) -> GameRule:
        """One of them, for so many of the agents."""
        rules = all_rules(self.terms, self.agents if agents is None else agents, self.median)
        (rule,) = select_rules(rules, wanted)
        return rule

    def belief(self, knows: Knows) -> Belief:
        """Of an agent that knows so much."""
        return Belief(knows, self.median)

    @cached_property
    def curve(self) -> Curve:
        """The curve that errors follow."""
        return self.terms.curve if self.truth is None else self.truth

    def table(self, reports: Floats, samples: Floats) -> Table:
        """A round in which agents say and use this."""
        return Table(self.terms, reports, samples, samples, truth=self.truth)

    def times(self, factor: float) -> Self:
        """The same with so many times the error scale."""
        terms = replace(self.terms, error_scale=factor * float(self.terms.required_error_scale))
        truth = None if self.truth is None else self.truth.times(factor)
        return replace(self, terms=terms, truth=truth)

    def alone(self, cost: Floats) -> Floats:
        """The loss of training alone (Thm 1): 2√(A·c) for A/m."""
        return self.curve.least_loss(cost)

    def samples_alone(self, cost: Floats) -> Floats:
        """What an agent uses that trains alone (Thm 1): √(A/c) for A/m."""
        return self.curve.optimum(cost)


def _is_file(costs: str) -> bool:
    """By its ending, or because it is there; a distribution is none."""
    path = Path(costs)
    if path.suffix.lower() in (".csv", ".json"):
        return True
    return bool(costs.strip()) and is_file(path) and not is_distribution(costs)


def _costs_of_file(path: Path) -> tuple[float, ...]:
    """The column true_cost of a file."""
    return tuple(read_columns(path, ("true_cost",)).costs("true_cost").tolist())
