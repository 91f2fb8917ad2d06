"""``sandwich``, the paper's rule: agents compete in threes, and the winner gets its pool over G."""

from typing import ClassVar, Literal

import numpy as np

from ...arrays import ArrayLike, Floats, Ints, floats
from ...errors import InputError
from ..competition import compete
from ..losses import local_loss
from ..others import Others
from ..population import Population
from ..terms import Terms
from ..winning import win_probability_against
from .figures import Figures
from .rule import Chance, GivenBack, Rule, whole_part


class Sandwich(Rule):
    """The member in the middle of its group of three is rewarded (Eq. 10, with the pool on B)."""

    name: ClassVar[str] = "sandwich"
    gives: ClassVar[Literal["reward", "rebate"]] = "reward"
    draws: ClassVar[bool] = True
    guarantees: ClassVar[tuple[str, ...]] = (
        "At worst you end where training alone leaves you.",
        "Reporting the truth is best if you know nothing of the others' costs (Assumption 1).",
    )

    def among(self, agents: int) -> int:
        """G = ⌊n/3⌋, the number of groups and so of winners."""
        return agents // 3

    def give_back(
        self, population: Population, pool: Ints, terms: Terms, seed: int | None
    ) -> GivenBack:
        """Winners get their part of the pool; the others get nothing (Eq. 10)."""
        if seed is None:
            raise InputError(f"the {self.name} rule draws groups: give a seed")
        group, won = compete(population.agents, population.reported_cost, seed)
        part = whole_part(pool, terms, self.among(len(population)))
        return GivenBack(np.where(won, part, 0), group, won)

    def expected_loss(
        self,
        samples: ArrayLike,
        reported_cost: ArrayLike,
        true_cost: ArrayLike,
        others: Others,
        terms: Terms,
        chance: Chance | None = None,
    ) -> Floats:
        """The local loss, less the chance to win times the reward (Eq. 11)."""
        alone = local_loss(samples, true_cost, float(terms.required_error_scale))
        wins = chance or (lambda c: win_probability_against(c, others.reported_cost))
        return floats(alone - wins(floats(reported_cost)) * self.share(others, terms))

    def bounds(
        self, samples: float, reported_cost: float, true_cost: float, others: Others, terms: Terms
    ) -> tuple[float, float]:
        """Losing leaves the local loss; winning takes the reward off it."""
        lost = float(local_loss(samples, true_cost, float(terms.required_error_scale)))
        return lost, lost - self.share(others, terms)

    def back_formula(self, of: Figures, kept: str) -> tuple[str, str]:
        """A winner gets its pool over G; the others are told why they get nothing."""
        if of.won:
            return "⌊(1 − ρ)·pool/G⌋", f"⌊{kept}/{self.among(of.agents)}⌋"
        why = "left over by the draw" if of.group is None else "not the median of its group"
        return "0", why

    def remarks(self, agents: int) -> list[str]:
        """One or two agents are left over where n is not a multiple of three."""
        over = agents % 3
        if not over:
            return []
        return [f"{over} of {agents} agents left over by the draw: they pay and cannot win"]

    def assumptions(self, knows_reports: bool) -> list[str]:
        """What an agent believes about its chance to win, and what is true of it."""
        chance = (
            "your exact chance against these reports"
            if knows_reports
            else "the mean over all agents, at most one win in three"
        )
        return [
            "Believed: you take your cost for the median (Assumption 1) and expect to win one time "
            f"in two. Realised: {chance}.",
            "Who knows the others' costs gains by reporting their median: this rule is truthful "
            "only among agents that know nothing of each other.",
        ]
